"""Ops that turn serialized Examples into tensors; parsing.py has the functions that use them.

An op has several lists of inputs and outputs of different lengths, so its kernel gets the inputs
flat and finds the lists by the attributes.
"""
from __future__ import annotations

import numpy as np

from tinyflow.formats.wire import examples
from tinyflow.formats.wire.examples import Dense, Sparse
from tinyflow.graph import shapes
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure

__all__: list[str] = []


class _Parsing(Op, abstract=True):
    pure = False                # not worth merging, and must never be folded
    partial_rank = True
    counts: tuple[str, ...] = ()

    @classmethod
    def nest(cls, flat):
        return list(flat)

    @classmethod
    def type_attrs(cls, operation):
        return {name: operation.attrs[name] for name in cls.counts}

    @classmethod
    def shapes_from(cls, attrs, arguments, count):
        return cls.output_shapes(arguments, attrs)


def _text(value):
    return value.decode() if isinstance(value, bytes) else str(value)


def _keys(arrays):
    return [_text(a[()]) for a in arrays]


def _raw(dense_shapes):
    return [shapes.raw(shape) for shape in dense_shapes]


def _dense(keys, types, dense_shapes, defaults):
    return [Dense(*spec) for spec in zip(keys, types, _raw(dense_shapes), defaults)]


def _sparse(keys, types):
    return [Sparse(*spec) for spec in zip(keys, types)]


def _flat(parts, dense):
    """The outputs in order: all indices, all values, all shapes, all dense arrays."""
    return (*[p[0] for p in parts], *[p[1] for p in parts], *[p[2] for p in parts], *dense)


def _sparse_shapes(count, rank):
    return [(None, rank)] * count + [(None,)] * count + [(rank,)] * count


class ParseExample(_Parsing):
    """Features of a batch of serialized Examples."""

    signature = ('serialized: string, names: string, sparse_keys: Nsparse*string, '
                 'dense_keys: Ndense*string, dense_defaults: [Tdense] -> '
                 'sparse_indices: Nsparse*int64, sparse_values: [sparse_types], '
                 'sparse_shapes: Nsparse*int64, dense_values: [Tdense]')
    attrs = {'Nsparse': REQUIRED, 'Ndense': REQUIRED, 'sparse_types': REQUIRED,
             'Tdense': REQUIRED, 'dense_shapes': REQUIRED}
    counts = ('Nsparse', 'Ndense', 'sparse_types', 'Tdense')

    def output_shapes(arguments, attrs):
        batch = arguments[0] if arguments[0] is None else arguments[0][:1]
        size = batch[0] if batch else None
        return _sparse_shapes(attrs['Nsparse'], 2) + [(size, *shape)
                                                      for shape in _raw(attrs['dense_shapes'])]

    def kernel(*arrays, Nsparse, Ndense, sparse_types, Tdense, dense_shapes):
        serialized, names = arrays[:2]
        if serialized.ndim != 1:
            raise OpFailure('Expected serialized to be a vector, got shape: '
                            f'{list(serialized.shape)}',
                            'tf.parse_single_example takes a scalar.')
        if len(names) not in (0, len(serialized)):
            raise ValueError(f'Expected len(names) == len(serialized), but got: {len(names)} vs. '
                             f'{len(serialized)}')
        sparse_keys = _keys(arrays[2:2 + Nsparse])
        dense_keys = _keys(arrays[2 + Nsparse:2 + Nsparse + Ndense])
        return _flat(*examples.parse_batch(
            serialized, names, _sparse(sparse_keys, sparse_types),
            _dense(dense_keys, Tdense, dense_shapes, arrays[2 + Nsparse + Ndense:])))


