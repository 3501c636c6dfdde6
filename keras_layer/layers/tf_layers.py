"""Layers that share their computation with the classes of the same name in tf.layers.

The two differ in how they create weights (Keras' `add_weight`, or variable scopes) and in their
configuration, not in the nodes that they create.
"""
from __future__ import annotations

from keras_layer import activations, constraints, initializers, regularizers
from keras_layer.engine.base_layer import Layer
from tinyflow.layers import Layer as TFLayer

_SERIALIZE = {'activation': activations.serialize, 'initializer': initializers.serialize,
              'regularizer': regularizers.serialize, 'constraint': constraints.serialize}
_GET = {'activation': activations.get, 'initializer': initializers.get,
        'regularizer': regularizers.get, 'constraint': constraints.get}


def computes_as(tf_layer):
    """A class decorator: takes `build`, `call` and other methods from that class of tf.layers."""
    def decorate(cls):
        own = {name for base in cls.__mro__ if base not in Layer.__mro__ for name in vars(base)}
        for base in reversed(tf_layer.__mro__):
            if base in TFLayer.__mro__:
                continue
            for name, value in vars(base).items():
                if not name.startswith('__') and name not in own and (
                        callable(value) or isinstance(value, property)):
                    setattr(cls, name, value)
        return cls
    return decorate


def kind_of(setting):
    """'initializer' for kernel_initializer, and so on; None for other settings."""
    if setting.endswith('activation') or setting == 'activation':
        return 'activation'
    kind = setting.rpartition('_')[2]
    return kind if kind in _GET else None


class Configured(Layer):
    """A layer whose arguments are kept as attributes; `settings` names them, in TF's order.

    Arguments that end in _initializer, _regularizer, _constraint or activation may be names.
    """

    settings: tuple[str, ...] = ()

    def _keep(self, **arguments):
        for name, value in arguments.items():
            kind = kind_of(name)
            setattr(self, name, value if kind is None else _GET[kind](value))

    def get_config(self):
        config = super().get_config()
        for name in self.settings:
            value = getattr(self, name)
            kind = kind_of(name)
            config[name] = value if kind is None or (value is None) else _SERIALIZE[kind](value)
        return config
