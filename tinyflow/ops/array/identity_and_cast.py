"""identity, stop_gradient, ensure_shape, check_numerics, cast, bitcast."""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.dtypes import ANY, FLOATS, INEXACT, NUMBERS
from tinyflow.graph.elementwise import Unary
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op, nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import UnimplementedError, misuse, op_error, report

__all__ = ['bitcast', 'cast', 'check_numerics', 'ensure_shape', 'guarantee_const', 'identity',
           'identity_n', 'prevent_gradient', 'saturate_cast', 'stop_gradient', 'to_bfloat16',
           'to_complex64', 'to_complex128', 'to_double', 'to_float', 'to_int32', 'to_int64']


def is_shape_like(tensor) -> bool:
    """True for an integer scalar or vector, the kind of value that shapes are computed with."""
    return (tensor.dtype.base_dtype.is_integer and tensor.raw_shape is not None
            and len(tensor.raw_shape) <= 1)


class _PassThrough(Op, abstract=True):
    """Base of the ops whose output is their input."""

    signature = 'input: T -> output: T'
    view = True

    def shape(input):
        return input

    def kernel(input):
        return input

    def emit(call):
        return call.args[0]

    def gradient(op, dy):
        return dy

    def fold_partial(op, value):
        return value(op.inputs[0]) if is_shape_like(op.inputs[0]) else None


class Identity(_PassThrough):
    """The input itself; reading a Variable is an Identity of its storage."""


class StopGradient(_PassThrough):
    """The input, as a constant to gradients()."""

    gradient = NOT_DIFFERENTIABLE


class GuaranteeConst(_PassThrough):
    """The input, which the caller guarantees to be constant."""

    gradient = NOT_DIFFERENTIABLE


class PreventGradient(_PassThrough):
    """The input; a gradient through it is an error."""

    attrs = {'message': ''}

    def gradient(op, dy):
        raise misuse(LookupError(report(
            f"Gradient explicitly disabled at '{op.name}'. Reason: {op.attrs['message']}", op=op)))


class EnsureShape(_PassThrough):
    """The input, after checking its shape."""

    attrs = {'shape': REQUIRED}
    partial_rank = True
    emit = None                     # the kernel raises errors

    def shape(input, *, shape):
        return shapes.merge(shape.raw, input)

    def kernel(input, *, shape):
        if not shapes.compatible(input.shape, shape.raw):
            raise ValueError(f'the shape {shapes.text(input.shape)} is not compatible with the '
                             f'expected shape {shapes.text(shape.raw)}')
        return input


class CheckNumerics(_PassThrough):
    """The input, after checking that it is finite."""

    signature = 'tensor: T -> output: T'
    types = {'T': FLOATS}
    attrs = {'message': REQUIRED}
    view = False                    # a view may be made once; the check is needed in every run
    pure = False                    # it may be needed as a control dependency only
    overwrites = (0,)
    emit = None

    def shape(tensor):
        return tensor

    def kernel(tensor, out=None, *, message):
        if not np.isfinite(tensor).all():
            kinds = [kind for kind, test in (('Inf', np.isinf), ('NaN', np.isnan))
                     if test(tensor).any()]
            raise ValueError(f'{message} : Tensor had {" and ".join(kinds)} values')
        return np.positive(tensor, out)

    def gradient(op, dy):
        return check_numerics(dy, 'Not a number (NaN) or infinity (Inf) values detected in '
                                  f'gradient. {op.attrs["message"]}')


class IdentityN(Op):
    """All inputs, together."""

    signature = 'input: [T] -> output: [T]'
    attrs = {'T': ()}
    partial_rank = True

    def shape(input):
        return list(input)

    def kernel(input):
        return tuple(a.copy() for a in input)

    def gradient(op, *dys):
        return list(dys)


class Cast(Unary):
    """The input in another dtype."""

    signature = 'x: SrcT -> y: DstT'
    types = {'SrcT': ANY}
    attrs = {'DstT': REQUIRED, 'Truncate': False}
    overwrites = ()

    def kernel(x, out=None, *, DstT):  # noqa: N803 (TF's attribute name)
        if (x.dtype.kind == 'O') != (DstT.kind == 'O'):
            raise op_error(UnimplementedError, 'strings cannot be cast to or from numbers',
                           'tf.strings.to_number(x), or tf.as_string(x).')
        if x.dtype.kind == 'c' and DstT.kind not in 'cb':
            x = x.real
        if out is None:
            return x.astype(DstT.np)
        np.copyto(out, x, casting='unsafe')
        return out

    def gradient(op, dy):
        source, target = op.inputs[0].dtype.base_dtype, op.outputs[0].dtype
        return cast(dy, source) if source in INEXACT and target in INEXACT else None

    def fold_partial(op, value):
        source, target = op.inputs[0], op.outputs[0].dtype
        return value(source) if is_shape_like(source) and target in dtypes.INDEX else None


