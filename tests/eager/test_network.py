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
