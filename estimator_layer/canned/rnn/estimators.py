"""tf.contrib.estimator.RNNClassifier and RNNEstimator: cells of tf.nn.rnn_cell, tf.train."""
from __future__ import annotations

from typing import Any

import tinyflow as tf
from estimator_layer.canned.common import check_features, get_partitioner
from estimator_layer.canned.optimizers import get_optimizer
from estimator_layer.canned.rnn.context import concatenate_context_input
from estimator_layer.canned.rnn.sequential_head import SequentialHead
from estimator_layer.contrib.extenders import clip_gradients_by_norm
from estimator_layer.estimator import Estimator
from estimator_layer.heads.v1 import binary_or_multi_class_head
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.sequence_layer import sequence_input_layer

__all__ = ['RNNClassifier', 'RNNEstimator', 'USE_DEFAULT']

_LEARNING_RATE = 0.05
_CLIP_NORM = 5.0
_CELLS = {'basic_rnn': tf.nn.rnn_cell.BasicRNNCell, 'lstm': tf.nn.rnn_cell.BasicLSTMCell,
          'gru': tf.nn.rnn_cell.GRUCell}

USE_DEFAULT: Any = object()      # a cell_type that was not given


class RNNEstimator(Estimator):
    """A recurrent network over sequence columns with a head of tf.contrib.estimator.

    Shapes: sequence columns [batch, steps, sizes], context columns [batch, sizes], repeated for
    each step -> logits [batch, head.logits_dimension] of the last step of each sequence, or
    [batch, steps, logits_dimension]. Variables are `rnn/rnn/...` and `rnn/logits/dense/...`.

    Args:
      sequence_feature_columns: sequence_numeric_column, or an embedding_column or
        indicator_column of a sequence_categorical_column.
      context_feature_columns: dense columns without a time axis.
      num_units: the number of units of each recurrent layer, a list.
      cell_type: 'basic_rnn', 'lstm', 'gru', or a subclass of tf.nn.rnn_cell.RNNCell.
      rnn_cell_fn: instead of both, a function of the mode that returns a cell.
      return_sequences: True for logits of each step, with a SequentialHeadWrapper as head.
      optimizer: a tf.train.Optimizer; or a function that creates one, or a name: then gradients
        are clipped to norm 5.
    """

    def __init__(self, head, sequence_feature_columns, context_feature_columns=None,
                 num_units=None, cell_type=USE_DEFAULT, rnn_cell_fn=None, return_sequences=False,
                 model_dir=None, optimizer: Any = 'Adagrad', input_layer_partitioner=None,
                 config=None):
        cell_fn = _cell_fn(rnn_cell_fn, num_units, cell_type)
        if return_sequences and not isinstance(head, SequentialHead):
            raise misuse(ValueError('Provided head must be a `_SequentialHead` object when '
                                    '`return_sequences` is set to True.'))
        columns = tuple(sequence_feature_columns or ()), tuple(context_feature_columns or ())

        def model_fn(features, labels, mode, config):
            return _rnn_model_fn(features, labels, mode, head, cell_fn, columns, return_sequences,
                                 optimizer, input_layer_partitioner, config)
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)


class RNNClassifier(RNNEstimator):
    """A classifier of sequences; one logit for two classes, n logits for n.

    Labels are class ids [batch] or [batch, 1], or names of `label_vocabulary`. The loss is the
    mean over the batch. See RNNEstimator for the other arguments.
    """

    def __init__(self, sequence_feature_columns, context_feature_columns=None, num_units=None,
                 cell_type=USE_DEFAULT, rnn_cell_fn=None, model_dir=None, n_classes=2,
                 weight_column=None, label_vocabulary=None, optimizer: Any = 'Adagrad',
                 loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE,
                 input_layer_partitioner=None, config=None):
        head = binary_or_multi_class_head(n_classes, weight_column, label_vocabulary,
                                          loss_reduction)
        super().__init__(head, sequence_feature_columns, context_feature_columns, num_units,
                         cell_type, rnn_cell_fn, False, model_dir, optimizer,
                         input_layer_partitioner, config)


