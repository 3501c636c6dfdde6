"""Optimizers against their formulas."""
import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
K = keras.backend


pytestmark = pytest.mark.usefixtures('new_graph')


def test_nadam():
    model = keras.Sequential([keras.layers.Dense(1, use_bias=False, input_shape=(1,),
                                                 kernel_initializer='ones')])
    model.compile(keras.optimizers.Nadam(.1, schedule_decay=5.), 'mse')
    x, w, m, v, product = 2., 1., 0., 0., 1.

    def momentum(t):
        return .9 * (1 - .5 * .96 ** (5. * t))
    for t in (1, 2, 3):
        model.train_on_batch(np.full((1, 1), x, 'f'), np.zeros((1, 1), 'f'))
        g = 2 * w * x * x
        now, then = momentum(t), momentum(t + 1)
        product *= now
        m, v = .9 * m + .1 * g, .999 * v + .001 * g * g
        mean = (1 - now) * g / (1 - product) + then * m / (1 - product * then)
        w -= .1 * mean / (np.sqrt(v / (1 - .999 ** t)) + 1e-7)
        np.testing.assert_allclose(model.get_weights()[0], [[w]], rtol=1e-4)


@pytest.mark.parametrize('make, name', [
    (lambda: keras.optimizers.SGD(decay='x'), 'decay'),
    (lambda: keras.optimizers.SGD(lr='x'), 'lr'),
    (lambda: keras.optimizers.SGD(learning_rate='x'), 'learning_rate'),
    (lambda: keras.optimizers.RMSprop(momentum='x'), 'momentum'),
    (lambda: keras.optimizers.Adam(beta_1=[0.9]), 'beta_1'),
    (lambda: keras.optimizers.Adam(clipnorm='x'), 'clipnorm')])
def test_a_hyperparameter_that_is_no_number(make, name):
    with pytest.raises(TypeError, match=f'{name} must be a number'):
        make()


def test_minimize_skips_variables_without_gradient():
    K, step = keras.backend, keras.optimizers.SGD(0.1)
    used, unused = K.variable(2.), K.variable(5.)
    with pytest.warns(UserWarning, match='Gradients do not exist'):
        train = step.minimize(used * used, [used, unused], grad_loss=K.constant(10.))
    K.get_session().run(train)
    assert K.batch_get_value([used, unused]) == [-2., 5.]


@pytest.mark.parametrize('name', ['Adam', 'SGD', 'Ftrl'])
def test_reference_variables_are_refused(name):
    """They were a bare AttributeError; TensorFlow 1.15 has no better one."""
    variable = tf.Variable([1., 2.], use_resource=False)
    with pytest.raises(ValueError, match='(?s)Variable:0.*float32_ref.*use_resource=True'):
        keras.optimizers.get(name).get_updates(tf.reduce_sum(variable ** 2), [variable])


def test_variables_are_a_method_or_a_property():
    v = tf.get_variable('v', [2], use_resource=True)
    optimizer = tf.keras.optimizers.Adam()
    optimizer.get_updates(tf.reduce_sum(v), [v])
    assert optimizer.variables() == optimizer.variables == optimizer.weights
