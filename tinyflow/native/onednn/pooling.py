"""Max and average pooling of images and volumes, and their gradients.

Where both a maximum and its gradient are needed, the places of the maxima are one more value of the
program: the gradient needs neither the images nor the maxima.
"""
from __future__ import annotations

import ctypes
from math import prod

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.graph import dtypes
from tinyflow.native.instructions import native_instruction, result, stored, whole
from tinyflow.native.onednn.images import Windows, constant, images, known
from tinyflow.native.onednn.library import Primitive, load, vector
from tinyflow.native.uses import Uses

__all__ = ['MAKERS']

_TRAINING, _INFERENCE = 64, 96
_MAX, _AVERAGE_INSIDE = 0x1ff, 0x3ff
_LEAST = 1 << 14            # elements; for less, NumPy is as fast


class _Pool:
    """Descriptions of a pooling, of data of a shape, and of its gradient."""

    def __init__(self, algorithm: int, windows: Windows, x: tuple[int, ...], y: tuple[int, ...],
                 training: bool) -> None:
        self.x, self.y = x, y
        self._algorithm = algorithm
        self._layouts = images(x, windows.first), images(y, windows.first)
        self._places = [vector(*windows.plan.strides), vector(*windows.plan.kernel),
                        windows.rates(), *windows.margins()]
        self._kind = _TRAINING if training else _INFERENCE
        self._work = prod(y) * prod(windows.plan.kernel)

    def _description(self, attributes: ctypes.c_void_p | None) -> ctypes.c_void_p:
        library = load()
        return library.make('dnnl_pooling_forward_primitive_desc_create', library.engine,
                            self._kind, self._algorithm, *self._layouts, *self._places, attributes)

    def forward(self, workspace: bool) -> Primitive:
        x, y = self._layouts
        return Primitive(self._description, {'src': x, 'dst': y}, self._work, workspace=workspace)

    def backward(self, workspace: bool) -> Primitive:
        library, (x, y), hint = load(), self._layouts, self._description(None)
        return Primitive(
            lambda attributes: library.make(
                'dnnl_pooling_backward_primitive_desc_create', library.engine, self._algorithm,
                x, y, *self._places, hint, attributes),
            {'diff_src': x, 'diff_dst': y}, self._work, workspace=workspace)


def _pool(instruction: Instruction, algorithm: int, x: tuple[int, ...], y: tuple[int, ...],
          training: bool) -> _Pool | None:
    """None if oneDNN is not to be used for that pooling."""
    if len(x) != len(y) or 0 in x or prod(x) < _LEAST:
        return None
    ksize, strides = instruction.attrs['ksize'], instruction.attrs['strides']
    axis = 1 if instruction.attrs['data_format'].startswith('NC') else len(x) - 1
    if (ksize[axis], strides[axis]) != (1, 1):
        return None                                     # over channels
    kernel = tuple([size for i, size in enumerate(ksize) if i not in (0, axis)])
    windows = Windows.of(instruction, x, kernel)
    if y != windows.result(x[0], x[axis]):
        return None                     # the run will refuse it, with the user's line
    return _Pool(algorithm, windows, x, y, training)


def _maximum(instruction: Instruction, uses: Uses) -> dict[Instruction, Instruction | None]:
    x, y = instruction.inputs[0], instruction.outputs[0]
    if not known(x, y):
        return {}
    gradients = [user for user in uses.users(x) if user.type == instruction.type + 'Grad'
                 and user.inputs[0] is x and user.inputs[1] is y and not user.copy
                 and user.attrs == instruction.attrs and known(*user.inputs, *user.outputs)]
    pool = _pool(instruction, _MAX, x.sizes, y.sizes, bool(gradients))
    if pool is None:
        return {}
    primitive = pool.forward(workspace=bool(gradients))

    def kernel(x, out=None):
        target = result(out, pool.y)
        primitive.run(src=whole(x), dst=target)
        return stored(target, out)

    if not gradients:
        return {instruction: native_instruction(instruction, kernel)}
    backward = pool.backward(workspace=True)
    size = primitive.workspace_bytes

    def with_places(x, out=(None, None)):
        target, places = result(out[0], pool.y), result(out[1], (size,), np.uint8)
        primitive.run(src=whole(x), dst=target, workspace=places)
        return stored(target, out[0]), stored(places, out[1])

    def gradient(dy, places, out=None):
        target = result(out, pool.x)
        backward.run(diff_dst=whole(dy), workspace=places, diff_src=target)
        return stored(target, out)

    places = Value(f'{y.name}/places', dtypes.uint8, (size,))
    replaced: dict[Instruction, Instruction | None] = {
        user: native_instruction(user, gradient, (user.inputs[2], places)) for user in gradients}
    replaced[instruction] = native_instruction(instruction, with_places, outputs=(y, places))
    return replaced


def _average(instruction: Instruction, uses: Uses) -> dict[Instruction, Instruction | None]:
    x, y = instruction.inputs[0], instruction.outputs[0]
    if not known(x, y):
        return {}
    pool = _pool(instruction, _AVERAGE_INSIDE, x.sizes, y.sizes, False)
    if pool is None:
        return {}
    primitive = pool.forward(workspace=False)

    def kernel(x, out=None):
        target = result(out, pool.y)
        primitive.run(src=whole(x), dst=target)
        return stored(target, out)
    return {instruction: native_instruction(instruction, kernel)}


def _average_gradient(instruction: Instruction,
                      uses: Uses) -> dict[Instruction, Instruction | None]:
    sizes, dy = instruction.inputs
    if not known(dy):
        return {}
    pool = _pool(instruction, _AVERAGE_INSIDE, constant(sizes), dy.sizes, True)
    if pool is None:
        return {}
    primitive = pool.backward(workspace=False)

    def kernel(sizes, dy, out=None):
        target = result(out, pool.x)
        primitive.run(diff_dst=whole(dy), diff_src=target)
        return stored(target, out)
    return {instruction: native_instruction(instruction, kernel)}


MAKERS = {'MaxPool': _maximum, 'MaxPool3D': _maximum, 'AvgPool': _average, 'AvgPool3D': _average,
          'AvgPoolGrad': _average_gradient, 'AvgPool3DGrad': _average_gradient}
