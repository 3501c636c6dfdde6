"""Parses tf.train.Example protocol buffers into arrays.

A feature is a list of int64, float32 or bytes under a name. A dense feature becomes an array of a
fixed shape, or of rows that are padded to the longest; a sparse one becomes the three
parts of a SparseTensor.
"""
from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.support.errors import OpFailure

_KINDS = {'int64_list': dtypes.int64, 'float_list': dtypes.float32, 'bytes_list': dtypes.string}
_FEW = 16
_NAMES = {dtypes.int64: 'int64', dtypes.float32: 'float', dtypes.string: 'string'}


class Dense(NamedTuple):
    """A feature that every example has; `shape` begins with None for rows of varying number."""

    key: str
    dtype: dtypes.DType
    shape: tuple
    default: np.ndarray         # empty where the feature is required

    @property
    def varies(self):
        return bool(self.shape) and self.shape[0] is None


class Sparse(NamedTuple):
    """A feature of which each example has any number of values."""

    key: str
    dtype: dtypes.DType


def refuse(where, problem, example=None, hint=None):
    """The error for an example that does not match the description of its features."""
    facts = [] if example is None else [('the example has', _contents(example))]
    return OpFailure(f'{where}{problem}', hint, facts)


def _contents(features):
    """'x int64 [2], z string [1]': the existing features."""
    descriptions = []
    for key in sorted(features)[:20]:
        kind, values = values_of(features[key])
        descriptions.append(f'{key} {_NAMES[kind]} [{len(values.value)}]' if kind
                            else f'{key} (empty)')
    return ', '.join(descriptions) + (' ...' if len(features) > 20 else '') or 'no features'


def values_of(feature):
    """(dtype, list message) of a Feature; (None, None) if it is empty."""
    kind = feature.WhichOneof('kind')
    if kind is None:
        return None, None
    return _KINDS[kind], getattr(feature, kind)


def as_array(message, dtype):
    """The values of an Int64List, FloatList or BytesList as a vector."""
    values = message.value
    count = len(values)
    if dtype is dtypes.string:
        array = np.empty(count, object)
        array[:] = list(values)
        return array
    if dtype is dtypes.float32 and count > _FEW:
        # Serialized, the packed values are the last bytes: faster than one by one.
        wire = message.SerializeToString()
        return np.frombuffer(wire, '<f4', count, len(wire) - 4 * count).astype(np.float32)
    return np.fromiter(values, dtype.np, count)


def parse(data, where, message='Example'):
    """The parsed Example (or SequenceExample)."""
    from google.protobuf.message import DecodeError  # start-up time

    from tinyflow.formats.protos import example_pb2  # start-up time
    try:
        return getattr(example_pb2, message).FromString(data)
    except DecodeError:
        raise refuse(where, f'Could not parse example input, value: {data[:60]!r}'
                     f'{"..." if len(data) > 60 else ""} ({len(data)} bytes)',
                     hint=f'the bytes of a tf.train.{message}, as SerializeToString gives them; a '
                     'compressed TFRecord file needs compression_type.') from None


def one_dense(features, spec, label, missing, detail):
    """The array of a dense feature of one example, of its shape (or [n, *shape[1:]]).

    `label` begins the message about a feature that does not fit, `missing` the message about a
    missing one; with `detail` False numbers are omitted, as in TensorFlow.
    """
    kind, values = values_of(features[spec.key]) if spec.key in features else (None, None)
    if kind is None:
        return _default(features, spec, missing)
    if kind is not spec.dtype:
        raise refuse(label, f"Data types don't match. Data type: {_NAMES[kind]} but expected type: "
                     f'{_NAMES[spec.dtype]}', features, _hint_for(spec.key, kind))
    array = as_array(values, kind)
    if spec.varies:
        stride = int(np.prod(spec.shape[1:], dtype=np.int64))
        if stride == 0 or array.size % stride:
            raise refuse(label, f'Number of {_NAMES[kind]} values is not a multiple of stride '
                         f'length. Saw {array.size} values but output shape is: '
                         f'{shapes.compact(spec.shape)}', features)
        return array.reshape(-1, *spec.shape[1:])
    if array.size != np.prod(spec.shape, dtype=np.int64):
        raise refuse(label, f'Number of {_NAMES[kind]} values != expected.  Values size: '
                     f'{array.size} but output shape: {shapes.compact(spec.shape)}' if detail else
                     f"Can't parse serialized Example: {array.size} values, and the shape is "
                     f'{shapes.compact(spec.shape)}.', features,
                     f"tf.FixedLenFeature([{array.size}], ...) if all examples have as many; "
                     'tf.VarLenFeature if the number varies.')
    return array.reshape(spec.shape)


def _default(features, spec, missing):
    if spec.varies:
        return np.empty((0, *spec.shape[1:]), spec.dtype.np)
    if spec.default.size == 0 and np.prod(spec.shape, dtype=np.int64):
        raise refuse(missing, f'Feature: {spec.key} (data type: {_NAMES[spec.dtype]}) is required '
                     'but could not be found.', features,
                     'default_value=... in its tf.FixedLenFeature, or tf.VarLenFeature.')
    return np.array(np.broadcast_to(spec.default, spec.shape))


