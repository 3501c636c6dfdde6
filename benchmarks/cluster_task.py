"""One process of a measured cluster; cluster.py starts it, once for each task.

    python cluster_task.py FRAMEWORK ROW JOB INDEX CLUSTER SECONDS

The source is the same for both frameworks. A worker prints one line of JSON: its milliseconds.
"""

import json
import sys
import time
from importlib import import_module
from statistics import median

WARMUP = 30
SIZES = {"1 KB": 256, "5 MB": 1310720, "100 MB": 26214400}


def main():
    framework, row, job, index, cluster, seconds = sys.argv[1:]
    tf = import_module(framework)
    cluster, index = json.loads(cluster), int(index)
    server = tf.train.Server(tf.train.ClusterSpec(cluster), job_name=job, task_index=index)
    if job == "ps":
        server.join()
    workers = len(cluster["worker"])
    here = "/job:worker/task:%d" % index
    times = (push_pull if row in SIZES else network)(
        tf, row, here, index, workers, server.target, float(seconds)
    )
    print("RESULT " + json.dumps({"min": 1000 * min(times), "median": 1000 * median(times),
                                  "steps": len(times)}), flush=True)


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
        return timed(lambda: session.run(got), seconds, 3 if size > 1e6 else WARMUP)


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
        optimizer = (tf.train.AdamOptimizer if "Adam" in row
                     else tf.train.GradientDescentOptimizer)(0.001)
        train = optimizer.minimize(loss, global_step=step)
    draw = np.random.RandomState(index)
    feed = {x: draw.rand(32, 784).astype("float32"), y: draw.randint(0, 10, 32)}
    config = tf.ConfigProto(device_filters=["/job:ps", here])
    with tf.train.MonitoredTrainingSession(target, is_chief=index == 0, config=config,
                                           log_step_count_steps=None) as session:
        def run(what, feed=None):
            return session.run_step_fn(
                lambda step_context: step_context.session.run(what, feed))
        run(arrived)
        while run(ready) < workers:                 # all measure at the same time
            time.sleep(0.01)
        return timed(lambda: session.run(train, feed), seconds, WARMUP)


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
