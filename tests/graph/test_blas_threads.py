"""The number of BLAS threads of a product: by a table, with a made-up BLAS, and in NumPy's own."""
import os
import subprocess
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.eager import enabling
from tinyflow.graph.support import blas_library, blas_threads, processors
from tinyflow.graph.support.blas_threads import Blas, threads_for

MILLION = 1 << 20


@pytest.mark.parametrize('work, free, products, expected', [
    (MILLION, 8, 1, 1), (3 * MILLION, 8, 1, 1),             # small: one thread
    (4 * MILLION, 8, 1, 2), (10 * MILLION, 8, 1, 5), (100 * MILLION, 8, 1, 8),
    (100 * MILLION, 1, 1, 1),                               # large, on a busy machine
    (100 * MILLION, 8, 2, 4), (100 * MILLION, 8, 3, 2), (100 * MILLION, 2, 5, 1),
])
def test_threads_that_pay(work, free, products, expected):
    assert threads_for(work, free, products) == expected


class FakeBlas(Blas):
    """Notes the numbers of threads that it is given."""

    def __init__(self, threads, free):
        self.threads, self.given = threads, []
        super().__init__(lambda: self.threads, self.set)
        self._load = SimpleNamespace(processors=lambda: free, crowded=lambda free: False)

    def set(self, threads):
        self.threads = threads
        self.given.append(threads)

    def product(self, work, during=lambda: None):
        """The number of threads during a product."""
        return self.multiply(lambda a, b, out: during() or self.threads, work, None, None, None)


def test_the_number_is_changed_for_the_product_and_set_back():
    blas = FakeBlas(threads=8, free=3)
    seen = [blas.product(work) for work in (MILLION, 100 * MILLION, 4 * MILLION)]
    assert seen == [1, 3, 2] and blas.given == [1, 8, 3, 8, 2, 8]
    with pytest.raises(ZeroDivisionError):
        blas.product(MILLION, lambda: 1 / 0)
    assert blas.threads == 8


def test_nothing_is_set_where_all_are_used_or_the_program_wants_fewer():
    blas = FakeBlas(threads=4, free=4)
    assert blas.product(100 * MILLION) == 4
    one = FakeBlas(threads=1, free=4)                       # OPENBLAS_NUM_THREADS=1
    assert one.product(100 * MILLION) == 1
    assert blas.given == one.given == []


def test_products_of_several_threads_share_and_leave_nothing_behind():
    blas = FakeBlas(threads=8, free=8)
    inside, go_on = threading.Event(), threading.Event()

    def wait():
        inside.set()
        assert go_on.wait(10)

    thread = threading.Thread(target=blas.product, args=(100 * MILLION, wait))
    thread.start()
    assert inside.wait(10)
    assert blas.product(100 * MILLION) == 4
    assert blas.product(MILLION) == 1
    go_on.set()
    thread.join()
    assert blas.threads == 8


@pytest.mark.skipif(blas_library.find_openblas() is None, reason='another BLAS than OpenBLAS')
def test_numpys_own_blas(session, monkeypatch):
    """Which products of a Session, of eager ops and of a convolution change the number."""
    get, change = blas_library.find_openblas()
    usual = get()
    given = []
    blas = Blas(get, lambda threads: (given.append(threads), change(threads)))
    blas._load = SimpleNamespace(processors=lambda: 1, crowded=lambda free: False)
    monkeypatch.setattr(blas_threads, '_multiply', blas.multiply)
    change(2)
    try:
        for rows, expected in (64, []), (128, [1, 2]), (512, [1, 2]):
            given.clear()
            x = tf.placeholder(tf.float32, [rows, None])
            a = np.random.default_rng(0).normal(size=(rows, 64)).astype(np.float32)
            y = session.run(tf.matmul(x, x, transpose_b=True), {x: a})
            np.testing.assert_allclose(y, np.dot(a, a.T), rtol=1e-4, atol=1e-4)
            assert given == expected and get() == 2
        given.clear()
        session.run(tf.matmul(tf.ones([3, 128, 64]), tf.ones([3, 64, 128])))
        session.run(tf.nn.conv2d(tf.ones([2, 32, 32, 64]), tf.ones([1, 1, 64, 64]), 1, 'SAME'))
        assert given == [1, 2, 1, 2] and get() == 2
    finally:
        change(usual)


