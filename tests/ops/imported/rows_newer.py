"""Rows of the ops that only graphs written by TensorFlow 2 have."""
from __future__ import annotations

import numpy as np

from tests.ops.rows import row
from tinyflow.graph.op import Op
from tinyflow.ops.imported import (  # noqa: F401 - declare ops
    dense_bincount,
    einsum,
    matrix_diagonals,
    parsing_v2,
    stateless_random_v2,
)

_SEED = np.array([1, 2])
_NO = {'grad': False, 'dtype': 'float64'}


def _op(name, *inputs, **attrs):
    return Op.registry[name].apply(*inputs, **attrs)


def _key(tf, seed):
    return _op('StatelessRandomGetKeyCounterAlg', seed)


def _drawn(name, older, *bounds, **attrs):
    """An op of version 2 gives what the op of version 1 gives for the seed itself."""
    def build(tf):
        new = _op(f'{name}V2', [50], *_key(tf, _SEED), *bounds, **attrs)
        old = _op(older, [50], _SEED, *bounds, **attrs)
        return [tf.cast(new, tf.float64), tf.cast(new, tf.float64) - tf.cast(old, tf.float64)]
    return row(f'{name}V2', lambda tf: build(tf)[1], ref=lambda: np.zeros(50), **_NO,
               bad=[lambda tf: _op(f'{name}V2', [[2]], *_key(tf, _SEED), *bounds, **attrs)],
               run_bad=[lambda tf: _op(f'{name}V2', [2], *_key(tf, _SEED)[:2], 2, *bounds, **attrs),
                        lambda tf: _op(f'{name}V2', [-1], *_key(tf, _SEED), *bounds, **attrs),
                        lambda tf: _op(f'{name}V2', [2], _key(tf, _SEED)[0],
                                       tf.cast([1], tf.uint64), 1, *bounds, **attrs)])


def _from_zero(x):
    return np.int32(x), np.int32(7)


def _diag(x, k, rows=-1, columns=-1, padding=0.0, **attrs):
    return _op('MatrixDiagV3', x, k, rows, columns, padding, **attrs)


def _bands(x):
    """Diagonals 1, 0, -1 of matrices, padded in front above and behind below."""
    return np.stack([np.concatenate([0 * x[..., :1, 0], np.diagonal(x, 1, -2, -1)], -1),
                     np.diagonal(x, 0, -2, -1),
                     np.concatenate([np.diagonal(x, -1, -2, -1), 0 * x[..., :1, 0]], -1)], -2)


def _with_bands(x, band):
    result = x.copy()
    for b in range(len(x)):
        for i in range(3):
            result[b, i, i] = band[b, 1, i]
            if i:
                result[b, i - 1, i] = band[b, 0, i]
                result[b, i, i - 1] = band[b, 2, i - 1]
    return result


def _counts(x, weights=None, rows=False, binary=False, size=4):
    def one(values, weighing):
        values = values.reshape(-1)
        weighing = np.ones(len(values)) if weighing is None else weighing.reshape(-1)
        made = np.array([weighing[values == i].sum() for i in range(size)])
        return (made > 0) * 1.0 if binary else made
    return np.stack([one(v, None) for v in x]) if rows else one(x, weights)


_WHOLE = np.array([[1, 3], [0, 3], [5, 1]])

