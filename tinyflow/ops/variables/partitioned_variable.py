"""PartitionedVariable and partitioners: one value stored as several Variables along one axis.

A partitioner returns the number of parts of each axis. Estimators set one for every layer, with
one part in a single process: their Variables are called `dnn/logits/kernel/part_0`, and a
checkpoint holds them as slices of `dnn/logits/kernel`.
"""
from __future__ import annotations

import inspect
import math

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import identity_and_cast, joining, slicing

__all__ = ['PartitionedVariable', 'SaveSliceInfo', 'fixed_size_partitioner', 'get_partitioned',
           'min_max_variable_partitioner', 'parts_of', 'variable_axis_size_partitioner']


def fixed_size_partitioner(num_shards, axis=0):
    """The partitioner that cuts every Variable into `num_shards` parts along `axis`."""
    def partitioner(shape, **unused):
        sizes = _sizes(shape)
        return _cut(sizes, axis, min(num_shards, sizes[axis]))
    return partitioner


def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16,
                                   max_shards=None):
    """The partitioner whose parts have at most `max_shard_bytes`, where `axis` allows it.

    Raises ValueError if max_shard_bytes, bytes_per_string_element or max_shards is not positive.
    """
    for name, value in (('max_shard_bytes', max_shard_bytes), ('max_shards', max_shards),
                        ('bytes_per_string_element', bytes_per_string_element)):
        if value is not None and value < 1:
            raise misuse(ValueError(f'{name} must be positive.'))

    def partitioner(shape, dtype):
        sizes = _sizes(shape)
        row = math.prod(sizes) / max(sizes[axis], 1) * _bytes(dtype, bytes_per_string_element)
        rows = max(1, math.floor(max_shard_bytes / row)) if row else max(1, sizes[axis])
        parts = math.ceil(sizes[axis] / rows)
        return _cut(sizes, axis, parts if max_shards is None else min(max_shards, parts))
    return partitioner


def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10,
                                 bytes_per_string_element=16):
    """The partitioner whose parts have at least `min_slice_size` bytes, `max_partitions` at most.
    """
    def partitioner(shape, dtype):
        sizes = _sizes(shape)
        total = math.prod(sizes) * _bytes(dtype, bytes_per_string_element)
        return _cut(sizes, axis, min(sizes[axis], max_partitions,
                                     math.ceil(total / min_slice_size)))
    return partitioner


def _sizes(shape):
    shape = shapes.as_shape(shape)
    if not shape.is_fully_defined() or shape.ndims < 1:
        raise misuse(ValueError('shape is not fully defined, or a scalar, which has no axis to '
                                f'cut: {shape}'))
    return shape.as_list()


def _bytes(dtype, of_string):
    dtype = dtypes.as_dtype(dtype).base_dtype
    return of_string if dtype is dtypes.string else dtype.size


def _cut(sizes, axis, parts):
    counts = [1] * len(sizes)
    counts[axis] = max(1, int(parts))
    return counts


class SaveSliceInfo:
    """The slice of a larger tensor that a Variable is, for a Saver.

    `spec` is '<full shape> <offset>,<size>:...'.
    """

    def __init__(self, full_name, full_shape, var_offset, var_shape):
        self.full_name = full_name
        self.full_shape = list(full_shape)
        self.var_offset = list(var_offset)
        self.var_shape = list(var_shape)

    @property
    def spec(self):
        extents = ':'.join(f'{offset},{size}'
                           for offset, size in zip(self.var_offset, self.var_shape))
        return ' '.join(map(str, self.full_shape)) + ' ' + extents


class _PartitionInfo:
    """The position of a part, for initializers: fans are computed from the full shape."""

    def __init__(self, full_shape, var_offset):
        self.full_shape = full_shape
        self.var_offset = var_offset


