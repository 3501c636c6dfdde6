"""Rows of the ops that feature columns bring along."""
import itertools

import numpy as np

from tests.ops.rows import row
from tinyflow.ops.math.bucketize import Bucketize

WORDS = np.array([[b'a', b'b'], [b'c', b'a'], [b'', b'd']], object)
NUMBERS = np.array([[1, 2], [3, -4], [5, 6]])
SPARSE = np.array([b'p', b'q', b'r'], object)
PLACES = np.array([[0, 0], [0, 1], [2, 3]])


def combined(*rows):
    return b'_X_'.join(str(v).encode() if not isinstance(v, bytes) else v for v in rows)


def crossed(*columns):
    """Each combination of the values of every row, the last changing fastest."""
    indices, values, widths = [], [], [0]
    for r in range(len(columns[0])):
        found = [combined(*chosen) for chosen in itertools.product(*(c[r] for c in columns))]
        indices += [[r, i] for i in range(len(found))]
        values += found
        widths.append(len(found))
    texts = np.empty(len(values), object)
    texts[:] = values
    return [np.array(indices), texts, np.array([len(columns[0]), max(widths)])]


def parts(sparse):
    return [sparse.indices, sparse.values, sparse.dense_shape]


def of_rows(values):
    """The rows of the SparseTensor at PLACES."""
    return [[v for v, (place, _) in zip(values.tolist(), PLACES) if place == r] for r in range(3)]


def mixed(tf, v, n):
    return parts(tf.sparse.cross([tf.SparseTensor(PLACES, v, [3, 4]), n]))


ROWS = [
    row('Bucketize', lambda tf, x: Bucketize.apply(x, boundaries=[-0.5, 0.0, 0.25]), [(3, 4)],
        ref=lambda x: np.digitize(x, [-0.5, 0.0, 0.25]).astype(np.int32), grad=False,
        bad=[lambda tf: Bucketize.apply(tf.constant([1.0]), boundaries=[2.0, 1.0])]),
    row('Bucketize', lambda tf, x: Bucketize.apply(x, boundaries=[1.0, 3.0]),
        [np.array([0, 1, 2, 3, 4], np.int32)], grad=False, name='at the boundaries',
        ref=lambda x: np.array([0, 1, 1, 2, 2], np.int32)),
    row('SparseCross', lambda tf, w, n: parts(tf.sparse.cross([w, n])), [WORDS, NUMBERS],
        ref=lambda w, n: crossed(w.tolist(), n.tolist()), grad=False, static_result=False,
        bad=[lambda tf: tf.sparse.cross([tf.constant(['a'])]).values],
        run_bad=[lambda tf: tf.sparse.cross([tf.constant([['a']]),
                                             tf.constant([['a'], ['b']])]).values]),
    row('SparseCross', mixed, [SPARSE, NUMBERS], name='of a sparse input', grad=False,
        ref=lambda v, n: crossed(of_rows(v), n.tolist()), static_result=False),
]
