"""The optimizers SGD, RMSprop, Adagrad, Adadelta and Ftrl.

Defaults are those of TF 1.15's tf.keras. Keras 2.1.6 has a learning rate of 0.01 for Adagrad, 1.0
for Adadelta and 0.002 for Adamax and Nadam.
"""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.optimizers.base import Optimizer
from tinyflow.graph.support.errors import misuse

__all__ = ['Adadelta', 'Adagrad', 'Ftrl', 'RMSprop', 'SGD']


def _epsilon(value):
    return K.epsilon() if value is None else value


class SGD(Optimizer):
    """w -= lr g; with momentum v = momentum v - lr g, w += v (Nesterov: w += momentum v - lr g)."""

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, name='SGD', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._check_number('momentum', momentum)
        self._momentum = callable(momentum) or K.is_tensor(momentum) or momentum > 0
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise misuse(ValueError('`momentum` must be between [0, 1].'))
        self._set_hyper('momentum', momentum)
        self.nesterov = nesterov
        self.slots = ('momentum',) if self._momentum else ()

    def _shared(self, dtype):
        return {**super()._shared(dtype),
                'momentum': tf.identity(self._get_hyper('momentum', dtype))}

    def _dense(self, g, w, state):
        if self._momentum:
            return K.training_op('ApplyKerasMomentum', w, self.get_slot(w, 'momentum'),
                                 state['lr'], g, state['momentum'], use_nesterov=self.nesterov)
        return K.training_op('ApplyGradientDescent', w, state['lr'], g)

    def _sparse(self, g, w, indices, state):
        if self._momentum:
            return K.training_op('SparseApplyKerasMomentum', w, self.get_slot(w, 'momentum'),
                                 state['lr'], g, indices, state['momentum'],
                                 use_nesterov=self.nesterov)
        return K.scatter_add(w, indices, -g * state['lr'])

    def _sum_rows(self, values, indices):
        # Adding row by row gives the same result.
        return super()._sum_rows(values, indices) if self._momentum else (values, indices)

    def get_config(self):
        return {**super().get_config(), 'learning_rate': self._plain('learning_rate'),
                'decay': self._plain('decay'), 'momentum': self._plain('momentum'),
                'nesterov': self.nesterov}


class RMSprop(Optimizer):
    """w -= lr g / (sqrt(mean of g^2) + epsilon), the mean decaying by rho: Hinton (2012).

    `centered` uses the variance instead of the mean square; `momentum` is added to the step.
    """

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False,
                 name='RMSprop', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._set_hyper('rho', rho)
        self._check_number('momentum', momentum)
        self._momentum = callable(momentum) or K.is_tensor(momentum) or momentum > 0
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise misuse(ValueError('`momentum` must be between [0, 1].'))
        self._set_hyper('momentum', momentum)
        self.epsilon = _epsilon(epsilon)
        self.centered = centered
        self.slots = ('rms', *(('momentum',) if self._momentum else ()),
                      *(('mg',) if centered else ()))

    def _shared(self, dtype):
        state = super()._shared(dtype)
        rho = tf.identity(self._get_hyper('rho', dtype))
        return {**state, 'neg_lr': -state['lr'], 'epsilon': tf.convert_to_tensor(self.epsilon,
                                                                                 dtype),
                'rho': rho, 'momentum': tf.identity(self._get_hyper('momentum', dtype)),
                'one_minus_rho': 1. - rho}

    def _dense(self, g, w, state):
        rms = self.get_slot(w, 'rms')
        if self._momentum:
            return self._with_momentum('Apply', w, rms, state, g)
        spread = tf.assign(rms, state['rho'] * rms + state['one_minus_rho'] * tf.square(g))
        if self.centered:
            mg = self.get_slot(w, 'mg')
            centre = tf.assign(mg, state['rho'] * mg + state['one_minus_rho'] * g)
            spread = spread - tf.square(centre)
        return tf.assign(w, w - state['lr'] * g / (tf.sqrt(spread) + state['epsilon'])).op

    def _with_momentum(self, kind, w, rms, state, *gradient):
        mg = (self.get_slot(w, 'mg'),) if self.centered else ()
        return K.training_op(f'{kind}{"Centered" if self.centered else ""}RMSProp', w, *mg, rms,
                             self.get_slot(w, 'momentum'), state['lr'], state['rho'],
                             state['momentum'], state['epsilon'], *gradient)

    def _sparse(self, g, w, indices, state):
        rms = self.get_slot(w, 'rms')
        if self._momentum:
            return self._with_momentum('SparseApply', w, rms, state, g, indices)
        new_rms, spread = _mean_rows(rms, indices, (g * g) * state['one_minus_rho'], state)
        moved = [new_rms]
        if self.centered:
            new_mg, centre = _mean_rows(self.get_slot(w, 'mg'), indices,
                                        g * state['one_minus_rho'], state)
            moved.append(new_mg)
            with tf.control_dependencies([new_mg]):
                spread = spread - tf.square(centre)
        step = state['neg_lr'] * g / (tf.sqrt(spread) + state['epsilon'])
        return tf.group(K.scatter_add_rows(w, indices, step), *moved)

    def get_config(self):
        return {**super().get_config(), 'learning_rate': self._plain('learning_rate'),
                'decay': self._plain('decay'), 'rho': self._plain('rho'),
                'momentum': self._plain('momentum'), 'epsilon': self.epsilon,
                'centered': self.centered}


