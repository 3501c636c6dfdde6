"""Values of a whole sequence next to those of each step."""
from __future__ import annotations

import tinyflow as tf

__all__ = ['concatenate_context_input']


def concatenate_context_input(context_input, sequence_input):
    """The context repeated for each step, after the values of the step.

    Shapes: context_input [batch, b], sequence_input [batch, steps, a] -> [batch, steps, a + b].
    """
    checks = [tf.assert_rank(sequence_input, 3, message='sequence_input must have rank 3',
                             data=[tf.shape(sequence_input)]),
              tf.assert_type(sequence_input, tf.float32),
              tf.assert_rank(context_input, 2, message='context_input must have rank 2',
                             data=[tf.shape(context_input)]),
              tf.assert_type(context_input, tf.float32)]
    with tf.control_dependencies(checks):
        steps = tf.shape(sequence_input)[1]
        repeated = tf.tile(tf.expand_dims(context_input, 1), tf.concat([[1], [steps], [1]], 0))
    return tf.concat([sequence_input, repeated], 2)
