"""convert_to_tensor: turns Python values, arrays and Variables into Tensors, by TF1's dtype rules.

A Python float becomes float32, an int becomes int32 (int64 if it needs more bits). NumPy values
keep their dtype. A list that contains tensors is packed. No dtype is ever converted silently.
"""
from __future__ import annotations

from bisect import insort

import numpy as np

from tinyflow.graph import dtype_hints, dtypes, shapes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.op_registry import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report, why

_conversions: list[tuple[int, type | tuple, object]] = []       # by priority


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """Registers `conversion_func(value, dtype, name, as_ref)` for objects of type `base_type`.

    Functions are tried in order of `priority` (lowest first), then in order of registration, until
    one does not return NotImplemented.
    """
    classes = base_type if isinstance(base_type, tuple) else (base_type,)
    if not classes or not all(isinstance(c, type) for c in classes):
        raise misuse(TypeError('base_type must be a type or a tuple of types.'))
    if not callable(conversion_func):
        raise misuse(TypeError('conversion_func must be callable.'))
    insort(_conversions, (priority, base_type, conversion_func), key=lambda entry: entry[0])


def _named(tensor: Tensor) -> str:
    return repr(tensor) if tensor.op.graph.runs_at_once else f"'{tensor.name}'"


def convert_to_tensor(value, dtype=None, name=None, preferred_dtype=None, dtype_hint=None,
                      as_ref=False) -> Tensor:
    """Converts `value` to a Tensor of `dtype`, or of the dtype that the value implies.

    `preferred_dtype` is used if the value fits it. Raises TypeError or ValueError if the value does
    not have the requested `dtype`.
    """
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, Tensor):
        if dtype is not None and value.dtype.base_dtype is not dtype.base_dtype:
            raise misuse(ValueError(report(
                f'Tensor conversion requested dtype {dtype.name} for Tensor with dtype '
                f'{value.dtype.name}: {_named(value)}', inputs=[('tensor', value)],
                hint=dtype_hints.for_not_allowed('tensor', value, {dtype.base_dtype}))))
        return value
    for _, base_type, function in _conversions:
        if isinstance(value, base_type):
            result = function(value, dtype=dtype, name=name, as_ref=as_ref)
            if result is not NotImplemented:
                return result
    preferred = preferred_dtype or dtype_hint
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        return _pack(value, dtype or _dtype_inside(value), name or 'packed')
    if dtype is None and preferred is not None:
        try:
            return constant(value, preferred, name or 'Const')
        except (TypeError, ValueError):
            pass
    return constant(value, dtype, name or 'Const')


def constant(value, dtype, name):
    """Adds a Const node holding `value` and returns its output."""
    array, dtype = as_array(value, dtype)
    return nodes.Const(name=name, value=array, dtype=dtype)


def why_none(description: str) -> str:
    """The hint for a None in place of a tensor: where it may come from."""
    return (f'a function that computes {description} may have no return statement. A gradient is '
            'None where the loss does not depend on that Variable: `if g is not None` skips it.'
            + why('none-operand'))


def as_array(value, dtype=None):
    """(array, DType) for a Python or NumPy value, by the module's dtype rules.

    Raises TypeError if the value is not of the requested dtype.
    """
    kind = type(value)
    if kind is float and (dtype is None or dtype is dtypes.float32):
        return np.array(value, np.float32), dtypes.float32
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype).base_dtype
    if isinstance(value, (np.ndarray, np.generic)):
        return _from_numpy(value, dtype)
    if isinstance(value, shapes.TensorShape):
        return _from_shape(value, dtype)
    if hasattr(kind, '__array__'):                      # a pandas Series, a picture
        return _from_numpy(np.asarray(value), dtype)
    if value is None:
        raise misuse(ValueError(report(
            'None values not supported.', site=user_site(), hint=why_none('the value'))))
    return _from_python(value, dtype)


def _from_numpy(value, dtype):
    if dtype is None:
        dtype = dtypes.as_dtype(value.dtype)
    if dtype is dtypes.string:
        return _bytes_array(value), dtype
    return np.array(value, dtype.np, order='C'), dtype  # a copy: the caller may change the original


def _from_shape(shape, dtype):
    if not shape.is_fully_defined():
        raise misuse(ValueError(f'Cannot convert a partially known TensorShape to a Tensor: {shape}'
                                '\n  Hint: tf.shape(x) is the shape at run time.'))
    if dtype not in (None, dtypes.int32, dtypes.int64):
        raise misuse(TypeError(f'Cannot convert a TensorShape to dtype: {dtype.name}'))
    dtype = dtype or dtypes.int32
    return np.array(shape.raw, dtype.np), dtype


