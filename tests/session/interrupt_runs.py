"""Ctrl-C at random moments of training: no step may be half done, no interrupt lost.

    python -m tests.session.interrupt_runs [INTERRUPTS] [SEED]

Half of the interrupts come between any two bytecodes of a step, half after a random time.
"""
import contextlib
import gc
import os
import random
import signal
import sys
import tempfile
import threading
import time

import numpy as np

import keras_layer as keras
import tinyflow as tf
from tinyflow.session.interrupts import pending

# ---- programs: (one step, the numbers that are equal after each whole step) ---------------------


@contextlib.contextmanager
def _variables(nan_check=False):
    """Two Variables that a step increases, one after the other; and a Session."""
    with tf.Graph().as_default():
        a, b = tf.Variable(0., name='a'), tf.Variable(0., name='b', use_resource=True)
        step = tf.train.get_or_create_global_step()
        with tf.control_dependencies([a.assign_add(1.)]):
            with tf.control_dependencies([b.assign_add(1.)]):
                train = step.assign_add(1)
        with tf.Session(nan_check=nan_check) as sess:
            sess.run(tf.global_variables_initializer())
            yield sess, train, [a, b, step]


@contextlib.contextmanager
def own_loop():
    with _variables() as (sess, train, variables):
        yield lambda: sess.run(train), lambda: sess.run(variables)


@contextlib.contextmanager
def compilation():
    """The step is compiled again each time; afterwards the Session is as good as before."""
    with _variables() as (sess, train, variables):
        def step():
            sess._calls.clear()
            sess._programs.entries.clear()
            sess.run(train)

        def numbers():
            if not gc.isenabled():
                raise AssertionError('the garbage collector was left disabled')
            before = sess.run(variables[0])
            sess.run(train)
            return [before + 1, *sess.run(variables)]
        yield step, numbers


@contextlib.contextmanager
def nan_check():
    with _variables(nan_check=True) as (sess, train, variables):
        yield lambda: sess.run(train), lambda: sess.run(variables)


@contextlib.contextmanager
def callable_in_py_func():
    """The writes are in a run inside a run, which is followed by a write of the outer one."""
    with _variables() as (sess, train, variables):
        call, outer = sess.make_callable(train), tf.Variable(0.)
        sess.run(outer.initializer)
        inner = tf.py_func(lambda: np.float32(call() * 0 + 1), [], tf.float32)
        step = outer.assign_add(tf.reshape(inner, []))
        yield lambda: sess.run(step), lambda: sess.run([*variables, outer])


@contextlib.contextmanager
def while_loop():
    """A loop whose body writes; a step is two iterations."""
    with tf.Graph().as_default():
        a, b = tf.Variable(0.), tf.Variable(0.)

        def body(i):
            with tf.control_dependencies([a.assign_add(.5)]):
                with tf.control_dependencies([b.assign_add(.5)]):
                    return i + 1
        loop = tf.while_loop(lambda i: i < tf.identity(2), body, [tf.constant(0)])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            yield (lambda: sess.run(loop),
                   lambda: [*sess.run([a, b]), np.floor(sess.run(a))])


@contextlib.contextmanager
def profiles():
    with _variables() as (sess, train, variables):
        yield lambda: sess.profile(train, runs=2), lambda: sess.run(variables)


@contextlib.contextmanager
def explain():
    """tf.explain runs the step to measure it, and leaves the Variables as they were."""
    with _variables() as (sess, train, variables):
        sess.run(train)
        yield lambda: tf.explain(train, session=sess, runs=2), lambda: [1, *sess.run(variables)]


@contextlib.contextmanager
def save_after():
    """What `Saver.save` writes after the interrupt."""
    with _variables() as (sess, train, variables), tempfile.TemporaryDirectory() as folder:
        saver = tf.train.Saver()

        def saved():
            path = saver.save(sess, os.path.join(folder, 'model'))
            return [tf.train.load_variable(path, v.op.name) for v in variables]
        yield lambda: sess.run(train), saved


