"""SequentialHeadWrapper: a head that has a prediction and a label for each step of a sequence."""
from __future__ import annotations

import abc
from collections.abc import Iterable

import tinyflow as tf
from estimator_layer.heads.base import Head
from estimator_layer.heads.multi_head import MultiHead
from estimator_layer.model_fn import ModeKeys
from tinyflow.graph.support.errors import misuse

__all__ = ['SequentialHead', 'SequentialHeadWrapper', 'flatten_steps']


class SequentialHead(Head):
    """A head for sequences of different lengths: the features have a mask of the steps."""

    @property
    @abc.abstractmethod
    def input_sequence_mask_key(self):
        """The key of the mask [batch, steps] in the features."""


class SequentialHeadWrapper(SequentialHead):
    """Applies a head to the steps that a mask selects, as if each of them were an example.

    Shapes: logits [batch, steps, logits_dimension], labels [batch, steps, ...], dense or sparse,
    mask [batch, steps].

    Args:
      static_head: the head for one step, any but a MultiHead.
      sequence_length_mask: the key of the mask in the features; predictions contain it, too.
      feature_columns: the key or keys of features that have a value for each step and that the
        head reads, such as its weight_column.
    """

    def __init__(self, static_head, sequence_length_mask='sequence_length_mask',
                 feature_columns=None):
        if not isinstance(sequence_length_mask, str):
            raise misuse(TypeError('`sequence_mask` column must be a string. Given type: '
                                   f'{type(sequence_length_mask)}.'))
        if isinstance(static_head, MultiHead):
            raise misuse(ValueError('`MultiHead` is not supported with `SequentialHeadWrapper`.'))
        self._static_head = static_head
        self._mask_key = sequence_length_mask
        self._feature_columns = _checked_keys(feature_columns)

    @property
    def static_head(self):
        """The head for one step."""
        return self._static_head

    @property
    def input_sequence_mask_key(self):
        """The key of the mask in the features."""
        return self._mask_key

    @property
    def name(self):
        """The name of the head for one step with the suffix `_sequential`, or None."""
        return f'{self._static_head.name}_sequential' if self._static_head.name else None

    @property
    def logits_dimension(self):
        """That of the head for one step."""
        return self._static_head.logits_dimension

    @property
    def loss_reduction(self):
        """That of the head for one step."""
        return self._static_head.loss_reduction

    def loss(self, logits, labels, features=None, mode=None, regularization_losses=None):
        """The loss of the selected steps plus the regularization losses, a scalar."""
        labels, logits, features = self._flatten(labels, logits, features)
        return self._static_head.loss(logits=logits, labels=labels, features=features, mode=mode,
                                      regularization_losses=regularization_losses)

    def predictions(self, logits, keys=None):
        """{key: tensor} for each step, selected or not."""
        return self._static_head.predictions(logits, keys=keys)

    def metrics(self, regularization_losses=None):
        """New metrics: {key: Keras metric}."""
        return self._static_head.metrics(regularization_losses)

    def update_metrics(self, eval_metrics, features, logits, labels, regularization_losses=None):
        """Updates `eval_metrics` with the selected steps of a batch and returns them."""
        labels, logits, features = self._flatten(labels, logits, features)
        return self._static_head.update_metrics(
            eval_metrics=eval_metrics, features=features, logits=logits, labels=labels,
            regularization_losses=regularization_losses)

    def create_estimator_spec(self, features, mode, logits, labels=None, optimizer=None,
                              trainable_variables=None, train_op_fn=None, update_ops=None,
                              regularization_losses=None):
        """See Head; predictions are of all steps and contain the mask."""
        if mode == ModeKeys.PREDICT:
            spec = self._static_head.create_estimator_spec(features=features, mode=mode,
                                                           logits=logits)
            mask = features[self._mask_key]
            return spec._replace(predictions={**spec.predictions, self._mask_key: mask})
        labels, logits, features = self._flatten(labels, logits, features)
        return self._static_head.create_estimator_spec(
            features=features, mode=mode, logits=logits, labels=labels, optimizer=optimizer,
            trainable_variables=trainable_variables, train_op_fn=train_op_fn,
            update_ops=update_ops, regularization_losses=regularization_losses)

    def _flatten(self, labels, logits, features):
        """(labels, logits, features) of the selected steps, [steps in all, ...]."""
        if self._mask_key not in features:
            raise misuse(ValueError(
                f'The provided sequence_length_mask key `{self._mask_key}` should be included in '
                f'the features dictionary, but was not found. Found keys: {list(features)}.'))
        mask = features[self._mask_key]
        if mask.shape.ndims != 2:
            raise misuse(ValueError('Mask is expected to have two dimensions, got '
                                    f'{mask.shape.ndims} instead.'))
        with tf.name_scope('flatten'):
            number = tf.reduce_sum(tf.cast(mask, tf.int32))
            logits = flatten_steps(logits, mask, number)
            labels = flatten_steps(labels, mask, number)
            flat = {}
            for key in self._feature_columns:
                if key not in features:
                    raise misuse(ValueError(f'`{key}` column expected in features dictionary.'))
                flat[key] = flatten_steps(features[key], mask, number)
            return labels, logits, flat


def _checked_keys(keys):
    if not isinstance(keys or [], Iterable):
        raise misuse(TypeError('`feature_columns` must be either a string or an iterable of '
                               f'strings got {type(keys)} instead.'))
    keys = [keys] if isinstance(keys, str) else list(keys or [])
    for key in keys:
        if not isinstance(key, str):
            raise misuse(TypeError(f'Column must a string. Given type: {type(key)}.'))
    return keys


def flatten_steps(tensor, sequence_mask, expected_length):
    """The steps that the mask selects, one after the other; those of a SparseTensor are all there.

    Shapes: tensor [batch, steps, *inner], mask [batch, steps] -> [length, *inner], [length, 1] for
    a tensor [batch, steps]. Another number of steps fails at runtime.
    """
    shape = tensor.get_shape()
    if shape.ndims < 2:
        raise misuse(ValueError('Input tensor expected to have at least 2 dimensions, got '
                                f'{shape.ndims} instead.'))
    inner = shape.as_list()[2:]
    if isinstance(tensor, tf.SparseTensor):
        steps = tf.sparse.reorder(tensor).values
        if inner:
            steps = tf.reshape(steps, [-1, *inner])
    elif isinstance(tensor, tf.Tensor):
        steps = tf.boolean_mask(tensor, sequence_mask)
    else:
        raise misuse(ValueError('`tensor` expected to be a `Tensor` or  `SparseTensor` got '
                                f'`{tensor}` instead.'))
    if not inner:
        steps = tf.expand_dims(steps, -1)
    expected = tf.concat([[expected_length], inner or [1]], axis=0)
    check = tf.assert_equal(tf.shape(steps), expected,
                            message='Tensor shape is incompatible with provided mask.')
    with tf.control_dependencies([check]):
        return tf.identity(steps)