def _cell_fn(rnn_cell_fn, num_units, cell_type):
    """The function of the mode that returns a cell."""
    if rnn_cell_fn:
        if num_units or cell_type is not USE_DEFAULT:
            raise misuse(ValueError(
                'num_units and cell_type must not be specified when using rnn_cell_fn'))
        return rnn_cell_fn
    if cell_type is USE_DEFAULT:
        cell_type = 'basic_rnn'
    if not num_units or isinstance(num_units, int):
        raise misuse(ValueError(
            f'num_units is {num_units}; it must be a list, one number for each recurrent layer.\n'
            '  Hint: num_units=[32], or rnn_cell_fn=lambda mode: tf.nn.rnn_cell.GRUCell(32).'))

    def cell_fn(mode):
        cells = [_cell(units, cell_type) for units in num_units]
        return cells[0] if len(cells) == 1 else tf.nn.rnn_cell.MultiRNNCell(cells)
    return cell_fn


def _cell(units, cell_type):
    kind = _CELLS.get(cell_type, cell_type)
    if not isinstance(kind, type) or not issubclass(kind, tf.nn.rnn_cell.RNNCell):
        raise misuse(ValueError(f'Supported cell types are {list(_CELLS)}; got {kind}'))
    return kind(num_units=units)


def _rnn_model_fn(features, labels, mode, head, cell_fn, columns, return_sequences, optimizer,
                  input_layer_partitioner, config):
    check_features(features)
    if not isinstance(optimizer, tf.train.Optimizer):
        optimizer = clip_gradients_by_norm(get_optimizer(optimizer, _LEARNING_RATE), _CLIP_NORM)
    with tf.variable_scope('rnn', values=tuple(features.values()),
                           partitioner=get_partitioner(config)):
        partitioner = input_layer_partitioner or get_partitioner(config, min_slice_size=64 << 20)
        inputs, lengths = _inputs(features, *columns, partitioner)
        outputs, _ = tf.nn.dynamic_rnn(cell=cell_fn(mode), inputs=inputs, sequence_length=lengths,
                                       dtype=tf.float32)
        if not return_sequences:
            outputs = _last_of_each(outputs, lengths)
        with tf.variable_scope('logits', values=(outputs,)):
            logits = tf.layers.dense(outputs, units=head.logits_dimension,
                                     kernel_initializer=tf.glorot_uniform_initializer())
        mask = tf.sequence_mask(lengths)
        if return_sequences and head.input_sequence_mask_key not in features:
            features[head.input_sequence_mask_key] = mask
        return head.create_estimator_spec(
            features=features, mode=mode, labels=labels, logits=logits,
            train_op_fn=lambda loss: optimizer.minimize(
                loss, global_step=tf.train.get_global_step()))


def _inputs(features, sequence_columns, context_columns, partitioner):
    """Shapes: -> [batch, steps, sizes of all columns], lengths [batch]."""
    with tf.variable_scope('sequence_input_layer', values=tuple(features.values()),
                           partitioner=partitioner):
        inputs, lengths = sequence_input_layer(features, sequence_columns)
        tf.summary.histogram('sequence_length', lengths)
        if context_columns:
            context = tf.feature_column.input_layer(features, context_columns)
            inputs = concatenate_context_input(context, inputs)
        return inputs, lengths


def _last_of_each(outputs, lengths):
    """The output of the last step of each sequence.

    Shapes: outputs [batch, steps, k], lengths [batch] -> [batch, k].
    """
    with tf.name_scope('select_last_activations', values=[outputs, lengths]):
        shape = tf.shape(outputs)
        batch, steps, units = shape[0], shape[1], shape[2]
        rows = tf.to_int64(tf.range(batch) * steps) + lengths - 1
        last = tf.gather(tf.reshape(outputs, [batch * steps, units]), rows)
        last.set_shape([outputs.shape[0], outputs.shape[2]])
        return last