ROWS = [
    row('StatelessRandomGetKeyCounter', lambda tf: [tf.bitcast(t, tf.int64) for t in _op(
        'StatelessRandomGetKeyCounter', _SEED)], **_NO,
        ref=lambda: [np.uint64([10413732777507651514]).view(np.int64),
                     np.uint64([0, 17830669156045600267]).view(np.int64)],
        bad=[lambda tf: _op('StatelessRandomGetKeyCounter', [1, 2, 3])]),
    row('StatelessRandomGetKeyCounterAlg', lambda tf: [tf.bitcast(_key(tf, [-1, 2**31 - 1])[1],
                                                                  tf.int64),
                                                       _key(tf, _SEED)[2]],
        ref=lambda: [np.uint64([0, 17156273573732702654]).view(np.int64), np.int32(1)], **_NO,
        bad=[lambda tf: _key(tf, [1])]),
    row('StatelessRandomGetAlg', lambda tf: _op('StatelessRandomGetAlg'), ref=lambda: np.int32(1),
        **_NO),
    _drawn('StatelessRandomUniform', 'StatelessRandomUniform'),
    _drawn('StatelessRandomNormal', 'StatelessRandomNormal'),
    _drawn('StatelessTruncatedNormal', 'StatelessTruncatedNormal'),
    _drawn('StatelessRandomUniformInt', 'StatelessRandomUniformInt', *_from_zero(-3)),
    _drawn('StatelessRandomUniformFullInt', 'StatelessRandomUniformFullInt'),
    row('StatelessRandomUniformFullInt', lambda tf: tf.bitcast(_op(
        'StatelessRandomUniformFullInt', [4], _SEED), tf.int64), **_NO,
        bad=[lambda tf: _op('StatelessRandomUniformFullInt', [4], [1])]),
    row('StatelessShuffle', lambda tf, x: tf.sort(_op('StatelessShuffle', x, *_key(tf, _SEED)), 0),
        [np.arange(9.0)], ref=lambda x: x, unknown=False, **_NO),
    row('StatelessShuffle', lambda tf, x: _op('StatelessShuffle', x, *_key(tf, _SEED)),
        [np.array(3.0)], ref=lambda x: x, **_NO, name='scalar'),

    row('MatrixDiagV3', lambda tf, x: _diag(x, 0), [(2, 3)],
        ref=lambda x: x[:, :, None] * np.eye(3)),
    row('MatrixDiagV3', lambda tf, x: _diag(x, [2], padding=5.0), [(2,)], name='above',
        ref=lambda x: np.diag(x, 2) + 5 * (1 - np.diag([1, 1], 2))),
    row('MatrixDiagV3', lambda tf, x: _diag(x, (-1, 1)), [(2, 3, 3)], name='band',
        ref=lambda x: _with_bands(np.zeros((2, 3, 3)), x)),
    row('MatrixDiagV3', lambda tf, x: _diag(x, -1, 4, 3), [(3,)], name='below',
        ref=lambda x: np.diag(x, -1)[:, :3],
        bad=[lambda tf: _diag(tf.ones([3]), (2, 1)), lambda tf: _diag(tf.ones([3]), 0, 2),
             lambda tf: _diag(tf.ones([3]), [0, 1, 2])],
        run_bad=[lambda tf: _diag(tf.ones([2, 3]), (-1, 1))]),
    row('MatrixDiagPartV3', lambda tf, x: _op('MatrixDiagPartV3', x, 0, 0.0), [(2, 3, 4)],
        ref=lambda x: np.diagonal(x, 0, 1, 2)),
    row('MatrixDiagPartV3', lambda tf, x: _op('MatrixDiagPartV3', x, (-1, 1), 0.0), [(2, 3, 3)],
        ref=_bands, name='band',
        bad=[lambda tf: _op('MatrixDiagPartV3', tf.ones([3]), 0, 0.0),
             lambda tf: _op('MatrixDiagPartV3', tf.ones([2, 3]), 3, 0.0)]),
    row('MatrixSetDiagV3', lambda tf, x, d: _op('MatrixSetDiagV3', x, d, (-1, 1)),
        [(2, 3, 3), (2, 3, 3)], ref=_with_bands,
        run_bad=[lambda tf: _op('MatrixSetDiagV3', tf.ones([3, 3]), tf.ones([2]), 0),
                 lambda tf: _op('MatrixSetDiagV3', tf.ones([3, 3]), tf.ones([1]), 3)]),

    row('Einsum', lambda tf, x, y: _op('Einsum', [x, y], equation='bij,jk->bik'),
        [(2, 3, 4), (4, 2)], ref=lambda x, y: x @ y, unknown=False),
    row('Einsum', lambda tf, x: _op('Einsum', [x], equation='ij->j'), [(3, 2)], unknown=False,
        ref=lambda x: x.sum(0), name='sum'),
    row('Einsum', lambda tf, x, y, z: _op('Einsum', [x, y, z], equation='i,ij,jk->k'),
        [(3,), (3, 2), (2, 4)], ref=lambda x, y, z: x @ y @ z, name='three', unknown=False),
    row('Einsum', lambda tf, x, y: _op('Einsum', [x, y], equation='...ij,...jk->...ik'),
        [(2, 1, 3, 4), (5, 4, 2)], ref=lambda x, y: x @ y, name='broadcast', unknown=False,
        bad=[lambda tf: _op('Einsum', [tf.ones([2])], equation='i,j->i'),
             lambda tf: _op('Einsum', [tf.ones([2])], equation='ij->i'),
             lambda tf: _op('Einsum', [tf.ones([2]), tf.ones([3])], equation='i,i->i'),
             lambda tf: tf.gradients(_op('Einsum', [tf.ones([2, 2])], equation='ii->i'),
                                     tf.get_default_graph().get_tensor_by_name('ones:0'))]),
    row('Einsum', lambda tf, x: _op('Einsum', [x], equation='ii->i'), [(3, 3)], grad=False,
        ref=np.diagonal, name='diagonal', unknown=False),

    row('DenseBincount', lambda tf, x: _op('DenseBincount', x, 4, np.zeros(0)), [_WHOLE[:, 0]],
        ref=_counts, **_NO, bad=[lambda tf: _op('DenseBincount', [[[1]]], 4, np.zeros(0))],
        run_bad=[lambda tf: _op('DenseBincount', [-1], 4, np.zeros(0)),
                 lambda tf: _op('DenseBincount', [1], 4, np.zeros(2))]),
    row('DenseBincount', lambda tf, x: _op('DenseBincount', x, 4, np.float64([3, 4, 5])),
        [_WHOLE[:, 1]], ref=lambda x: _counts(x, np.float64([3, 4, 5])), **_NO, name='weights'),
    row('DenseBincount', lambda tf, x: _op('DenseBincount', x, 4, np.zeros(0)), [_WHOLE],
        ref=lambda x: _counts(x, rows=True), **_NO, name='rows'),
    row('DenseBincount', lambda tf, x: _op('DenseBincount', x, 4, np.zeros(0),
                                           binary_output=True), [_WHOLE], name='binary',
        ref=lambda x: _counts(x, rows=True, binary=True), **_NO),

    row('ParseExampleV2', lambda tf: _op(
        'ParseExampleV2', [b'', b''], tf.zeros([0], tf.string), ['s'], ['d'],
        tf.zeros([0], tf.string), [np.float32([4, 5])], num_sparse=1, sparse_types=(tf.int64,),
        Tdense=(tf.float32,), dense_shapes=((2,),))[2:],
        ref=lambda: [np.array([2, 0]), np.float32([[4, 5], [4, 5]])], **_NO,
        run_bad=[lambda tf: _op(
            'ParseExampleV2', [[b'']], tf.zeros([0], tf.string), tf.zeros([0], tf.string),
            ['d'], tf.zeros([0], tf.string), [np.float32([4, 5])], num_sparse=0, sparse_types=(),
            Tdense=(tf.float32,), dense_shapes=((2,),))[0]]),
]
