"""Arrays and TensorProtos: tensors, shapes and dtypes as protocol buffers.

A TensorProto holds its values in one of two ways: raw little-endian bytes in `tensor_content`, or
the list of its dtype (`float_val`, `int_val`, ...) in which the last value is repeated. Arrays are
written as TensorFlow 1.15's Python does, so equal values give equal bytes; all variants can be
read.
"""
from __future__ import annotations

import sys

import numpy as np

from tinyflow.formats.wire import varints
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import as_array
from tinyflow.graph.support.errors import misuse

# dtype -> the TensorProto's list for it, and the NumPy type that the numbers there have.
_LISTS = {
    dtypes.float32: ('float_val', np.float32), dtypes.float64: ('double_val', np.float64),
    dtypes.int32: ('int_val', np.int32), dtypes.uint8: ('int_val', np.int32),
    dtypes.int16: ('int_val', np.int32), dtypes.int8: ('int_val', np.int32),
    dtypes.uint16: ('int_val', np.int32), dtypes.int64: ('int64_val', np.int64),
    dtypes.uint32: ('uint32_val', np.uint32), dtypes.uint64: ('uint64_val', np.uint64),
    dtypes.bool: ('bool_val', np.bool_), dtypes.string: ('string_val', object),
    dtypes.complex64: ('scomplex_val', np.float32),     # real, imaginary, real, ...
    dtypes.complex128: ('dcomplex_val', np.float64),
    dtypes.float16: ('half_val', np.uint16),            # the bits of each number, as an integer
}
# With several elements, TensorFlow 1.15's Python packs these; other dtypes use lists.
_PACKED = frozenset((dtypes.float32, dtypes.float64, dtypes.int32, dtypes.uint8, dtypes.int16,
                     dtypes.int8, dtypes.int64, dtypes.uint32, dtypes.uint64))
_LONG = 1024                # bytes; below, equal values are written one by one
LIMIT = 2**31 - 1           # bytes of one message, by protobuf's own rule
_UNKNOWN = {11: 'qint8', 12: 'quint8', 13: 'qint32', 14: 'bfloat16', 15: 'qint16', 16: 'quint16'}


# ---- dtypes and shapes --------------------------------------------------------------------


def dtype_from(number, where='a protocol buffer'):
    """The DType of an enum number. Raises TypeError for an unknown one, naming `where`.
    """
    try:
        return dtypes.as_dtype(int(number))
    except TypeError:
        pass
    name = _UNKNOWN.get(number % 100)
    what = f'has the dtype {name}' if name else f'has the dtype number {number}'
    raise misuse(TypeError(f'{where} {what}, which tinyflow does not support.'))


def fill_shape(proto, shape):
    """Writes a plain shape (a tuple with None for unknown sizes, or None) into `proto`."""
    if shape is None:
        proto.unknown_rank = True
        return
    for size in shape:
        proto.dim.add().size = -1 if size is None else size


def shape_proto(shape):
    """The TensorShapeProto of a shape."""
    from tinyflow.formats.protos.tensor_shape_pb2 import TensorShapeProto  # start-up time
    proto = TensorShapeProto()
    fill_shape(proto, shapes.raw(shape))
    return proto


# ---- arrays to TensorProtos ---------------------------------------------------------------


def fill_tensor(proto, array, dtype, compress=False):
    """Writes `array` into the TensorProto `proto`. Raises ValueError above 2 GB.

    With `compress`, a large array of equal values is written as one, as TensorFlow's tf.zeros is.
    """
    if dtype not in _LISTS:
        raise misuse(TypeError(f'A tensor of dtype {dtype.name} cannot be written: it refers to '
                               'an object in one Session.'))
    proto.dtype = dtype.as_datatype_enum
    proto.tensor_shape.SetInParent()
    for size in array.shape:
        proto.tensor_shape.dim.add().size = size
    if compress and array.nbytes > _LONG and _all_equal(array):
        array = array.reshape(-1)[:1]
    if dtype in _PACKED and array.size > 1:
        if array.nbytes > LIMIT:
            raise _too_big(array)
        proto.tensor_content = _little_endian(array).tobytes()
    else:
        getattr(proto, _LISTS[dtype][0]).extend(_as_list(array, dtype))


def _all_equal(array):
    """True if all elements are the same bits; -0.0 is not 0.0, and strings never count as equal."""
    if array.dtype == object:
        return False
    bits = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(array.size, -1)
    return bool((bits[-1] == bits[0]).all() and (bits == bits[0]).all())


def _too_big(array):
    return misuse(ValueError(
        'Cannot create a tensor proto whose content is larger than 2GB: this one, of shape '
        f'{shapes.text(array.shape)}, has {array.nbytes / 2**30:.1f} GB.\n  Hint: keep data out of '
        'the graph: feed it through a placeholder, or read it with tf.data.'))


def _little_endian(array):
    return array if sys.byteorder == 'little' else array.astype(array.dtype.newbyteorder('<'))