def _from_python(value, dtype):
    sample = _first_leaf(value)
    if isinstance(sample, (str, bytes)):
        if dtype not in (None, dtypes.string):
            _refuse(sample, dtype)
        return _bytes_array(value), dtypes.string
    try:
        array = np.array(_without_dimensions(value) if isinstance(value, (list, tuple)) else value)
    except ValueError as error:
        raise misuse(ValueError(f'Cannot make a tensor of this value: {error}\n  Hint: rows of one '
                                'length; pad the shorter ones.')) from None
    if array.dtype.kind not in 'biufc':
        if isinstance(value, shapes.Dimension):
            array = np.array(int(value))
        elif array.dtype == object and all(isinstance(v, int) for v in array.flat):
            return _from_large_ints(array, dtype, value), dtype
        else:
            raise misuse(TypeError(f'Failed to convert object of type {type(value)} to Tensor. '
                                   f'Contents: {value!r}. Consider casting elements to a supported '
                                   'type.'))
    if dtype is None:
        return _default_dtype(array)
    _check_kind(array, dtype, value)
    return array.astype(dtype.np), dtype


def _from_large_ints(array, dtype, value):
    """Converts Python ints that need more than 64 bits; only floats can hold them."""
    if dtype is not None and dtype.kind in 'fc' and dtype.kind:
        return array.astype(dtype.np)
    if dtype is not None and not dtype.is_integer:
        _refuse(_first_leaf(value), dtype)
    name, kind = ('int64', TypeError) if dtype is None else (dtype.name, OverflowError)
    raise misuse(kind(f'Failed to convert {value!r} to Tensor: it does not fit in {name}.\n  Hint: '
                      'a float can hold it, with fewer digits.'))


def _default_dtype(array):
    """Narrows 64-bit floats and ints to 32 bits, as TF1 does (ints only if they fit)."""
    if array.dtype == np.float64 or array.size == 0:
        return array.astype(np.float32), dtypes.float32
    if array.dtype == np.int64:
        narrow = array.astype(np.int32)
        if (narrow == array).all():
            return narrow, dtypes.int32
    return array, dtypes.as_dtype(array.dtype)


_FITS = {'b': 'biufc', 'i': 'iufc', 'u': 'iufc', 'f': 'fc', 'c': 'c'}


def _check_kind(array, dtype, value):
    if array.size == 0 and array.dtype.kind == 'f':
        return
    if dtype.kind not in _FITS[array.dtype.kind]:
        misfits = (v for v in _leaves(value)
                   if dtype.kind not in _FITS.get(np.asarray(v).dtype.kind, ''))
        _refuse(next(misfits, _first_leaf(value)), dtype)
    if dtype.is_integer:
        limits = np.iinfo(dtype.np)
        if array.size and (array.min() < limits.min or array.max() > limits.max):
            raise misuse(ValueError(
                f'Tensor conversion: {value!r} does not fit in {dtype.name}, which holds '
                f'{limits.min} to {limits.max}.'))


def _refuse(sample, dtype):
    raise misuse(TypeError(f'Expected {dtype.name}, got {sample!r} of type '
                           f"'{type(sample).__name__}' instead."))


def _first_leaf(value):
    while isinstance(value, (list, tuple)):
        if not len(value):
            return 0.0
        value = next((v for v in value if not (isinstance(v, (list, tuple)) and not len(v))),
                     value[0])
    return value


def _leaves(value):
    """The numbers in nested lists and tuples, in order."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _without_dimensions(value):
    if isinstance(value, (list, tuple)):
        return [_without_dimensions(v) for v in value]
    if value is None:
        raise misuse(TypeError(report(
            'Failed to convert a list to a Tensor: it contains None.', site=user_site(),
            hint='for a size that is only known at run time use tf.shape(x)[i], or -1 in '
                 'tf.reshape.')))
    return int(value) if isinstance(value, shapes.Dimension) else value


def _bytes_array(value):
    """Strings as an object array of bytes, TF's representation of strings."""
    source = np.asarray(value, dtype=object)
    result = np.empty(source.shape, dtype=object)
    for index in np.ndindex(source.shape):
        item = source[index]
        if not isinstance(item, (str, bytes)):
            _refuse(item, dtypes.string)
        result[index] = item.encode() if isinstance(item, str) else bytes(item)
    return result


def _is_tensor_like(value):
    return isinstance(value, Tensor) or any(isinstance(value, b) for _, b, _ in _conversions)


def _holds_tensor(value):
    return any(_holds_tensor(v) if isinstance(v, (list, tuple)) else _is_tensor_like(v)
               for v in value)


def _dtype_inside(value):
    for item in value:
        if isinstance(item, (list, tuple)):
            dtype = _dtype_inside(item)
            if dtype is not None:
                return dtype
        elif _is_tensor_like(item):
            return item.dtype.base_dtype
    return None


def _pack(value, dtype, name):
    """Stacks a nested list that contains tensors; each level is a Pack node, as in TF1."""
    with name_scope(name) as scope:
        elements = []
        for i, item in enumerate(value):
            if isinstance(item, (list, tuple)):
                with name_scope(str(i)) as inner:       # TF1 opens it even if it packs nothing
                    item = _pack(item, dtype, inner) if _holds_tensor(item) else item
            elements.append(item)
        elements = [convert_to_tensor(item, dtype, str(i)) if _is_tensor_like(item)
                    else constant(item, dtype, str(i)) for i, item in enumerate(elements)]
        return nodes.Pack(elements, name=scope)
