"""Random networks train to the same numbers in both tiers.

They have what native code computes: convolutions, pooling, normalisation, softmax, looked-up rows,
random numbers, optimizers' updates. TINYFLOW_RANDOM_PROGRAMS=20000 says how many of them.
"""
from __future__ import annotations

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

import tinyflow as tf
from tinyflow.native import loops, onednn
from tinyflow.native.loops import groups, updates
from tinyflow.session import tiers

MANY = int(os.environ.get('TINYFLOW_RANDOM_PROGRAMS', 150))
PROFILE = settings(deadline=None, derandomize=True, phases=[Phase.generate],
                   suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
STEPS = 3

pytestmark = pytest.mark.skipif(not (loops.found() and onednn.found()),
                                reason='needs the extra "fast"')


@pytest.fixture(scope='module', autouse=True)
def loops_of_any_size():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groups, 'LEAST', 1)
        patch.setattr(tiers, '_LEAST', 1)
        patch.setattr(updates, '_LEAST', 1)
        yield


def activation(draw):
    return draw(st.sampled_from([tf.nn.tanh, tf.nn.relu, tf.nn.elu, tf.nn.sigmoid, tf.nn.softplus,
                                 tf.nn.leaky_relu, tf.identity]))


class ImageLayers:
    """Layers of images [batch, rows, columns, channels], each drawn with its options."""

    def __init__(self, draw):
        self.draw = draw

    def size(self):
        return self.draw(st.integers(1, 3))

    def padding(self):
        return self.draw(st.sampled_from(['same', 'valid']))

    def conv(self, x):
        strides, rate = self.draw(st.sampled_from([(1, 1), (1, 1), (2, 1), (1, 2)]))
        return tf.layers.conv2d(
            x, self.draw(st.sampled_from([1, 3, 8, 16])), self.size(), strides, 'same',
            dilation_rate=rate, use_bias=self.draw(st.booleans()), activation=activation(self.draw))

    def narrow_conv(self, x):
        size = min(self.size(), *x.shape.as_list()[1:3])
        return tf.layers.conv2d(x, 8, size, padding='valid', activation=activation(self.draw))

    def separable(self, x):
        return tf.layers.separable_conv2d(
            x, 8, self.size(), padding='same', activation=activation(self.draw),
            depth_multiplier=self.draw(st.integers(1, 2)))

    def transposed(self, x):
        return tf.layers.conv2d_transpose(x, 4, self.size(), self.draw(st.integers(1, 2)), 'same',
                                          activation=activation(self.draw))

    def pooled(self, x):
        pool = self.draw(st.sampled_from([tf.layers.max_pooling2d, tf.layers.average_pooling2d]))
        size = min(self.size(), *x.shape.as_list()[1:3])
        return pool(x, size, self.draw(st.integers(1, 2)), self.padding())

    def normalized(self, x):
        return tf.layers.batch_normalization(x, training=self.draw(st.booleans()), fused=True)

    def resized(self, x):
        return tf.image.resize_bilinear(x, [self.draw(st.integers(3, 9)) for _ in range(2)],
                                        align_corners=self.draw(st.booleans()))

    def dropped(self, x):
        return tf.nn.dropout(x, keep_prob=0.7, seed=self.draw(st.integers(0, 3)))

    def added(self, x):
        return x + tf.layers.conv2d(x, x.shape[3].value, 3, padding='same')

    def network(self, batch):
        """(the fed placeholder, features [batch, n])."""
        shape = (batch, *[self.draw(st.integers(4, 10)) for _ in range(2)],
                 self.draw(st.sampled_from([1, 3, 4])))
        inputs = x = tf.placeholder(tf.float32, shape)
        kinds = [self.conv, self.conv, self.narrow_conv, self.separable, self.transposed,
                 self.pooled, self.pooled, self.normalized, self.normalized, self.resized,
                 self.dropped, self.added]
        for kind in self.draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=5)):
            x = kind(x)
        return inputs, tf.layers.flatten(x)


def words(draw, batch):
    """(the fed placeholder, features [batch, n] of looked-up rows)."""
    ids = tf.placeholder(tf.int32, [batch, draw(st.integers(1, 4))])
    table = tf.get_variable('table', [9, draw(st.sampled_from([1, 4, 8]))])
    return ids, tf.layers.flatten(tf.nn.embedding_lookup(table, ids))


