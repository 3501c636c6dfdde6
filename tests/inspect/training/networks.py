"""Twelve networks with one fault each, and twelve healthy ones; small, each trained for a second.

Each function takes a seed, trains, and returns the doctor's report. `python -m
tests.inspect.training.networks 10` trains all of them with 10 seeds and prints the rates.
"""
from __future__ import annotations

import sys
import warnings

import numpy as np

import tinyflow as tf

keras = tf.keras


def blobs(rng, rows=256, columns=8, classes=3):
    """Points around one centre for each class, of mean 0 and variance about 1."""
    centres = rng.randn(classes, columns)
    labels = rng.randint(0, classes, rows)
    x = (centres[labels] + 0.5 * rng.randn(rows, columns)) / 1.1
    return x.astype(np.float32), labels.astype(np.int64)


def curve(rng, rows=256):
    x = rng.uniform(-1, 1, (rows, 4)).astype(np.float32)
    y = np.sin(2 * x[:, :1]) + 0.5 * x[:, 1:2] * x[:, 2:3]
    return x, y.astype(np.float32)


def train(rng, loss, optimizer, arrays, steps=200, batch=32):
    """Trains on random batches of `arrays`, a dict of placeholders to arrays."""
    step = optimizer.minimize(loss)
    rows = len(next(iter(arrays.values())))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with tf.doctor(session, every=10) as doctor:
            for _ in range(steps):
                chosen = rng.randint(0, rows, batch)
                session.run(step, {k: v[chosen] for k, v in arrays.items()})
        return doctor.report()


def classifier(rng, data, hidden, optimizer, steps=200, init=None, bias=0., labels_are=None,
               layers=2, width=16, after=lambda logits: logits):
    x_data, y_data = data
    x = tf.placeholder(tf.float32, [None, *x_data.shape[1:]])
    y = tf.placeholder(tf.int64, [None])
    classes = int(y_data.max()) + 1
    h = x
    for _ in range(layers):
        h = tf.layers.dense(h, width, hidden, kernel_initializer=init,
                            bias_initializer=tf.constant_initializer(bias))
    logits = after(tf.layers.dense(h, classes))
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    return train(rng, loss, optimizer, {x: x_data, y: y_data}, steps)


adam, sgd = tf.train.AdamOptimizer, tf.train.GradientDescentOptimizer
he = tf.keras.initializers.he_normal


# ---- faults ------------------------------------------------------------------------------------

def dead_relu(rng):
    return classifier(rng, blobs(rng), tf.nn.relu, adam(1e-3), bias=-10.)


def saturated_units(rng):
    return classifier(rng, blobs(rng), tf.tanh, sgd(0.01),
                      init=tf.random_normal_initializer(stddev=20.))


def vanishing_gradient(rng):
    return classifier(rng, blobs(rng), tf.sigmoid, sgd(0.1), layers=10)


def exploding_gradient(rng):
    """A recurrent network with large weights, whose gradient grows with each step of time."""
    x_data = rng.randn(256, 20, 3).astype(np.float32)
    x = tf.placeholder(tf.float32, [None, 20, 3])
    y = tf.placeholder(tf.float32, [None, 1])
    kernel = tf.get_variable('recurrent', [16, 16],
                             initializer=tf.random_normal_initializer(stddev=0.6))
    inputs = tf.get_variable('inputs', [3, 16])
    h = tf.zeros([tf.shape(x)[0], 16])
    for step in range(20):
        h = tf.matmul(h, kernel) + tf.matmul(x[:, step], inputs)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1) - y))
    return train(rng, loss, sgd(1e-9), {x: x_data, y: x_data.mean((1, 2))[:, None]})


def learning_rate_high(rng):
    return classifier(rng, blobs(rng), tf.nn.relu, sgd(30.))


def learning_rate_low(rng):
    return classifier(rng, blobs(rng), tf.nn.relu, sgd(1e-6))


def input_scale(rng):
    """Pixels from 0 to 255."""
    x, y = blobs(rng)
    pixels = np.clip(128 + 60 * x, 0, 255).round().astype(np.float32)
    return classifier(rng, (pixels, y), tf.nn.relu, sgd(0.05))


def target_scale(rng):
    """Prices of houses, in dollars."""
    x_data, y_data = curve(rng)
    return regression(rng, x_data, 250_000 + 80_000 * y_data, adam(1e-3))


def label_range(rng):
    """Labels -1 and 1 for a sigmoid cross entropy."""
    x_data, y_data = blobs(rng, classes=2)
    x = tf.placeholder(tf.float32, [None, 8])
    y = tf.placeholder(tf.float32, [None, 1])
    logits = tf.layers.dense(tf.layers.dense(x, 16, tf.nn.relu), 1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=logits))
    return train(rng, loss, adam(1e-3), {x: x_data, y: 2. * y_data[:, None] - 1})


