"""Cosine decay of the learning rate; public in keras.experimental."""
from __future__ import annotations

import tinyflow as tf
from keras_layer.optimizers.schedules import LearningRateSchedule

__all__ = ['CosineDecay', 'CosineDecayRestarts', 'LinearCosineDecay', 'NoisyLinearCosineDecay']


class _Decay(LearningRateSchedule):
    """A schedule that calls the function of the same name in tf.train; `arguments` in its order."""

    below = None

    def _keep(self, **values):
        for name, value in values.items():
            setattr(self, name, value)

    def __call__(self, step):
        rate, *rest = (getattr(self, name) for name in self.arguments)
        return type(self).below(rate, step, *rest)


class CosineDecay(_Decay):
    """initial rate * (half a cosine over `decay_steps`, from 1 down to `alpha`).

    Loshchilov and Hutter (2016).
    """

    arguments = ('initial_learning_rate', 'decay_steps', 'alpha', 'name')
    below = tf.train.cosine_decay

    def __init__(self, initial_learning_rate, decay_steps, alpha=0., name=None):
        self._keep(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps,
                   alpha=alpha, name=name)


class CosineDecayRestarts(_Decay):
    """CosineDecay with restarts: each `t_mul` times as long and starting `m_mul` times as high.

    Loshchilov and Hutter (2016).
    """

    arguments = ('initial_learning_rate', 'first_decay_steps', 't_mul', 'm_mul', 'alpha', 'name')
    below = tf.train.cosine_decay_restarts

    def __init__(self, initial_learning_rate, first_decay_steps, t_mul=2., m_mul=1., alpha=0.,
                 name=None):
        self._keep(initial_learning_rate=initial_learning_rate,
                   first_decay_steps=first_decay_steps, t_mul=t_mul, m_mul=m_mul, alpha=alpha,
                   name=name)


class LinearCosineDecay(_Decay):
    """initial rate * ((alpha + linear decay) * (`num_periods` of a cosine) + beta).

    Bello et al. (2017).
    """

    arguments = ('initial_learning_rate', 'decay_steps', 'num_periods', 'alpha', 'beta', 'name')
    below = tf.train.linear_cosine_decay

    def __init__(self, initial_learning_rate, decay_steps, num_periods=0.5, alpha=0., beta=0.001,
                 name=None):
        self._keep(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps,
                   num_periods=num_periods, alpha=alpha, beta=beta, name=name)


class NoisyLinearCosineDecay(_Decay):
    """LinearCosineDecay with normal noise on the linear part, of variance
    initial_variance / (1 + step)^variance_decay. Bello et al. (2017).
    """

    arguments = ('initial_learning_rate', 'decay_steps', 'initial_variance', 'variance_decay',
                 'num_periods', 'alpha', 'beta', 'name')
    below = tf.train.noisy_linear_cosine_decay

    def __init__(self, initial_learning_rate, decay_steps, initial_variance=1.,
                 variance_decay=0.55, num_periods=0.5, alpha=0., beta=0.001, name=None):
        self._keep(initial_learning_rate=initial_learning_rate, decay_steps=decay_steps,
                   initial_variance=initial_variance, variance_decay=variance_decay,
                   num_periods=num_periods, alpha=alpha, beta=beta, name=name)