@contextlib.contextmanager
def restore():
    with _variables() as (sess, train, variables), tempfile.TemporaryDirectory() as folder:
        saver, paths = tf.train.Saver(), []
        for i in range(2):
            paths.append(saver.save(sess, os.path.join(folder, f'model{i}')))
            sess.run(train)

        def step():
            paths.reverse()
            saver.restore(sess, paths[0])
        yield step, lambda: sess.run(variables)


@contextlib.contextmanager
def save_during():
    """The checkpoints that an interrupted save leaves are whole."""
    with _variables() as (sess, train, variables), tempfile.TemporaryDirectory() as folder:
        saver = tf.train.Saver(max_to_keep=2)
        saver.save(sess, os.path.join(folder, 'model'), 0)

        def step():
            saver.save(sess, os.path.join(folder, 'model'), int(sess.run(train)))

        def saved():
            found = []
            for path in {tf.train.latest_checkpoint(folder), *[
                    os.path.join(folder, name.removesuffix('.index'))
                    for name in os.listdir(folder) if name.endswith('.index')
                    and '.tmp' not in name and 'temp' not in name]}:
                values = [tf.train.load_variable(path, v.op.name) for v in variables]
                found.append(max(values) - min(values))
            return [0, *found]
        yield step, saved


@contextlib.contextmanager
def _keras_model():
    """All weights fall by 1 in each step, and the optimizer's counter rises by 1."""
    with tf.Graph().as_default(), tf.Session():
        x = keras.layers.Input([2])
        y = keras.layers.Dense(1, kernel_initializer='zeros')(x)
        model = keras.models.Model(x, y)
        model.compile(keras.optimizers.SGD(1., momentum=0.), lambda truth, y: y)
        yield model


@contextlib.contextmanager
def fit():
    with _keras_model() as model:
        data = np.ones([4, 2]), np.ones([4, 1])

        def numbers():
            weights = [-float(w) for array in model.get_weights() for w in array.ravel()]
            return [*weights, float(keras.backend.get_value(model.optimizer.iterations))]
        yield lambda: model.fit(*data, batch_size=2, epochs=2, verbose=0), numbers


@contextlib.contextmanager
def set_weights():
    with _keras_model() as model:
        def step():
            value = next(values)
            model.set_weights([np.full(w.shape, value) for w in model.get_weights()])
        values = iter(range(10 ** 9))
        yield step, lambda: [float(w) for array in model.get_weights() for w in array.ravel()]


@contextlib.contextmanager
def load_weights():
    with _keras_model() as model, tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ('a.h5', 'b.h5')]
        for i, path in enumerate(paths):
            model.set_weights([np.full(w.shape, i) for w in model.get_weights()])
            model.save_weights(path)

        def step():
            paths.reverse()
            model.load_weights(paths[0])
        yield step, lambda: [float(w) for array in model.get_weights() for w in array.ravel()]


@contextlib.contextmanager
def monitored_session():
    with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
        a, b = tf.Variable(0.), tf.Variable(0.)
        step = tf.train.get_or_create_global_step()
        with tf.control_dependencies([a.assign_add(1.)]):
            with tf.control_dependencies([b.assign_add(1.)]):
                train = step.assign_add(1)
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=folder, save_checkpoint_steps=3, save_checkpoint_secs=None,
                save_summaries_steps=None, save_summaries_secs=None,
                log_step_count_steps=None) as sess:
            def numbers():
                path = tf.train.latest_checkpoint(folder)
                saved = [tf.train.load_variable(path, v.op.name) for v in (a, b, step)]
                now = sess.run_step_fn(
                    lambda step_context: step_context.session.run([a, b, step]))
                return [*now, *(now[0] + np.array(saved) - saved[0])]
            yield lambda: sess.run(train), numbers


def _counting_model(features, labels, mode):
    a, b = tf.get_variable('a', []), tf.get_variable('b', [])
    with tf.control_dependencies([a.assign_add(1.)]):
        with tf.control_dependencies([b.assign_add(1.)]):
            train = tf.train.get_global_step().assign_add(1)
    return tf.estimator.EstimatorSpec(mode, loss=tf.reduce_sum(features) + a, train_op=train)