def loss_plateau(rng):
    """The labels were shuffled, the rows were not."""
    x, y = blobs(rng, rows=4096)
    return classifier(rng, (x, rng.permutation(y)), tf.nn.relu, sgd(0.05))


def nan(rng):
    """The logarithm of something that is exactly 0 for some rows."""
    x_data, _ = curve(rng)
    x_data[7] = 0.
    x = tf.placeholder(tf.float32, [None, 4])
    y = tf.placeholder(tf.float32, [None, 1])
    size = tf.log(tf.reduce_sum(tf.abs(x), 1, keepdims=True), name='log_of_size')
    h = tf.layers.dense(tf.concat([x, size], 1), 16, tf.nn.relu)
    loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1) - y))
    return train(rng, loss, adam(1e-3), {x: x_data, y: x_data[:, :1]})


def double_softmax(rng):
    return classifier(rng, blobs(rng), tf.nn.relu, adam(1e-2), after=tf.nn.softmax)


FAULTS = {'dead-relu': dead_relu, 'saturated-units': saturated_units,
          'vanishing-gradient': vanishing_gradient, 'exploding-gradient': exploding_gradient,
          'learning-rate-high': learning_rate_high, 'learning-rate-low': learning_rate_low,
          'input-scale': input_scale, 'target-scale': target_scale, 'label-range': label_range,
          'loss-plateau': loss_plateau, 'nan': nan, 'double-softmax': double_softmax}


# ---- further faults ----------------------------------------------------------------------------

def no_gradient(rng):
    """Hidden units that are rounded."""
    x_data, y_data = curve(rng)
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])
    h = tf.round(tf.layers.dense(x, 16))
    loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1) - y))
    return train(rng, loss, sgd(0.05), {x: x_data, y: y_data})


def saturated_softmax(rng):
    return classifier(rng, blobs(rng), tf.nn.relu, sgd(1e-3),
                      after=lambda logits: 1000. * logits)


def class_imbalance(rng):
    x, y = blobs(rng, rows=1000, classes=2)
    kept = (y == 0) | (np.arange(1000) % 50 == 0)
    return classifier(rng, (x[kept], y[kept]), tf.nn.relu, adam(1e-3))


def constant_feature(rng):
    x, y = blobs(rng)
    x[:, 3] = -0.37
    return classifier(rng, (x, y), tf.nn.relu, adam(1e-3))


MORE_FAULTS = {'no-gradient': no_gradient, 'saturated-softmax': saturated_softmax,
               'class-imbalance': class_imbalance, 'constant-feature': constant_feature}


# ---- healthy networks --------------------------------------------------------------------------

def regression(rng, x_data, y_data, optimizer, steps=200):
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [None, 1])
    h = tf.layers.dense(x, 32, tf.nn.relu)
    loss = tf.losses.mean_squared_error(y, tf.layers.dense(h, 1))
    return train(rng, loss, optimizer, {x: x_data, y: y_data}, steps)


def mlp_sgd(rng):
    return classifier(rng, blobs(rng), tf.nn.relu, sgd(0.1))


def mlp_tanh_momentum(rng):
    return classifier(rng, blobs(rng), tf.tanh, tf.train.MomentumOptimizer(0.02, 0.9), layers=3)


def mlp_adam_long(rng):
    """Trained until the loss is almost 0."""
    return classifier(rng, blobs(rng), tf.nn.relu, adam(5e-3), steps=500)


def regression_adam(rng):
    return regression(rng, *curve(rng), adam(1e-2))


def images(rng, rows=256):
    labels = rng.randint(0, 3, rows)
    x = 0.2 * rng.rand(rows, 8, 8, 1)
    for row, label in enumerate(labels):
        x[row, 2 * label:2 * label + 3, 1:7] += 0.7
    return x.astype(np.float32), labels.astype(np.int64)


def cnn(rng):
    x_data, y_data = images(rng)
    x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int64, [None])
    h = tf.layers.conv2d(x, 8, 3, activation=tf.nn.relu)
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.conv2d(h, 8, 2, activation=tf.nn.relu)
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(tf.layers.flatten(h), 3))
    return train(rng, loss, adam(5e-3), {x: x_data, y: y_data}, 150)


