"""Adam, Adamax and Nadam: optimizers with moving averages of gradients and their squares."""
from __future__ import annotations

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.optimizers.base import Optimizer
from tinyflow.graph.support.errors import misuse

__all__ = ['Adam', 'Adamax', 'Nadam']


class _Moments(Optimizer):
    """Base of Adam, Adamax and Nadam: moving averages m of g and v of its square."""

    slots = ('m', 'v')

    def __init__(self, learning_rate, beta_1, beta_2, epsilon, name, **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)
        self._set_hyper('beta_1', beta_1)
        self._set_hyper('beta_2', beta_2)
        self.epsilon = K.epsilon() if epsilon is None else epsilon

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

    def _shared(self, dtype):
        state = super()._shared(dtype)
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
        scaled = g * state['one_minus_beta_1']
        with tf.control_dependencies([tf.assign(m, m * state['beta_1'])]):
            mean = K.scatter_add_rows(m, indices, scaled)
        squares = (g * g) * state['one_minus_beta_2']
        with tf.control_dependencies([tf.assign(v, v * state['beta_2'])]):
            spread = K.scatter_add_rows(v, indices, squares)
        moved = [mean, spread]
        if self.amsgrad:
            vhat = self.get_slot(w, 'vhat')
            largest = tf.maximum(vhat, spread)
            with tf.control_dependencies([largest]):
                spread = tf.assign(vhat, largest)
            moved.append(spread)
        root = tf.sqrt(spread)
        step = tf.assign_sub(w, state['lr'] * mean / (root + state['epsilon']))
        return tf.group(step, *moved)

    def get_config(self):
        return {**super().get_config(), 'amsgrad': self.amsgrad}


