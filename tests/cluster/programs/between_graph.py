"""Between-graph replication with a Supervisor, as the first books on TensorFlow have it.

    python between_graph.py --job_name=ps --task_index=0 --ps_hosts=... --worker_hosts=...
"""
import argparse

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument('--framework', default='tinyflow')
parser.add_argument('--job_name')
parser.add_argument('--task_index', type=int)
parser.add_argument('--ps_hosts')
parser.add_argument('--worker_hosts')
parser.add_argument('--logdir')
parser.add_argument('--steps', type=int, default=20)
parser.add_argument('--optimizer', default='GradientDescent')
FLAGS = parser.parse_args()
tf = __import__(FLAGS.framework)

cluster = tf.train.ClusterSpec({'ps': FLAGS.ps_hosts.split(','),
                                'worker': FLAGS.worker_hosts.split(',')})
server = tf.train.Server(cluster, job_name=FLAGS.job_name, task_index=FLAGS.task_index)
if FLAGS.job_name == 'ps':
    server.join()

is_chief = FLAGS.task_index == 0
with tf.device(tf.train.replica_device_setter(
        worker_device='/job:worker/task:%d' % FLAGS.task_index, cluster=cluster)):
    global_step = tf.Variable(0, name='global_step', trainable=False)
    x = tf.placeholder(tf.float32, [None, 8])
    y = tf.placeholder(tf.float32, [None, 1])
    draw = np.random.RandomState(1)
    w1 = tf.Variable(draw.randn(8, 16).astype(np.float32) / 3, name='w1')
    b1 = tf.Variable(tf.zeros([16]), name='b1')
    w2 = tf.Variable(draw.randn(16, 1).astype(np.float32) / 4, name='w2')
    loss = tf.reduce_mean(tf.square(tf.matmul(tf.tanh(tf.matmul(x, w1) + b1), w2) - y))
    optimizer = getattr(tf.train, FLAGS.optimizer + 'Optimizer')(0.1)
    train_op = optimizer.minimize(loss, global_step=global_step)
    init_op = tf.global_variables_initializer()

supervisor = tf.train.Supervisor(is_chief=is_chief, logdir=FLAGS.logdir, init_op=init_op,
                                 global_step=global_step, recovery_wait_secs=1)
inputs = np.random.RandomState(2).randn(400, 8).astype(np.float32)
targets = np.sin(inputs.sum(1, keepdims=True))
with supervisor.managed_session(server.target) as session:
    step = 0
    while not supervisor.should_stop() and step < FLAGS.steps:
        rows = np.arange(10 * step, 10 * step + 10) % 400
        value, _, step = session.run([loss, train_op, global_step],
                                     {x: inputs[rows], y: targets[rows]})
        step = session.run(global_step)
        print('step %d loss %.9g' % (step, value), flush=True)
print('done', flush=True)
