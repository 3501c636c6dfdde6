"""What programs met that ran their ops at once, beyond the recorded ones; values of TF 1.15.5."""
import numpy as np
import pytest

import tinyflow as tf


def test_learning_rates_follow_the_steps():
    step = tf.Variable(0, dtype=tf.int64)
    rate = tf.train.exponential_decay(.1, step, 1, .5)
    optimizer, v = tf.train.GradientDescentOptimizer(rate), tf.Variable(1.)
    for _ in range(3):                          # each halves the rate
        optimizer.minimize(lambda: 2. * v, global_step=step)
    assert float(rate()) == pytest.approx(.0125) and v.numpy() == pytest.approx(1 - 2 * .175)


@pytest.mark.parametrize('schedule', [
    lambda t: tf.train.piecewise_constant(t, [2], [1., 0.]),
    lambda t: tf.train.polynomial_decay(1., t, 4, 0.),
    lambda t: tf.train.natural_exp_decay(1., t, 1, 50.),
    lambda t: tf.train.inverse_time_decay(1., t, 1, 1e4),
    lambda t: tf.train.cosine_decay(1., t, 4), lambda t: tf.train.cosine_decay_restarts(1., t, 8),
    lambda t: tf.train.linear_cosine_decay(1., t, 4, beta=0.),
    lambda t: tf.train.noisy_linear_cosine_decay(1., t, 4, 1e-12, beta=0.)])
def test_every_schedule_is_called_at_each_step(schedule):
    step = tf.Variable(0)
    rate = schedule(step)
    first = float(rate())
    step.assign(4)
    assert first == pytest.approx(1, abs=1e-3) and float(rate()) < .6


def test_assertions_inside_a_function():
    @tf.function
    def checked(x):
        tf.debugging.assert_positive(x)
        tf.Assert(x < 5., [x])
        return x
    assert checked(tf.constant(1.)).numpy() == 1
    for wrong in (-1., 7.):
        with pytest.raises(tf.errors.InvalidArgumentError, match='assertion failed'):
            checked(tf.constant(wrong))


def test_passes_over_a_shuffled_dataset_begin_with_the_same_seeds():
    dataset = tf.data.Dataset.range(6).shuffle(6, seed=3)
    tf.set_random_seed(1)
    passes = [[int(x) for x in dataset] for _ in range(2)]
    assert passes[0] == passes[1]
    twice = [int(x) for x in dataset.repeat(2)]
    assert twice[:6] != twice[6:]


def test_texts():
    v = tf.Variable(np.eye(2, dtype=np.float32), name='v')
    assert repr(v) == ("<tf.Variable 'v:0' shape=(2, 2) dtype=float32, numpy=\n"
                       'array([[1., 0.],\n       [0., 1.]], dtype=float32)>')
    slices = tf.IndexedSlices(tf.constant([1.]), tf.constant([2]))
    assert str(slices) == ('IndexedSlices(indices=tf.Tensor([2], shape=(1,), dtype=int32), '
                           'values=tf.Tensor([1.], shape=(1,), dtype=float32))')


def test_in():
    row = tf.constant([1, 2])
    assert row in [row] and 2 not in row        # by identity, as TensorFlow 1 compares


def test_get_variable_shares_nothing():
    with tf.variable_scope('a', reuse=True):
        v, w = tf.get_variable('x', [1]), tf.get_variable('x', [1])
    assert v is not w


# ---- custom gradients ----------------------------------------------------------------------------

def test_a_custom_gradient_of_variables():
    v = tf.Variable(2.)

    @tf.custom_gradient
    def scaled(x, by=1.):
        def grad(dy, variables=None):
            return dy * 5, [dy * 7 for _ in variables]
        return v * x * by, grad
    x = tf.constant(3.)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x, by=4.)
    assert y.numpy() == 24 and [g.numpy() for g in tape.gradient(y, [x, v])] == [5, 7]


