"""Two workers of which one kills itself at step 30; cluster.py starts it: cluster_killed.py FOLDER

FOLDER/killed has the time of the kill, FOLDER/continued that of the first step afterwards.
"""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

import tinyflow as tf

KILLED_AT, STEPS = 30, 40
FOLDER = Path(sys.argv[1])
IS_RESTARTED = (FOLDER / "killed").exists()
STRATEGY = tf.distribute.experimental.MultiWorkerMirroredStrategy()


def model_fn(features, labels, mode):
    hidden = tf.layers.dense(features, 512, tf.nn.relu)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(hidden, 10))
    train = tf.train.GradientDescentOptimizer(0.001).minimize(
        loss, global_step=tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


def input_fn():
    draw = np.random.RandomState(0)
    rows = draw.rand(128, 784).astype("float32"), draw.randint(0, 10, 128)
    return tf.data.Dataset.from_tensors(rows).repeat()


class Kill(tf.train.SessionRunHook):
    def after_run(self, run_context, run_values):
        killed, continued = FOLDER / "killed", FOLDER / "continued"
        if IS_RESTARTED:
            if not continued.exists():
                continued.write_text(repr(time.time()))
        elif config.global_id_in_cluster == 1 and \
                run_context.session.run(tf.train.get_global_step()) >= KILLED_AT:
            killed.write_text(repr(time.time()))
            os.kill(os.getpid(), signal.SIGKILL)


config = tf.estimator.RunConfig(model_dir=str(FOLDER / "model"), save_checkpoints_steps=10,
                                train_distribute=STRATEGY)
tf.estimator.train_and_evaluate(
    tf.estimator.Estimator(model_fn, config=config),
    tf.estimator.TrainSpec(input_fn, max_steps=STEPS, hooks=[Kill()]),
    tf.estimator.EvalSpec(input_fn, steps=1))
