"""One process of a measured cluster; cluster.py starts it, once for each task.

    python cluster_task.py FRAMEWORK ROW JOB INDEX CLUSTER SECONDS

The source is the same for both frameworks. A worker prints one line of JSON: its milliseconds.
"""

import json
import os
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path
from statistics import median

WARMUP = 30
SIZES = {"1 KB": 256, "5 MB": 1310720, "100 MB": 26214400}


def main():
    framework, row, job, index, cluster, seconds = sys.argv[1:]
    tf = import_module(framework)
    tf.logging.set_verbosity(tf.logging.ERROR)
    cluster, index, seconds = json.loads(cluster), int(index), float(seconds)
    if row == "MultiWorkerMirrored":
        return all_reduce(tf, seconds)
    server = tf.train.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=index)
    if job == "ps":
        server.join()
    here = "/job:worker/task:%d" % index
    work = push_pull if row in SIZES else wait_for_chief if row == "wait" else network
    work(tf, row, here, index, len(cluster["worker"]), server.target, seconds)


def report(times):
    result = times and {"min": 1000 * min(times), "median": 1000 * median(times),
                        "steps": len(times)}
    print("RESULT " + json.dumps(result), flush=True)


def push_pull(tf, row, here, index, workers, target, seconds):
    """Numbers go to the server, are added there, and come back; one reaches the program."""
    size = SIZES[row]
    with tf.device("/job:ps/task:0"):
        total = tf.Variable(tf.zeros([size]))
    with tf.device(here):
        own = tf.Variable(tf.ones([size]))
    with tf.device("/job:ps/task:0"):
        added = tf.assign_add(total, own)
    with tf.device(here):
        got = tf.slice(added, [0], [1])     # needs all of it here; an identity is optimised away
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        report(timed(lambda: session.run(got), seconds, 3 if size > 1e6 else WARMUP))


def network(tf, row, here, index, workers, target, seconds):
    """Steps of 784-512-10, 32 rows for each worker; the Variables are on the server."""
    import numpy as np

    tf.set_random_seed(1)
    with tf.device("/job:ps/task:0"):
        ready = tf.get_variable("ready", [], initializer=tf.zeros_initializer())
    arrived = tf.assign_add(ready, 1.0)
    with tf.device(tf.train.replica_device_setter(1, worker_device=here)):
        step = tf.train.get_or_create_global_step()
        x, y = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
        hidden = tf.layers.dense(x, 512, tf.nn.relu)
        loss = tf.losses.sparse_softmax_cross_entropy(y, tf.layers.dense(hidden, 10))
        optimizer = (tf.train.AdamOptimizer if row == "Adam"
                     else tf.train.GradientDescentOptimizer)(0.001)
        hooks = []
        if row == "SyncReplicas":
            optimizer = tf.train.SyncReplicasOptimizer(optimizer, workers, workers)
            hooks = [optimizer.make_session_run_hook(index == 0)]
        train = optimizer.minimize(loss, global_step=step)
    draw = np.random.RandomState(index)
    feed = {x: draw.rand(32, 784).astype("float32"), y: draw.randint(0, 10, 32)}
    config = tf.ConfigProto(device_filters=["/job:ps", here])
    with tf.train.MonitoredTrainingSession(target, is_chief=index == 0, config=config,
                                           hooks=hooks, log_step_count_steps=None) as session:
        def run(what, feed=None):
            return session.run_step_fn(
                lambda step_context: step_context.session.run(what, feed))
        run(arrived)
        while run(ready) < workers:                 # all measure at the same time
            time.sleep(0.01)
        report(timed(lambda: session.run(train, feed), seconds, WARMUP))
        while row == "SyncReplicas":                # the others wait for this one's gradients
            session.run(train, feed)


def wait_for_chief(tf, row, here, index, workers, target, seconds):
    """From the chief's initialisation, which comes late, until another worker can train."""
    began = Path(tempfile.gettempdir()) / ("chief-%d" % os.getppid())
    with tf.device(tf.train.replica_device_setter(1, worker_device=here)):
        step = tf.train.get_or_create_global_step()
        train = tf.assign_add(step, 1)
    config = tf.ConfigProto(device_filters=["/job:ps", here])
    if index == 0:
        time.sleep(5)
    with tf.train.MonitoredTrainingSession(target, is_chief=index == 0, config=config) as session:
        if index == 0:
            began.write_text(repr(time.time()))
            report([])
        session.run(train)
        if index:
            report([time.time() - float(began.read_text())])
            began.unlink()


def all_reduce(tf, seconds):
    """An Estimator with 128 rows for each worker; it trains on until it is ended."""
    import numpy as np

    strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()

    def model_fn(features, labels, mode):
        hidden = tf.layers.dense(features, 512, tf.nn.relu)
        loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.layers.dense(hidden, 10))
        train = tf.train.GradientDescentOptimizer(0.001).minimize(
            loss, global_step=tf.train.get_or_create_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    class Times(tf.train.SessionRunHook):
        ends, reported = [], False

        def after_run(self, run_context, run_values):
            self.ends.append(time.perf_counter())
            after = self.ends[WARMUP:]
            if not self.reported and after and after[-1] - after[0] > seconds:
                self.reported = True
                report([later - earlier for earlier, later in zip(after, after[1:])])

    draw = np.random.RandomState(0)
    rows = draw.rand(128, 784).astype("float32"), draw.randint(0, 10, 128)

    def input_fn():
        return tf.data.Dataset.from_tensors(rows).repeat()

    config = tf.estimator.RunConfig(
        train_distribute=strategy, save_checkpoints_steps=None, save_checkpoints_secs=None,
        save_summary_steps=None, log_step_count_steps=None)
    tf.estimator.train_and_evaluate(        # TensorFlow's Estimator.train refuses workers
        tf.estimator.Estimator(model_fn, config=config),
        tf.estimator.TrainSpec(input_fn, max_steps=10 ** 9, hooks=[Times()]),
        tf.estimator.EvalSpec(input_fn))


def timed(call, seconds, warmup, steps=5):
    """The seconds of each call, for at least `seconds` and `steps` calls."""
    for _ in range(warmup):
        call()
    times, end = [], time.perf_counter() + seconds
    while len(times) < steps or time.perf_counter() < end:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times


if __name__ == "__main__":
    main()
