"""tfe.Network: a layer made of layers, as programs before tf.keras.Model wrote it."""
from __future__ import annotations

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


__all__ = ['Network']
