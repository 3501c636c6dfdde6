"""FeatureTransformationCache: the features of a batch and the tensors computed from them.

The nodes of a feature or column that several columns use are created once.
"""
from __future__ import annotations

from difflib import get_close_matches

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.sparse_tensor import (
    SparseTensor,
    convert_to_tensor_or_sparse_tensor,
)
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.layers.feature_column.base import FeatureColumn
from tinyflow.ops.array import (
    identity_and_cast as identities,
    indexing,
    shape_ops as measures,
    shaping,
)
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow import cond as conditionals
from tinyflow.ops.math import logic
from tinyflow.ops.sparse import rows as sparse_rows

__all__ = ['FeatureTransformationCache', 'to_sparse_ids', 'flatten_ids']


class FeatureTransformationCache:
    """The tensors of `features` (a dict of tensors, arrays or SparseTensors) and of columns."""

    def __init__(self, features):
        self._features = features.copy()
        self._tensors = {}

    def get(self, key, state_manager=None):
        """The tensor of a raw feature (a str) or of a column, at least of rank 2.

        Raises ValueError for a missing key or a feature of rank 0.
        """
        if key in self._tensors:
            return self._tensors[key]
        if isinstance(key, str):
            tensor = self._raw(key)
        elif isinstance(key, FeatureColumn):
            tensor = key.transform_feature(self, state_manager)
            if tensor is None:
                raise misuse(ValueError(f'Column {key.name} is not supported.'))
        else:
            raise misuse(TypeError('"key" must be either a "str" or "FeatureColumn". Provided: '
                                   f'{key!r}'))
        self._tensors[key] = tensor
        return tensor

    def _raw(self, key):
        """The feature as a tensor; a vector becomes a matrix with one column."""
        if key not in self._features:
            raise misuse(ValueError(_missing(key, self._features)))
        tensor = _as_tensor(key, self._features[key])
        raw = tensor.raw_shape
        if raw == ():
            raise misuse(ValueError(report(
                f'Feature (key: {key}) cannot have rank 0.', inputs=[(key, _values(tensor))],
                hint='features are batches: dataset.batch(32) in the input function; a single '
                     'example is a batch of one, [value].')))
        if raw is not None:
            return tensor if len(raw) != 1 else _expanded(tensor)
        positive = value_checks.assert_positive(
            measures.rank(tensor), message=f'Feature (key: {key}) cannot have rank 0.')
        with control_dependencies([positive]):
            return conditionals.cond(logic.equal(1, measures.rank(tensor)),
                                     lambda: _expanded(tensor), lambda: tensor)


def _values(tensor):
    return tensor.values if isinstance(tensor, SparseTensor) else tensor


def _as_tensor(key, feature):
    try:
        return convert_to_tensor_or_sparse_tensor(feature)
    except (TypeError, ValueError) as error:
        raise misuse(type(error)(f'Feature {key!r}: {error}')) from None


def _expanded(tensor):
    """Shapes: [batch] -> [batch, 1]."""
    if isinstance(tensor, SparseTensor):
        return sparse_rows.sparse_reshape(tensor, [measures.shape(tensor)[0], 1])
    return shaping.expand_dims(tensor, -1)


def _missing(key, features):
    keys = sorted(str(k) for k in features)
    nearest = get_close_matches(key, keys, n=1, cutoff=0.6)
    shown = ', '.join(repr(k) for k in keys[:20]) + (', ...' if len(keys) > 20 else '')
    text = f'Feature {key} is not in features dictionary.\n  It has: {shown or "nothing"}.'
    if nearest:
        return (f'{text}\n  Hint: did you mean {nearest[0]!r}? A column reads the feature of its '
                'key.' + why('feature-missing'))
    return (f'{text}\n  Hint: add the feature to the dict that the input function returns, or '
            'create the column with an existing key.' + why('feature-missing'))


def to_sparse_ids(tensor, ignore_value=None):
    """Converts a dense feature to a SparseTensor, without '' and -1 (or `ignore_value`).

    Shapes: [batch, ...] -> the same, sparse. A SparseTensor is returned unchanged.
    """
    tensor = convert_to_tensor_or_sparse_tensor(tensor)
    if isinstance(tensor, SparseTensor):
        return tensor
    with name_scope(None, 'to_sparse_input', (tensor, ignore_value)):
        if ignore_value is None:
            ignore_value = '' if tensor.dtype.base_dtype is dtypes.string else -1
        ignored = identities.cast(ignore_value, tensor.dtype.base_dtype, name='ignore_value')
        indices = indexing.where(logic.not_equal(tensor, ignored), name='indices')
        return SparseTensor(indices, indexing.gather_nd(tensor, indices, name='values'),
                            measures.shape(tensor, out_type=dtypes.int64, name='dense_shape'))


def flatten_ids(tensor):
    """Reshapes a SparseTensor. Shapes: [batch, ...] -> [batch, any]."""
    return sparse_rows.sparse_reshape(tensor, [measures.shape(tensor)[0], -1])