class ParseSingleExample(_Parsing):
    """Features of one serialized Example."""

    signature = ('serialized: string, dense_defaults: [Tdense] -> '
                 'sparse_indices: num_sparse*int64, sparse_values: [sparse_types], '
                 'sparse_shapes: num_sparse*int64, dense_values: [Tdense]')
    attrs = {'num_sparse': REQUIRED, 'sparse_keys': REQUIRED, 'dense_keys': REQUIRED,
             'sparse_types': REQUIRED, 'Tdense': REQUIRED, 'dense_shapes': REQUIRED}
    counts = ('num_sparse', 'sparse_types', 'Tdense')

    def output_shapes(arguments, attrs):
        return _sparse_shapes(attrs['num_sparse'], 1) + _raw(attrs['dense_shapes'])

    def kernel(*arrays, sparse_keys, dense_keys, sparse_types, Tdense, dense_shapes):
        if arrays[0].ndim:
            raise OpFailure('Expected serialized to be a scalar, got shape: '
                            f'{list(arrays[0].shape)}',
                            'tf.parse_example takes a batch.')
        return _flat(*examples.parse_single(
            arrays[0][()], _sparse(map(_text, sparse_keys), sparse_types),
            _dense(map(_text, dense_keys), Tdense, dense_shapes, arrays[1:])))


_SEQUENCE_OUTPUTS = (
    'context_sparse_indices: Ncontext_sparse*int64, context_sparse_values: [context_sparse_types], '
    'context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: [Tcontext_dense], '
    'feature_list_sparse_indices: Nfeature_list_sparse*int64, '
    'feature_list_sparse_values: [feature_list_sparse_types], '
    'feature_list_sparse_shapes: Nfeature_list_sparse*int64, '
    'feature_list_dense_values: [feature_list_dense_types]')
_SEQUENCE_ATTRS = {
    'Ncontext_sparse': 0, 'Ncontext_dense': 0, 'Nfeature_list_sparse': 0,
    'Nfeature_list_dense': 0, 'context_sparse_types': (), 'Tcontext_dense': (),
    'feature_list_dense_types': (), 'context_dense_shapes': (), 'feature_list_sparse_types': (),
    'feature_list_dense_shapes': ()}
_SEQUENCE_COUNTS = ('Ncontext_sparse', 'context_sparse_types', 'Tcontext_dense',
                    'Nfeature_list_sparse', 'feature_list_sparse_types',
                    'feature_list_dense_types', 'Nfeature_list_dense', 'Ncontext_dense')


def _sequence_shapes(attrs, batch):
    """Shapes of the outputs; `batch` is () for one example."""
    rank = len(batch)
    return [*_sparse_shapes(attrs['Ncontext_sparse'], 1 + rank),
            *[(*batch, *shape) for shape in _raw(attrs['context_dense_shapes'])],
            *_sparse_shapes(attrs['Nfeature_list_sparse'], 2 + rank),
            *[(*batch, None, *shape) for shape in _raw(attrs['feature_list_dense_shapes'])]]


class ParseSingleSequenceExample(_Parsing):
    """The context and the feature lists of one serialized SequenceExample."""

    signature = ('serialized: string, feature_list_dense_missing_assumed_empty: string, '
                 'context_sparse_keys: Ncontext_sparse*string, '
                 'context_dense_keys: Ncontext_dense*string, '
                 'feature_list_sparse_keys: Nfeature_list_sparse*string, '
                 'feature_list_dense_keys: Nfeature_list_dense*string, '
                 f'context_dense_defaults: [Tcontext_dense], debug_name: string -> '
                 f'{_SEQUENCE_OUTPUTS}')
    attrs = _SEQUENCE_ATTRS
    counts = _SEQUENCE_COUNTS

    def output_shapes(arguments, attrs):
        return _sequence_shapes(attrs, ())

    def kernel(*arrays, Ncontext_sparse, Ncontext_dense, Nfeature_list_sparse, Nfeature_list_dense,
               context_sparse_types, Tcontext_dense, feature_list_dense_types,
               context_dense_shapes, feature_list_sparse_types, feature_list_dense_shapes):
        serialized, empty, *rest = arrays
        keys = []
        for count in (Ncontext_sparse, Ncontext_dense, Nfeature_list_sparse,
                      Nfeature_list_dense):
            keys.append(_keys(rest[:count]))
            rest = rest[count:]
        defaults, name = rest[:-1], rest[-1]
        if serialized.ndim:
            raise OpFailure('Expected serialized to be a scalar, got shape: '
                            f'{list(serialized.shape)}',
                            'tf.io.parse_sequence_example takes a batch.')
        context, context_dense, rows, steps = examples.parse_sequence(
            serialized[()], _text(name[()]) or '<unknown>',
            _sparse(keys[0], context_sparse_types),
            _dense(keys[1], Tcontext_dense, context_dense_shapes, defaults),
            _sparse(keys[2], feature_list_sparse_types),
            _dense(keys[3], feature_list_dense_types, feature_list_dense_shapes,
                   [np.empty(0)] * len(keys[3])), [_text(k) for k in empty])
        parts = [(np.arange(len(v))[:, None], v, np.array([len(v)], np.int64)) for v in context]
        lists = [examples.sparse_rows(dtype, part)
                 for dtype, part in zip(feature_list_sparse_types, rows)]
        return _flat(parts, context_dense) + _flat(lists, steps)