@pytest.mark.slow
@pytest.mark.parametrize('shape', [
    (2000, 70, 60), (60, 70, 2000), (16, 900, 1000), (300, 300, 300)])
@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_blocks_of_a_product(monkeypatch, shape, dtype):
    """On a crowded machine; transposed factors, results in a given array and in a new one."""
    m, k, n = shape
    blas = FakeBlas(threads=4, free=4)
    blas._load.crowded = lambda free: True
    monkeypatch.setattr(blas_threads, '_multiply', blas.multiply)
    monkeypatch.setattr(blas_threads, '_SPLIT', 1 << 23)
    monkeypatch.setattr(blas_threads, '_BLOCK', 1 << 22)
    monkeypatch.setattr(processors, 'most_threads', lambda: 3)
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(k, m)).astype(dtype).T, rng.normal(size=(k, n)).astype(dtype)
    out = np.empty((m, n), dtype)
    assert blas_threads.dot(a, b, out) is out and blas.given == [1, 4]
    np.testing.assert_allclose(out, np.dot(a, b), rtol=1e-3, atol=1e-4)
    np.testing.assert_array_equal(blas_threads.matmul(a, b), out)
    stack = blas_threads.matmul(np.stack([a, a]), b)
    np.testing.assert_allclose(stack, np.stack([out, out]), rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError):
        blas_threads.dot(a, b.T if m != n else b[1:])