def _as_list(array, dtype):
    flat = array.ravel()
    if dtype.is_complex:
        return flat.view(dtype.real_dtype.np).tolist()
    if dtype is dtypes.float16:
        return flat.view(np.uint16).tolist()
    return flat.tolist()


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """The TensorProto of Python or NumPy values, by the dtype rules of `tf.constant`.

    Shapes: values [...] -> `shape`, which may be a reshape, or larger:
    the last one is repeated (or, if `allow_broadcast`, only a single value). Raises TypeError for
    values that do not fit `dtype` or, if `verify_shape`, `shape`; ValueError above 2 GB.
    """
    if verify_shape and allow_broadcast:
        raise misuse(ValueError('verify_shape and allow_broadcast are not both allowed.'))
    from tinyflow.formats.protos.tensor_pb2 import TensorProto  # start-up time
    if isinstance(values, TensorProto):
        return values
    array, dtype = as_array(values, dtype)
    proto = TensorProto()
    if shape is None or tuple(shape) == array.shape:
        fill_tensor(proto, array, dtype)
        return proto
    shape = tuple(int(d) for d in shape)
    count = int(np.prod(shape, dtype=np.int64))
    _check_count(array, shape, count, verify_shape, allow_broadcast)
    if array.size == count:
        fill_tensor(proto, array.reshape(shape), dtype)
        return proto
    fill_tensor(proto, array.reshape(-1)[:0], dtype)    # the head; the values are in a list
    del proto.tensor_shape.dim[:]
    fill_shape(proto.tensor_shape, shape)
    getattr(proto, _LISTS[dtype][0]).extend(_as_list(array, dtype))
    return proto


def _check_count(array, shape, count, verify_shape, allow_broadcast):
    if verify_shape:
        raise misuse(TypeError(f"Expected Tensor's shape: {shape}, got {array.shape}."))
    if allow_broadcast and array.size not in (1, count):
        raise misuse(TypeError(f"Expected Tensor's shape: {shape}, got {array.shape}."))
    if array.size > count:
        raise misuse(ValueError(f'Too many elements provided. Needed at most {count}, but received '
                                f'{array.size}'))


# ---- TensorProtos to arrays ---------------------------------------------------------------


def make_ndarray(tensor):
    """The values of a TensorProto, as a new array.

    Raises TypeError for an unknown dtype and ValueError for a damaged TensorProto.
    """
    return array_from(tensor)


def array_from(proto, name=''):
    """As `make_ndarray`; errors name the tensor `name`."""
    where = f"The tensor '{name}'" if name else 'A TensorProto'
    dtype = dtype_from(proto.dtype, where)
    if dtype not in _LISTS:
        raise misuse(TypeError(f'{where} has the dtype {dtype.name}, which has no values outside '
                               'of a Session.'))
    shape = _known_shape(proto, where)
    count = 1
    for size in shape:
        count *= size
    if proto.tensor_content:
        return _from_bytes(proto.tensor_content, dtype, shape, count, where)
    return _from_list(proto, dtype, shape, count, where)


def _known_shape(proto, where):
    shape = shapes.raw(proto.tensor_shape)
    if not shapes.known(shape):
        raise misuse(ValueError(f'{where} is damaged: a value of the shape {shapes.text(shape)} '
                                'cannot be.'))
    return shape


def _damaged(where, shape, dtype, needed, found):
    return misuse(ValueError(
        f'{where} is damaged: its shape {shapes.text(shape)} of {dtype.name} needs {needed}, and '
        f'there {"is" if found == 1 else "are"} {found}.'))


def _from_bytes(content, dtype, shape, count, where):
    if dtype is dtypes.string:
        return _strings(content, shape, count, where)
    if len(content) != count * dtype.np.itemsize:
        raise _damaged(where, shape, dtype, f'{count * dtype.np.itemsize} bytes', len(content))
    array = np.frombuffer(content, dtype.np.newbyteorder('<'))
    return array.astype(dtype.np).reshape(shape)


def _strings(content, shape, count, where):
    """Strings packed by TensorFlow's C++: all lengths as varints, then all bytes."""
    lengths, position = [], 0
    try:
        while len(lengths) < count:
            length, position = varints.take(content, position)
            lengths.append(length)
    except IndexError:
        raise _damaged(where, shape, dtypes.string, f'{count} lengths', len(lengths)) from None
    if sum(lengths) != len(content) - position:
        raise _damaged(where, shape, dtypes.string, f'{sum(lengths)} bytes',
                       len(content) - position)
    array = np.empty(count, object)
    for i, length in enumerate(lengths):
        array[i] = content[position:position + length]
        position += length
    return array.reshape(shape)


def _from_list(proto, dtype, shape, count, where):
    field, kind = _LISTS[dtype]
    values = getattr(proto, field)
    if dtype is dtypes.string:
        flat = np.empty(len(values), object)
        flat[:] = list(values)
    elif dtype is dtypes.float16:
        flat = np.array(values, np.int64).astype(kind).view(np.float16)
    else:
        flat = np.array(values, np.int64 if kind is np.int32 else kind)
    if dtype.is_complex:
        if len(flat) % 2:
            raise _damaged(where, shape, dtype, 'pairs of numbers', f'{len(flat)} numbers')
        flat = flat.view(dtype.np)
    if len(flat) > count:
        raise _damaged(where, shape, dtype, f'at most {count} values', len(flat))
    if count > LIMIT and len(flat) < count:         # a few bytes that would expand to a huge array
        raise _damaged(where, shape, dtype, f'{count} values', len(flat))
    array = np.empty(count, dtype.np)
    array[:len(flat)] = flat.astype(dtype.np)
    # An empty list means zeros: protobuf omits 0 and ''.
    array[len(flat):] = flat[-1] if len(flat) else b'' if dtype is dtypes.string else 0
    return array.reshape(shape)
