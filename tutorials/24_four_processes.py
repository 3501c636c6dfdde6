# %% [markdown]
# # 24. One program, four processes
#
# *You need lesson 5, and `pip install 'tinyflow-graph[cluster]'`. It takes 25 minutes. Afterwards
# you can train one model in several processes with parameter servers.*
#
# A training that is too slow for one process can have several: *workers* compute gradients, each
# from its own rows, and a *parameter server* (`ps`) keeps the Variables that all of them read and
# update. They all run the same program, and each builds the same graph. What a process does follows
# from its task: job and index, such as `worker` 1.

# %%
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from helpers import output, show_picture

import tinyflow as tf

# %% [markdown]
# ## The program
#
# It is a text here, since it runs in other processes. Three things are new in it:
#
# - A `tf.train.Server` makes the process a task of the cluster. The `ps` only joins it: it waits
#   and computes what others ask of it.
# - `replica_device_setter` places Variables on the `ps`, and all else on this worker.
# - The session's `master` is the server. Worker 0, the chief, initializes; the others wait for it.
#
# After the training a new session finds the trained weights: they belong to the server.

# %%
PROGRAM = '''
import tinyflow as tf
from tinyflow.api.data_sets import load_digits

me = tf.distribute.cluster_resolver.TFConfigClusterResolver()
server = tf.train.Server(me.cluster_spec(), me.task_type, me.task_id)
if me.task_type == 'ps':
    server.join()

worker = f'/job:worker/task:{me.task_id}'
with tf.device(tf.train.replica_device_setter(cluster=me.cluster_spec(), worker_device=worker)):
    x = tf.placeholder(tf.float32, [None, 64], name='x')
    y = tf.placeholder(tf.int64, [None], name='y')
    weights = tf.get_variable('weights', [64, 10], initializer=tf.zeros_initializer())
    bias = tf.get_variable('bias', [10], initializer=tf.zeros_initializer())
    logits = tf.matmul(x, weights) + bias
    loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss, step)

images, labels = load_digits()
images = images.reshape(-1, 64) / 16
mine, test = slice(me.task_id, 1500, 3), slice(1500, None)      # every third row

made = 0
alone = tf.ConfigProto(device_filters=['/job:ps', worker])      # waits for no other worker
with tf.train.MonitoredTrainingSession(
        server.target, is_chief=me.task_id == 0, config=alone,
        hooks=[tf.train.StopAtStepHook(last_step=400)]) as session:
    while not session.should_stop():
        session.run(train, {x: images[mine], y: labels[mine]})
        made += 1
print('made', made, 'steps')

if me.task_id == 0:
    with tf.Session(server.target, config=alone) as session:
        right = session.run(accuracy, {x: images[test], y: labels[test]})
        print(f'{right:.0%} of the digits in the test file are named right')
'''

folder = tempfile.TemporaryDirectory()
script = Path(folder.name, 'train.py')
script.write_text(PROGRAM, encoding='utf-8')

# %% [markdown]
# ## Four processes
#
# `python -m tinyflow launch` starts it four times, and gives each process the addresses of all and
# its own task in the environment variable `TF_CONFIG`. On several machines something else sets that
# variable; the program is the same.

# %%
command = [sys.executable, '-m', 'tinyflow', 'launch', '--ps', '1', '--workers', '3', '--no-chief',
           str(script)]
print('$ python -m tinyflow launch --ps 1 --workers 3 --no-chief train.py')
done = subprocess.run(command, capture_output=True, text=True)
print(done.stdout, done.stderr)

# The lesson checks itself: no step was lost or made twice.
made = [int(number) for number in re.findall(r'made (\d+) steps', done.stdout)]
assert done.returncode == 0 and len(made) == 3
assert 400 <= sum(made) < 410
print(f'{len(made)} workers made {sum(made)} steps together')
folder.cleanup()

