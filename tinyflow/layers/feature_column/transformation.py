"""FeatureTransformationCache: the features of a batch, and what columns have made of them.

Where several columns need one feature or one column, its nodes are made once.
"""
from __future__ import annotations

from difflib import get_close_matches

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.sparse_tensor import (
    SparseTensor,
    convert_to_tensor_or_sparse_tensor,
)
from tinyflow.graph.support.errors import report, worded
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

__all__ = ['FeatureTransformationCache', 'as_ids', 'row_of_ids']


class FeatureTransformationCache:
    """What `features`, a dict from keys to tensors, arrays or SparseTensors, became so far."""

    def __init__(self, features):
        self._features = features.copy()
        self._made = {}

    def get(self, key, state_manager=None):
        """The tensor of a raw feature (a str) or of a column, at least of rank 2.

        ValueError for a key that is not there or a feature of rank 0.
        """
        if key in self._made:
            return self._made[key]
        if isinstance(key, str):
            tensor = self._raw(key)
        elif isinstance(key, FeatureColumn):
            tensor = key.transform_feature(self, state_manager)
            if tensor is None:
                raise worded(ValueError(f'Column {key.name} is not supported.'))
        else:
            raise worded(TypeError('"key" must be either a "str" or "FeatureColumn". Provided: '
                                   f'{key!r}'))
        self._made[key] = tensor
        return tensor

    def _raw(self, key):
        """The feature as a tensor; a vector becomes a column."""
        if key not in self._features:
            raise worded(ValueError(_missing(key, self._features)))
        tensor = _as_tensor(key, self._features[key])
        raw = tensor.raw_shape
        if raw == ():
            raise worded(ValueError(report(
                f'Feature (key: {key}) cannot have rank 0.', inputs=[(key, _told(tensor))],
                mend='features are batches: dataset.batch(32) in the input function; one '
                     'example is a batch of one, [value].')))
        if raw is not None:
            return tensor if len(raw) != 1 else _expanded(tensor)
        positive = value_checks.assert_positive(
            measures.rank(tensor), message=f'Feature (key: {key}) cannot have rank 0.')
        with control_dependencies([positive]):
            return conditionals.cond(logic.equal(1, measures.rank(tensor)),
                                     lambda: _expanded(tensor), lambda: tensor)


def _told(tensor):
    return tensor.values if isinstance(tensor, SparseTensor) else tensor


def _as_tensor(key, feature):
    try:
        return convert_to_tensor_or_sparse_tensor(feature)
    except (TypeError, ValueError) as error:
        raise worded(type(error)(f'Feature {key!r}: {error}')) from None


def _expanded(tensor):
    """[batch] as [batch, 1]."""
    if isinstance(tensor, SparseTensor):
        return sparse_rows.sparse_reshape(tensor, [measures.shape(tensor)[0], 1])
    return shaping.expand_dims(tensor, -1)


def _missing(key, features):
    there = sorted(str(k) for k in features)
    near = get_close_matches(key, there, n=1, cutoff=0.6)
    shown = ', '.join(repr(k) for k in there[:20]) + (', ...' if len(there) > 20 else '')
    text = f'Feature {key} is not in features dictionary.\n  It has: {shown or "nothing"}.'
    if near:
        return f'{text}\n  Mend: did you mean {near[0]!r}? A column reads the feature of its key.'
    return (f'{text}\n  Mend: put the feature into the dict that the input function returns, or '
            'make the column with a key that is there.')


def as_ids(tensor, ignore_value=None):
    """A dense feature as the SparseTensor of its values, without '' and -1 (or `ignore_value`).

    Shapes: [batch, ...] -> the same, sparse. What is sparse stays as it is.
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


def row_of_ids(tensor):
    """A SparseTensor [batch, ...] as [batch, any]."""
    return sparse_rows.sparse_reshape(tensor, [measures.shape(tensor)[0], -1])