@pytest.mark.parametrize('error, says, gradients', [
    (TypeError, "accept a keyword argument 'variables'", lambda dy: dy),
    (ValueError, 'expected to return 1 gradients, one for each of its variables',
     lambda dy, variables=None: (dy, []))])
def test_custom_gradients_that_forget_a_variable(error, says, gradients):
    v, x = tf.Variable(2.), tf.constant(3.)
    function = tf.custom_gradient(lambda x: (v * x, gradients))
    with pytest.raises(error, match=says), tf.GradientTape() as tape:
        tape.watch(x)
        tape.gradient(function(x), x)


def test_a_custom_gradient_that_forgets_an_argument():
    x = tf.constant(3.)
    function = tf.custom_gradient(lambda x, y: (x + y, lambda dy: dy))
    with tf.GradientTape() as tape:
        tape.watch(x)
        z = function(x, x)
    with pytest.raises(ValueError, match='expected to return 2 gradients'):
        tape.gradient(z, x)


# ---- Keras ---------------------------------------------------------------------------------------

def test_losses_and_metrics_that_need_values():
    def loss(y, found):
        assert found.numpy().shape == (2, 1)
        return tf.reduce_mean((y - found) ** 2)

    def bias(y, found):
        return float(np.mean(y.numpy() - found.numpy()))
    model = tf.keras.Sequential([
        tf.keras.layers.Dense(1, kernel_initializer='ones', input_shape=(2,))])
    model.compile('sgd', loss, metrics=[bias], run_eagerly=True)
    assert model.train_on_batch(np.ones((2, 2)), np.zeros((2, 1))) == [4., -2.]


def test_names_in_checkpoints(tmp_path):
    class Net(tf.keras.Model):
        def __init__(self):
            super().__init__()
            self.out = tf.keras.layers.Dense(1)

        def call(self, x):
            return self.out(x)
    layers = [tf.keras.layers.Flatten(), tf.keras.layers.Dense(1)]
    for net, name in [(Net(), 'out'), (tf.keras.Sequential(layers), 'layer-1')]:
        net(tf.ones([1, 2]))
        path = tf.train.Checkpoint(net=net).save(str(tmp_path / 'c'))
        names = dict(tf.train.list_variables(path))
        assert f'net/{name}/kernel/.ATTRIBUTES/VARIABLE_VALUE' in names


def test_functions_give_ragged_tensors():
    @tf.function
    def both(rows):
        return rows * 2, {'sum': tf.reduce_sum(rows)}
    twice, more = both(tf.ragged.constant([[[1, 2]], [[3], [4]]]))
    assert twice.to_list() == [[[2, 4]], [[6], [8]]] and more['sum'].numpy() == 10


def test_a_graphs_tape_that_recorded_nothing_says_so():
    with tf.Graph().as_default():
        x = tf.constant(1.)
        with pytest.raises(RuntimeError, match='can only be called once'):
            tf.GradientTape().gradient(x, x)


def test_without_names_the_only_function_with_a_signature_is_served(tmp_path):
    class Module(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
        def __call__(self, x):
            return {'twice': 2. * x}

        @tf.function
        def plus(self, a, b):
            return a + b
    module = Module()
    module.plus(tf.constant(1.), tf.constant(2.))
    module.plus(1, 2)
    tf.saved_model.save(module, str(tmp_path))
    served = tf.saved_model.load_v2(str(tmp_path)).signatures
    assert list(served) == ['serving_default']
    assert served['serving_default'](x=tf.constant(3.))['twice'].numpy() == 6.


def test_a_cached_session_of_a_test_case_runs_tensors():
    """Tests that are written for both modes call its `run`."""
    class Case(tf.test.TestCase):
        def runTest(self):
            """Nothing."""
    with Case().cached_session() as session:
        assert session.run({'a': tf.constant(2)}) == {'a': 2}
        with pytest.raises(RuntimeError, match='feed_dict is not supported'):
            session.run(tf.constant(2), {'a': 2})
