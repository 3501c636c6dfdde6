"""tfe.Network: a layer made of layers, as programs before tf.keras.Model wrote it."""
from __future__ import annotations

import inspect

from tinyflow.graph.support.errors import misuse
from tinyflow.layers.base import Layer


class Network(Layer):
    """A layer whose weights are those of the layers given to `track_layer`.

    A subclass makes its layers in `__init__`, and calls them in `call`.
    """

    def __init__(self, name=None):
        super().__init__(name=name)
        self._tracked = []

    @property
    def layers(self):
        """The layers, in the order in which they were tracked."""
        return list(self._tracked)

    def track_layer(self, layer):
        """Makes the weights of `layer` weights of this network; returns `layer`."""
        if not hasattr(layer, 'trainable_weights'):
            raise misuse(TypeError(
                f'Network.track_layer() passed type {type(layer)}, not a tf.layers.Layer'))
        self._tracked.append(layer)
        return layer

    def get_layer(self, name=None, index=None):
        """The tracked layer with this name, or at this position."""
        if name is None and index is None:
            raise misuse(ValueError('Provide either a layer name or layer index.'))
        if index is not None:
            if not -len(self._tracked) <= index < len(self._tracked):
                raise misuse(ValueError(f'Was asked to retrieve layer at index {index} but model '
                                        f'only has {len(self._tracked)} layers.'))
            return self._tracked[index]
        for layer in self._tracked:
            if layer.name == name:
                return layer
        names = ', '.join(layer.name for layer in self._tracked)
        raise misuse(ValueError(f'No such layer: {name}\n  Hint: there are {names or "none"}.'))

    @property
    def trainable_weights(self):
        return self._trainable_weights + [
            weight for layer in self._tracked for weight in layer.trainable_weights]

    @property
    def non_trainable_weights(self):
        return self._non_trainable_weights + [
            weight for layer in self._tracked for weight in layer.non_trainable_weights]

    @property
    def losses(self):
        return [*super().losses, *(loss for layer in self._tracked for loss in layer.losses)]


class Sequential(Network):
    """A Network that calls layers and functions one after another, each on the last one's result.

    Those that take `training` are given it, unless it is None.
    """

    def __init__(self, layers_funcs=None, name=None):
        super().__init__(name=name)
        self._called = []
        for layer_or_function in layers_funcs or ():
            self.add(layer_or_function)

    def add(self, layer_func):
        """Calls `layer_func`, a tf.layers.Layer or a function, after those before it."""
        if isinstance(layer_func, Layer):
            self.track_layer(layer_func)
        elif not callable(layer_func):
            raise misuse(TypeError('Sequential.add() takes only tf.layers.Layer objects or '
                                   f"callables; not '{layer_func}' of type '{type(layer_func)}'."))
        called = layer_func.call if isinstance(layer_func, Layer) else layer_func
        self._called.append((layer_func, 'training' in inspect.signature(called).parameters))

    def call(self, inputs, training=None):
        """The result of the last layer or function."""
        for called, takes_training in self._called:
            inputs = called(inputs, training=training) if takes_training and training is not None \
                else called(inputs)
        return inputs


__all__ = ['Network', 'Sequential']
