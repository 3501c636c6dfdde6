"""The learning phase: training or inference."""
from __future__ import annotations

from contextlib import contextmanager

import tinyflow as tf
from keras_layer.backend.graph_state import get_graph, graph_state
from tinyflow.graph.support.errors import misuse

__all__ = [
    'in_test_phase', 'in_train_phase', 'learning_phase', 'learning_phase_scope',
    'set_learning_phase', 'symbolic_learning_phase',
]


def learning_phase():
    """1 in training, 0 otherwise: a tensor that is fed, or the int that was set."""
    state = graph_state()
    if tf.executing_eagerly():
        return state.phase or 0
    return symbolic_learning_phase() if state.phase is None else state.phase


def symbolic_learning_phase():
    """The tensor of the learning phase: False unless it is fed."""
    state = graph_state()
    if state.placeholder is None:
        graph = get_graph()
        with tf.init_scope(), graph.as_default(), tf.name_scope(None):
            state.placeholder = tf.placeholder_with_default(
                False, shape=(), name='keras_learning_phase')
    return state.placeholder


def set_learning_phase(value):
    """Fixes the learning phase of this graph to 0 or 1 for everything built from now on."""
    if value not in (0, 1):
        raise misuse(ValueError(f'Expected learning phase to be 0 or 1, not {value!r}.'))
    graph_state().phase = value


@contextmanager
def learning_phase_scope(value):
    """The learning phase is 0 or 1 inside."""
    state = graph_state()
    before = state.phase
    set_learning_phase(value)
    try:
        yield
    finally:
        state.phase = before


def in_train_phase(x, alt, training=None):
    """x in training and alt otherwise; both may be functions that return a tensor.

    `training` is the learning phase unless it is given as a number or a tensor.
    """
    training = learning_phase() if training is None else training
    if not tf.contrib.framework.is_tensor(training):
        chosen = x if training else alt
        return chosen() if callable(chosen) else chosen
    return tf.cond(_as_bool(training), x if callable(x) else lambda: x,
                   alt if callable(alt) else lambda: alt)


def in_test_phase(x, alt, training=None):
    """x outside training and alt in training; the inverse of `in_train_phase`."""
    return in_train_phase(alt, x, training=training)


def _as_bool(training):
    return training if training.dtype.base_dtype == tf.bool else tf.cast(training, tf.bool)
