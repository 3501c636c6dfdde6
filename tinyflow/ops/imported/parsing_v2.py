"""ParseExampleV2: the op of TensorFlow 2's tf.io.parse_example and parse_single_example."""
from __future__ import annotations

from tinyflow.formats.wire import examples
from tinyflow.graph.op import REQUIRED
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.files.parsing_kernels import (
    _dense,
    _flat,
    _Parsing,
    _raw,
    _sparse,
    _sparse_shapes,
    _text,
)


class ParseExampleV2(_Parsing):
    """Features of one serialized Example, or of a batch of them; their keys are tensors."""

    signature = ('serialized: string, names: string, sparse_keys: string, dense_keys: string, '
                 'ragged_keys: string, dense_defaults: [Tdense] -> '
                 'sparse_indices: num_sparse*int64, sparse_values: [sparse_types], '
                 'sparse_shapes: num_sparse*int64, dense_values: [Tdense], '
                 'ragged_values: [ragged_value_types], ragged_row_splits: [ragged_split_types]')
    attrs = {'num_sparse': REQUIRED, 'sparse_types': REQUIRED, 'Tdense': REQUIRED,
             'ragged_value_types': (), 'ragged_split_types': (), 'dense_shapes': REQUIRED}
    counts = ('num_sparse', 'sparse_types', 'Tdense', 'ragged_value_types', 'ragged_split_types')

    def output_shapes(arguments, attrs):
        serialized, dense = arguments[0], _raw(attrs['dense_shapes'])
        ragged = [None] * (2 * len(attrs['ragged_value_types']))
        if serialized is None:
            return [None] * (3 * attrs['num_sparse'] + len(dense)) + ragged
        return (_sparse_shapes(attrs['num_sparse'], 1 + len(serialized))
                + [(*serialized, *shape) for shape in dense] + ragged)

    def kernel(*arrays, sparse_types, Tdense, dense_shapes):
        serialized, names, sparse_keys, dense_keys, ragged_keys, *defaults = arrays
        if ragged_keys.size:
            raise OpFailure('tinyflow does not implement ragged features',
                            'a VarLenFeature gives the same values as a SparseTensor.')
        sparse = _sparse(map(_text, sparse_keys.tolist()), sparse_types)
        dense = _dense(map(_text, dense_keys.tolist()), Tdense, dense_shapes, defaults)
        if not serialized.ndim:
            return _flat(*examples.parse_single(serialized[()], sparse, dense))
        if serialized.ndim != 1:
            raise ValueError('Expected serialized to be a scalar or vector, got shape: '
                             f'{list(serialized.shape)}')
        return _flat(*examples.parse_batch(serialized, names, sparse, dense))


__all__: list[str] = []
