"""Learning rate schedules: passed to an optimizer as learning_rate."""
from __future__ import annotations

from importlib import import_module

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.utils.generic import deserialize_keras_object, serialize_keras_object
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing

__all__ = ['ExponentialDecay', 'InverseTimeDecay', 'LearningRateSchedule',
           'PiecewiseConstantDecay', 'PolynomialDecay', 'deserialize', 'serialize']


class LearningRateSchedule:
    """Base of schedules: called with the step (a tensor), returns the learning rate (a tensor)."""

    arguments: tuple[str, ...] = ()

    def __call__(self, step):
        raise NotImplementedError(f'{type(self).__name__}.__call__(step)')

    def get_config(self):
        return {key: getattr(self, key) for key in self.arguments}

    @classmethod
    def from_config(cls, config):
        """The schedule that `get_config` described."""
        return cls(**config)


class _ByParts(LearningRateSchedule):
    """A rate that depends on step / decay_steps; with `staircase`, on its integer part."""

    arguments = ('initial_learning_rate', 'decay_steps', 'decay_rate', 'staircase', 'name')
    scope = None

    def __init__(self, initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None):
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.decay_rate, self.staircase, self.name = decay_rate, staircase, name

    def __call__(self, step):
        with K.name_scope(self.name or self.scope) as scope:
            rate = tf.convert_to_tensor(self.initial_learning_rate, name='initial_learning_rate')
            steps = tf.cast(self.decay_steps, rate.dtype)
            decay = tf.cast(self.decay_rate, rate.dtype)
            part = tf.cast(step, rate.dtype) / steps
            return self._decayed(rate, decay, tf.floor(part) if self.staircase else part, scope)

    def _decayed(self, rate, decay, part, name):
        raise NotImplementedError(f'{type(self).__name__}._decayed')


class ExponentialDecay(_ByParts):
    """initial rate * decay_rate ^ (step / decay_steps); integer powers with `staircase`."""

    scope = 'ExponentialDecay'

    def _decayed(self, rate, decay, part, name):
        return tf.multiply(rate, tf.pow(decay, part), name=name)


class InverseTimeDecay(_ByParts):
    """initial rate / (1 + decay_rate * step / decay_steps); integer parts with `staircase`."""

    scope = 'InverseTimeDecay'

    def _decayed(self, rate, decay, part, name):
        one = tf.cast(tf.constant(1), rate.dtype)
        return tf.divide(rate, tf.add(one, tf.multiply(decay, part)), name=name)


class PolynomialDecay(LearningRateSchedule):
    """From the initial to `end_learning_rate` in decay_steps, along (1 - step / steps)^power."""

    arguments = ('initial_learning_rate', 'decay_steps', 'end_learning_rate', 'power', 'cycle',
                 'name')

    def __init__(self, initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0,
                 cycle=False, name=None):
        self.initial_learning_rate, self.decay_steps = initial_learning_rate, decay_steps
        self.end_learning_rate, self.power = end_learning_rate, power
        self.cycle, self.name = cycle, name

    def __call__(self, step):
        with K.name_scope(self.name or 'PolynomialDecay') as scope:
            rate = tf.convert_to_tensor(self.initial_learning_rate, name='initial_learning_rate')
            dtype = rate.dtype
            end, power = tf.cast(self.end_learning_rate, dtype), tf.cast(self.power, dtype)
            step, steps = tf.cast(step, dtype), tf.cast(self.decay_steps, dtype)
            if self.cycle:
                times = tf.where(tf.equal(step, 0), tf.ones_like(step), tf.ceil(step / steps))
                steps = tf.multiply(steps, times)
            else:
                step = tf.minimum(step, steps)
            left = tf.pow(1 - tf.divide(step, steps), power)
            return tf.add(tf.multiply(rate - end, left), end, name=scope)


class PiecewiseConstantDecay(LearningRateSchedule):
    """values[i] while step <= boundaries[i], the last value afterwards."""

    arguments = ('boundaries', 'values', 'name')

    def __init__(self, boundaries, values, name=None):
        if len(boundaries) != len(values) - 1:
            raise misuse(ValueError('The length of boundaries should be 1 less than the length of '
                                    f'values; got {len(boundaries)} and {len(values)}.'))
        self.boundaries, self.values, self.name = boundaries, values, name

    def __call__(self, step):
        with K.name_scope(self.name or 'PiecewiseConstant'):
            step = tf.convert_to_tensor(step)
            rate = tf.convert_to_tensor(self.values[-1])
            for limit, value in reversed(list(zip(self.boundaries, self.values))):
                rate = tf.where(step <= tf.cast(limit, step.dtype),
                                tf.cast(value, rate.dtype), rate)
            return rate


def serialize(learning_rate_schedule):
    """The schedule as {'class_name', 'config'}."""
    return serialize_keras_object(learning_rate_schedule)


def deserialize(config, custom_objects=None):
    """The schedule of that configuration."""
    known = globals()
    if 'Cosine' in str(config.get('class_name')):
        # Imported when a configuration names one of them; they build on the classes here.
        known = {**known, **vars(import_module('keras_layer.optimizers.cosine'))}
    return deserialize_keras_object(config, module_objects=known,
                                    custom_objects=custom_objects,
                                    printable_module_name='decay')


__getattr__ = explain_missing('tf.keras.optimizers.schedules', __all__)
