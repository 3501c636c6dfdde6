"""The switch for what Keras 2.1 does otherwise in every layer: random numbers, names, shapes.

Each difference is a variable of the module that asks for it; what it means stands next to it.
A seed that is not given is drawn from NumPy, so that `np.random.seed(7)` at the top of a program
decides them, as books have it; tf.keras takes the graph's. The switch is on while `import keras`
means this package (`install_as_tensorflow`).
"""
from __future__ import annotations

import os

import numpy as np

from keras_layer import activations, backend as K, legacy
from keras_layer.backend import crossentropy, sessions
from keras_layer.backend.layer_seeds import Seeds
from keras_layer.callbacks import basic
from keras_layer.engine import base_layer, layer_losses, layer_naming, layer_weights, node
from keras_layer.engine.layer_weights import LayerWeights
from keras_layer.engine.training import loops
from keras_layer.engine.training.batches import ArrayBatches
from keras_layer.keras2 import shapes, tensors
from keras_layer.keras2.initializers import Identity, VarianceScaling
from keras_layer.keras2.numbers import Number
from keras_layer.layers import core, embeddings, merge
from keras_layer.layers.recurrent import cells, rnn
from keras_layer.utils import enqueuers
from tinyflow.ops.variables import initializers

__all__ = ['disable', 'enable']

# The deviation of a normal distribution that is cut off at two deviations; Keras 2.1 leaves it out.
_CUT_OFF = .87962566103423978

_add_weight_of_tf_keras = LayerWeights.add_weight


def enable():
    """From now on all layers, models and tensors follow Keras 2.1."""
    for owner, name, value, _ in _switches():
        setattr(owner, name, value)
    shapes.enable()
    tensors.enable()


def disable():
    """From now on all layers, models and tensors follow tf.keras."""
    for owner, name, _, value in _switches():
        setattr(owner, name, value)
    shapes.disable()
    tensors.disable()


def _switches():
    """(owner, attribute, its value for Keras 2, its value for tf.keras)"""
    return (
        (Seeds, 'drawn', _from_numpy, None),
        (layer_weights, 'prepare_initializer', _as_in_keras2, None),
        (layer_weights, 'weights_are_assigned', True, False),
        (LayerWeights, 'add_weight', _add_weight, _add_weight_of_tf_keras),
        (ArrayBatches, 'shuffles_again', True, False),
        (loops, 'validation_first', True, False),
        (layer_naming, 'zero_based', False, True),
        (legacy, 'convolutions_of_keras_1', True, False),
        (legacy, 'subsets_may_differ', True, False),
        (sessions, 'initializes_all', True, False),
        (rnn, 'builds_with_constants', True, False),
        (cells, 'builds_with_constants', True, False),
        (cells, 'flat_states', True, False),
        (base_layer, 'activity_is_mean', False, True),
        (layer_losses, 'number_type', Number, None),
        (node, 'always_lists', True, False),
        (activations, 'as_keras_2', True, False),
        (basic, 'prints_as_keras_2', True, False),
        (embeddings, 'checks_input_length', True, False),
        (merge, 'always_two', True, False),
        (core, 'clips_rate', True, False),
        (crossentropy, 'clips_always', True, False),
        (enqueuers, 'start_method', 'fork' if hasattr(os, 'fork') else 'spawn', 'spawn'))


def _add_weight(layer, *args, **kwargs):
    """add_weight(name, shape, ...), or as in Keras 1 add_weight(shape, name=..., ...)."""
    if args and isinstance(args[0], (tuple, int)):
        kwargs['shape'], args = args[0], args[1:]
    return _add_weight_of_tf_keras(layer, *args, **kwargs)


def _from_numpy():
    return np.random.randint(10e6)


def _as_in_keras2(initializer):
    """The initializer with a seed, and with the distribution that it has in Keras 2.1."""
    if isinstance(initializer, initializers.Orthogonal):
        return _Orthogonal(initializer.gain, initializer.seed)
    if isinstance(initializer, initializers.Identity):
        return Identity(initializer.gain)
    if not isinstance(initializer, initializers.Initializer) or not hasattr(initializer, 'seed'):
        return initializer
    seed = _from_numpy() if initializer.seed is None else initializer.seed
    if isinstance(initializer, initializers.VarianceScaling):
        normal = initializer.distribution in ('normal', 'truncated_normal')
        return VarianceScaling(
            initializer.scale * (_CUT_OFF ** 2 if normal else 1), initializer.mode,
            initializer.distribution, seed, initializer.dtype)
    return type(initializer).from_config({**initializer.get_config(), 'seed': seed})


class _Orthogonal:
    """An orthogonal matrix by the singular values of NumPy's normal numbers."""

    def __init__(self, gain, seed):
        self._gain, self._seed = gain, seed

    def __call__(self, shape, dtype=None):
        """Shapes: -> [*shape], its last axis orthogonal to the others."""
        flat = int(np.prod(shape[:-1])), shape[-1]
        if self._seed is not None:
            np.random.seed(self._seed)
        u, _, v = np.linalg.svd(np.random.normal(0.0, 1.0, flat), full_matrices=False)
        return K.constant(self._gain * (u if u.shape == flat else v).reshape(shape), dtype)
