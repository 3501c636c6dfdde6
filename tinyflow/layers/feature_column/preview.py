"""preview: a table of raw and transformed values of a batch, without building a graph."""
from __future__ import annotations

from html import escape

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.graph import Graph
from tinyflow.graph.sparse_tensor import SparseTensorValue
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    check_columns,
)
from tinyflow.layers.feature_column.bucketized import BucketizedColumn
from tinyflow.layers.feature_column.crossed import CrossedColumn, leaves
from tinyflow.layers.feature_column.embedding import EmbeddingColumn
from tinyflow.layers.feature_column.indicator import IndicatorColumn
from tinyflow.layers.feature_column.sequence_checks import SequenceColumn
from tinyflow.layers.feature_column.state import ScopeState
from tinyflow.layers.feature_column.transformation import FeatureTransformationCache
from tinyflow.layers.feature_column.vocabulary import VocabularyListCategoricalColumn
from tinyflow.ops.tables.lookup_tables import tables_initializer
from tinyflow.ops.variables.variable_lists import global_variables_initializer
from tinyflow.ops.variables.variable_scope import variable_scope
from tinyflow.session.session import Session

__all__ = ['Preview', 'preview']


def preview(features, feature_columns, rows=5):
    """A table of the raw and transformed values of each column for the first rows of a batch.

        print(tf.feature_column.preview({'age': [22.0, 38.0]}, columns))

    `features` is a dict of arrays or lists, or a DataFrame. Categorical columns show their ids and
    vocabulary entries, embeddings their untrained initial values. Runs in a new graph and Session.
    Raises ValueError like input_layer.
    """
    columns = sorted(check_columns(feature_columns), key=lambda c: c.name)
    raw = {str(key): _first(value, rows) for key, value in _items(features)}
    with Graph().as_default():
        cache = FeatureTransformationCache({key: _tensor(v) for key, v in raw.items()})
        fetches = []
        for column in columns:
            with variable_scope(None, default_name=column._var_scope_name):
                fetches.append(_fetch(column, cache))
        with Session() as session:
            session.run([global_variables_initializer(), tables_initializer()])
            values = session.run(fetches)
    return Preview([_ColumnCells(column, raw, value) for column, value in zip(columns, values)])


def _items(features):
    if not hasattr(features, 'items'):
        raise misuse(ValueError(f'features must be a dict of arrays or a DataFrame, not '
                                f'{type(features).__name__}.\n  Hint: '
                                "{'key': [value, ...], ...}."))
    # to_numpy is that of pandas' Series.
    return [(key, value.to_numpy() if hasattr(value, 'to_numpy') else value)
            for key, value in features.items()]


def _first(value, rows):
    if isinstance(value, SparseTensorValue):
        selected = np.asarray(value.indices)[:, 0] < rows
        shape = np.array(value.dense_shape)
        shape[0] = min(shape[0], rows)
        return SparseTensorValue(np.asarray(value.indices)[selected],
                                 np.asarray(value.values)[selected], shape)
    if hasattr(value, 'op'):
        raise misuse(ValueError(f'preview takes arrays, but got the Tensor {value.name}.\n  Hint: '
                                'session.run(features) returns arrays; preview builds a new '
                                'graph.'))
    return np.asarray(value)[:rows]


def _tensor(value):
    if isinstance(value, SparseTensorValue):
        return value
    if value.dtype == object:
        return convert_to_tensor(value.tolist())
    if value.dtype == np.float64:
        value = value.astype(np.float32)
    return convert_to_tensor(value)


def _fetch(column, cache):
    """The tensors to show for a column: its dense tensor, or its ids and weights."""
    state = ScopeState()
    if isinstance(column, DenseColumn) and not _has_steps(column):
        dense = column.get_dense_tensor(cache, state)
        if isinstance(column, BucketizedColumn):
            return [dense, cache.get(column, state)]
        inner = getattr(column, 'categorical_column', None)
        return [dense] if inner is None else [dense, inner.get_sparse_tensors(cache, state)[0]]
    if isinstance(column, SequenceDenseColumn):
        return list(column.get_sequence_dense_tensor(cache, state))
    return [part for part in column.get_sparse_tensors(cache, state) if part is not None]


def _has_steps(column):
    return isinstance(getattr(column, 'categorical_column', None), SequenceColumn)


class _ColumnCells:
    """The cells of one column of features: (raw, transformed) of each row."""

    def __init__(self, column, raw, value):
        self.name = column.name
        self.kind = type(column).__name__
        self.keys = _keys(column)
        raws = [_rows_of(raw[key]) for key in self.keys if key in raw]
        self.rows = list(zip([', '.join(cells) for cells in zip(*raws)],
                             _transformed(column, value)))