def _mean_rows(slot, indices, values, state):
    """Updates some rows of a moving average; returns (whole average, those rows of it)."""
    with tf.control_dependencies([tf.assign(slot, slot * state['rho'])]):
        moved = K.scatter_add_rows(slot, indices, values)
        return moved, tf.gather(moved, indices)


class Adagrad(Optimizer):
    """w -= lr g / (sqrt(sum of g^2) + epsilon): Duchi et al. (2011)."""

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7,
                 name='Adagrad', **kwargs):
        if initial_accumulator_value < 0.0:
            raise misuse(ValueError('initial_accumulator_value must be non-negative: '
                                    f'{initial_accumulator_value}'))
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._initial_accumulator_value = initial_accumulator_value
        self.epsilon = _epsilon(epsilon)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The optimizer of that configuration; without arguments the sums start at 0, as in TF."""
        config = {'initial_accumulator_value': 0., **config}
        return super().from_config(config, custom_objects)

    def _create_slots(self, variables):
        for variable in variables:
            self.add_slot(variable, 'accumulator',
                          tf.constant_initializer(self._initial_accumulator_value))

    def _shared(self, dtype):
        state = super()._shared(dtype)
        # neg_lr and zero are unused, but TF creates these nodes.
        return {**state, 'epsilon': tf.convert_to_tensor(self.epsilon, dtype),
                'neg_lr': -state['lr'], 'zero': tf.zeros((), tf.int64)}

    def _dense(self, g, w, state):
        return K.training_op('ApplyAdagradV2', w, self.get_slot(w, 'accumulator'), state['lr'],
                             state['epsilon'], g)

    def _sparse(self, g, w, indices, state):
        return K.training_op('SparseApplyAdagradV2', w, self.get_slot(w, 'accumulator'),
                             state['lr'], state['epsilon'], g, indices)

    def get_config(self):
        return {**super().get_config(), 'learning_rate': self._plain('learning_rate'),
                'decay': self._plain('decay'),
                'initial_accumulator_value': self._initial_accumulator_value,
                'epsilon': self.epsilon}


class Adadelta(Optimizer):
    """w -= lr sqrt(mean step^2 + epsilon) / sqrt(mean g^2 + epsilon) g: Zeiler (2012)."""

    slots = ('accum_grad', 'accum_var')

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-7, name='Adadelta', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._set_hyper('rho', rho)
        self.epsilon = _epsilon(epsilon)

    def _create_slots(self, variables):
        for slot in self.slots:
            for variable in variables:
                self.add_slot(variable, slot)

    def _shared(self, dtype):
        return {**super()._shared(dtype), 'epsilon': tf.convert_to_tensor(self.epsilon, dtype),
                'rho': tf.identity(self._get_hyper('rho', dtype))}

    def _dense(self, g, w, state):
        return K.training_op('ApplyAdadelta', w, self.get_slot(w, 'accum_grad'),
                             self.get_slot(w, 'accum_var'), state['lr'], state['rho'],
                             state['epsilon'], g)

    def _sparse(self, g, w, indices, state):
        return K.training_op('SparseApplyAdadelta', w, self.get_slot(w, 'accum_grad'),
                             self.get_slot(w, 'accum_var'), state['lr'], state['rho'],
                             state['epsilon'], g, indices)

    def get_config(self):
        return {**super().get_config(), 'learning_rate': self._plain('learning_rate'),
                'decay': self._plain('decay'), 'rho': self._plain('rho'),
                'epsilon': self.epsilon}


class Ftrl(Optimizer):
    """Follow the regularized leader: McMahan et al. (2013), with shrinkage of the gradient."""

    def __init__(self, learning_rate=0.001, learning_rate_power=-0.5,
                 initial_accumulator_value=0.1, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, name='Ftrl',
                 l2_shrinkage_regularization_strength=0.0, **kwargs):
        super().__init__(name, **kwargs)
        _check_ftrl(initial_accumulator_value, learning_rate_power, l1_regularization_strength,
                    l2_regularization_strength, l2_shrinkage_regularization_strength)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._set_hyper('learning_rate_power', learning_rate_power)
        self._set_hyper('l1_regularization_strength', l1_regularization_strength)
        self._set_hyper('l2_regularization_strength', l2_regularization_strength)
        self._initial_accumulator_value = initial_accumulator_value
        self._shrinkage = l2_shrinkage_regularization_strength

    def _create_slots(self, variables):
        for variable in variables:
            self.add_slot(variable, 'accumulator',
                          tf.constant_initializer(self._initial_accumulator_value))
            self.add_slot(variable, 'linear')

    def _shared(self, dtype):
        state = super()._shared(dtype)
        for name in ('learning_rate_power', 'l1_regularization_strength',
                     'l2_regularization_strength'):
            state[name] = tf.identity(self._get_hyper(name, dtype))
        state['shrinkage'] = tf.cast(self._shrinkage, dtype)
        return state

    def _inputs(self, w, state, *gradient):
        shrinkage = (state['shrinkage'],) if self._shrinkage > 0 else ()
        return (w, self.get_slot(w, 'accumulator'), self.get_slot(w, 'linear'), *gradient,
                state['lr'], state['l1_regularization_strength'],
                state['l2_regularization_strength'], *shrinkage, state['learning_rate_power'])

    def _dense(self, g, w, state):
        return K.training_op('ApplyFtrlV2' if self._shrinkage > 0 else 'ApplyFtrl',
                             *self._inputs(w, state, g))

    def _sparse(self, g, w, indices, state):
        return K.training_op('SparseApplyFtrlV2' if self._shrinkage > 0 else 'SparseApplyFtrl',
                             *self._inputs(w, state, g, indices))

    def get_config(self):
        names = ('learning_rate_power', 'l1_regularization_strength',
                 'l2_regularization_strength')
        return {**super().get_config(), 'learning_rate': self._plain('learning_rate'),
                'decay': self._plain('decay'),
                'initial_accumulator_value': self._initial_accumulator_value,
                **{name: self._plain(name) for name in names},
                'l2_shrinkage_regularization_strength': self._shrinkage}


def _check_ftrl(initial, power, *strengths):
    if initial < 0.0:
        raise misuse(ValueError(f'initial_accumulator_value {initial} needs to be positive or '
                                'zero'))
    if power > 0.0:
        raise misuse(ValueError(f'learning_rate_power {power} needs to be negative or zero'))
    for strength in strengths:
        if strength < 0.0:
            raise misuse(ValueError(f'A regularization strength of {strength} needs to be positive '
                                    'or zero'))
