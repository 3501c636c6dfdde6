"""tf.parse_example and related functions: tensors from serialized Examples."""
from __future__ import annotations

import re
from collections import namedtuple

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, shaping, slicing
from tinyflow.ops.files.parsing_kernels import (
    ParseExample,
    ParseSequenceExample,
    ParseSingleExample,
    ParseSingleSequenceExample,
)
from tinyflow.ops.sparse.merging import sparse_merge

__all__ = ['FixedLenFeature', 'FixedLenSequenceFeature', 'SparseFeature', 'VarLenFeature',
           'parse_example', 'parse_sequence_example', 'parse_single_example',
           'parse_single_sequence_example']


class VarLenFeature(namedtuple('VarLenFeature', ['dtype'])):
    """A feature of any number of values, which becomes a SparseTensor."""

    __slots__ = ()


class FixedLenFeature(namedtuple('FixedLenFeature', ['shape', 'dtype', 'default_value'])):
    """A feature of a fixed shape; without a `default_value` every example must have it."""

    __slots__ = ()

    def __new__(cls, shape, dtype, default_value=None):
        return super().__new__(cls, shape, dtype, default_value)


class FixedLenSequenceFeature(namedtuple('FixedLenSequenceFeature',
                                         ['shape', 'dtype', 'allow_missing', 'default_value'])):
    """Any number of steps of a fixed shape, padded in a batch with `default_value`, or zeros."""

    __slots__ = ()

    def __new__(cls, shape, dtype, allow_missing=False, default_value=None):
        return super().__new__(cls, shape, dtype, allow_missing, default_value)


class SparseFeature(namedtuple('SparseFeature', ['index_key', 'value_key', 'dtype', 'size',
                                                 'already_sorted'])):
    """A SparseTensor of which one feature has the indices and another the values."""

    __slots__ = ()

    def __new__(cls, index_key, value_key, dtype, size, already_sorted=False):
        return super().__new__(cls, index_key, value_key, dtype, size, already_sorted)


class _Description:
    """A dict of features as arguments of the ops: keys, types, shapes, defaults."""

    def __init__(self, features, kinds):
        self.sparse = {}            # key -> dtype
        self.dense = {}             # key -> (dtype, shape)
        self.defaults = {}          # key -> default, where there is one
        self.missing = set()        # sequence features that may be missing
        for key in sorted(features or {}):
            feature = features[key]
            if not isinstance(feature, kinds):
                what = 'Unsupported' if isinstance(feature, _ALL) else 'Invalid'
                raise misuse(ValueError(
                    f'{what} {type(feature).__name__ + " " if what == "Unsupported" else ""}'
                    f'feature {key}:{feature}.\n  Hint: '
                    f'{" or ".join("tf." + kind.__name__ + "(...)" for kind in kinds)}.'))
            getattr(self, f'_add_{type(feature).__name__}')(key, feature)

    def _add_VarLenFeature(self, key, feature):
        self._add_sparse(key, _dtype(key, feature))

    def _add_SparseFeature(self, key, feature):
        for index_key in sorted(_index_keys(feature)):
            self._add_sparse(index_key, dtypes.int64)
        self._add_sparse(feature.value_key, _dtype(key, feature))

    def _add_sparse(self, key, dtype):
        if self.sparse.setdefault(key, dtype) is not dtype:
            raise misuse(ValueError(f'Conflicting type {self.sparse[key].name} vs {dtype.name} for '
                                    f'feature {key}.'))

    def _add_FixedLenFeature(self, key, feature):
        dtype, shape = _dtype(key, feature), _shape(key, feature)
        if shape and shape[0] is None:
            raise misuse(ValueError(f'First dimension of shape for feature {key} unknown. '
                                    'Consider using FixedLenSequenceFeature.'))
        if not shapes.known(shape):
            raise misuse(ValueError(f'All dimensions of shape for feature {key} need to be known '
                                    f'but received {feature.shape}.'))
        self.dense[key] = dtype, shape
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value

    def _add_FixedLenSequenceFeature(self, key, feature):
        self.dense[key] = _dtype(key, feature), _shape(key, feature)
        if feature.allow_missing:
            self.missing.add(key)
        if feature.default_value is not None:
            self.defaults[key] = feature.default_value

    def let_sequences_vary(self, features):
        """In an Example the steps of a sequence are the first axis."""
        for key, feature in features.items():
            if isinstance(feature, FixedLenSequenceFeature):
                if not feature.allow_missing:
                    raise misuse(ValueError('Unsupported: FixedLenSequenceFeature requires '
                                            'allow_missing to be True.'))
                dtype, shape = self.dense[key]
                self.dense[key] = dtype, (None, *shape)

    @property
    def sparse_types(self):
        return tuple(self.sparse.values())

    @property
    def dense_types(self):
        return tuple(dtype for dtype, _ in self.dense.values())

    @property
    def dense_shapes(self):
        return tuple(shapes.TensorShape(shape) for _, shape in self.dense.values())

    def default_tensors(self):
        """A tensor for each dense feature, empty where there is no default."""
        return [self._default(key, *self.dense[key]) for key in self.dense]

    def _default(self, key, dtype, shape):
        value = self.defaults.get(key)
        if shape and shape[0] is None:
            if value is None:
                return convert_to_tensor('' if dtype is dtypes.string else 0, dtype)
            value = convert_to_tensor(value, dtype, 'padding_' + _node_name(key))
            return shaping.reshape(value, [])
        if value is None:
            return constants.constant([], dtype)
        if isinstance(value, Tensor):
            return value
        value = convert_to_tensor(value, dtype, 'key_' + _node_name(key))
        return shaping.reshape(value, list(shape))

    def require_some(self):
        if not self.sparse and not self.dense:
            raise misuse(ValueError('Must provide at least one sparse key or dense key'))