@pytest.mark.parametrize('rows, blocks', [(64, 1), (128, 3), (1024, 4)])
def test_which_products_are_split_on_a_crowded_machine(monkeypatch, rows, blocks):
    """17 million multiplications by one thread of the BLAS, 34 in three blocks, 268 in four."""
    blas = FakeBlas(threads=4, free=1)
    blas._load.crowded = lambda free: True
    monkeypatch.setattr(blas_threads, '_multiply', blas.multiply)
    tiles = []
    monkeypatch.setattr(blas_threads, 'in_tiles',
                        lambda n, function, tile, fewest: tiles.append(-(-n // tile)))
    blas_threads.dot(np.ones((rows, 512), np.float32), np.ones((512, 512), np.float32))
    assert (tiles or [1]) == [blocks] and blas.given == [1, 4]


@pytest.mark.slow
@pytest.mark.parametrize('shape', [(70, 128, 64, 128), (3, 100, 64, 64, 64), (20, 3, 128, 64, 140)])
@pytest.mark.parametrize('dtype', [np.float32, np.float64])
def test_stacks_of_small_products(shape, dtype):
    *stack, m, k, n = shape
    rng = np.random.default_rng(2)
    a = rng.normal(size=(*stack, m, k)).astype(dtype)
    b = rng.normal(size=(*stack, n, k)).astype(dtype).swapaxes(-1, -2)
    expected = np.stack([np.matmul(a[i], b[i]) for i in range(len(a))])
    out = np.empty(expected.shape, dtype)
    assert blas_threads.matmul(a, b, out) is out
    for result in out, blas_threads.matmul(a, b):
        np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError):
        blas_threads.matmul(a, b[..., 1:, :])


def test_other_libraries_decide_themselves(monkeypatch):
    monkeypatch.setattr(blas_threads, '_multiply', blas_threads._find)
    monkeypatch.setattr(blas_library, '_loaded', lambda: iter(['/nowhere/libblas.so']))
    a = np.ones((100, 200), np.float32)
    assert (blas_threads.dot(a, a.T) == 200).all()
    assert blas_threads._multiply is blas_threads._as_it_is
    assert (blas_threads.matmul(np.stack([a, a]), a.T) == 200).all()


def test_intra_op_parallelism_threads(graph, monkeypatch):
    """The number holds for a Session's runs, with a time limit or without, and its callables."""
    seen = []
    monkeypatch.setattr(processors, 'present', lambda: 8)
    monkeypatch.setattr(processors, '_limit', 5)
    y = tf.py_func(lambda: seen.append(processors.processors()) or 1.0, [], tf.float64)
    for settings, expected in (({}, 5), ({'intra_op_parallelism_threads': 3}, 3),
                               ({'intra_op_parallelism_threads': 2,
                                 'operation_timeout_in_ms': 10_000}, 2)):
        with tf.Session(config=tf.ConfigProto(**settings)) as session:
            session.run(y)
            session.make_callable(y)()
        assert seen == [expected, expected]
        seen.clear()
    tf.config.threading.set_intra_op_parallelism_threads(4)
    assert tf.config.threading.get_intra_op_parallelism_threads() == 4
    with tf.Session() as session:
        session.run(y)
    assert seen == [4]


def test_the_config_of_eager_execution(graph, monkeypatch):
    monkeypatch.setattr(processors, '_limit', 0)
    monkeypatch.setattr(enabling, '_install', lambda: None)
    monkeypatch.setattr(enabling.defaults, 'has_nodes', lambda: False)
    monkeypatch.setattr(enabling.defaults, 'use_graph', lambda graph: None)
    tf.enable_eager_execution(tf.ConfigProto(intra_op_parallelism_threads=3))
    assert processors.limit() == 3


@pytest.mark.parametrize('a, b', [((3, 4, 1), (3, 1, 5)), ((2, 3, 4, 1), (1, 5)),
                                  ((3, 4, 1), (1, 1, 5)), ((2, 1, 4, 1), (3, 1, 1))])
def test_products_of_columns_and_rows(a, b):
    random = np.random.RandomState(0)
    a, b = random.normal(size=a).astype('f'), random.normal(size=b).astype('f')
    expected = np.matmul(a, b)
    out = np.empty_like(expected)
    assert blas_threads.matmul(a, b, out) is out
    np.testing.assert_array_equal(out, expected)
    np.testing.assert_array_equal(blas_threads.matmul(a, b), expected)
    with pytest.raises(ValueError, match='matmul'):
        blas_threads.matmul(a, np.ones((2, 5), 'f'))


_AFTER_NUMPY = '''
import ctypes, sys, threading
import numpy as np
matrix = np.ones((1500, 1500), np.float32)
matrix @ matrix                             # starts OpenBLAS' threads
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(1)
go_on, stop = threading.Event(), []
def wait(): {wait}
thread = threading.Thread(target=wait, daemon=True)
thread.start()
import tinyflow as tf
from tinyflow.graph.support import blas_library
go_on.set(), stop.append(True)
library = next(blas_library._libraries())
print(library.openblas_thread_timeout(), (matrix @ matrix).sum() == 1500 ** 3)
thread.join()                               # OpenBLAS may wait for ever at exit for a product
'''


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != 'linux', reason='done on Linux')
@pytest.mark.parametrize('wait, usual, expected', [
    ('go_on.wait()', None, '22'), ('go_on.wait()', '24', '24'),
    ('\n    while not stop: pass', None, '0'),
    ('\n    while not stop: matrix.dot(matrix)', None, '0'),
    ('\n    pool.submit(matrix.dot, np.ones((1500, 40_000), np.float32))\n    go_on.wait()', None,
     '0')])
def test_numpy_was_imported_first(wait, usual, expected):
    """Its threads would spin for a tenth of a second; not so if a thread may be multiplying."""
    library = next(blas_library._libraries(), None)
    if not hasattr(library, 'openblas_thread_timeout'):
        pytest.skip("NumPy's BLAS has no such setting")
    environment = {name: value for name, value in os.environ.items()
                   if name != 'OPENBLAS_THREAD_TIMEOUT'}
    if usual is not None:
        environment['OPENBLAS_THREAD_TIMEOUT'] = usual
    done = subprocess.run([sys.executable, '-c', _AFTER_NUMPY.format(wait=wait)], env=environment,
                          capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == [expected, 'True'], done.stderr