def loss_of(draw, logits, labels):
    one_hot = tf.one_hot(labels, 4)
    kind = draw(st.sampled_from(['sparse', 'dense', 'sigmoid', 'softmax', 'log']))
    if kind == 'sparse':
        return tf.losses.sparse_softmax_cross_entropy(labels, logits)
    if kind == 'dense':
        return tf.losses.softmax_cross_entropy(one_hot, logits, label_smoothing=0.1)
    if kind == 'sigmoid':
        return tf.losses.sigmoid_cross_entropy(one_hot, logits)
    if kind == 'softmax':
        return tf.losses.mean_squared_error(one_hot, tf.nn.softmax(logits))
    return -tf.reduce_mean(one_hot * tf.nn.log_softmax(logits))


def optimizer(draw):
    """One that does not enlarge rounding errors: a gradient that should be 0 stays small."""
    train = tf.train
    return draw(st.sampled_from([
        lambda: train.GradientDescentOptimizer(0.1),
        lambda: train.AdamOptimizer(0.01, epsilon=1e-3),
        lambda: train.MomentumOptimizer(0.05, 0.9),
        lambda: train.MomentumOptimizer(0.05, 0.9, use_nesterov=True),
        lambda: train.AdagradOptimizer(0.1), lambda: train.RMSPropOptimizer(0.01, epsilon=1e-3),
        lambda: train.RMSPropOptimizer(0.01, epsilon=1e-3, centered=True),
        lambda: train.AdadeltaOptimizer(0.1, epsilon=1e-3),
        lambda: train.FtrlOptimizer(0.1, l2_regularization_strength=0.01)]))()


def build(draw):
    """(fed placeholders, labels, loss, train op) of a random network."""
    batch = draw(st.integers(1, 6))
    fed, features = words(draw, batch) if draw(st.integers(0, 3)) == 0 \
        else ImageLayers(draw).network(batch)
    hidden = tf.layers.dense(features, draw(st.sampled_from([3, 16])), activation(draw))
    labels = tf.placeholder(tf.int32, [batch])
    loss = loss_of(draw, tf.layers.dense(hidden, 4), labels)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        return fed, labels, loss, optimizer(draw).minimize(loss)


def train(mode, threads, fed, labels, loss, step):
    """The losses of some steps, then the values of all Variables."""
    rng = np.random.RandomState(5)
    variables = tf.global_variables()
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with pytest.MonkeyPatch.context() as patch, tf.Session(config=config) as session:
        patch.setenv('TINYFLOW_NATIVE', mode)
        session.run(tf.global_variables_initializer())
        losses = []
        for _ in range(STEPS):
            x = rng.randint(0, 9, fed.shape) if fed.dtype == tf.int32 \
                else rng.normal(size=fed.shape)
            feeds = {fed: x, labels: rng.randint(0, 4, labels.shape)}
            losses.append(session.run([loss, step], feeds)[0])
        return [np.array(losses), *session.run(variables)]


def check(data):
    with tf.Graph().as_default():
        tf.set_random_seed(data.draw(st.integers(1, 5)))
        network = build(data.draw)
        threads = data.draw(st.integers(1, 2))
        expected, native, again = [train(mode, threads, *network)
                                   for mode in ('off', 'always', 'always')]
        names = ['losses', *[v.name for v in tf.global_variables()]]
    for name, a, b, c in zip(names, expected, native, again):
        assert np.array_equal(b, c, equal_nan=True), f'{name}: other bits in another Session'
        assert np.isfinite(a).all() and np.isfinite(b).all()
        # A rounding may decide on which side of a ReLU's edge a number is.
        most = np.linalg.norm(a) + 1e-2
        assert np.linalg.norm(a - b) < 0.01 * most, f'{name}: {a} and {b}'


@pytest.mark.slow
@given(data=st.data())
@settings(PROFILE, max_examples=6)
def test_networks_train_alike_in_both_tiers(data):
    check(data)


@pytest.mark.thorough
@given(data=st.data())
@settings(PROFILE, max_examples=MANY)
def test_many_networks_train_alike_in_both_tiers(data):
    check(data)