class PartitionedVariable:
    """The parts of one value, in order. In an expression it is their concatenation."""

    def __init__(self, name, shape, dtype, variable_list, partitions):
        self._name = name
        self._shape = shapes.as_shape(shape)
        self._dtype = dtype
        self._variables = list(variable_list)
        self._partitions = list(partitions)

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def shape(self):
        return self._shape

    def get_shape(self):
        """Same as `.shape`."""
        return self._shape

    @property
    def trainable(self):
        return self._variables[0].trainable

    @property
    def graph(self):
        return self._variables[0].graph

    @property
    def op(self):
        """Raises NotImplementedError: each part has its own operation."""
        raise misuse(NotImplementedError(f'PartitionedVariable {self._name} has no single op.\n'
                                         '  Hint: [part.op for part in variable].'))

    def _get_partitions(self):
        return self._partitions

    def _get_variable_list(self):
        return self._variables

    def _partition_axes(self):
        axes = [axis for axis, count in enumerate(self._partitions) if count > 1]
        return axes or [0]

    def as_tensor(self):
        """The whole value: a new node named as the PartitionedVariable."""
        with name_scope(None):
            if len(self._variables) == 1:
                return identity_and_cast.identity(self._variables[0], name=self._name)
            with name_scope(self._name + '/ConcatPartitions/'):
                whole = joining.concat(self._variables, self._partition_axes()[0])
            return identity_and_cast.identity(whole, name=self._name)

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assigns to each part its slice of `value`; a list of what the parts' assign returns."""
        value = convert_to_tensor(value, self._dtype)
        return [part.assign(slicing.slice(value, info.var_offset, info.var_shape), use_locking,
                            name, read_value)
                for part in self._variables for info in [part._get_save_slice_info()]]

    def __iter__(self):
        return iter(self._variables)

    def __len__(self):
        """The number of parts."""
        return len(self._variables)

    def __repr__(self):
        return (f"<tf.PartitionedVariable '{self._name}' shape={self._shape} "
                f"dtype={self._dtype.name} parts={len(self._variables)}>")


def parts_of(variable):
    """The Variables of a (possibly partitioned) Variable."""
    return list(variable) if isinstance(variable, PartitionedVariable) else [variable]


def _as_tensor(value, dtype=None, name=None, as_ref=False):
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise misuse(ValueError(f'Incompatible type conversion requested to type {dtype} for '
                                f'variable of type {value.dtype.name}: {value.name}'))
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _as_tensor)


def get_partitioned(make, name, partitioner, shape, dtype, initializer, **settings):
    """The PartitionedVariable of that full name; `make` creates or finds the parts.

    `make` is called as VariableStore gets a Variable. Raises ValueError for a shape that is not
    fully known, a partitioner that is not a function, or one that cuts more than one axis.
    """
    dtype = dtypes.as_dtype(dtype).base_dtype
    from_value = initializer is not None and not callable(initializer)
    if from_value:
        initializer = convert_to_tensor(initializer)
        shape, dtype = initializer.shape, initializer.dtype.base_dtype
    shape = shapes.as_shape(shape)
    if not shape.is_fully_defined():
        raise misuse(ValueError(f'Shape of a new partitioned variable ({name}) must be fully '
                                f'defined, but instead was {shape}.'))
    partitions = _checked(name, partitioner, shape, dtype)
    axis = next((a for a, count in enumerate(partitions) if count > 1), 0)
    parts = []
    for index, (offset, size) in enumerate(_extents(shape.as_list(), axis, partitions[axis])):
        part = f'{name}/part_{index}'
        parts.append(make(part, shape=None if from_value else size, dtype=dtype,
                          initializer=_of_part(part, initializer, from_value, shape.as_list(),
                                               offset, size), **settings))
        parts[-1]._set_save_slice_info(SaveSliceInfo(name, shape.as_list(), offset, size))
    return PartitionedVariable(name, shape, dtype, parts, partitions)


def _checked(name, partitioner, shape, dtype):
    if not callable(partitioner):
        raise misuse(ValueError(f'Partitioner must be callable, but received: {partitioner!r}'))
    partitions = partitioner(shape=shape, dtype=dtype)
    fits = (isinstance(partitions, (list, tuple)) and len(partitions) == shape.ndims
            and all(count >= 1 for count in partitions))
    if not fits or sum(count > 1 for count in partitions) > 1:
        raise misuse(ValueError(
            f'Partitioner returned {partitions!r} for {name} of shape {shape}: it must be one '
            'positive number per axis, and at most one axis may be cut.'))
    return list(partitions)


def _extents(sizes, axis, parts):
    """[(offset, size)] of parts that differ by one row at most, the larger ones first."""
    base, more = divmod(sizes[axis], parts)
    start = 0
    for index in range(parts):
        offset, size = [0] * len(sizes), list(sizes)
        offset[axis], size[axis] = start, base + (index < more)
        start += size[axis]
        yield offset, size


def _of_part(part, initializer, from_value, full_shape, offset, size):
    """The initializer of one part, from the one of the whole."""
    if from_value:
        with name_scope(part + '/PartitionedInitializer/'):
            return slicing.slice(initializer, offset, size)
    if initializer is None or inspect.isclass(initializer):
        initializer = initializer and initializer()
    if initializer is None or 'partition_info' not in inspect.signature(initializer).parameters:
        return initializer
    info = _PartitionInfo(full_shape, offset)
    return lambda shape, dtype=None: initializer(shape, dtype=dtype, partition_info=info)
