"""CTC: connectionist temporal classification loss and decoding."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.backend.settings import epsilon

__all__ = ['ctc_batch_cost', 'ctc_decode', 'ctc_label_dense_to_sparse']


def ctc_label_dense_to_sparse(labels, label_lengths):
    """Labels [batch, longest] as a SparseTensor: the first `label_lengths` [batch] of each."""
    sizes = tf.shape(labels)
    valid = tf.sequence_mask(label_lengths, sizes[1])
    indices = tf.where(valid)
    return tf.SparseTensor(indices, tf.gather_nd(labels, indices), tf.cast(sizes, tf.int64))


def ctc_batch_cost(y_true, y_pred, input_length, label_length):
    """The CTC loss of each example; the last class is the blank.

    Shapes: y_true [batch, longest label], y_pred (probabilities) [batch, time, classes], the two
    lengths [batch, 1] -> [batch, 1].
    """
    label_length = tf.cast(tf.squeeze(label_length, axis=-1), tf.int32)
    input_length = tf.cast(tf.squeeze(input_length, axis=-1), tf.int32)
    labels = tf.cast(ctc_label_dense_to_sparse(y_true, label_length), tf.int32)
    return tf.expand_dims(tf.nn.ctc_loss(inputs=_log_time_major(y_pred), labels=labels,
                                         sequence_length=input_length), 1)


def ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1):
    """(most likely labels, their log probabilities), by greedy decoding or beam search.

    Shapes: y_pred (probabilities) [batch, time, classes], input_length [batch] -> a list of labels
    [batch, longest], -1 behind the end, `top_paths` of them (one if greedy); [batch, paths].
    """
    inputs = _log_time_major(y_pred)
    input_length = tf.cast(input_length, tf.int32)
    if greedy:
        decoded, log_probability = tf.nn.ctc_greedy_decoder(
            inputs=inputs, sequence_length=input_length)
    else:
        decoded, log_probability = tf.nn.ctc_beam_search_decoder(
            inputs=inputs, sequence_length=input_length, beam_width=beam_width,
            top_paths=top_paths)
    dense = [tf.sparse_to_dense(found.indices, found.dense_shape, found.values, default_value=-1)
             for found in decoded]
    return dense, log_probability


def _log_time_major(y_pred):
    return tf.log(tf.transpose(y_pred, perm=[1, 0, 2]) + epsilon())
