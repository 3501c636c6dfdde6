"""Converts weights of Keras 1 and 2 and other layouts to today's layout."""
from __future__ import annotations

import numpy as np

from keras_layer.utils import newer_keras

_CONVOLUTIONS = ('Conv1D', 'Conv2D', 'Conv3D', 'Conv2DTranspose', 'ConvLSTM2D')


def converted(layer, weights, version, backend):
    """Converts the values of a layer's weights to the layer's order and layout."""
    kind = type(layer).__name__
    if kind == 'Bidirectional' and weights:
        half = len(weights) // 2
        return (converted(layer.forward_layer, weights[:half], version, backend)
                + converted(layer.backward_layer, weights[half:], version, backend))
    if kind == 'TimeDistributed':
        return converted(layer.layer, weights, version, backend)
    other_backend = backend and backend != 'tensorflow'
    if kind in ('Model', 'Sequential') and (version.startswith('1') or other_backend):
        return _of_model(layer, weights, version, backend)
    if version.startswith('1'):
        weights = _of_keras_1(layer, kind, weights)
    if kind in _CONVOLUTIONS and weights and layer.weights and weights[0].ndim == 4 and \
            weights[0].shape != tuple(layer.weights[0].shape.as_list()):
        # Channels first, as Keras 1 had the kernels of Theano.
        kernels = 2 if kind == 'ConvLSTM2D' else 1
        weights = [np.transpose(w, (3, 2, 0, 1)) if i < kernels else w
                   for i, w in enumerate(weights)]
    if other_backend and kind in _CONVOLUTIONS and weights:
        # Theano's convolutions flip the kernel.
        weights = [_turned(weights[0]), *weights[1:]]
    return weights


def _of_model(model, weights, version, backend):
    """Those of the layers of a model: first all that are trained, then all others."""
    left, found = list(weights), []
    for kind in ('trainable_weights', 'non_trainable_weights'):
        for layer in model.layers:
            count = len(getattr(layer, kind))
            if count:
                found += converted(layer, left[:count], version, backend)
                left = left[count:]
    return found


def _turned(kernel):
    axes = tuple(range(kernel.ndim - 2))
    return np.flip(kernel, axes)


def _of_keras_1(layer, kind, weights):
    if kind == 'Conv1D' and weights:
        shape = weights[0].shape
        size = layer.kernel_size[0]
        if shape[:2] != (size, 1) or shape[3] != layer.filters:
            weights = [np.transpose(weights[0], (2, 3, 1, 0)), *weights[1:]]
        return [weights[0][:, 0, :, :], *weights[1:]]
    if kind in ('Conv2D', 'Conv3D') and weights and layer.data_format == 'channels_first':
        return [_channels_last(weights[0]), *weights[1:]]
    if kind == 'Conv2DTranspose' and weights:
        axes = (2, 3, 0, 1) if layer.data_format == 'channels_first' else (0, 1, 3, 2)
        return [np.transpose(weights[0], axes), *weights[1:]]
    if kind in ('LSTM', 'GRU', 'ConvLSTM2D') and len(weights) in (9, 12):
        # One matrix for each gate: (kernel, recurrent kernel, bias) of i, c, f, o or z, r, h.
        order = (0, 2, 1, 3) if len(weights) == 12 else (0, 1, 2)
        *kernels, bias = [np.concatenate([weights[3 * g + part] for g in order], axis=-1)
                          for part in range(3)]
        if kind == 'ConvLSTM2D' and layer.data_format == 'channels_first':
            kernels = map(_channels_last, kernels)
        return [*kernels, bias]
    return weights


def _channels_last(kernel):
    """Shapes: kernel [filters, channels, *window] -> [*window, channels, filters]."""
    return np.transpose(kernel, (*range(2, kernel.ndim), 1, 0))


def optimizer_state(optimizer, values, names=()):
    """The state of one of Keras 2's own optimizers, in the order of tf.keras' optimizer's weights.

    Keras 2 stores unused moments, and for RMSprop, Adagrad and Adadelta no step count: they start
    at step 0 again, as in Keras 2. Values that are in order already are unchanged.
    """
    newer = newer_keras.optimizer_state(optimizer, names, values)
    if newer is not None:
        return _with_momentum_cache(optimizer, newer)
    wanted = len(optimizer.weights)
    kind = type(optimizer).__name__
    if len(values) == wanted:
        return values
    if kind in ('RMSprop', 'Adagrad', 'Adadelta') and len(values) + 1 == wanted:
        return [np.array(0), *values]
    if kind in ('SGD', 'Adam'):
        return values[:wanted]
    if kind == 'Nadam' and len(values) + 1 == wanted:
        return [values[0], _momentum_cache(optimizer, int(values[0])), *values[1:]]
    return values


def _with_momentum_cache(optimizer, values):
    """The state with Nadam's product, the one value that a newer Keras does not save."""
    return [_momentum_cache(optimizer, int(values[0])) if value is None else value
            for value in values]


def _momentum_cache(optimizer, steps):
    """The product of Nadam's momentum schedule, which Keras 2 does not save: Dozat (2015)."""
    beta, decay = optimizer._plain('beta_1'), optimizer._initial_decay
    momenta = beta * (1. - .5 * .96 ** (np.arange(1, steps + 1) * decay))
    return np.float32(np.prod(momenta))
