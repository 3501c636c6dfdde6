"""Convolutions of images and volumes, depthwise ones too, and their gradients.

A bias that is added to a convolution, batch normalization with fixed statistics after it, and the
gradient of the bias are computed along with it.
"""
from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tinyflow.compiler.ir import Instruction, Value
from tinyflow.native.instructions import native_instruction, result, stored, whole
from tinyflow.native.onednn.images import Windows, constant, contiguous, images, known
from tinyflow.native.onednn.library import Primitive, descriptor, load, vector
from tinyflow.native.uses import Uses
from tinyflow.ops.conv import conv_geometry

__all__ = ['MAKERS']

_TRAINING, _DIRECT = 64, 1
_AFTER = frozenset({'Add', 'AddV2', 'BiasAdd', 'FusedBatchNormV3'})
_LEAST = 1 << 16            # multiplications; for less, NumPy is as fast


class _Shapes(NamedTuple):
    """Shapes of the data, the filter and the result, and where windows lie."""

    x: tuple[int, ...]
    filter: tuple[int, ...]     # *kernel, in, out; *kernel, channels, multiplier if depthwise
    y: tuple[int, ...]
    windows: Windows
    depthwise: bool

    @property
    def work(self) -> int:
        kept = self.filter[:-2] if self.depthwise else self.filter[:-1]
        return prod(self.y) * prod(kept)

    @property
    def outputs(self) -> int:
        return self.filter[-1] * (self.filter[-2] if self.depthwise else 1)

    @property
    def reordered(self) -> tuple[str, ...]:
        """The arrays whose layout oneDNN chooses: channels last suit it as they are."""
        return ('weights', 'src', 'dst') if self.windows.first else ('weights',)

    def places(self) -> list[ctypes.Array]:
        """Strides, dilations, and the margins before and after, as oneDNN takes them."""
        windows = self.windows
        return [vector(*windows.plan.strides), windows.rates(), *windows.margins()]

    def layouts(self) -> dict[str, ctypes.c_void_p]:
        """How the arrays lie in memory."""
        first = self.windows.first
        return {'src': images(self.x, first), 'dst': images(self.y, first),
                'weights': descriptor(*self._filter()), 'bias': descriptor([self.outputs], [1])}

    def chosen(self) -> dict[str, ctypes.c_void_p]:
        """The same, with free choice for those in `reordered`."""
        free = {'weights': descriptor(self._filter()[0])}
        if self.windows.first:
            free.update(src=descriptor(self.x), dst=descriptor(self.y))
        return {**self.layouts(), **free}

    def _filter(self) -> tuple[list[int], list[int]]:
        """Sizes and strides of the filter in oneDNN's order of axes: groups, out, in, kernel."""
        *kernel, inner, outer = self.filter
        *steps, step, _ = contiguous(self.filter)
        if self.depthwise:
            return [inner, outer, 1, *kernel], [step, 1, step, *steps]
        return [outer, inner, *kernel], [1, step, *steps]


def _shapes(instruction: Instruction, x: Any, filter: Any, y: Any) -> _Shapes | None:
    """The shapes, of Values or given; None if oneDNN is not to be used for them."""
    if not known(*[v for v in (x, filter, y) if isinstance(v, Value)]):
        return None
    x, filter, y = (v.sizes if isinstance(v, Value) else v for v in (x, filter, y))
    if not x or not filter or 0 in x or 0 in filter or len(x) != len(filter):
        return None
    depthwise = instruction.type.startswith('Depthwise')
    windows = Windows.of(instruction, x, filter[:-2])
    shapes = _Shapes(x, filter, y, windows, depthwise)
    channels = x[1] if windows.first else x[-1]
    if channels != filter[-2] or y != windows.result(x[0], shapes.outputs):
        return None                     # the run will refuse it, with the user's line
    return shapes if shapes.work >= _LEAST else None


def _description(shapes: _Shapes, attributes: ctypes.c_void_p | None,
                 with_bias: bool = False) -> ctypes.c_void_p:
    library, chosen = load(), shapes.chosen()
    return library.make('dnnl_convolution_forward_primitive_desc_create', library.engine,
                        _TRAINING, _DIRECT, chosen['src'], chosen['weights'],
                        chosen['bias'] if with_bias else None, chosen['dst'], *shapes.places(),
                        attributes)


# ---- forward -----------------------------------------------------------------------------------

