"""An Estimator that trains to the end in one folder, and is killed in another: FOLDER [resume]"""
import hashlib
import os
import signal
import sys

import numpy as np

import tinyflow as tf

STRATEGY = tf.distribute.experimental.MultiWorkerMirroredStrategy()
RANK = STRATEGY.extended._group.rank
KILLED_AT, STEPS = 17, 25


def input_fn(input_context=None):
    x = np.random.RandomState(0).rand(320, 6).astype(np.float32)
    data = tf.data.Dataset.from_tensor_slices((x, x[:, :1]))
    data = data.shard(input_context.num_input_pipelines, input_context.input_pipeline_id)
    return data.shuffle(100, seed=1).repeat().batch(16)


def model_fn(features, labels, mode):
    hidden = tf.layers.batch_normalization(tf.layers.dense(features, 8), training=True)
    hidden = tf.nn.dropout(hidden, rate=0.2)
    loss = tf.losses.mean_squared_error(labels, tf.layers.dense(hidden, 1))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=step)


class Kill(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        if RANK == 1 and run_context.session.run(tf.train.get_global_step()) == KILLED_AT:
            os.kill(os.getpid(), signal.SIGKILL)


def train(folder, hooks=()):
    config = tf.estimator.RunConfig(model_dir=folder, tf_random_seed=1, save_checkpoints_steps=10,
                                    train_distribute=STRATEGY)
    tf.estimator.Estimator(model_fn, config=config).train(input_fn, max_steps=STEPS, hooks=hooks)
    if RANK == 0:
        reader = tf.train.load_checkpoint(tf.train.latest_checkpoint(folder))
        data = b''.join(reader.get_tensor(name).tobytes()
                        for name in sorted(reader.get_variable_to_shape_map()))
        print('WEIGHTS', f'"{hashlib.md5(data).hexdigest()}"', flush=True)


def main():
    if sys.argv[2:] == ['resume']:
        train(sys.argv[1] + '/killed')
    else:
        train(sys.argv[1] + '/whole')
        train(sys.argv[1] + '/killed', [Kill()])


main()
