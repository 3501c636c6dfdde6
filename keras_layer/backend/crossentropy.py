"""Cross entropies of probabilities or of logits."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.arithmetic import constant_of
from keras_layer.backend.settings import epsilon
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.nn import weights_broadcast

__all__ = ['binary_crossentropy', 'broadcast_weights', 'categorical_crossentropy', 'div_no_nan',
           'logits_behind', 'sparse_categorical_crossentropy']

broadcast_weights = weights_broadcast.broadcast_weights
div_no_nan = tf.div_no_nan


# Whether probabilities are cut off at epsilon whatever computed them, and binary ones become logits
# again; keras2/enabling.py sets it.
clips_always = False


def logits_behind(output, op_type):
    """The logits if an op of that type computed the probabilities, else None."""
    op = None if clips_always else getattr(output, 'op', None)
    if op is None or op.type != op_type or isinstance(output, tf.Variable):
        return None
    return op.inputs[0]


def _clipped(output):
    margin = constant_of(epsilon(), output.dtype.base_dtype)
    return tf.clip_by_value(output, margin, 1 - margin)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """[..., classes] -> [...]: -sum(target * log(output)); output is normalized first.

    If a Softmax computed `output`, its logits are used instead, which is exact.
    """
    if not from_logits:
        logits = logits_behind(output, 'Softmax')
        if logits is None:
            output = output / tf.reduce_sum(output, axis, True)
            return -tf.reduce_sum(target * tf.log(_clipped(output)), axis)
        output = logits
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=target, logits=output, axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1):
    """Integer labels [...] or [..., 1] and output [..., classes] -> -log(output of the label)."""
    if not from_logits:
        logits = logits_behind(output, 'Softmax')
        output = tf.log(_clipped(output)) if logits is None else logits
    rank = len(output.shape)
    axis %= rank
    if axis != rank - 1:
        output = tf.transpose(output, perm=[i for i in range(rank) if i != axis] + [axis])
    targets = tf.cast(target, 'int64')
    shape = tf.shape(output)
    flatten = targets.shape.ndims not in (None, rank - 1)
    if flatten:
        targets = tf.reshape(targets, [-1])
        output = tf.reshape(output, [-1, shape[-1]])
    found = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=output)
    return tf.reshape(found, shape[:-1]) if flatten and rank >= 3 else found


def binary_crossentropy(target, output, from_logits=False):
    """-target log(output) - (1 - target) log(1 - output), element by element.

    If a Sigmoid computed `output`, its logits are used instead, which is exact.
    """
    if not from_logits and clips_always:
        output = _clipped(output)
        output = tf.log(output / (1 - output))
    elif not from_logits:
        logits = logits_behind(output, 'Sigmoid')
        if logits is None:
            output = _clipped(output)
            bce = target * tf.log(output + epsilon())
            bce += (1 - target) * tf.log(1 - output + epsilon())
            return -bce
        output = logits
    if not output.dtype.is_floating:
        raise misuse(ValueError(f'Cross entropy needs a float tensor, not {output}.'))
    return tf.nn.sigmoid_cross_entropy_with_logits(labels=target, logits=output)