def _hint_for(key, kind):
    return f"'{key}' is written as {_NAMES[kind]}: tf.{kind.name} in its description."


def one_sparse(features, spec, label):
    """The values of a sparse feature of one example."""
    kind, values = values_of(features[spec.key]) if spec.key in features else (None, None)
    if kind is None:
        return np.empty(0, spec.dtype.np)
    if kind is not spec.dtype:
        raise refuse(label, f"Data types don't match. Expected type: {_NAMES[spec.dtype]}, Actual "
                     f'type: {_NAMES[kind]}', features, _hint_for(spec.key, kind))
    return as_array(values, kind)


# ---- batches -------------------------------------------------------------------------------------


def parse_batch(serialized, names, sparse, dense):
    """(parts of SparseTensors, dense arrays) of a batch of serialized Examples."""
    columns = [[] for _ in sparse], [[] for _ in dense]
    for i, data in enumerate(serialized):
        name = f'Name: {names[i].decode(errors="replace") if len(names) else "<unknown>"}, '
        features = parse(data, f'{name}Index: {i}.  ').features.feature
        for spec, column in zip(sparse, columns[0]):
            column.append(one_sparse(features, spec, f'{name}Key: {spec.key}, Index: {i}.  '))
        for spec, column in zip(dense, columns[1]):
            column.append(one_dense(features, spec, f'{name}Key: {spec.key}, Index: {i}.  ',
                                    name, True))
    return ([sparse_rows(spec.dtype, rows) for spec, rows in zip(sparse, columns[0])],
            [stacked(spec, rows) for spec, rows in zip(dense, columns[1])])


def sparse_rows(dtype, rows):
    """(indices, values, dense shape) of the SparseTensor [rows, longest row]."""
    lengths = [len(row) for row in rows]
    indices = np.empty((sum(lengths), 2), np.int64)
    indices[:, 0] = np.repeat(np.arange(len(rows)), lengths)
    indices[:, 1] = np.concatenate([np.arange(n) for n in lengths]) if lengths else 0
    values = np.concatenate(rows) if rows else np.empty(0, dtype.np)
    return indices, values, np.array([len(rows), max(lengths, default=0)], np.int64)


def stacked(spec, rows):
    """A dense feature of all examples; one of varying length is padded with the default."""
    if not spec.varies:
        result = np.empty((len(rows), *spec.shape), spec.dtype.np)
    else:
        result = padding(spec.dtype, (len(rows), max(map(len, rows), default=0), *spec.shape[1:]),
                         spec.default)
    for i, row in enumerate(rows):
        if spec.varies:
            result[i, :len(row)] = row
        else:
            result[i, ...] = row
    return result


def padding(dtype, shape, default):
    """An array full of the scalar `default`, or of zeros (empty strings) if that is empty."""
    fill = default.reshape(-1)[0] if default.size else b'' if dtype is dtypes.string else 0
    return np.full(shape, fill, dtype.np)


def parse_single(data, sparse, dense):
    """As `parse_batch` of one Example, without the batch axis."""
    features = parse(data, '').features.feature
    parts = []
    for spec in sparse:
        values = one_sparse(features, spec, f'Key: {spec.key}.  ')
        parts.append((np.arange(len(values))[:, None], values, np.array([len(values)], np.int64)))
    return parts, [one_dense(features, spec, f'Key: {spec.key}.  ', '', False) for spec in dense]


# ---- sequences -----------------------------------------------------------------------------------


def parse_sequence(data, name, context_sparse, context_dense, list_sparse, list_dense, empty):
    """(context sparse, context dense, lists sparse, lists dense) of one SequenceExample.

    Sparse ones are values of the context, and a list of rows of each feature list; `empty` are
    the keys of dense feature lists that may be missing.
    """
    where = f'Name: {name}, '
    example = parse(data, where, 'SequenceExample')
    context, lists = example.context.feature, example.feature_lists.feature_list
    return ([one_sparse(context, s, f'{where}Context feature: {s.key}.  ')
             for s in context_sparse],
            [one_dense(context, s, f'{where}Context feature: {s.key}.  ', where, True)
             for s in context_dense],
            [_rows(lists, s, where) for s in list_sparse],
            [_steps(lists, s, where, empty) for s in list_dense])


def _rows(lists, spec, where):
    if spec.key not in lists:
        return []
    return [one_sparse({spec.key: feature}, spec, f'{where}Feature list: {spec.key}, Index: {i}.  ')
            for i, feature in enumerate(lists[spec.key].feature)]


def _steps(lists, spec, where, empty):
    if spec.key not in lists:
        if spec.key not in empty:
            raise refuse(where, f'Feature list: {spec.key} is required but could not be found.  '
                         'Did you mean to include it in '
                         'feature_list_dense_missing_assumed_empty or '
                         'feature_list_dense_defaults?',
                         hint='tf.FixedLenSequenceFeature(..., allow_missing=True).')
        return np.empty((0, *spec.shape), spec.dtype.np)
    steps = [one_dense({spec.key: feature}, spec,
                       f'{where}Feature list: {spec.key}, Index: {i}.  ', where, True)
             for i, feature in enumerate(lists[spec.key].feature)]
    return np.array(steps, spec.dtype.np).reshape(len(steps), *spec.shape)