# %% [markdown]
# The 400 steps are not divided in advance: each worker makes steps until the global step, which is
# also on the server, has reached 400. A worker that is slow or comes late makes fewer. Steps of
# two workers may also overlap; then a gradient is added to weights that have changed in between.
# Such training is called *asynchronous*: it is fast, and its numbers differ from run to run.

# %% [markdown]
# ## Who computes what
#
# `session.run` cuts the graph where a value passes from one task to another. The pieces are called
# stages. For a look at them two tasks in this process will do.

# %%
(server,), (ps,) = tf.test.create_local_cluster(num_workers=1, num_ps=1)

with tf.device(tf.train.replica_device_setter(1, worker_device='/job:worker/task:0')):
    x = tf.placeholder(tf.float32, [None, 64], name='x')
    y = tf.placeholder(tf.int64, [None], name='y')
    weights = tf.get_variable('weights', [64, 10], initializer=tf.zeros_initializer())
    loss = tf.losses.sparse_softmax_cross_entropy(y, tf.matmul(x, weights))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)

with tf.Session(server.target) as session:
    session.run(tf.global_variables_initializer())
    rows = {x: np.zeros([500, 64]), y: np.zeros([500])}
    stages = session.stages(train, rows)
    print(stages)
    session.run(train, rows)

# %% [markdown]
# A step of training has three levels: the server sends the weights, the worker computes the
# gradient, the server applies it. What needs no weights, the worker computes in the meantime. Only
# weights and their gradient cross, 64 x 10 numbers of four bytes each way; the 500 rows stay where
# they are.

# %%
crossings = [(str(a.task), str(b.task), stages.nbytes(tensors))
             for a, b, tensors in stages.crossings()]
print(crossings)
# The lesson checks itself: only these cross.
assert [size for _, _, size in crossings] == [64 * 10 * 4] * 2

stages.save(output('24_four_processes.svg'))
show_picture('\nThe stages as a picture:', output('24_four_processes.svg'))

# %% [markdown]
# ## Without a server: a strategy
#
# Parameter servers are one way. In the other each worker keeps all Variables, and all make the same
# steps at the same time, with the *mean* of their gradients. A **strategy** does that: the model is
# made in its scope, the rest of the program is as always. `MultiWorkerMirroredStrategy` has one
# worker per process (`python -m tinyflow launch --workers 4 train.py`, or mpiexec);
# `MirroredStrategy` has several in one process, which shows it in one graph:

# %%
tf.reset_default_graph()
strategy = tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:1'])
with strategy.scope():
    weight = tf.Variable(2.0, name='weight')

    def loss_on_replica(target):
        """The loss of this replica's row."""
        return tf.square(weight - target, name='loss')

    targets = tf.data.Dataset.from_tensor_slices([2.0, 4.0, 1.0, 1.0]).batch(2)
    iterator = strategy.make_dataset_iterator(targets)
    losses = strategy.experimental_run_v2(loss_on_replica, [iterator.get_next()])
    mean = strategy.reduce(tf.distribute.ReduceOp.MEAN, losses, axis=None)

with tf.Session() as session:
    session.run([tf.global_variables_initializer(), iterator.initialize()])
    means = session.run(mean), session.run(mean)
    print('the mean loss of two replicas:', *means)

# The lesson checks itself: (0 + 4) / 2 and (1 + 1) / 2.
assert [float(each) for each in np.ravel(means)] == [2.0, 1.0]

# %% [markdown]
# **What to remember.** A graph may lie on several machines: a device string says where a node runs,
# and what crosses between them is sent by itself. Parameter servers keep the Variables in one
# place; a strategy keeps a copy in each worker and takes the mean of the gradients.
#
# **Try it.** Feed 10 rows in place of 500: does less cross? Give the strategy a third replica, six
# targets and batches of 3: what are the two means now?

# %% [markdown]
# Next lesson: [25. Build it yourself](25_build_it_yourself.py).