_EXAMPLE = (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature)
_CONTEXT = (VarLenFeature, FixedLenFeature)
_LISTS = (VarLenFeature, FixedLenSequenceFeature)
_ALL = _EXAMPLE


def _dtype(key, feature):
    if not feature.dtype:
        raise misuse(ValueError(f'Missing type for feature {key}.'))
    dtype = dtypes.as_dtype(feature.dtype)
    if dtype not in (dtypes.float32, dtypes.int64, dtypes.string):
        raise misuse(TypeError(report(
            f"Feature '{key}': Value passed to parameter 'dense_defaults' has DataType "
            f'{dtype.name} not in list of allowed values: float32, int64, string',
            hint='Examples hold these three only; tf.cast the result.')))
    return dtype


def _shape(key, feature):
    if feature.shape is None:
        raise misuse(ValueError(f'Missing shape for feature {key}.'))
    return shapes.raw(shapes.TensorShape(feature.shape))


def _index_keys(feature):
    return [feature.index_key] if isinstance(feature.index_key, str) else list(feature.index_key)


def _node_name(key):
    return re.sub(r'[^A-Za-z0-9_.\-/]', '_', key)


def _described(features):
    if not features:
        raise misuse(ValueError(f'Missing: features was {features}.'))
    described = _Description(features, _EXAMPLE)
    described.let_sequences_vary(features)
    described.require_some()
    return described


def _by_key(described, outputs):
    """{key: SparseTensor or Tensor} of an op's outputs."""
    count = len(described.sparse)
    found = {key: SparseTensor(outputs[i], outputs[count + i], outputs[2 * count + i])
             for i, key in enumerate(described.sparse)}
    found.update(zip(described.dense, outputs[3 * count:]))
    return found


def _with_sparse_features(features, found):
    """Adds the SparseTensors of SparseFeatures, and drops features that only they needed."""
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            ids = [found[k] for k in _index_keys(feature)]
            single = isinstance(feature.index_key, str)
            found[key] = sparse_merge(ids[0] if single else ids, found[feature.value_key],
                                      vocab_size=feature.size,
                                      already_sorted=feature.already_sorted)
    return {key: value for key, value in found.items() if key in features}


# ---- Examples ------------------------------------------------------------------------------------


def parse_example(serialized, features, name=None, example_names=None):
    """The `features` of a batch of serialized Examples.

    `features` maps keys to FixedLenFeature, VarLenFeature, FixedLenSequenceFeature or
    SparseFeature. Returns a dict of Tensors and SparseTensors.
    Shapes: serialized [batch] string -> FixedLenFeature [batch, *shape], FixedLenSequenceFeature
    [batch, most steps, *shape], VarLenFeature and SparseFeature a SparseTensor [batch, n].
    Raises InvalidArgumentError for an invalid Example, a missing feature without a default,
    another type or number of values.
    """
    described = _described(features)
    outputs = _parse_batch(serialized, described, name, example_names)
    return _with_sparse_features(features, _by_key(described, outputs))


def _parse_batch(serialized, described, name, example_names):
    with name_scope(name, 'ParseExample', [serialized]):
        defaults = described.default_tensors()
        return ParseExample.apply(
            serialized, _names(example_names), list(described.sparse), list(described.dense),
            defaults, Nsparse=len(described.sparse), Ndense=len(described.dense),
            sparse_types=described.sparse_types, Tdense=described.dense_types,
            dense_shapes=described.dense_shapes, name=name)


def _names(example_names):
    return _strings([]) if example_names is None else example_names


