"""Optimizers that a program derives from tf.keras' own. The losses are TensorFlow 1.15.5's."""
import numpy as np
import pytest

import tinyflow as tf

optimizers = tf.keras.optimizers


class Momentum(optimizers.Optimizer):
    def __init__(self, learning_rate=.1, name='Momentum', **kwargs):
        super().__init__(name, **kwargs)
        self._set_hyper('learning_rate', kwargs.get('lr', learning_rate))
        self._set_hyper('decay', self._initial_decay)

    def _create_slots(self, var_list):
        for var in var_list:
            self.add_slot(var, 'm')

    def _resource_apply_dense(self, grad, var):
        m = self.get_slot(var, 'm')
        new = m.assign(.9 * m + grad, use_locking=self._use_locking)
        return var.assign_sub(self._decayed_lr(var.dtype.base_dtype) * new).op

    def _resource_apply_sparse(self, grad, var, indices):
        return self._resource_scatter_add(var, indices, -.1 * grad)

    def get_config(self):
        return {**super().get_config(), 'decay': self._serialize_hyperparameter('decay'),
                'learning_rate': self._serialize_hyperparameter('learning_rate')}


class Plain(optimizers.Optimizer):
    def __init__(self, name='Plain'):
        super().__init__(name)
        self._set_hyper('learning_rate', .05)

    def _create_slots(self, var_list):
        pass

    def _resource_apply_dense(self, grad, var, apply_state=None):
        device, dtype = var.device, var.dtype.base_dtype
        state = (apply_state or {}).get((device, dtype)) or \
            self._fallback_apply_state(device, dtype)
        return var.assign_sub(state['lr_t'] * 2 * grad).op


class Fast(optimizers.Adam):
    def _resource_apply_dense(self, grad, var, apply_state=None):
        return super()._resource_apply_dense(grad * 2, var)

    def _resource_apply_sparse(self, grad, var, indices, apply_state=None):
        return super()._resource_apply_sparse(grad * 3, var, indices)


def line(optimizer):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,),
                                                       kernel_initializer='ones')])
    model.compile(optimizer, 'mse')
    return model


def losses(model, x, y, steps=3):
    return [float(model.train_on_batch(x, y)) for _ in range(steps)]


@pytest.mark.parametrize('make, expected', [
    (lambda: Momentum(.05, decay=.1), [4., 1.96, .278]),
    (Plain, [4., .64, .1024]), (lambda: Fast(.1), [4.0, 2.89, 1.9663])])
def test_rule_of_a_variable(make, expected):
    found = losses(line(make()), np.ones((4, 2)), np.zeros((4, 1)))
    assert found == pytest.approx(expected, abs=1e-4)


def test_such_an_optimizer_is_saved_and_loaded(tmp_path):
    model, x, y = line(Momentum(.05, decay=.1)), np.ones((4, 2)), np.zeros((4, 1))
    losses(model, x, y)
    model.save(str(tmp_path / 'a.h5'))
    loaded = tf.keras.models.load_model(str(tmp_path / 'a.h5'), {'Momentum': Momentum})
    assert losses(loaded, x, y, 1) == pytest.approx([.1053], abs=1e-4)


@pytest.mark.parametrize('make, expected', [(lambda: Fast(.05), [1.0, 0.9025, 0.8102])])
def test_rule_of_rows(make, expected):
    model = tf.keras.Sequential([tf.keras.layers.Embedding(
        3, 1, input_length=2, embeddings_initializer='ones')])
    model.compile(make(), 'mse')
    found = losses(model, np.array([[0, 1], [1, 1]]), np.zeros((2, 2, 1)))
    assert found == pytest.approx(expected, abs=1e-4)


def test_a_rule_that_is_missing():
    with pytest.raises(NotImplementedError, match='Missing'):
        line(type('Missing', (optimizers.Optimizer,), {})('missing')).train_on_batch(
            np.ones((1, 2)), np.ones((1, 1)))
