"""numeric_column: the numbers of a feature, optionally normalized."""
from __future__ import annotations

import math
from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.layers.feature_column.base import DenseColumn, check_key
from tinyflow.layers.feature_column.serialization import register_column
from tinyflow.ops.array import identity_and_cast as identities
from tinyflow.ops.files.example_parsing import FixedLenFeature

__all__ = ['NumericColumn', 'numeric_column']


def numeric_column(key, shape=(1,), default_value=None, dtype=dtypes.float32, normalizer_fn=None):
    """The numbers of a feature as float32, after `normalizer_fn(tensor)` if given.

    Shapes: feature [batch, *shape] -> the same. `default_value`, a number or a nested list of
    `shape`, replaces missing values of Examples. Raises ValueError or TypeError for invalid
    arguments.
    """
    shape, dtype = check_numeric_arguments(key, shape, dtype, normalizer_fn)
    default_value = check_default_value(shape, default_value, dtype, key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


@register_column
class NumericColumn(DenseColumn, namedtuple('NumericColumn', [
        'key', 'shape', 'default_value', 'dtype', 'normalizer_fn'])):
    """See numeric_column."""

    __slots__ = ()

    @property
    def name(self):
        return self.key

    @property
    def parse_example_spec(self):
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    @property
    def parents(self):
        return [self.key]

    @property
    def variable_shape(self):
        return TensorShape(self.shape)

    def transform_feature(self, transformation_cache, state_manager):
        tensor = transformation_cache.get(self.key, state_manager)
        if isinstance(tensor, SparseTensor):
            raise misuse(ValueError(
                'The corresponding Tensor of numerical column must be a Tensor. SparseTensor is '
                f'not supported. key: {self.key}\n  Hint: tf.sparse_tensor_to_dense(features['
                f'{self.key!r}]), or parse Examples with FixedLenFeature.'))
        if tensor.dtype.base_dtype is dtypes.string:
            raise misuse(ValueError(report(
                f'numeric_column({self.key!r}) got strings.', inputs=[(self.key, tensor)],
                hint=f"tf.string_to_number(features['{self.key}']) if they are numbers; for text "
                     'tf.feature_column.indicator_column(tf.feature_column.'
                     f"categorical_column_with_vocabulary_list('{self.key}', [...])).")))
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        self._check_size(tensor)
        return identities.cast(tensor, dtypes.float32)

    def _check_size(self, tensor):
        """Raises ValueError if the static shape of the feature has a different size."""
        raw = tensor.raw_shape
        if raw is None or None in raw[1:]:
            return
        size = math.prod(raw[1:])
        if size != self.variable_shape.num_elements():
            shape = raw[1] if len(raw) == 2 else tuple(raw[1:])
            raise misuse(ValueError(report(
                f'numeric_column({self.key!r}) has shape {self.shape}; its feature has {size} '
                'numbers per example: Cannot reshape a tensor.', inputs=[(self.key, tensor)],
                hint=f"tf.feature_column.numeric_column('{self.key}', shape={shape}).")))

    def get_dense_tensor(self, transformation_cache, state_manager):
        return transformation_cache.get(self, state_manager)

    def get_config(self):
        return numeric_config(self)


def numeric_config(column):
    """The config of a column of numbers; the normalizer_fn as its name."""
    function = getattr(column.normalizer_fn, '__name__', column.normalizer_fn)
    return {**dict(zip(column._fields, column)), 'normalizer_fn': function,
            'dtype': column.dtype.name}


def check_numeric_arguments(key, shape, dtype, normalizer_fn):
    """(shape, dtype), checked. Raises ValueError or TypeError for invalid arguments."""
    shape = check_shape(shape, key)
    dtype = dtypes.as_dtype(dtype)
    if not (dtype.is_integer or dtype.is_floating):
        raise misuse(ValueError(f'dtype must be convertible to float. dtype: {dtype.name}, key: '
                                f'{key}'))
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise misuse(TypeError(f'normalizer_fn must be a callable. Given: {normalizer_fn}'))
    check_key(key)
    return shape, dtype


def check_shape(shape, key):
    """The shape as a tuple of positive ints. Raises TypeError or ValueError for others."""
    if shape is None:
        raise misuse(ValueError(f'shape of {key} must not be None.'))
    shape = tuple(shape) if np.iterable(shape) else (shape,)
    for size in shape:
        if not isinstance(size, (int, np.integer)) or isinstance(size, bool):
            raise misuse(TypeError(f'shape dimensions must be integer. shape: {shape}, key: '
                                   f'{key}'))
        if size < 1:
            raise misuse(ValueError(f'shape dimensions must be greater than 0. shape: {shape}, '
                                    f'key: {key}'))
    return shape


def check_default_value(shape, default_value, dtype, key):
    """The default as nested tuples of `shape`, or None. Raises TypeError or ValueError."""
    if default_value is None:
        return None
    error = TypeError(f'default_value must be compatible with dtype. default_value: '
                      f'{default_value}, dtype: {dtype.name}, key: {key}')
    try:
        array = np.asarray(default_value)
    except ValueError:
        raise misuse(error) from None
    compatible = array.dtype.kind in 'iu' or array.dtype.kind == 'f' and dtype.is_floating
    if not compatible:
        raise misuse(error)
    if array.ndim and array.shape != shape:
        raise misuse(ValueError('The shape of default_value must be equal to given shape. '
                                f'default_value: {default_value}, shape: {shape}, key: {key}'))
    if array.ndim:
        return _tuples(default_value.tolist() if hasattr(default_value, 'tolist') else
                       default_value)
    return _tuples(np.full(shape, default_value, object).tolist())


def _tuples(nested):
    return tuple(_tuples(item) for item in nested) if isinstance(nested, (list, tuple)) else nested
