"""Rows of the clipping functions, which are made of ops that have rows elsewhere."""
import math

import numpy as np

from tests.ops.rows import row


def norm(x):
    return math.sqrt(math.fsum(v * v for v in np.ravel(x)))


SPREAD = np.array([[-4.0, -0.5], [0.75, 3.0]])

ROWS = [
    row('Minimum', lambda tf, x: tf.clip_by_value(x, -1.0, 2.0), [SPREAD],
        ref=lambda x: np.array([[-1.0, -0.5], [0.75, 2.0]]), name='clip_by_value'),
    row('Maximum', lambda tf, x: tf.clip_by_norm(x, 2.0), [SPREAD],
        ref=lambda x: x * 2 / norm(x), name='clip_by_norm'),
    row('Maximum', lambda tf, x: tf.clip_by_norm(x, 20.0), [SPREAD], ref=lambda x: x,
        name='clip_by_norm, short enough'),
    row('Maximum', lambda tf, x: tf.clip_by_norm(x, 2.0, axes=[1]), [SPREAD],
        ref=lambda x: np.array([r * 2 / max(norm(r), 2) for r in x]), name='clip_by_norm of rows'),
    row('Maximum', lambda tf, x: tf.clip_by_norm(x, 2.0), [np.zeros(3)], grad=False,
        ref=lambda x: x, name='clip_by_norm of zeros'),
    row('L2Loss', lambda tf, x, y: tf.global_norm([x, None, y]), [SPREAD, (3,)],
        ref=lambda x, y: math.hypot(norm(x), norm(y)), name='global_norm'),
    row('L2Loss', lambda tf, x, y: (lambda ts, n: [*ts, n])(*tf.clip_by_global_norm([x, y], 2.0)),
        [SPREAD, (3,)], name='clip_by_global_norm',
        ref=lambda x, y: [x * 2 / (n := math.hypot(norm(x), norm(y))), y * 2 / n, n]),
    row('Rsqrt', lambda tf, x: tf.clip_by_average_norm(x, 0.5), [SPREAD],
        ref=lambda x: x * 0.5 * min(4 / norm(x), 2.0), name='clip_by_average_norm',
        grad=False),
]
