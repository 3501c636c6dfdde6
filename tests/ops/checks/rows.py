"""Rows of the nodes that check values: Assert and what is built of it."""
import numpy as np

from tests.ops.rows import row


def checked(tf, x, check):
    """x, read after the check has run."""
    with tf.control_dependencies([check]):
        return tf.identity(x)


def refused(build):
    """A run that must fail: what `build` makes of a fed x."""
    def run(tf):
        x = tf.placeholder(tf.float64, [2], name='x')
        return build(tf, x), {x: [1.0, -1.0]}
    return run


ROWS = [
    row('Assert', lambda tf, x: checked(tf, x, tf.Assert(tf.reduce_all(x > -9.0), [x, 'all'])),
        [(2, 3)], ref=lambda x: x, name='guarded'),
    row('Assert', lambda tf, x: checked(tf, x, tf.Assert(True, ['never shown', 3])), [(2,)],
        ref=lambda x: x, name='of strings and ints',
        bad=[lambda tf: tf.Assert(True, 'text')],
        run_bad=[lambda tf: (tf.Assert(False, ['no']), {}),
                 lambda tf: (tf.Assert([True, True], ['a vector']), {}),
                 refused(lambda tf, x: checked(tf, x, tf.Assert(tf.reduce_all(x > 0), [x])))]),
    row('Assert', lambda tf, x: checked(tf, x, tf.assert_less(x, tf.constant(9, x.dtype))),
        [(4,)], ref=lambda x: x, name='assert_less',
        run_bad=[refused(lambda tf, x: tf.assert_negative(x)),
                 refused(lambda tf, x: tf.assert_positive(x)),
                 refused(lambda tf, x: tf.assert_equal(x, -x)),
                 refused(lambda tf, x: tf.assert_near(x, -x))]),
    row('StatelessIf', lambda tf, x: tf.is_non_decreasing(x), [np.array([1.0, 1.0, 2.5])],
        ref=lambda x: np.all(np.diff(x) >= 0), grad=False, name='is_non_decreasing'),
    row('StatelessIf', lambda tf, x: tf.is_strictly_increasing(x), [np.array([1.0, 1.0, 2.5])],
        ref=lambda x: np.all(np.diff(x) > 0), grad=False, name='is_strictly_increasing'),
    row('CheckNumerics', lambda tf, x: tf.verify_tensor_all_finite(x, 'not finite'), [(3,)],
        ref=lambda x: x, name='verify_tensor_all_finite',
        run_bad=[lambda tf: (tf.verify_tensor_all_finite([1.0, np.nan], 'bad'), {})]),
]