def parse_single_example(serialized, features, name=None, example_names=None):
    """The `features` of one serialized Example, as `parse_example` without the batch.

    Shapes: serialized [] string -> FixedLenFeature [*shape], FixedLenSequenceFeature
    [steps, *shape], VarLenFeature and SparseFeature a SparseTensor [n].
    Raises InvalidArgumentError as `parse_example`.
    """
    described = _described(features)
    if example_names is not None:
        found = _parse_named(serialized, described, name, example_names)
        return _with_sparse_features(features, found)
    with name_scope(name, 'ParseSingleExample', [serialized]):
        serialized = convert_to_tensor(serialized, dtypes.string, 'serialized')
        outputs = ParseSingleExample.apply(
            serialized, described.default_tensors(), num_sparse=len(described.sparse),
            sparse_keys=tuple(described.sparse), dense_keys=tuple(described.dense),
            sparse_types=described.sparse_types, Tdense=described.dense_types,
            dense_shapes=described.dense_shapes, name=name)
    return _with_sparse_features(features, _by_key(described, _as_list(outputs)))


def _as_list(outputs):
    return outputs if isinstance(outputs, list) else [outputs]


def _parse_named(serialized, described, name, example_names):
    """One Example as a batch of one, since only the batch op has names in its messages."""
    with name_scope(name, 'ParseSingleExample', [serialized, example_names]):
        serialized = shaping.expand_dims(convert_to_tensor(serialized), 0)
        names = shaping.expand_dims(convert_to_tensor(example_names), 0)
        found = _by_key(described, _parse_batch(serialized, described, name, names))
        for key in described.dense:
            found[key] = shaping.squeeze(found[key], [0], name=f'Squeeze_{_node_name(key)}')
        for key in described.sparse:
            part = found[key]
            found[key] = SparseTensor(
                slicing.slice(part.indices, [0, 1], [-1, -1],
                              name=f'Slice_Indices_{_node_name(key)}'),
                part.values,
                slicing.slice(part.dense_shape, [1], [-1],
                              name=f'Squeeze_Shape_{_node_name(key)}'))
        return found


# ---- SequenceExamples ----------------------------------------------------------------------------


def _sequence(context_features, sequence_features):
    if not (context_features or sequence_features):
        raise misuse(ValueError('Missing features.'))
    return _Description(context_features, _CONTEXT), _Description(sequence_features, _LISTS)


def _sequence_attrs(context, lists):
    return {'Ncontext_sparse': len(context.sparse), 'Ncontext_dense': len(context.dense),
            'Nfeature_list_sparse': len(lists.sparse), 'Nfeature_list_dense': len(lists.dense),
            'context_sparse_types': context.sparse_types, 'Tcontext_dense': context.dense_types,
            'feature_list_dense_types': lists.dense_types,
            'context_dense_shapes': context.dense_shapes,
            'feature_list_sparse_types': lists.sparse_types,
            'feature_list_dense_shapes': lists.dense_shapes}


def parse_single_sequence_example(serialized, context_features=None, sequence_features=None,
                                  example_name=None, name=None):
    """(context, feature lists) of one serialized SequenceExample, two dicts.

    Shapes: serialized [] string -> context as `parse_single_example`; lists: FixedLenSequence-
    Feature [steps, *shape], VarLenFeature a SparseTensor [steps, n].
    Raises InvalidArgumentError as `parse_example`.
    """
    context, lists = _sequence(context_features, sequence_features)
    with name_scope(name, 'ParseSingleSequenceExample', [serialized]):
        defaults = context.default_tensors()
        outputs = _as_list(ParseSingleSequenceExample.apply(
            serialized, _strings(sorted(lists.missing)), list(context.sparse), list(context.dense),
            list(lists.sparse), list(lists.dense), defaults, example_name or '',
            name=name, **_sequence_attrs(context, lists)))
    split = 3 * len(context.sparse) + len(context.dense)
    return _by_key(context, outputs[:split]), _by_key(lists, outputs[split:])


def _strings(values):
    array = np.empty(len(values), object)
    array[:] = [value.encode() for value in values]
    return array


def parse_sequence_example(serialized, context_features=None, sequence_features=None,
                           example_names=None, name=None):
    """(context, feature lists, lengths of the dense lists) of a batch of SequenceExamples.

    Shapes: serialized [batch] string -> as `parse_single_sequence_example` with an axis [batch] in
    front, steps padded with zeros to the longest; lengths [batch].
    Raises InvalidArgumentError as `parse_example`.
    """
    context, lists = _sequence(context_features, sequence_features)
    with name_scope(name, 'ParseSequenceExample', [serialized]):
        outputs = _as_list(ParseSequenceExample.apply(
            serialized, _names(example_names), context.default_tensors(),
            feature_list_dense_missing_assumed_empty=tuple(sorted(lists.missing)),
            context_sparse_keys=tuple(context.sparse), context_dense_keys=tuple(context.dense),
            feature_list_sparse_keys=tuple(lists.sparse),
            feature_list_dense_keys=tuple(lists.dense), name=name,
            **_sequence_attrs(context, lists)))
    split = 3 * len(context.sparse) + len(context.dense)
    lengths = len(outputs) - len(lists.dense)
    return (_by_key(context, outputs[:split]), _by_key(lists, outputs[split:lengths]),
            dict(zip(lists.dense, outputs[lengths:])))
