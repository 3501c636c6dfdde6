"""tf.compat.v2.estimator.experimental.RNNClassifier and RNNEstimator: layers of Keras."""
from __future__ import annotations

from functools import partial
from typing import Any

import keras_layer as keras
import tinyflow as tf
from estimator_layer.canned.rnn.estimators import USE_DEFAULT
from estimator_layer.canned.rnn.model import RNNModel
from estimator_layer.canned.rnn.sequential_head import SequentialHead, SequentialHeadWrapper
from estimator_layer.canned.version_2 import Version2
from estimator_layer.estimator import Estimator
from estimator_layer.heads import BinaryClassHead, MultiClassHead
from estimator_layer.heads.base import MEAN
from estimator_layer.model_fn import ModeKeys
from tinyflow.graph.support.errors import misuse

__all__ = ['RNNClassifier', 'RNNEstimator', 'make_rnn_layer']

_LEARNING_RATE = 0.05
_CLIP_NORM = 5.0
# The layers of TensorFlow 2; its cells have the defaults of TensorFlow 1.
_LAYERS = {'lstm': partial(keras.layers.LSTM, recurrent_activation='sigmoid'),
           'gru': partial(keras.layers.GRU, recurrent_activation='sigmoid', reset_after=True),
           'simple_rnn': keras.layers.SimpleRNN}
_CELLS = {'lstm': keras.layers.LSTMCell, 'gru': keras.layers.GRUCell,
          'simple_rnn': keras.layers.SimpleRNNCell}


class RNNEstimator(Estimator):
    """A recurrent network over sequence columns with a head of tf.estimator.

    Shapes: sequence columns [batch, steps, sizes], context columns [batch, sizes], repeated for
    each step -> logits [batch, head.logits_dimension] of the last step of each sequence, or
    [batch, steps, logits_dimension]. Variables are `rnn_model/...`.

    Args:
      units: the number of units of each recurrent layer, a list; or an int for one layer of Keras
        instead of a layer of cells.
      cell_type: 'simple_rnn', 'lstm', 'gru', or a class of cells of Keras.
      rnn_cell_fn: instead of both, a function that returns a cell or a list of cells.
      return_sequences: True for logits of each step, with a SequentialHeadWrapper as head.
      optimizer: of tf.keras; a function that creates one; or its name: then gradients are clipped
        to norm 5.
    """

    def __init__(self, head, sequence_feature_columns, context_feature_columns=None, units=None,
                 cell_type=USE_DEFAULT, rnn_cell_fn=None, return_sequences=False, model_dir=None,
                 optimizer: Any = 'Adagrad', config=None):
        if return_sequences and not isinstance(head, SequentialHead):
            raise misuse(ValueError('Provided head must be a `_SequentialHead` object when '
                                    '`return_sequences` is set to True.'))
        _check_cells(rnn_cell_fn, units, cell_type)

        def model_fn(features, labels, mode, config):
            model = RNNModel(
                rnn_layer=make_rnn_layer(rnn_cell_fn, units, cell_type, return_sequences),
                units=head.logits_dimension, sequence_feature_columns=sequence_feature_columns,
                context_feature_columns=context_feature_columns,
                return_sequences=return_sequences, name='rnn_model')
            return _spec(features, labels, mode, head, model, optimizer, return_sequences)
        super().__init__(model_fn=model_fn, model_dir=model_dir, config=config)


class RNNClassifier(RNNEstimator):
    """A classifier of sequences, or of each step of them with `return_sequences`.

    Labels are class ids or names of `label_vocabulary`. The loss is the mean. With
    `return_sequences`, `sequence_mask` is the key of the mask of the steps in the features, which
    is computed if it is not there. See RNNEstimator for the other arguments.
    """

    def __init__(self, sequence_feature_columns, context_feature_columns=None, units=None,
                 cell_type=USE_DEFAULT, rnn_cell_fn=None, return_sequences=False, model_dir=None,
                 n_classes=2, weight_column=None, label_vocabulary=None,
                 optimizer: Any = 'Adagrad', loss_reduction=MEAN, sequence_mask='sequence_mask',
                 config=None):
        settings = {'weight_column': weight_column, 'label_vocabulary': label_vocabulary,
                    'loss_reduction': loss_reduction}
        head: Any = BinaryClassHead(**settings) if n_classes == 2 else MultiClassHead(
            n_classes, **settings)
        if return_sequences:
            tf.logging.info('Converting head to sequential head with `SequentialHeadWrapper` to '
                            'allow sequential predictions.')
            head = SequentialHeadWrapper(head, sequence_mask, weight_column)
        super().__init__(head, sequence_feature_columns, context_feature_columns, units,
                         cell_type, rnn_cell_fn, return_sequences, model_dir, optimizer, config)


def _check_cells(rnn_cell_fn, units, cell_type):
    if rnn_cell_fn and (units or cell_type is not USE_DEFAULT):
        raise misuse(ValueError(
            'units and cell_type must not be specified when using rnn_cell_fn'))


def make_rnn_layer(rnn_cell_fn, units, cell_type, return_sequences):
    """The recurrent layer of Keras for these arguments of RNNEstimator."""
    _check_cells(rnn_cell_fn, units, cell_type)
    if isinstance(units, int) and cell_type in _LAYERS:
        return _LAYERS[cell_type](units=units, return_sequences=return_sequences)
    if rnn_cell_fn:
        cells = rnn_cell_fn()
    else:
        cells = [_cell(n, 'simple_rnn' if cell_type is USE_DEFAULT else cell_type) for n in units]
        cells = cells[0] if len(cells) == 1 else cells
    return keras.layers.RNN(cell=cells, return_sequences=return_sequences)


def _cell(units, cell_type):
    make = _CELLS.get(cell_type, cell_type)
    if not callable(make):
        raise misuse(ValueError(
            '`cell_type` should be a class producing a RNN cell, or a string specifying the cell '
            f'type. Supported strings are: {sorted(_CELLS, reverse=True)}.'))
    cell = make(units=units)
    if not hasattr(cell, 'call') or not hasattr(cell, 'state_size'):
        raise misuse(ValueError('RNN cell should have a `call` and `state_size` method.'))
    return cell


def _spec(features, labels, mode, head, model, optimizer, return_sequences):
    training = mode == ModeKeys.TRAIN
    own = None
    if training:
        own = Version2.get(optimizer, _LEARNING_RATE)
        if isinstance(optimizer, str):
            own.clipnorm = _CLIP_NORM
    logits = model(features, training)
    if return_sequences and head.input_sequence_mask_key not in features:
        features[head.input_sequence_mask_key] = logits._keras_mask
    return head.create_estimator_spec(
        features=features, mode=mode, labels=labels, optimizer=own, logits=logits,
        update_ops=model.updates, trainable_variables=model.trainable_variables)
