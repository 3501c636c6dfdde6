"""Fused batch normalization of images, and its gradient."""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import prod

import numpy as np

from tinyflow.compiler.ir import Instruction
from tinyflow.native.instructions import native_instruction, result, stored, whole
from tinyflow.native.onednn.images import images, known
from tinyflow.native.onednn.library import Primitive, descriptor, load
from tinyflow.native.uses import Uses
from tinyflow.ops.conv import conv_geometry

__all__ = ['MAKERS']

_TRAINING, _INFERENCE, _BACKWARD = 64, 96, 128
_GIVEN_STATISTICS, _SCALE, _SHIFT = 1, 2, 4
_GRADIENT = 'FusedBatchNormGradV3'
_LEAST = 1 << 14            # elements; for less, NumPy is as fast
_WORK = 4                   # as many multiplications take the time of one element


class _Normalization:
    """Descriptions of a normalization, and of its gradient."""

    def __init__(self, instruction: Instruction, shape: tuple[int, ...]) -> None:
        attrs = instruction.attrs
        first = conv_geometry.channels_first(attrs['data_format'])
        self.shape, self.channels = shape, shape[1] if first else shape[-1]
        self.training = attrs['is_training']
        self.count = prod(shape) // self.channels
        self._epsilon = ctypes.c_float(attrs['epsilon'])
        self._flags = _SCALE | _SHIFT | (0 if self.training else _GIVEN_STATISTICS)
        self._images = images(shape, first)
        self._vector = descriptor([self.channels], [1])
        self._work = _WORK * prod(shape)

    def _description(self, attributes: ctypes.c_void_p | None) -> ctypes.c_void_p:
        library = load()
        return library.make('dnnl_batch_normalization_forward_primitive_desc_create',
                            library.engine, _TRAINING if self.training else _INFERENCE,
                            self._images, self._images, self._epsilon, self._flags, attributes)

    def forward(self) -> Primitive:
        return Primitive(self._description, self._layouts(
            ('src', 'dst'), ('scale', 'shift', 'mean', 'variance')), self._work)

    def backward(self) -> Primitive:
        library, hint = load(), self._description(None)
        return Primitive(
            lambda attributes: library.make(
                'dnnl_batch_normalization_backward_primitive_desc_create', library.engine,
                _BACKWARD, self._images, self._images, self._images, self._epsilon, self._flags,
                hint, attributes),
            self._layouts(('src', 'diff_src', 'diff_dst'),
                          ('scale', 'mean', 'variance', 'diff_scale', 'diff_shift')), self._work)

    def _layouts(self, arrays: tuple[str, ...],
                 vectors: tuple[str, ...]) -> dict[str, ctypes.c_void_p]:
        return {**dict.fromkeys(arrays, self._images), **dict.fromkeys(vectors, self._vector)}


def _normalized(instruction: Instruction, uses: Uses) -> dict[Instruction, Instruction | None]:
    """The normalization together with its gradients, between which there is a reserved value of
    unknown shape that native code does not need.
    """
    x, scale, offset, *statistics = instruction.inputs
    reserved = instruction.outputs[5]
    gradients = uses.users(reserved)
    if not _fits(instruction, x, scale, offset) or not uses.only_used_by(reserved, _GRADIENT) \
            or not all(_fits(g, *g.inputs[:5]) and g.attrs == instruction.attrs
                       for g in gradients) \
            or not (instruction.attrs['is_training'] or known(*statistics)):
        return {}
    described = _Normalization(instruction, x.sizes)
    kernel = _training(described) if described.training else _inference(described)
    replaced: dict[Instruction, Instruction | None] = {}
    if gradients:
        gradient = _gradient(described)
        replaced = {g: native_instruction(g, gradient, g.inputs[:5]) for g in gradients}
    replaced[instruction] = native_instruction(instruction, kernel, outputs=instruction.outputs[:5])
    return replaced


def _fits(instruction: Instruction, *values) -> bool:
    return not instruction.copy and known(*values) \
        and prod(instruction.inputs[0].sizes) >= _LEAST


def _training(described: _Normalization) -> Callable:
    primitive = described.forward()
    unbiased = np.float32(described.count / max(1, described.count - 1))

    def kernel(x, scale, offset, mean, variance, out=(None,) * 5):
        y = result(out[0], described.shape)
        mean, variance = (np.empty(described.channels, np.float32) for _ in range(2))
        primitive.run(src=whole(x), scale=whole(scale), shift=whole(offset), mean=mean,
                      variance=variance, dst=y)
        results = y, mean, variance * unbiased, mean.copy(), variance
        return tuple([stored(*pair) for pair in zip(results, out)])
    return kernel


def _inference(described: _Normalization) -> Callable:
    primitive = described.forward()

    def kernel(x, scale, offset, mean, variance, out=(None,) * 5):
        y = result(out[0], described.shape)
        primitive.run(src=whole(x), scale=whole(scale), shift=whole(offset), mean=whole(mean),
                      variance=whole(variance), dst=y)
        results = y, mean.copy(), variance.copy(), mean.copy(), variance.copy()
        return tuple([stored(*pair) for pair in zip(results, out)])
    return kernel


def _gradient(described: _Normalization) -> Callable:
    primitive = described.backward()
    nothing = np.zeros(0 if described.training else described.channels, np.float32)

    def kernel(dy, x, scale, mean, variance, out=(None,) * 5):
        dx = result(out[0], described.shape)
        dscale, doffset = (np.empty(described.channels, np.float32) for _ in range(2))
        primitive.run(src=whole(x), diff_dst=whole(dy), scale=whole(scale), mean=whole(mean),
                      variance=whole(variance), diff_src=dx, diff_scale=dscale,
                      diff_shift=doffset)
        results = dx, dscale, doffset, nothing.copy(), nothing.copy()
        return tuple([stored(*pair) for pair in zip(results, out)])
    return kernel


MAKERS = {'FusedBatchNormV3': _normalized}
