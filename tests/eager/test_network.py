"""tfe.Network, and weights of tf.layers, whose Variables are in no collection."""
import numpy as np
import pytest

import tinyflow as tf


class Net(tf.contrib.eager.Network):
    def __init__(self, name=None):
        super().__init__(name=name)
        self.hidden = self.track_layer(tf.layers.Dense(2, activation=tf.nn.relu))
        self.norm = self.track_layer(tf.layers.BatchNormalization())
        self.out = self.track_layer(tf.layers.Dense(3))

    def call(self, x):
        return self.out(self.norm(self.hidden(x)))


def test_weights_of_a_layer_are_trainable():
    layer = tf.layers.Dense(2)
    layer(tf.ones([1, 3]))
    assert [v.shape.as_list() for v in layer.trainable_weights] == [[3, 2], [2]]
    assert layer.non_trainable_weights == []


def test_the_weights_of_a_network_are_those_of_its_layers():
    net = Net(name='abc')
    assert net(tf.ones([4, 5])).shape == (4, 3)
    assert [v.name for v in net.trainable_weights] == [
        'abc/dense/kernel:0', 'abc/dense/bias:0', 'abc/batch_normalization/gamma:0',
        'abc/batch_normalization/beta:0', 'abc/dense_1/kernel:0', 'abc/dense_1/bias:0']
    assert len(net.non_trainable_weights) == 2 and len(net.variables) == 8
    assert net.layers == [net.hidden, net.norm, net.out] and net.get_layer(index=2) is net.out
    assert net.get_layer(net.norm.name) is net.norm


def test_a_network_learns():
    net = Net()
    x = np.eye(4, dtype=np.float32)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    losses = []
    for _ in range(5):
        with tf.GradientTape() as tape:
            loss = tf.losses.mean_squared_error(np.ones([4, 3], np.float32), net(x))
        optimizer.apply_gradients(zip(tape.gradient(loss, net.trainable_weights),
                                      net.trainable_weights))
        losses.append(float(loss))
    assert losses[-1] < losses[0]


def test_layers_that_are_not_there():
    net = Net()
    with pytest.raises(TypeError, match="passed type <class 'int'>, not a tf.layers.Layer"):
        net.track_layer(3)
    for wrong in [{}, {'name': 'no'}, {'index': 3}]:
        with pytest.raises(ValueError, match='layer'):
            net.get_layer(**wrong)


def doubled(x, training=False):
    return 2. * x if training else x


def test_a_sequence_of_layers_and_functions():
    net = tf.contrib.eager.Sequential([
        tf.layers.Dense(2, kernel_initializer=tf.ones_initializer()), tf.negative, doubled])
    assert net(tf.ones([1, 3])).numpy().tolist() == [[-3., -3.]]
    assert net(tf.ones([1, 3]), training=True).numpy().tolist() == [[-6., -6.]]
    assert len(net.trainable_weights) == 2
    with pytest.raises(TypeError, match='takes only tf.layers.Layer objects or callables'):
        net.add(3)


def test_every_test_method_runs_in_a_graph_and_at_once():
    seen = []

    @tf.contrib.eager.run_all_tests_in_graph_and_eager_modes
    class Case:
        def test_one(self):
            seen.append(tf.executing_eagerly())

        def other(self):
            seen.append('other')
    Case().test_one()
    Case().other()
    assert seen == [False, True, 'other']


def test_calls_of_metrics_give_what_tensorflow_gives():
    metrics = tf.contrib.eager.metrics
    mean = metrics.Mean()
    assert mean([1., 2., 3.]).numpy() == 6. and mean.result().numpy() == 2.
    values, weights = mean([1., 2.], [1., 0.])
    assert (values.numpy().tolist(), weights.numpy().tolist()) == ([1., 0.], [1., 0.])
    assert mean.result().numpy() == 7. / 4
    assert metrics.Accuracy()([1, 2], [1, 3], weights=[1., 0.]) == ([1, 2], [1, 3], [1., 0.])