class Adamax(_Moments):
    """Adam with the infinity norm instead of sqrt(v): Kingma and Ba (2014), 7.1."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name='Adamax',
                 **kwargs):
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)

    def _shared(self, dtype):
        state = super()._shared(dtype)
        step = tf.cast(self.iterations + 1, dtype)
        beta_1 = tf.identity(self._get_hyper('beta_1', dtype))
        beta_2 = tf.identity(self._get_hyper('beta_2', dtype))
        power = tf.pow(beta_1, step)
        return {**state, 'neg_scaled_lr': -state['lr'] / (1 - power),
                'epsilon': tf.convert_to_tensor(self.epsilon, dtype), 'beta_1': beta_1,
                'beta_1_power': power, 'one_minus_beta_1': 1 - beta_1, 'beta_2': beta_2,
                'zero': tf.zeros((), tf.int64)}

    def _dense(self, g, w, state):
        return K.training_op('ApplyAdaMax', w, self.get_slot(w, 'm'), self.get_slot(w, 'v'),
                             state['beta_1_power'], state['lr'], state['beta_1'],
                             state['beta_2'], state['epsilon'], g)

    def _sparse(self, g, w, indices, state):
        m, v = self.get_slot(w, 'm'), self.get_slot(w, 'v')
        mean = tf.gather(m, indices) * state['beta_1'] \
            + g * state['one_minus_beta_1']
        with tf.control_dependencies([mean]):
            new_m = K.scatter_update_rows(m, indices, mean)
        largest = tf.maximum(tf.gather(v, indices) * state['beta_2'],
                             tf.abs(g))
        with tf.control_dependencies([largest]):
            new_v = K.scatter_update_rows(v, indices, largest)
        step = state['neg_scaled_lr'] * (mean / (largest + state['epsilon']))
        with tf.control_dependencies([step]):
            new_w = K.scatter_add_rows(w, indices, step)
        return tf.group(new_w, new_m, new_v)


class Nadam(_Moments):
    """Adam with Nesterov momentum: Dozat (2015). `decay` is the schedule_decay of its momentum."""

    def __init__(self, learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, name='Nadam',
                 **kwargs):
        kwargs['decay'] = kwargs.pop('schedule_decay', kwargs.get('decay', 0.004))
        if callable(kwargs.get('lr', learning_rate)):
            raise misuse(ValueError('The Nadam optimizer does not support learning rate schedules '
                                    'as the learning rate.'))
        super().__init__(learning_rate, beta_1, beta_2, epsilon, name, **kwargs)
        self._momentum_cache = None

    def _create_slots(self, variables):
        if self._momentum_cache is None:
            self._momentum_cache = self._variable('momentum_cache', (), 'float32',
                                                  tf.ones_initializer())
            self._weights.append(self._momentum_cache)
        super()._create_slots(variables)

    def _shared(self, dtype):
        before = tf.identity(self._momentum_cache)
        rate = tf.identity(self._get_hyper('learning_rate', dtype))
        beta_1 = tf.identity(self._get_hyper('beta_1', dtype))
        beta_2 = tf.identity(self._get_hyper('beta_2', dtype))
        step = tf.cast(self.iterations + 1, dtype)
        after = tf.cast(self.iterations + 2, dtype)
        base = tf.cast(0.96, dtype)
        now = beta_1 * (1. - 0.5 * tf.pow(base, self._initial_decay * step))
        then = beta_1 * (1. - 0.5 * tf.pow(base, self._initial_decay * after))
        schedule = tf.cast(before, dtype) * now
        if schedule.dtype == self._momentum_cache.dtype:
            schedule = tf.identity(tf.assign(self._momentum_cache, schedule))
        following = schedule * then
        return {'lr': rate, 'neg_lr': -rate,
                'epsilon': tf.convert_to_tensor(self.epsilon, dtype),
                'beta_1': beta_1, 'beta_2': beta_2, 'm_t': now, 'm_t_1': then,
                'one_minus_beta_1': 1 - beta_1, 'one_minus_beta_2': 1 - beta_2,
                'one_minus_m_t': 1. - now, 'one_minus_m_schedule_new': 1. - schedule,
                'one_minus_m_schedule_next': 1. - following,
                'v_t_prime_denominator': 1. - tf.pow(beta_2, step)}

    def _dense(self, g, w, state):
        m, v = self.get_slot(w, 'm'), self.get_slot(w, 'v')
        g_prime = g / state['one_minus_m_schedule_new']
        mean = tf.assign(m, state['beta_1'] * m + state['one_minus_beta_1'] * g)
        m_prime = mean / state['one_minus_m_schedule_next']
        spread = tf.assign(v, state['beta_2'] * v + state['one_minus_beta_2'] * tf.square(g))
        v_prime = spread / state['v_t_prime_denominator']
        m_bar = state['one_minus_m_t'] * g_prime + state['m_t_1'] * m_prime
        return tf.assign(w, w - state['lr'] * m_bar / (tf.sqrt(v_prime) + state['epsilon'])).op

    def _sparse(self, g, w, indices, state):
        m, v = self.get_slot(w, 'm'), self.get_slot(w, 'v')
        g_prime = g / state['one_minus_m_schedule_new']
        scaled = g * state['one_minus_beta_1']
        with tf.control_dependencies([tf.assign(m, m * state['beta_1'])]):
            mean = tf.gather(K.scatter_add_rows(m, indices, scaled), indices)
        m_prime = mean / state['one_minus_m_schedule_next']
        m_bar = state['one_minus_m_t'] * g_prime + state['m_t_1'] * m_prime
        squares = (g * g) * state['one_minus_beta_2']
        with tf.control_dependencies([tf.assign(v, v * state['beta_2'])]):
            new_v = K.scatter_add_rows(v, indices, squares)
            spread = tf.gather(new_v, indices)
        root = tf.sqrt(spread / state['v_t_prime_denominator']) + state['epsilon']
        new_w = K.scatter_add_rows(w, indices, state['neg_lr'] * m_bar / root)
        return tf.group(new_w, m_bar, new_v)