def _keys(column):
    """The keys of the raw features that a column reads."""
    if isinstance(column, str):
        return [column]
    parents = leaves(column) if isinstance(column, CrossedColumn) else column.parents
    return list(dict.fromkeys(key for parent in parents for key in _keys(parent)))


def _rows_of(value):
    if isinstance(value, SparseTensorValue):
        return [_listed(value.values[value.indices[:, 0] == row])
                for row in range(int(value.dense_shape[0]))]
    return [_cell(row) for row in value]


def _cell(value):
    if isinstance(value, bytes):
        return repr(value.decode('utf-8', 'replace'))
    if isinstance(value, str):
        return repr(str(value))
    if isinstance(value, np.ndarray) and value.ndim:
        return _listed(value.tolist() if value.size <= 12 else value.reshape(-1)[:12].tolist() +
                       ['...'])
    if isinstance(value, (float, np.floating)):
        return f'{float(value):.6g}'
    if isinstance(value, list):
        return _listed(value)
    return '...' if value == '...' else str(value)


def _listed(values):
    return '[' + ' '.join(_cell(v) for v in values) + ']'


def _transformed(column, value):
    """The text of each row."""
    if isinstance(column, BucketizedColumn):
        dense, buckets = value
        return [f'{_cell(row.reshape(-1))}  {_intervals(column.boundaries, buckets_of_row)}'
                for row, buckets_of_row in zip(dense, buckets.reshape(len(buckets), -1))]
    if isinstance(column, (IndicatorColumn, EmbeddingColumn)) and len(value) == 2 and \
            isinstance(value[1], SparseTensorValue):
        texts = _id_texts(column.categorical_column, value[1], len(value[0]))
        return [f'{_cell(row.reshape(-1))}  {text}' for row, text in zip(value[0], texts)]
    if isinstance(value[0], SparseTensorValue):
        weights = _rows_of(value[1]) if len(value) > 1 else None
        texts = _id_texts(column, value[0], int(value[0].dense_shape[0]))
        return texts if weights is None else [f'{t} weights {w}' for t, w in zip(texts, weights)]
    if len(value) == 2 and isinstance(value[1], np.ndarray) and not isinstance(
            column, CategoricalColumn) and value[1].ndim == 1 and _is_sequence(column):
        return [f'{_cell(row[:length])}  {length} steps' for row, length in zip(*value)]
    return [_cell(row.reshape(-1)) for row in value[0]]


def _is_sequence(column):
    return isinstance(column, SequenceDenseColumn) and (
        not isinstance(column, DenseColumn) or _has_steps(column))


def _intervals(boundaries, buckets):
    edges = ['-inf', *(_cell(b) for b in boundaries), 'inf']
    texts = [f'{"(" if p == 0 else "["}{edges[p]}, {edges[p + 1]})' for p in buckets.tolist()]
    return ' '.join(texts)


def _id_texts(column, ids, rows):
    """The text of each row: 'id 1', or "id 1 = 'male'" if the vocabulary is known."""
    while hasattr(column, 'categorical_column'):            # weighted, or of sequences
        column = column.categorical_column
    words = column.vocabulary_list if isinstance(column, VocabularyListCategoricalColumn) else ()
    texts = [[] for _ in range(rows)]
    for (row, *_), number in zip(np.asarray(ids.indices).tolist(), ids.values.tolist()):
        if number < 0:
            text = 'not in the vocabulary'
        else:
            text = f'id {number}' + (f' = {_cell(words[number])}' if number < len(words) else '')
        texts[row].append(text)
    return [', '.join(row) or 'nothing' for row in texts]


class Preview:
    """The result of preview: a table for print and notebooks. `rows` is [(name, raw, text)]."""

    def __init__(self, shown):
        self._shown = shown

    @property
    def rows(self):
        """(column name, raw, transformed) for each row of each column."""
        return [(shown.name, raw, text) for shown in self._shown for raw, text in shown.rows]

    def __str__(self):
        header = ('column', 'raw', 'transformed')
        table = [(f'{name}' if i == 0 else '', raw, text) for shown in self._shown
                 for i, (name, raw, text) in enumerate(
                     (shown.name, raw, text) for raw, text in shown.rows)]
        widths = [max(len(row[i]) for row in [header, *table]) for i in range(2)]
        return '\n'.join(f'{a:<{widths[0]}}  {b:<{widths[1]}}  {c}'.rstrip()
                         for a, b, c in [header, *table])

    __repr__ = __str__

    def _repr_html_(self):
        body = ''.join('<tr>' + ''.join(f'<td>{escape(cell)}</td>' for cell in row) + '</tr>'
                       for row in self.rows)
        return ('<table><tr><th>column</th><th>raw</th><th>transformed</th></tr>'
                f'{body}</table>')
