"""keras.optimizers of Keras 2.1: its default hyperparameters, and clipping by the global norm."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.keras2.fallback import or_private
from keras_layer.optimizers import adam_family, get as get_of_tf_keras, rules
from keras_layer.optimizers.base import Optimizer as _Optimizer
from keras_layer.optimizers.tf_optimizer import TFOptimizer
from keras_layer.utils.generic import (
    deserialize_keras_object,
    find_object,
    serialize_keras_object,
)

__all__ = ['Adadelta', 'Adagrad', 'Adam', 'Adamax', 'Nadam', 'Optimizer', 'RMSprop', 'SGD',
           'TFOptimizer', 'adadelta', 'adagrad', 'adam', 'adamax', 'deserialize', 'get', 'nadam',
           'rmsprop', 'serialize', 'sgd']


class Optimizer(_Optimizer):
    """Base of Keras 2.1's optimizers, which programs derive their own from.

    A subclass defines `get_updates(loss, params)`, and names its state in `self.weights`.
    `clipnorm` limits the norm of all gradients together; configurations have `lr`.
    """

    def __init__(self, *args, **kwargs):
        self.updates = []
        super().__init__(*(args or (type(self).__name__,)), **kwargs)

    @property
    def weights(self):
        """The Variables of the optimizer's state."""
        return self._weights

    @weights.setter
    def weights(self, variables):
        self._weights = list(variables)

    @property
    def initial_decay(self):
        """The decay that the constructor was given."""
        return self._initial_decay

    @initial_decay.setter
    def initial_decay(self, value):
        self._initial_decay = value

    def _clipped(self, gradients):
        if self.clipnorm:
            gradients, _ = tf.clip_by_global_norm(gradients, float(self.clipnorm))
        norm, self.clipnorm = self.clipnorm, None
        try:
            return super()._clipped(gradients)
        finally:
            self.clipnorm = norm

    def get_updates(self, *args, **kwargs):
        """The operations of a training step: of (loss, params), or as in Keras 1 of (params,
        constraints, loss).

        The constraints are those of the Variables themselves.
        """
        loss, params = loss_and_params(*args, **kwargs)
        return super().get_updates(loss, params)

    def get_config(self):
        config = super().get_config()
        del config['name']
        rate = {'lr': config.pop('learning_rate')} if 'learning_rate' in config else {}
        return {**rate, **config}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The optimizer of that configuration."""
        if issubclass(cls, tuple(BY_NAME.values())):
            return super().from_config(config, custom_objects)
        return cls(**config)


def loss_and_params(*args, loss=None, params=None, constraints=None):
    """(loss, params) of a call of get_updates as in Keras 1, 2.0 or 2.1."""
    if args and isinstance(args[0], (list, tuple)):     # params, constraints, loss
        return args[2] if len(args) == 3 else loss, args[0]
    return args[0] if args else loss, args[1] if len(args) > 1 else params


class SGD(Optimizer, rules.SGD):
    """SGD with the defaults of Keras 2.1."""

    def __init__(self, lr=0.01, momentum=0., decay=0., nesterov=False, **kwargs):
        super().__init__(kwargs.pop('learning_rate', lr), momentum, nesterov, decay=decay,
                         **kwargs)


class RMSprop(Optimizer, rules.RMSprop):
    """RMSprop with the defaults of Keras 2.1."""

    def __init__(self, lr=0.001, rho=0.9, epsilon=None, decay=0., **kwargs):
        super().__init__(kwargs.pop('learning_rate', lr), rho, epsilon=epsilon, decay=decay,
                         **kwargs)

    def get_config(self):
        config = super().get_config()
        if not config['momentum'] and not config['centered']:   # Keras 2.1 has neither
            del config['momentum'], config['centered']
        return config


class Adagrad(Optimizer, rules.Adagrad):
    """Adagrad with the defaults of Keras 2.1, and sums of squares that start at 0."""

    def __init__(self, lr=0.01, epsilon=None, decay=0., **kwargs):
        kwargs.setdefault('initial_accumulator_value', 0.)
        super().__init__(kwargs.pop('learning_rate', lr), epsilon=epsilon, decay=decay, **kwargs)


class Adadelta(Optimizer, rules.Adadelta):
    """Adadelta with the defaults of Keras 2.1: a learning rate of 1."""

    def __init__(self, lr=1.0, rho=0.95, epsilon=None, decay=0., **kwargs):
        super().__init__(kwargs.pop('learning_rate', lr), rho, epsilon, decay=decay, **kwargs)


class Adam(Optimizer, adam_family.Adam):
    """Adam with the defaults of Keras 2.1."""

    def __init__(self, lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=None, decay=0., amsgrad=False,
                 **kwargs):
        super().__init__(kwargs.pop('learning_rate', lr), beta_1, beta_2, epsilon, amsgrad,
                         decay=decay, **kwargs)


class Adamax(Optimizer, adam_family.Adamax):
    """Adamax with the defaults of Keras 2.1: a learning rate of 0.002."""

    def __init__(self, lr=0.002, beta_1=0.9, beta_2=0.999, epsilon=None, decay=0., **kwargs):
        super().__init__(kwargs.pop('learning_rate', lr), beta_1, beta_2, epsilon, decay=decay,
                         **kwargs)


class Nadam(Optimizer, adam_family.Nadam):
    """Nadam with the defaults of Keras 2.1: a learning rate of 0.002."""

    def __init__(self, lr=0.002, beta_1=0.9, beta_2=0.999, epsilon=None, schedule_decay=0.004,
                 **kwargs):
        schedule_decay = kwargs.pop('decay', schedule_decay)    # its name in tf.keras
        super().__init__(kwargs.pop('learning_rate', lr), beta_1, beta_2, epsilon,
                         schedule_decay=schedule_decay, **kwargs)

    def get_config(self):
        config = super().get_config()
        config['schedule_decay'] = config.pop('decay')
        return config


sgd, rmsprop, adagrad, adadelta = SGD, RMSprop, Adagrad, Adadelta
adam, adamax, nadam = Adam, Adamax, Nadam
BY_NAME = {cls.__name__.lower(): cls for cls in (
    SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam)}


def serialize(optimizer):
    """The optimizer as {'class_name', 'config'}."""
    return serialize_keras_object(optimizer)


def deserialize(config, custom_objects=None):
    """The optimizer of a {'class_name', 'config'}; the case of the name does not matter."""
    if config['class_name'].lower() in BY_NAME:
        config['class_name'] = config['class_name'].lower()     # in place, as Keras 2.1 does
    return deserialize_keras_object(config, module_objects=BY_NAME, custom_objects=custom_objects,
                                    printable_module_name='optimizer')


def get(identifier):
    """The optimizer for a name, a configuration, or an optimizer of Keras or tf.train."""
    if isinstance(identifier, str) and find_object(identifier) is None and \
            identifier.lower() in BY_NAME:
        return BY_NAME[identifier.lower()]()
    if isinstance(identifier, dict):
        return deserialize(identifier)
    return get_of_tf_keras(identifier)


__getattr__ = or_private('keras.optimizers', __all__)
