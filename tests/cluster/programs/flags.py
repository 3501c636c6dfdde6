"""The flags and the cluster that the programs of this folder have in common.

`tf` is tinyflow, or TensorFlow where its losses are recorded.
"""
import argparse
import importlib
import os
import time

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument('--framework', default='tinyflow')
parser.add_argument('--job_name', default='worker')
parser.add_argument('--task_index', type=int, default=0)
parser.add_argument('--ps_hosts', default='')
parser.add_argument('--worker_hosts', default='')
parser.add_argument('--logdir')
parser.add_argument('--steps', type=int, default=20)
parser.add_argument('--optimizer', default='GradientDescent')
parser.add_argument('--save_steps', type=int, default=5)
parser.add_argument('--pause', type=float, default=0., help='seconds after each step')
parser.add_argument('--hold', help='a file without which there is no step after the 9th')
FLAGS = parser.parse_args()
tf = importlib.import_module(FLAGS.framework)
tf.logging.set_verbosity(tf.logging.INFO if FLAGS.framework == 'tinyflow' else tf.logging.ERROR)

cluster = tf.train.ClusterSpec({'ps': FLAGS.ps_hosts.split(','),
                                'worker': FLAGS.worker_hosts.split(',')})
WORKERS = cluster.num_tasks('worker')
INPUTS = np.random.RandomState(2).randn(400, 8).astype(np.float32)
TARGETS = np.sin(INPUTS.sum(1, keepdims=True))


def start_server():
    """The server of this task; a parameter server stays in it."""
    server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
    if FLAGS.job_name == 'ps':
        server.join()
    return server


def on_this_worker():
    """Variables go to the servers in turn, all else to this worker."""
    return tf.device(tf.train.replica_device_setter(
        worker_device='/job:worker/task:%d' % FLAGS.task_index, cluster=cluster))


def network(x, y):
    """The loss of a network with one hidden layer."""
    draw = np.random.RandomState(1)
    w1 = tf.get_variable('w1', initializer=draw.randn(8, 16).astype(np.float32) / 3)
    b1 = tf.get_variable('b1', [16], initializer=tf.zeros_initializer())
    w2 = tf.get_variable('w2', initializer=draw.randn(16, 1).astype(np.float32) / 4)
    return tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, w1) + b1), w2) - y))


def rows_of(step):
    """The batch of this worker in a global step."""
    first = 10 * (WORKERS * step + FLAGS.task_index)
    return np.arange(first, first + 10) % 400


def pause(step):
    """What follows each step. A task that is lost at the very end could not be made up for: those
    that are done would not come back.
    """
    time.sleep(FLAGS.pause)
    while FLAGS.hold and step >= 9 and not os.path.exists(FLAGS.hold):
        time.sleep(0.005)


def say(text, *values):
    print(text % values, flush=True)
