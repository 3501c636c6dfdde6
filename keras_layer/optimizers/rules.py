"""The optimizers: SGD, RMSprop, Adagrad, Adadelta, Adam, Adamax, Nadam, Ftrl.

Defaults are those of TF 1.15's tf.keras. Keras 2.1.6 has a learning rate of 0.01 for Adagrad, 1.0
for Adadelta and 0.002 for Adamax and Nadam.
"""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.optimizers.base import Optimizer
from tinyflow.errors import worded

__all__ = ['Adadelta', 'Adagrad', 'Adam', 'Adamax', 'Ftrl', 'Nadam', 'RMSprop', 'SGD']


def _epsilon(value):
    return K.epsilon() if value is None else value


class SGD(Optimizer):
    """w -= lr g; with momentum v = momentum v - lr g, w += v (Nesterov: w += momentum v - lr g)."""

    def __init__(self, learning_rate=0.01, momentum=0.0, nesterov=False, name='SGD', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._momentum = callable(momentum) or K.is_tensor(momentum) or momentum > 0
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise worded(ValueError('`momentum` must be between [0, 1].'))
        self._set_hyper('momentum', momentum)
        self.nesterov = nesterov
        self.slots = ('momentum',) if self._momentum else ()

    def _prepare(self, dtype):
        return {**super()._prepare(dtype),
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
        return K.scatter_add_rows(w, indices, -g * state['lr']).op

    def get_config(self):
        return {**super().get_config(), 'learning_rate': self._plain('learning_rate'),
                'decay': self._plain('decay'), 'momentum': self._plain('momentum'),
                'nesterov': self.nesterov}


class RMSprop(Optimizer):
    """w -= lr g / (sqrt(mean of g^2) + epsilon), the mean decaying by rho: Hinton (2012).

    `centered` takes the variance in place of the mean square; `momentum` is added to the step.
    """

    def __init__(self, learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False,
                 name='RMSprop', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._set_hyper('rho', rho)
        self._momentum = callable(momentum) or K.is_tensor(momentum) or momentum > 0
        if isinstance(momentum, (int, float)) and not 0 <= momentum <= 1:
            raise worded(ValueError('`momentum` must be between [0, 1].'))
        self._set_hyper('momentum', momentum)
        self.epsilon = _epsilon(epsilon)
        self.centered = centered
        self.slots = ('rms', *(('momentum',) if self._momentum else ()),
                      *(('mg',) if centered else ()))

    def _prepare(self, dtype):
        state = super()._prepare(dtype)
        rho = tf.identity(self._get_hyper('rho', dtype))
        return {**state, 'neg_lr': -state['lr'], 'epsilon': tf.convert_to_tensor(self.epsilon,
                                                                                 dtype),
                'rho': rho, 'momentum': tf.identity(self._get_hyper('momentum', dtype)),
                'one_minus_rho': 1. - rho}

    def _dense(self, g, w, state):
        rms = self.get_slot(w, 'rms')
        if self._momentum:
            return self._with_momentum('Apply', w, rms, state, g)
        mean = state['rho'] * rms + state['one_minus_rho'] * tf.square(g)
        with tf.control_dependencies([rms.assign(mean)]):
            spread = rms.value()
        if self.centered:
            mg = self.get_slot(w, 'mg')
            centre = state['rho'] * mg + state['one_minus_rho'] * g
            with tf.control_dependencies([mg.assign(centre)]):
                spread = spread - tf.square(mg.value())
        return w.assign(w - state['lr'] * g / (tf.sqrt(spread) + state['epsilon'])).op

    def _with_momentum(self, kind, w, rms, state, *gradient):
        mg = (self.get_slot(w, 'mg'),) if self.centered else ()
        return K.training_op(f'{kind}{"Centered" if self.centered else ""}RMSProp', w, *mg, rms,
                             self.get_slot(w, 'momentum'), state['lr'], state['rho'],
                             state['momentum'], state['epsilon'], *gradient)

    def _sparse(self, g, w, indices, state):
        rms = self.get_slot(w, 'rms')
        if self._momentum:
            return self._with_momentum('SparseApply', w, rms, state, g, indices)
        with tf.control_dependencies([rms.assign(rms * state['rho'])]):
            spread = tf.gather(K.scatter_add_rows(rms, indices,
                                                  g * g * state['one_minus_rho']), indices)
        if self.centered:
            mg = self.get_slot(w, 'mg')
            with tf.control_dependencies([mg.assign(mg * state['rho'])]):
                centre = tf.gather(K.scatter_add_rows(mg, indices, g * state['one_minus_rho']),
                                   indices)
            spread = spread - tf.square(centre)
        step = state['neg_lr'] * g / (tf.sqrt(spread) + state['epsilon'])
        return K.scatter_add_rows(w, indices, step).op

    def get_config(self):
        return {**super().get_config(), 'learning_rate': self._plain('learning_rate'),
                'decay': self._plain('decay'), 'rho': self._plain('rho'),
                'momentum': self._plain('momentum'), 'epsilon': self.epsilon,
                'centered': self.centered}


class Adagrad(Optimizer):
    """w -= lr g / (sqrt(sum of g^2) + epsilon): Duchi et al. (2011)."""

    def __init__(self, learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7,
                 name='Adagrad', **kwargs):
        if initial_accumulator_value < 0.0:
            raise worded(ValueError('initial_accumulator_value must be non-negative: '
                                    f'{initial_accumulator_value}'))
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._initial_accumulator_value = initial_accumulator_value
        self.epsilon = _epsilon(epsilon)

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The optimizer of that configuration; from a name alone, as in TF, its sums begin at 0."""
        config = {'initial_accumulator_value': 0., **config}
        return super().from_config(config, custom_objects)

    def _create_slots(self, variables):
        for variable in variables:
            self.add_slot(variable, 'accumulator', self._initial_accumulator_value)

    def _prepare(self, dtype):
        return {**super()._prepare(dtype), 'epsilon': tf.convert_to_tensor(self.epsilon, dtype)}

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

    def _prepare(self, dtype):
        return {**super()._prepare(dtype), 'epsilon': tf.convert_to_tensor(self.epsilon, dtype),
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


class _Moments(Optimizer):
    """What Adam and its kin have in common: decaying means m of g and v of its square."""

    slots = ('m', 'v')

    def __init__(self, learning_rate, beta_1, beta_2, epsilon, name, **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._set_hyper('beta_1', beta_1)
        self._set_hyper('beta_2', beta_2)
        self.epsilon = _epsilon(epsilon)

    def get_config(self):
        return {**super().get_config(), 'learning_rate': self._plain('learning_rate'),
                'decay': self._plain('decay'), 'beta_1': self._plain('beta_1'),
                'beta_2': self._plain('beta_2'), 'epsilon': self.epsilon}


class Adam(_Moments):
    """w -= lr m^ / (sqrt(v^) + epsilon), m and v unbiased: Kingma and Ba (2014).

    `amsgrad` takes the largest v so far: Reddi et al. (2018).
    """

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, amsgrad=False,
                 name='Adam', **kwargs):
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)
        self.amsgrad = amsgrad
        self.slots = ('m', 'v', 'vhat') if amsgrad else ('m', 'v')

    def _prepare(self, dtype):
        state = super()._prepare(dtype)
        step = tf.cast(self.iterations + 1, dtype)
        beta_1 = tf.identity(self._get_hyper('beta_1', dtype))
        beta_2 = tf.identity(self._get_hyper('beta_2', dtype))
        power_1, power_2 = tf.pow(beta_1, step), tf.pow(beta_2, step)
        rate = state['lr'] * (tf.sqrt(1 - power_2) / (1 - power_1))
        return {'lr_t': state['lr'], 'lr': rate,
                'epsilon': tf.convert_to_tensor(self.epsilon, dtype),
                'beta_1': beta_1, 'beta_1_power': power_1, 'one_minus_beta_1': 1 - beta_1,
                'beta_2': beta_2, 'beta_2_power': power_2, 'one_minus_beta_2': 1 - beta_2}

    def _dense(self, g, w, state):
        slots = [self.get_slot(w, slot) for slot in self.slots]
        return K.training_op('ApplyAdamWithAmsgrad' if self.amsgrad else 'ApplyAdam', w, *slots,
                             state['beta_1_power'], state['beta_2_power'], state['lr_t'],
                             state['beta_1'], state['beta_2'], state['epsilon'], g)

    def _sparse(self, g, w, indices, state):
        m, v = self.get_slot(w, 'm'), self.get_slot(w, 'v')
        with tf.control_dependencies([m.assign(m * state['beta_1'])]):
            mean = K.scatter_add_rows(m, indices, g * state['one_minus_beta_1'])
        with tf.control_dependencies([v.assign(v * state['beta_2'])]):
            spread = K.scatter_add_rows(v, indices, (g * g) * state['one_minus_beta_2'])
        if self.amsgrad:
            vhat = self.get_slot(w, 'vhat')
            largest = tf.maximum(vhat, spread)
            with tf.control_dependencies([vhat.assign(largest)]):
                return w.assign_sub(state['lr'] * mean / (tf.sqrt(largest)
                                                          + state['epsilon'])).op
        return w.assign_sub(state['lr'] * mean / (tf.sqrt(spread) + state['epsilon'])).op

    def get_config(self):
        return {**super().get_config(), 'amsgrad': self.amsgrad}


class Adamax(_Moments):
    """Adam with the largest decayed |g| in the place of sqrt(v): Kingma and Ba (2014), 7.1."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name='Adamax',
                 **kwargs):
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)

    def _prepare(self, dtype):
        state = super()._prepare(dtype)
        step = tf.cast(self.iterations + 1, dtype)
        beta_1 = tf.identity(self._get_hyper('beta_1', dtype))
        beta_2 = tf.identity(self._get_hyper('beta_2', dtype))
        power = tf.pow(beta_1, step)
        return {**state, 'neg_scaled_lr': -state['lr'] / (1 - power),
                'epsilon': tf.convert_to_tensor(self.epsilon, dtype), 'beta_1': beta_1,
                'beta_1_power': power, 'one_minus_beta_1': 1 - beta_1, 'beta_2': beta_2}

    def _dense(self, g, w, state):
        return K.training_op('ApplyAdaMax', w, self.get_slot(w, 'm'), self.get_slot(w, 'v'),
                             state['beta_1_power'], state['lr'], state['beta_1'],
                             state['beta_2'], state['epsilon'], g)

    def _sparse(self, g, w, indices, state):
        m, v = self.get_slot(w, 'm'), self.get_slot(w, 'v')
        mean = tf.gather(m, indices) * state['beta_1'] + g * state['one_minus_beta_1']
        largest = tf.maximum(tf.gather(v, indices) * state['beta_2'], tf.abs(g))
        old_mean, old_largest = tf.gather(m, indices), tf.gather(v, indices)
        with tf.control_dependencies([K.scatter_add_rows(m, indices, mean - old_mean),
                                      K.scatter_add_rows(v, indices, largest - old_largest)]):
            step = state['neg_scaled_lr'] * (mean / (largest + state['epsilon']))
            return K.scatter_add_rows(w, indices, step).op


class Nadam(_Moments):
    """Adam with Nesterov momentum: Dozat (2015). `decay` is the schedule_decay of its momentum."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name='Nadam',
                 **kwargs):
        kwargs['decay'] = kwargs.pop('schedule_decay', kwargs.get('decay', 0.004))
        if callable(kwargs.get('lr', learning_rate)):
            raise worded(ValueError('The Nadam optimizer does not support learning rate schedules '
                                    'as the learning rate.'))
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)
        self._momentum_cache = None

    def _decayed_lr(self, dtype):
        return self._get_hyper('learning_rate', dtype)

    def _create_slots(self, variables):
        if self._momentum_cache is None:
            self._momentum_cache = self._variable('momentum_cache', (), 'float32', 1.)
            self._weights.append(self._momentum_cache)
        super()._create_slots(variables)

    def _prepare(self, dtype):
        rate = tf.identity(self._get_hyper('learning_rate', dtype))
        beta_1 = tf.identity(self._get_hyper('beta_1', dtype))
        beta_2 = tf.identity(self._get_hyper('beta_2', dtype))
        step = tf.cast(self.iterations + 1, dtype)
        after = tf.cast(self.iterations + 2, dtype)
        base = tf.cast(0.96, dtype)
        now = beta_1 * (1. - 0.5 * tf.pow(base, self._initial_decay * step))
        then = beta_1 * (1. - 0.5 * tf.pow(base, self._initial_decay * after))
        schedule = tf.cast(self._momentum_cache, dtype) * now
        with tf.control_dependencies([self._momentum_cache.assign(schedule)]):
            schedule = tf.identity(schedule)
        following = schedule * then
        return {'neg_lr': -rate, 'epsilon': tf.convert_to_tensor(self.epsilon, dtype),
                'beta_1': beta_1, 'beta_2': beta_2, 'm_t': now, 'm_t_1': then,
                'one_minus_beta_1': 1 - beta_1, 'one_minus_beta_2': 1 - beta_2,
                'one_minus_m_t': 1. - now, 'one_minus_m_schedule_new': 1. - schedule,
                'one_minus_m_schedule_next': 1. - following,
                'v_t_prime_denominator': 1. - tf.pow(beta_2, step)}

    def _step(self, g, mean, spread, state):
        g_prime = g / state['one_minus_m_schedule_new']
        m_prime = mean / state['one_minus_m_schedule_next']
        v_prime = spread / state['v_t_prime_denominator']
        m_bar = state['one_minus_m_t'] * g_prime + state['m_t_1'] * m_prime
        return m_bar / (tf.sqrt(v_prime) + state['epsilon'])

    def _dense(self, g, w, state):
        m, v = self.get_slot(w, 'm'), self.get_slot(w, 'v')
        mean = state['beta_1'] * m + state['one_minus_beta_1'] * g
        spread = state['beta_2'] * v + state['one_minus_beta_2'] * tf.square(g)
        with tf.control_dependencies([m.assign(mean), v.assign(spread)]):
            return w.assign(w + state['neg_lr'] * self._step(g, mean, spread, state)).op

    def _sparse(self, g, w, indices, state):
        m, v = self.get_slot(w, 'm'), self.get_slot(w, 'v')
        with tf.control_dependencies([m.assign(m * state['beta_1'])]):
            mean = tf.gather(K.scatter_add_rows(m, indices, g * state['one_minus_beta_1']),
                             indices)
        with tf.control_dependencies([v.assign(v * state['beta_2'])]):
            spread = tf.gather(K.scatter_add_rows(
                v, indices, tf.square(g) * state['one_minus_beta_2']), indices)
        return K.scatter_add_rows(w, indices,
                                  state['neg_lr'] * self._step(g, mean, spread, state)).op


class Ftrl(Optimizer):
    """Follow the regularised leader: McMahan et al. (2013), with shrinkage of the gradient."""

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
            self.add_slot(variable, 'accumulator', self._initial_accumulator_value)
            self.add_slot(variable, 'linear')

    def _prepare(self, dtype):
        state = super()._prepare(dtype)
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
        raise worded(ValueError(f'initial_accumulator_value {initial} needs to be positive or '
                                'zero'))
    if power > 0.0:
        raise worded(ValueError(f'learning_rate_power {power} needs to be negative or zero'))
    for strength in strengths:
        if strength < 0.0:
            raise worded(ValueError(f'A regularization strength of {strength} needs to be positive '
                                    'or zero'))