@contextlib.contextmanager
def estimator():
    """The checkpoint from which an interrupted training goes on."""
    with tempfile.TemporaryDirectory() as folder:
        def model(features, labels, mode):
            with tf.variable_scope('', initializer=tf.zeros_initializer()):
                return _counting_model(features, labels, mode)
        config = tf.estimator.RunConfig(save_checkpoints_steps=2, save_summary_steps=10 ** 6,
                                        log_step_count_steps=None, keep_checkpoint_max=2)
        trained = tf.estimator.Estimator(model, folder, config)

        def step():
            trained.train(lambda: tf.data.Dataset.from_tensors([1.]).repeat(), steps=4)
        yield step, lambda: [trained.get_variable_value(n) for n in ('a', 'b', 'global_step')]


PROGRAMS = {f.__name__: f for f in (
    own_loop, compilation, nan_check, callable_in_py_func, while_loop, profiles, explain,
    save_after, restore, save_during, fit, set_weights, load_weights, monitored_session, estimator)}

# ---- interrupts ---------------------------------------------------------------------------------


_LONGEST = 20           # seconds for the end of a loop that was interrupted


class Bytecodes:
    """Counts the bytecodes of a block in this thread; sends SIGINT before number `at`."""

    def __init__(self, at=None):
        self.at, self.count = at, 0

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self._trace)
        return self

    def __exit__(self, *_):
        sys.settrace(self._before)

    def _trace(self, frame, event, _):
        if event == 'call':
            frame.f_trace_opcodes = True
        elif event == 'opcode':
            self.count += 1
            if self.count == self.at:
                signal.raise_signal(signal.SIGINT)
        return self._trace


def interrupted_at_bytecode(step, at):
    """Runs a step with an interrupt before its bytecode `at`; whether it was raised by the end."""
    try:
        with Bytecodes(at) as tracer:
            step()
        last = time.monotonic() + _LONGEST
        while pending and time.monotonic() < last:      # it came in a finalizer: a moment later
            time.sleep(0.001)
    except KeyboardInterrupt:
        return True
    return tracer.count < at                # over before the interrupt came


def interrupted_after(step, seconds):
    """Repeats the step until an interrupt after so many seconds ends it."""
    main = threading.main_thread().ident
    sender = threading.Timer(seconds, lambda: signal.pthread_kill(main, signal.SIGINT))
    try:
        sender.start()
        last = time.monotonic() + seconds + _LONGEST
        while time.monotonic() < last:
            step()
        return False
    except KeyboardInterrupt:
        return True
    finally:
        sender.join()


def attack(name, interrupts, seed):
    """Interrupts a program many times; (half steps, lost interrupts)."""
    rng = random.Random(f'{name} {seed}')
    half = lost = 0
    with PROGRAMS[name]() as (step, numbers):
        for _ in range(2):
            step()                          # compile
        begin = time.perf_counter()
        with Bytecodes() as tracer:
            step()
        seconds = time.perf_counter() - begin
        for number in range(interrupts):
            if number % 2:
                came = interrupted_after(step, rng.random() * min(seconds, .05))
            else:
                came = interrupted_at_bytecode(step, rng.randrange(1, tracer.count))
            lost += not came
            values = [float(v) for v in numbers()]
            half += min(values) != max(values)
    return half, lost


@contextlib.contextmanager
def pythons_handler():
    """Ctrl-C is handled as in a new Python, in which tinyflow may take it over."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def main(interrupts=500, seed=0):
    tf.logging.set_verbosity(tf.logging.ERROR)
    each = -(-interrupts // len(PROGRAMS))
    total = np.zeros(2, int)
    print(f'{"program":<22}{"interrupts":>11}{"half steps":>11}{"lost":>6}')
    with pythons_handler():
        for name in PROGRAMS:
            found = attack(name, each, seed)
            total += found
            print(f'{name:<22}{each:>11}{found[0]:>11}{found[1]:>6}', flush=True)
    print(f'{"all":<22}{each * len(PROGRAMS):>11}{total[0]:>11}{total[1]:>6}')
    return int(total.any())


if __name__ == '__main__':
    sys.exit(main(*map(int, sys.argv[1:])))
