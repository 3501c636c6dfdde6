"""Dataset.padded_batch: padded shapes and padding values, checked against the elements."""
from __future__ import annotations

from typing import Any

import numpy as np

from tinyflow.data import structure
from tinyflow.data.errors import refused
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.tensor_spec import TensorSpec


def padded_batch_inputs(spec: Any, batch_size: Any, padded_shapes: Any, padding_values: Any,
                        drop_remainder: Any) -> tuple[Any, list]:
    """(the spec of a batch, the inputs of the node) of elements of `spec`."""
    leaves = structure.flatten(spec)
    for leaf in leaves:
        if not isinstance(leaf, TensorSpec):
            raise refused(TypeError('Padded batching of datasets is not possible: '
                                    f'{leaf}'))
    size = convert_to_tensor(batch_size, dtypes.int64, 'batch_size')
    wanted = [leaf.shape for leaf in leaves] if padded_shapes is None else \
        _up_to(spec, padded_shapes, 'padded_shapes')
    sizes = [_shape_tensor(shape, leaf) for shape, leaf in zip(wanted, leaves)]
    given: list = [None] * len(leaves) if padding_values is None else \
        _up_to(spec, padding_values, 'padding_values')
    values = [_padding_value(value, leaf.dtype) for value, leaf in zip(given, leaves)]
    drop = convert_to_tensor(drop_remainder, dtypes.bool, 'drop_remainder')
    count = static_value(size) if static_value(drop) else None
    made = structure.pack_as(spec, [
        TensorSpec(_batch_shape(tensor, count), leaf.dtype) for tensor, leaf in zip(sizes, leaves)])
    return made, [size, sizes, values, drop]


def _up_to(spec: Any, given: Any, what: str) -> list:
    """The argument for each component."""
    if not structure.is_nested(spec):
        return [given]
    try:
        return structure.flatten_up_to(spec, given)
    except (TypeError, ValueError) as error:
        raise refused(type(error)(f'padded_batch: {what} must have the structure of the elements, '
                                  f'{structure.legacy_shapes(spec)}: {error}')) from None


def _shape_tensor(shape: Any, spec: TensorSpec) -> Tensor:
    """A padded shape as an int64 vector, -1 for the size of the longest element."""
    if isinstance(shape, Tensor):
        return convert_to_tensor(shape, dtypes.int64)
    raw = _sizes(shape)
    if raw is None:
        raise refused(ValueError(
            'padded_batch: a padded shape of unknown rank cannot be used.\n  Hint: padded_shapes '
            'needs an entry per dimension, e.g. [None].'))
    known = spec.shape.raw
    if known is not None and (len(known) != len(raw) or any(
            a is not None and b is not None and a < b for a, b in zip(raw, known))):
        raise refused(ValueError(
            f'The padded shape {shapes.TensorShape(raw)} is not compatible with the corresponding '
            f'input component shape {spec.shape}.\n  Hint: one entry per dimension of the element, '
            'each at least as large; None takes the longest of the batch.'))
    return convert_to_tensor(np.array([-1 if n is None else n for n in raw], np.int64))


def _sizes(shape: Any) -> tuple | None:
    if isinstance(shape, np.ndarray):
        shape = shape.tolist()
    if isinstance(shape, (list, tuple)):
        shape = [None if isinstance(n, int) and n == -1 else n for n in shape]
    return shapes.as_shape(shape).raw


def _batch_shape(sizes: Tensor, count: Any) -> tuple | None:
    known = static_value(sizes)
    if known is None:
        rank = sizes.raw_shape
        return None if rank is None or rank[0] is None else (count, *[None] * rank[0])
    return (count, *[None if n is None or n < 0 else n for n in known])


def _padding_value(value: Any, dtype: dtypes.DType) -> Tensor:
    if value is None:
        value = b'' if dtype is dtypes.string else dtype.np.type(0)
    tensor = convert_to_tensor(_fits(value, dtype), name='padding_value')
    if tensor.dtype.base_dtype is not dtype:
        raise refused(TypeError(
            f'Padding value tensor ({tensor}) does not match output type: {dtype.name}.\n  Hint: '
            f'a value of dtype {dtype.name}, e.g. np.{dtype.name}(...).'))
    if tensor.raw_shape not in ((), None):
        raise refused(ValueError(f'Padding value should be a scalar, but is not: {tensor}'))
    return tensor


def _fits(value: Any, dtype: dtypes.DType) -> Any:
    """A Python number converted to `dtype` if it is of that kind; other values unchanged."""
    kinds = {bool: 'b', int: 'iuf', float: 'f'}.get(type(value), '')
    return dtype.np.type(value) if dtype.kind and dtype.kind in kinds else value