def _forward(instruction: Instruction, uses: Uses) -> dict[Instruction, Instruction | None]:
    x, filter = instruction.inputs
    shapes = _shapes(instruction, x, filter, instruction.outputs[0])
    if shapes is None:
        return {}
    followers = _followers(instruction, shapes, uses)
    layouts = shapes.layouts()
    if not followers:
        del layouts['bias']
    if not shapes.depthwise and any(f.type == 'FusedBatchNormV3' for f in followers):
        layouts['factors'] = layouts['bias']        # a number for each channel, too
    primitive = Primitive(
        lambda attributes: _description(shapes, attributes, bool(followers)), layouts,
        shapes.work, shapes.reordered)
    kernel = _kernel_with(shapes, primitive, [_change(f) for f in followers]) \
        if followers else _plain_kernel(shapes, primitive)
    steps = [instruction, *followers]
    inputs = [x, filter, *[v for f in followers for v in _vectors(f)]]
    native = native_instruction(instruction, kernel, inputs, steps[-1].outputs[:1])
    replaced: dict[Instruction, Instruction | None] = dict.fromkeys(steps[:-1])
    replaced[steps[-1]] = native
    return replaced


def _plain_kernel(shapes: _Shapes, primitive: Primitive) -> Callable[..., np.ndarray]:
    def kernel(x, filter, out=None):
        target = result(out, shapes.y)
        primitive.run(src=whole(x), weights=whole(filter), dst=target)
        return stored(target, out)
    return kernel


def _kernel_with(shapes: _Shapes, primitive: Primitive,
                 changes: list[tuple[int, Callable]]) -> Callable[..., np.ndarray]:
    """A convolution whose filter and bias are changed first, in the place of what follows it.

    `changes` has, for each instruction after it, the number of its vectors and a function.
    """
    along = shapes.filter[-2:] if shapes.depthwise else shapes.filter[-1:]

    def kernel(x, filter, *vectors, out=None):
        target, factors, bias = result(out, shapes.y), None, None
        for count, change in changes:
            factors, bias = change(factors, bias, *vectors[:count])
            vectors = vectors[count:]
        more = {}
        if factors is not None and primitive.multiplies_weights:
            more['factors'] = whole(factors)
        elif factors is not None:
            filter = filter * factors.reshape(along)
        primitive.run(src=whole(x), weights=whole(filter), bias=whole(bias), dst=target, **more)
        return stored(target, out)
    return kernel


def _followers(instruction: Instruction, shapes: _Shapes, uses: Uses) -> list[Instruction]:
    """The instructions after a convolution that can be computed with it: a bias, a normalization.
    """
    found: list[Instruction] = []
    last = instruction
    while True:
        user = uses.only_user(last.outputs[0])
        if user is None or user.copy or user.type not in _AFTER \
                or not uses.undisturbed(instruction, user) \
                or not _follows(user, last.outputs[0], shapes, uses):
            return found
        found.append(user)
        last = user


def _follows(user: Instruction, value: Value, shapes: _Shapes, uses: Uses) -> bool:
    """Whether an instruction changes `value` by a number for each channel."""
    vectors = _vectors(user)
    if not known(*vectors) or any(v.sizes != (shapes.outputs,) for v in vectors) \
            or user.outputs[0].raw_shape != shapes.y or value in vectors:
        return False
    if user.type == 'FusedBatchNormV3':
        if user.attrs['is_training'] or not all(uses.unused(v) for v in user.outputs[1:]):
            return False
    return _along_channels(user, shapes)


def _along_channels(user: Instruction, shapes: _Shapes) -> bool:
    """Whether an instruction has the channels of the convolution where this has them."""
    first = conv_geometry.channels_first(user.attrs.get('data_format', 'NHWC'))
    return first == shapes.windows.first


def _vectors(user: Instruction) -> tuple[Value, ...]:
    """The inputs of an instruction after a convolution, but for the convolution."""
    if user.type in ('Add', 'AddV2') and user.inputs[0].raw_shape is not None \
            and len(user.inputs[0].raw_shape) == 1:
        return user.inputs[:1]
    return user.inputs[1:]


def _change(user: Instruction) -> tuple[int, Callable]:
    """(the number of vectors, how they change the filter's factors and the bias)."""
    if user.type != 'FusedBatchNormV3':
        return 1, lambda factors, bias, more: (factors, more if bias is None else bias + more)
    epsilon = np.float32(user.attrs['epsilon'])

    def normalized(factors, bias, scale, offset, mean, variance):
        factor = scale / np.sqrt(variance + epsilon)
        center = mean if bias is None else mean - bias
        return (factor if factors is None else factors * factor), offset - center * factor
    return 4, normalized


# ---- gradients ---------------------------------------------------------------------------------

