"""Rows of the ops that conversion itself makes: Const and Pack."""
import numpy as np

from tests.ops.rows import row

_TABLE = np.array([[1.5, -2.0], [0.0, 3.25]])

ROWS = [
    row('Const', lambda tf: tf.constant(_TABLE), ref=lambda: _TABLE),
    row('Const', lambda tf: tf.constant([b'a', 'bc']), ref=lambda: np.array([b'a', b'bc'], object),
        name='strings'),
    row('Const', lambda tf: tf.constant(3, tf.int64, shape=[2, 2]),
        ref=lambda: np.full((2, 2), 3, np.int64), name='filled'),
    row('Pack', lambda tf, x, y: tf.convert_to_tensor([y, x]), [(2, 3), (2, 3)],
        ref=lambda x, y: np.array([y, x]), name='by conversion',
        bad=[lambda tf: tf.convert_to_tensor([tf.constant([1.0, 2.0]), tf.constant([1.0])])]),
    row('Pack', lambda tf, x, y: tf.stack([x, y, x], axis=-1), [(2, 3), (2, 3)],
        ref=lambda x, y: np.stack([x, y, x], -1), name='last axis', unknown=False),
    row('Pack', lambda tf, x: tf.stack([x]), [(4,)], ref=lambda x: x[None], name='one'),
]
