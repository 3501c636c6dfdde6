"""What several workers compute: a loop of one's own and Keras, against one process: FILE FOLDER"""
from __future__ import annotations

import json
import sys

import numpy as np

import tinyflow as tf

STEPS = 10


def own_loop():
    """(losses, weights) of 10 steps on a global batch of 32, with an embedding."""
    rng = np.random.RandomState(0)
    x, y = rng.rand(350, 12).astype(np.float32), rng.randint(0, 5, 350)
    with tf.Graph().as_default():
        strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
        with strategy.scope():
            initializer = tf.glorot_uniform_initializer(seed=3)
            batches = strategy.experimental_distribute_dataset(
                tf.data.Dataset.from_tensor_slices((x, y)).batch(32))
            iterator = batches.make_initializable_iterator()

            def step(batch):
                features, labels = batch
                hidden = tf.layers.dense(features, 16, tf.nn.relu, kernel_initializer=initializer)
                table = tf.get_variable('table', [5, 5], initializer=initializer)
                logits = tf.layers.dense(hidden, 5, kernel_initializer=initializer) \
                    + tf.nn.embedding_lookup(table, tf.cast(features[:, 0] * 5, tf.int32))
                loss = tf.reduce_sum(tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=labels, logits=logits)) / 32.
                train = tf.train.AdamOptimizer(0.01).minimize(loss)
                with tf.control_dependencies([train]):
                    return tf.identity(loss)
            loss = strategy.reduce('SUM', strategy.experimental_run_v2(
                step, args=(iterator.get_next(),)))
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), iterator.initialize()])
            losses = [float(session.run(loss)) for _ in range(STEPS)]
            weights = session.run(tf.trainable_variables())
            rest = 0
            try:
                while True:
                    session.run(loss)
                    rest += 1
            except tf.errors.OutOfRangeError:
                pass
    return losses, flat(weights), rest


def keras():
    """({name: last value} of fit, weights, evaluate) of three epochs, with an odd last batch."""
    rng = np.random.RandomState(1)
    x, y = rng.rand(130, 12).astype(np.float32), rng.randint(0, 5, 130)
    np.random.seed(2)
    with tf.Graph().as_default():
        strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
        with strategy.scope():
            kernel = tf.keras.initializers.glorot_uniform(seed=3)
            model = tf.keras.Sequential([
                tf.keras.layers.Dense(8, 'relu', input_shape=(12,), kernel_initializer=kernel),
                tf.keras.layers.Dense(5, 'softmax', kernel_initializer=kernel)])
            model.compile(tf.keras.optimizers.Adam(0.01, clipnorm=0.5),
                          'sparse_categorical_crossentropy', metrics=['accuracy'])
        history = model.fit(x, y, batch_size=32, epochs=3, verbose=0, validation_split=0.2).history
        return ({name: float(values[-1]) for name, values in history.items()},
                flat(model.get_weights()), [float(v) for v in model.evaluate(x, y, verbose=0)])


def flat(arrays):
    return np.concatenate([array.ravel() for array in arrays]).tolist()


def main():
    first, second = own_loop(), own_loop()
    rank = tf.distribute.experimental.MultiWorkerMirroredStrategy().extended._group.rank
    with open(f'{sys.argv[1]}/{rank}.json', 'w', encoding='utf-8') as file:
        json.dump({'loop': first, 'again': second == first, 'keras': keras()}, file)


if __name__ == '__main__':
    main()