class ParseSequenceExample(_Parsing):
    """The contexts and feature lists of a batch of serialized SequenceExamples."""

    signature = ('serialized: string, debug_name: string, context_dense_defaults: [Tcontext_dense]'
                 f' -> {_SEQUENCE_OUTPUTS}, '
                 'feature_list_dense_lengths: Nfeature_list_dense*int64')
    attrs = {'feature_list_dense_missing_assumed_empty': REQUIRED, 'context_sparse_keys': REQUIRED,
             'context_dense_keys': REQUIRED, 'feature_list_sparse_keys': REQUIRED,
             'feature_list_dense_keys': REQUIRED, **_SEQUENCE_ATTRS}
    counts = _SEQUENCE_COUNTS

    def output_shapes(arguments, attrs):
        size = arguments[0][0] if arguments[0] else None
        return _sequence_shapes(attrs, (size,)) + [(size,)] * attrs['Nfeature_list_dense']

    def kernel(*arrays, feature_list_dense_missing_assumed_empty, context_sparse_keys,
               context_dense_keys, feature_list_sparse_keys, feature_list_dense_keys,
               context_sparse_types, Tcontext_dense, feature_list_dense_types,
               context_dense_shapes, feature_list_sparse_types, feature_list_dense_shapes):
        serialized, names, *defaults = arrays
        empty = [_text(k) for k in feature_list_dense_missing_assumed_empty]
        context = _sparse(map(_text, context_sparse_keys), context_sparse_types)
        dense = _dense(map(_text, context_dense_keys), Tcontext_dense, context_dense_shapes,
                       defaults)
        lists = _sparse(map(_text, feature_list_sparse_keys), feature_list_sparse_types)
        steps = _dense(map(_text, feature_list_dense_keys), feature_list_dense_types,
                       feature_list_dense_shapes, [np.empty(0)] * len(feature_list_dense_keys))
        found = [examples.parse_sequence(
            data, _text(names[i]) if len(names) else '<unknown>', context, dense, lists, steps,
            empty) for i, data in enumerate(serialized)]
        return (*_flat([examples.sparse_rows(s.dtype, [f[0][i] for f in found])
                        for i, s in enumerate(context)],
                       [examples.stacked(s, [f[1][i] for f in found])
                        for i, s in enumerate(dense)]),
                *_flat([_sparse_lists(s.dtype, [f[2][i] for f in found])
                        for i, s in enumerate(lists)],
                       [_padded(s, [f[3][i] for f in found]) for i, s in enumerate(steps)]),
                *[np.array([len(f[3][i]) for f in found], np.int64) for i in range(len(steps))])


def _sparse_lists(dtype, examples_rows):
    """(indices, values, shape) of the SparseTensor [examples, longest list, longest row]."""
    indices = [(i, j, k) for i, rows in enumerate(examples_rows) for j, row in enumerate(rows)
               for k in range(len(row))]
    flat = [row for rows in examples_rows for row in rows]
    shape = (len(examples_rows), max(map(len, examples_rows), default=0),
             max(map(len, flat), default=0))
    return (np.array(indices, np.int64).reshape(-1, 3),
            np.concatenate(flat) if flat else np.empty(0, dtype.np), np.array(shape, np.int64))


def _padded(spec, arrays):
    longest = max(map(len, arrays), default=0)
    result = examples.padding(spec.dtype, (len(arrays), longest, *spec.shape), np.empty(0))
    for row, array in zip(result, arrays):
        row[:len(array)] = array
    return result