class Bitcast(Op):
    """The same bytes read as another dtype; a change of width adds or removes the last axis."""

    signature = 'input: T -> output: type'
    types = {'T': NUMBERS}
    attrs = {'type': REQUIRED, 'T': REQUIRED}
    gradient = NOT_DIFFERENTIABLE

    def shape(input, *, T, type):  # noqa: N803 (TF's attribute name)
        if T.size == type.size:
            return input
        if T.size > type.size:
            return input + (T.size // type.size,)
        ratio = type.size // T.size
        if not input or input[-1] not in (None, ratio):
            raise ValueError(f'Cannot bitcast {T.name} to {type.name} due to shape: the last axis '
                             f'must have size {ratio}')
        return input[:-1]

    def kernel(input, *, type):
        array = input.copy()
        width = array.itemsize
        if width > type.size:
            return array[..., None].view(type.np)
        result = array.view(type.np)
        return result[..., 0] if width < type.size else result


def identity(input, name=None):
    """The same value, as a new node.

    Shapes: input [*a] -> [*a].
    """
    return Identity.apply(input, name=name)


def identity_n(input, name=None):
    """The same values, as outputs of one node.

    Shapes: input, a list of [*a_i] -> a list of [*a_i].
    """
    return IdentityN.apply(input, name=name)


def stop_gradient(input, name=None):
    """The same value, which gradients() treats as a constant.

    Shapes: input [*a] -> [*a].
    """
    return StopGradient.apply(input, name=name)


def prevent_gradient(input, message='', name=None):
    """The same value; gradients() through it raises LookupError with `message`.

    Shapes: input [*a] -> [*a].
    """
    return PreventGradient.apply(input, message=message, name=name)


def guarantee_const(input, name=None):
    """The same value, which the caller guarantees to be the same in all runs.

    Shapes: input [*a] -> [*a].
    """
    return GuaranteeConst.apply(input, name=name)


def ensure_shape(x, shape, name=None):
    """x, whose shape is checked against the partial `shape`, when building and when running.

    Shapes: x [*a] -> [*merge(a, shape)]. Raises ValueError (running: InvalidArgumentError) if the
    shapes contradict each other.
    """
    return EnsureShape.apply(x, shape=shapes.as_shape(shape), name=name)


def check_numerics(tensor, message, name=None):
    """tensor; InvalidArgumentError with `message` if it has a NaN or an infinity.

    Shapes: tensor [*a] -> [*a].
    """
    return CheckNumerics.apply(tensor, message=message, name=name)


def cast(x, dtype, name=None):
    """x in another dtype; floats are truncated towards zero, nonzero is True.

    Shapes: x [*a] -> [*a]. x itself is returned where it has that dtype already.
    """
    dtype = _castable(dtype)
    if isinstance(x, Tensor) and x.dtype is dtype:
        return x
    if hasattr(x, 'handle') and x.dtype is dtype:       # a resource variable, not read yet
        return x
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, dtype, name=name), x.indices, x.dense_shape)
    with name_scope(name, 'Cast', [x]) as scope:
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, cast(x.values, dtype, name=scope), x.dense_shape)
        x = convert_to_tensor(x, name='x')
        return x if x.dtype.base_dtype is dtype else Cast.apply(x, DstT=dtype, name=scope)


def _castable(dtype):
    try:
        return dtypes.as_dtype(dtype).base_dtype
    except TypeError:
        if getattr(dtype, 'name', dtype) == 'bfloat16':
            raise misuse(TypeError(_NO_BFLOAT16)) from None
        raise


_NO_BFLOAT16 = 'tinyflow does not support bfloat16.\n  Hint: tf.float16 or tf.float32.'


def saturate_cast(value, dtype, name=None):
    """value in another dtype, clipped to the range of that dtype.

    Shapes: value [*a] -> [*a].
    """
    with name_scope(name, 'saturate_cast', [value]) as scope:
        value = convert_to_tensor(value, name='value')
        dtype = dtypes.as_dtype(dtype).base_dtype
        if value.dtype.min < dtype.min:
            value = nodes.Maximum(value, convert_to_tensor(dtype.min, value.dtype, 'min'))
        if value.dtype.max > dtype.max:
            value = nodes.Minimum(value, convert_to_tensor(dtype.max, value.dtype, 'max'))
        return cast(value, dtype, name=scope)


def bitcast(input, type, name=None):
    """The bytes of `input` read as `type`.

    Shapes: input [*a] -> [*a] for dtypes of one width, [*a, ratio] for a narrower type; input
    [*a, ratio] -> [*a] for a wider one.
    """
    input = convert_to_tensor(input, name='input') if not isinstance(input, Tensor) else input
    return Bitcast.apply(input, type=dtypes.as_dtype(type).base_dtype, name=name)


def to_float(x, name='ToFloat'):
    """x as float32.

    Shapes: x [*a] -> [*a].
    """
    return cast(x, dtypes.float32, name=name)


def to_double(x, name='ToDouble'):
    """x as float64.

    Shapes: x [*a] -> [*a].
    """
    return cast(x, dtypes.float64, name=name)


def to_int32(x, name='ToInt32'):
    """x as int32.

    Shapes: x [*a] -> [*a].
    """
    return cast(x, dtypes.int32, name=name)


def to_int64(x, name='ToInt64'):
    """x as int64.

    Shapes: x [*a] -> [*a].
    """
    return cast(x, dtypes.int64, name=name)


def to_complex64(x, name='ToComplex64'):
    """x as complex64.

    Shapes: x [*a] -> [*a].
    """
    return cast(x, dtypes.complex64, name=name)


def to_complex128(x, name='ToComplex128'):
    """x as complex128.

    Shapes: x [*a] -> [*a].
    """
    return cast(x, dtypes.complex128, name=name)


def to_bfloat16(x, name='ToBFloat16'):
    """Not available: raises TypeError, since NumPy has no bfloat16.

    Shapes: x [*a] -> nothing.
    """
    raise misuse(TypeError(_NO_BFLOAT16))