def batch_norm_and_dropout(rng):
    """Unscaled pixels, which the batch normalisation scales."""
    x_data, y_data = images(rng)
    x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int64, [None])
    h = tf.layers.conv2d(x, 8, 3)
    h = tf.nn.relu(tf.layers.batch_normalization(h, training=True))
    h = tf.layers.dropout(tf.layers.flatten(h), 0.3, training=True)
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(h, 3))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        loss = tf.identity(loss)
    return train(rng, loss, adam(5e-3), {x: 255 * x_data, y: y_data}, 150)


def lstm(rng):
    x_data = rng.randn(256, 6, 3).astype(np.float32)
    y_data = (x_data[:, :, 0].sum(1) > 0).astype(np.int64)
    x, y = tf.placeholder(tf.float32, [None, 6, 3]), tf.placeholder(tf.int64, [None])
    cell = tf.nn.rnn_cell.BasicLSTMCell(12)
    outputs, _ = tf.nn.static_rnn(cell, tf.unstack(x, axis=1), dtype=tf.float32)
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(outputs[-1], 2))
    return train(rng, loss, adam(1e-2), {x: x_data, y: y_data}, 150)


def embedding(rng):
    words = rng.randint(0, 50, (256, 5))
    y_data = ((words < 10).sum(1) > 0).astype(np.float32)[:, None]
    x, y = tf.placeholder(tf.int32, [None, 5]), tf.placeholder(tf.float32, [None, 1])
    table = tf.get_variable('embedding', [50, 8])
    h = tf.layers.dense(tf.reduce_mean(tf.nn.embedding_lookup(table, x), 1), 16, tf.nn.relu)
    loss = tf.losses.sigmoid_cross_entropy(y, tf.layers.dense(h, 1))
    return train(rng, loss, tf.train.AdagradOptimizer(0.1), {x: words, y: y_data})


def autoencoder(rng):
    """Sigmoid outputs for pictures of which most pixels are 0."""
    x_data = (images(rng)[0].reshape(-1, 64) > 0.5).astype(np.float32)
    x = tf.placeholder(tf.float32, [None, 64])
    h = tf.layers.dense(tf.layers.dense(x, 16, tf.nn.relu), 4, tf.nn.sigmoid)
    out = tf.layers.dense(tf.layers.dense(h, 16, tf.nn.relu), 64, tf.nn.sigmoid)
    return train(rng, tf.reduce_mean(tf.square(out - x)), adam(1e-2), {x: x_data})


def wide_softmax(rng):
    x_data, y_data = blobs(rng, rows=1000, columns=16, classes=200)
    return classifier(rng, (x_data, y_data), tf.nn.relu, adam(5e-3), layers=1, width=64)


def keras_fit(rng):
    x, y = blobs(rng)
    model = keras.Sequential([keras.layers.Dense(16, 'relu', input_shape=(8,)),
                              keras.layers.Dense(3, 'softmax')])
    model.compile(keras.optimizers.SGD(0.05, momentum=0.9), 'sparse_categorical_crossentropy',
                  metrics=['accuracy'])
    doctor = keras.callbacks.Doctor(every=10)
    model.fit(x, y, batch_size=32, epochs=15, verbose=0, callbacks=[doctor])
    return doctor.report()


def estimator(rng):
    x, y = blobs(rng)
    columns = [tf.feature_column.numeric_column('x', shape=[8])]
    classifier = tf.estimator.DNNClassifier([16, 16], columns, n_classes=3)
    source = tf.estimator.inputs.numpy_input_fn({'x': x}, y, 32, num_epochs=None, shuffle=True)
    hook = tf.train.DoctorHook(every=10)
    classifier.train(source, hooks=[hook], steps=150)
    return hook.report()


HEALTHY = [mlp_sgd, mlp_tanh_momentum, mlp_adam_long, regression_adam, cnn, batch_norm_and_dropout,
           lstm, embedding, autoencoder, wide_softmax, keras_fit, estimator]


def diagnose(network, seed):
    """The report about one network, in a graph of its own."""
    with tf.Graph().as_default(), warnings.catch_warnings():
        warnings.simplefilter('ignore')
        tf.set_random_seed(seed)
        return network(np.random.RandomState(seed))


def _main(seeds):
    tf.logging.set_verbosity(tf.logging.ERROR)
    for expected, network in [*FAULTS.items(), *MORE_FAULTS.items(), *[('', n) for n in HEALTHY]]:
        wrong = {}
        for seed in range(seeds):
            ids = [finding.id for finding in diagnose(network, seed)]
            if set(ids) != ({expected} if expected else set()):
                wrong[seed] = ids
        print(f'{network.__name__:24} {seeds - len(wrong)}/{seeds}', wrong or '', flush=True)


if __name__ == '__main__':
    _main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
