"""Error for a categorical column that is not wrapped, with the wrapper that it needs."""
from __future__ import annotations

from tinyflow.graph.support.errors import misuse, why
from tinyflow.layers.feature_column.base import CategoricalColumn

__all__ = ['raise_not_dense', 'suggested_dimension']

_MAX_ONE_HOT = 32   # up to this many ids, one-hot vectors are as small as a hidden layer


def suggested_dimension(num_buckets):
    """The fourth root of the number of ids, rounded up: a usual size of embeddings."""
    return max(1, min(512, int(-(-num_buckets ** 0.25 // 1))))


def raise_not_dense(column):
    """Raises the ValueError for a column that is not dense, with code that makes it dense."""
    text = ('Items of feature_columns must be a DenseColumn. You can wrap a categorical column '
            f'with an embedding_column or indicator_column. Given: {column!r}')
    if isinstance(column, CategoricalColumn):
        text += f'\n  Hint: {_hint(column)}' + why('categorical-column')
    raise misuse(ValueError(text))


def _hint(column):
    buckets = column.num_buckets
    one_hot = (f'tf.feature_column.indicator_column({_variable(column)}), a one-hot vector of '
               f'{buckets}')
    dense = (f'tf.feature_column.embedding_column({_variable(column)}, dimension='
             f'{suggested_dimension(buckets)}), trained vectors')
    if buckets <= _MAX_ONE_HOT:
        return f'{one_hot}; or {dense}. With few categories prefer the first.'
    return f'{dense}; or {one_hot}. With {buckets} categories prefer the first.'


def _variable(column):
    """A name for the column in a line of code."""
    name = ''.join(c if c.isalnum() else '_' for c in column.name)
    return name if name.isidentifier() and len(name) <= 40 else 'column'