def _to_input(instruction: Instruction, uses: Uses) -> dict[Instruction, Instruction | None]:
    sizes, filter, dy = instruction.inputs
    shapes = _shapes(instruction, constant(sizes), filter, dy)
    if shapes is None:
        return {}
    library, hint, chosen = load(), _description(shapes, None), shapes.chosen()
    layouts = shapes.layouts()
    primitive = Primitive(
        lambda attributes: library.make(
            'dnnl_convolution_backward_data_primitive_desc_create', library.engine, _DIRECT,
            chosen['src'], chosen['weights'], chosen['dst'], *shapes.places(), hint, attributes),
        {'diff_src': layouts['src'], 'weights': layouts['weights'], 'diff_dst': layouts['dst']},
        shapes.work, [_GRADIENTS.get(name, name) for name in shapes.reordered])

    def kernel(sizes, filter, dy, out=None):
        target = result(out, shapes.x)
        primitive.run(diff_src=target, weights=whole(filter), diff_dst=whole(dy))
        return stored(target, out)
    return {instruction: native_instruction(instruction, kernel)}


_GRADIENTS = {'src': 'diff_src', 'dst': 'diff_dst'}


def _to_filter(instruction: Instruction, uses: Uses) -> dict[Instruction, Instruction | None]:
    x, sizes, dy = instruction.inputs
    shapes = _shapes(instruction, x, constant(sizes), dy)
    if shapes is None:
        return {}
    sums = _sums(instruction, dy, shapes, uses)
    library, hint, chosen = load(), _description(shapes, None, sums is not None), shapes.chosen()
    layouts = shapes.layouts()
    arrays = {'src': layouts['src'], 'diff_weights': layouts['weights'],
              'diff_dst': layouts['dst']}
    if sums is not None:
        arrays['diff_bias'] = layouts['bias']
    names = {'dst': 'diff_dst', 'weights': 'diff_weights'}
    primitive = Primitive(
        lambda attributes: library.make(
            'dnnl_convolution_backward_weights_primitive_desc_create', library.engine, _DIRECT,
            chosen['src'], chosen['weights'], chosen['bias'] if sums is not None else None,
            chosen['dst'], *shapes.places(), hint, attributes),
        arrays, shapes.work, [names.get(name, name) for name in shapes.reordered])

    def kernel(x, sizes, dy, out=None):
        target = result(out, shapes.filter)
        primitive.run(src=whole(x), diff_weights=target, diff_dst=whole(dy))
        return stored(target, out)

    def with_sums(x, sizes, dy, out=(None, None)):
        targets = result(out[0], shapes.filter), result(out[1], (shapes.outputs,))
        primitive.run(src=whole(x), diff_weights=targets[0], diff_bias=targets[1],
                      diff_dst=whole(dy))
        return tuple([stored(*pair) for pair in zip(targets, out)])

    if sums is None:
        return {instruction: native_instruction(instruction, kernel)}
    first, second = uses.ordered(instruction, sums)
    native = native_instruction(instruction, with_sums,
                                outputs=instruction.outputs + sums.outputs)
    return {first: native, second: None}


def _sums(instruction: Instruction, dy: Value, shapes: _Shapes, uses: Uses) -> Instruction | None:
    """The instruction that sums dy for each channel, if oneDNN may do that along with the filter's
    gradient.
    """
    x = instruction.inputs[0]
    for user in uses.users(dy):
        if _sums_channels(user, shapes) and not user.copy and user not in uses.taken \
                and uses.undisturbed(*uses.ordered(instruction, user)) \
                and uses.made_before(x, user):
            return user
    return None


def _sums_channels(user: Instruction, shapes: _Shapes) -> bool:
    """Whether an instruction sums its first input for each channel of the convolution's result."""
    if user.type not in ('BiasAddGrad', 'Sum') or not _along_channels(user, shapes) \
            or user.outputs[0].raw_shape != (shapes.outputs,):
        return False
    return user.type == 'BiasAddGrad' or \
        sorted(constant(user.inputs[1])) == [*range(len(shapes.y) - 1)]


MAKERS = {
    'Conv2D': _forward, 'Conv2DBackpropInput': _to_input, 'Conv2DBackpropFilter': _to_filter,
    'Conv3D': _forward, 'Conv3DBackpropInputV2': _to_input, 'Conv3DBackpropFilterV2': _to_filter,
    'DepthwiseConv2dNative': _forward, 'DepthwiseConv2dNativeBackpropInput': _to_input,
    'DepthwiseConv2dNativeBackpropFilter': _to_filter}
