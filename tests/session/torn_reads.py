"""Threads that read Variables while others update them: no read sees half of an update.

    python -m tests.session.torn_reads [READS [SEED]]

Every update leaves all elements of a Variable equal. So what a reader gets - the Variable, a matrix
product with it, a checkpoint - has equal elements, too, unless it saw half of an update.
"""
from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

import tinyflow as tf

_WRITERS = 2


class Case(NamedTuple):
    """What one thread runs over and over, and what another one reads meanwhile."""

    write: Callable[[tf.Session], object]
    read: Callable[[tf.Session], object]
    nan_check: bool = False


def assignments(v):
    """Ways to make all elements of `v` the next number, as a function of the Session."""
    fed = tf.placeholder(tf.float64, [])
    rows = np.random.RandomState(0).permutation(int(v.shape[0])).astype(np.int32)
    ones = tf.ones(v.shape, tf.float64)
    filled = tf.fill(v.shape.as_list(), fed)

    def numbers(op):
        count = iter(range(1, 10 ** 9))
        return lambda session: session.run(op, {fed: float(next(count) % 1000)})
    yield 'assign', numbers(v.assign(filled).op)
    yield 'scatter_update', numbers(tf.scatter_update(v, rows, filled).op)
    add = v.assign_add(ones).op
    yield 'assign_add', lambda session: session.run(add)
    yield 'set_variable_values', lambda session: session.set_variable_values(
        [(v, np.full(v.shape.as_list(), time.perf_counter() % 1000.0))])
    loop = tf.while_loop(lambda i: i < 3, lambda i: _after(v.assign_add(ones), i + 1),
                         [tf.constant(0)])
    yield 'while_loop', lambda session: session.run(loop)
    for optimizer in (tf.train.GradientDescentOptimizer(0.01), tf.train.AdamOptimizer(0.01)):
        train = optimizer.minimize(tf.reduce_sum(v), var_list=[v])
        yield type(optimizer).__name__, lambda session, train=train: session.run(train)


def _after(operation, tensor):
    with tf.control_dependencies([getattr(operation, 'op', operation)]):
        return tf.identity(tensor)


def reads(v, folder):
    """Ways to read `v`: all elements of the result are equal if all of `v` are."""
    ones = tf.ones([4, int(v.shape[0])], tf.float64)
    product = tf.matmul(ones, v)
    twice = tf.concat([v.read_value(), tf.identity(v) * 1.0], 0)
    inside = tf.cond(tf.placeholder_with_default(True, []), lambda: v * 2.0, lambda: v * 3.0)
    yield 'run', lambda session: session.run(v)
    yield 'matmul', lambda session: session.run(product)
    yield 'two reads', lambda session: session.run(twice)
    yield 'cond', lambda session: session.run(inside)
    yield 'variable_values', lambda session: session.variable_values([v])[0]
    yield 'profiled', lambda session: session.run(
        product, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
        run_metadata=tf.RunMetadata())
    saver = tf.train.Saver([v], max_to_keep=1)

    def saved(session):
        path = saver.save(session, os.path.join(folder, f'model-{threading.get_ident()}'),
                          write_meta_graph=False, write_state=False)
        return tf.train.load_variable(path, v.op.name)
    yield 'Saver', saved


def cases(shape, use_resource, folder) -> Iterator[tuple[str, Case]]:
    """Each way to write with each way to read, in the default graph."""
    v = tf.Variable(tf.zeros(shape, tf.float64), use_resource=use_resource, name='v')
    writes = dict(assignments(v))
    for written, write in writes.items():
        for read, reader in reads(v, folder):
            yield f'{written} / {read}', Case(write, reader)
    _, read = next(reads(v, folder))
    yield 'assign / run, nan_check', Case(writes['assign'], read, True)
    yield 'assign_add / run, nan_check', Case(writes['assign_add'], read, True)


def torn(case: Case, count: int) -> int:
    """How many of `count` reads saw half of an update."""
    session = tf.Session(nan_check=case.nan_check)
    session.run(tf.global_variables_initializer())
    failed: list[BaseException] = []
    done = threading.Event()

    def write():
        try:
            while not done.is_set():
                case.write(session)
        except BaseException as error:          # noqa: BLE001 - raised below
            failed.append(error)
    threads = [threading.Thread(target=write) for _ in range(_WRITERS)]
    for thread in threads:
        thread.start()
    found = 0
    try:
        for _ in range(count):
            value = np.asarray(case.read(session))
            found += not np.ptp(value) <= 1e-9 * abs(value.flat[0])     # matmul may round
    finally:
        done.set()
        for thread in threads:
            thread.join()
        session.close()
    if failed:
        raise failed[0]
    return found


def main(count: int = 100_000, seed: int = 0) -> int:
    """Prints a table; returns the number of torn reads."""
    random = np.random.RandomState(seed)
    total, begin, before = 0, time.perf_counter(), sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    with tempfile.TemporaryDirectory() as folder:
        for use_resource in (False, True):
            with tf.Graph().as_default():
                names = [name for name, _ in cases([8, 8], use_resource, folder)]
            for name in names:
                rows = int(random.choice([20, 100, 1000], p=[0.5, 0.4, 0.1]))
                with tf.Graph().as_default():
                    case = dict(cases([rows, 1000], use_resource, folder))[name]
                    found = torn(case, -(-count // (2 * len(names))))
                kind = 'resource' if use_resource else 'ref'
                print(f'{kind:9} {name:40} {rows * 1000:9,} elements  torn: {found}', flush=True)
                total += found
    sys.setswitchinterval(before)
    print(f'{total} torn reads of {count:,} in {time.perf_counter() - begin:.0f} s')
    return total


if __name__ == '__main__':
    sys.exit(main(*map(int, sys.argv[1:])) > 0)
