"""tf.test: the asserts of TestCase, its sessions and seeds, gradient checks, stubs, benchmarks."""
import unittest

import numpy as np
import pytest

import tinyflow as tf

SEEDED = [0.38692939281463623, 0.3600262403488159]


class Sample(tf.test.TestCase):
    """A test case as programs write it; the tests below run its methods."""

    __test__ = False

    def runTest(self):
        """Nothing: instances are made for their asserts."""

    def test_everything(self):
        with self.session() as session:
            self.assertAllEqual(tf.square([2, 3]).eval(), [4, 9])
            self.assertIs(tf.get_default_session(), session)
        with self.test_session() as one, self.cached_session() as other:
            self.assertIs(one, other)
        self.assertAllClose(self.evaluate({'a': tf.constant(2.0)}), {'a': 2.0})


@pytest.fixture
def case():
    sample = Sample()
    sample.setUp()
    yield sample
    sample.tearDown()


def test_a_test_case_runs():
    result = unittest.TestResult()
    Sample('test_everything').run(result)
    assert result.testsRun == 1 and not result.errors and not result.failures
    result = unittest.TestResult()
    Sample('test_session').run(result)
    assert len(result.skipped) == 1


def test_seed_is_tfs_own(case):
    # Recorded from TF 1.15.5: the first random_uniform([2]) of a test.
    with case.cached_session():
        draws = tf.random_uniform([2]).eval()
    np.testing.assert_allclose(draws, SEEDED, rtol=1e-6)
    assert tf.get_default_graph().seed == 87654321


@pytest.mark.parametrize('good, bad', [
    (lambda c: c.assertAllClose([1.0, 2.0], [1.0, 2.0 + 1e-7]),
     lambda c: c.assertAllClose([1.0, 2.0], [1.0, 2.1])),
    (lambda c: c.assertAllClose({'a': [1.0]}, {'a': [1.0]}),
     lambda c: c.assertAllClose({'a': [1.0]}, {'b': [1.0]})),
    (lambda c: c.assertAllClose([{'a': 1.0}, {'b': 2}], ({'a': 1 + 1e-7}, {'b': 2})),
     lambda c: c.assertAllClose([{'a': 1.0}], [{'a': 1.1}])),
    (lambda c: c.assertAllClose([[1.0], [1.0, 2.0]], [[1.0], [1.0, 2.0]]),
     lambda c: c.assertAllClose([1.0, 2.0], [1.0])),
    (lambda c: c.assertAllClose(np.float16([1.0]), [1.0]),
     lambda c: c.assertAllClose([np.nan], [np.nan])),
    (lambda c: c.assertAllCloseAccordingToType(np.float16([1.0]), np.float16([1.0005])),
     lambda c: c.assertAllCloseAccordingToType(np.float32([1.0]), np.float32([1.0005]))),
    (lambda c: c.assertAllEqual([1.0, np.nan], [1.0, np.nan]),
     lambda c: c.assertAllEqual([1, 2], [1, 3])),
    (lambda c: c.assertAllEqual(tf.constant(['a']), ['a']),
     lambda c: c.assertAllEqual([1, 2], [[1, 2]])),
    (lambda c: c.assertNotAllClose([1.0], [2.0]), lambda c: c.assertNotAllClose([1.0], [1.0])),
    (lambda c: c.assertNotAllEqual([1], [2]), lambda c: c.assertNotAllEqual([1], [1])),
    (lambda c: c.assertAllGreater([2, 3], 1), lambda c: c.assertAllGreater([2, 1], 1)),
    (lambda c: c.assertAllLess([2, 3], 4), lambda c: c.assertAllLess([2, 4], 4)),
    (lambda c: c.assertAllGreaterEqual([1], 1), lambda c: c.assertAllGreaterEqual([0], 1)),
    (lambda c: c.assertAllLessEqual([1], 1), lambda c: c.assertAllLessEqual([2], 1)),
    (lambda c: c.assertAllInRange([1, 2], 1, 2),
     lambda c: c.assertAllInRange([1, 2], 1, 2, open_upper_bound=True)),
    (lambda c: c.assertAllInSet([1, 2], {1, 2}), lambda c: c.assertAllInSet([1, 3], {1, 2})),
    (lambda c: c.assertArrayNear([1.0], [1.1], 0.2),
     lambda c: c.assertArrayNear([1.0], [1.3], 0.2)),
    (lambda c: c.assertNDArrayNear(np.ones(2), np.ones(2), 0.1),
     lambda c: c.assertNDArrayNear(np.ones(2), np.zeros(2), 0.1)),
    (lambda c: c.assertNear(1.0, 1.1, 0.2), lambda c: c.assertNear(1.0, 1.3, 0.2)),
    (lambda c: c.assertShapeEqual(np.ones([2]), tf.ones([2])),
     lambda c: c.assertShapeEqual(np.ones([2]), tf.ones([3]))),
    (lambda c: c.assertDTypeEqual(np.float32([1]), tf.float32),
     lambda c: c.assertDTypeEqual([1.0], tf.int32)),
    (lambda c: c.assertStartsWith('abc', 'ab'), lambda c: c.assertStartsWith('abc', 'b')),
    (lambda c: c.assertEmpty([]), lambda c: c.assertEmpty([1])),
    (lambda c: c.assertLen([1], 1), lambda c: c.assertLen([1], 2)),
    (lambda c: c.assertItemsEqual([1, 2], [2, 1]), lambda c: c.assertItemsEqual([1, 1], [1])),
])
def test_asserts(case, good, bad):
    good(case)
    with pytest.raises(AssertionError):
        bad(case)


def test_errors_that_are_expected(case):
    with case.cached_session() as session:
        with case.assertRaisesOpError('assertion failed'):
            session.run(tf.Assert(False, ['x']))
        with pytest.raises(AssertionError), case.assertRaisesOpError('something else'):
            session.run(tf.Assert(False, ['x']))
        with pytest.raises(AssertionError), case.assertRaisesOpError('nothing raised'):
            pass


def test_threads_are_checked(case):
    thread = case.checkedThread(lambda: 1 / 0)
    thread.start()
    with pytest.raises(AssertionError, match='division by zero'):
        thread.join()


def test_directories(case):
    assert case.get_temp_dir() == case.get_temp_dir() != tf.test.get_temp_dir()
    assert tf.gfile.IsDirectory(case.get_temp_dir())


@pytest.mark.parametrize('dtype', [tf.float64, tf.complex128])
def test_jacobians(dtype):
    with tf.Graph().as_default(), tf.Session():
        x = tf.placeholder(dtype, [2, 2])
        y = tf.matmul(x, x)
        assert tf.test.compute_gradient_error(x, [2, 2], y, [2, 2]) < 1e-5
        wrong = y + tf.stop_gradient(x)
        assert tf.test.compute_gradient_error(x, [2, 2], wrong, [2, 2]) > 0.5


def test_jacobian_of_a_gather_and_of_several_inputs():
    with tf.Graph().as_default(), tf.Session():
        table, bias = tf.placeholder(tf.float64, [3]), tf.placeholder(tf.float64, [2])
        y = tf.gather(table, [2, 0]) * bias
        pairs = tf.test.compute_gradient([table, bias], [[3], [2]], y, [2],
                                         x_init_value=[[1.0, 2.0, 3.0], [4.0, 5.0]])
    np.testing.assert_array_equal(pairs[0][0], [[0, 5], [0, 0], [4, 0]])
    np.testing.assert_allclose(pairs[0][1], pairs[0][0], atol=1e-9)
    np.testing.assert_allclose(pairs[1][1], [[3, 0], [0, 1]], atol=1e-9)


def test_stubs_and_mock():
    class Thing:
        value = 1
    with tf.test.StubOutForTesting() as stubs:
        stubs.Set(Thing, 'value', 2)
        stubs.SmartSet(Thing, 'value', 3)
        assert Thing.value == 3
    assert Thing.value == 1
    assert tf.test.mock.Mock(return_value=3)() == 3


def test_benchmarks_report(capsys):
    class Adding(tf.test.Benchmark):
        def benchmark_add(self):
            with tf.Graph().as_default(), tf.Session() as session:
                found = self.run_op_benchmark(session, tf.constant(1.0) + 1, min_iters=3)
                assert found['iters'] == 3 and found['wall_time'] > 0
    tf.test.main(['prog', '--benchmarks=Adding'])
    assert 'entry {"name": "Adding", "iters": 3' in capsys.readouterr().out


def test_devices():
    assert not tf.test.is_gpu_available() and tf.test.gpu_device_name() == ''
    assert tf.config.list_physical_devices('GPU') == []
    assert len(tf.config.experimental.list_physical_devices()) == 1
    with pytest.raises(ValueError, match='Unrecognized device'):
        tf.config.experimental.set_memory_growth('gpu', True)


def test_methods_that_a_subclass_must_define_name_class_and_method():
    from tinyflow.api.test.assertions import Assertions
    from tinyflow.train.checkpoints.checkpoint import _Status

    class Mine(_Status, Assertions):
        def __init__(self):
            """Neither needs anything here."""
    for method, arguments in (('evaluate', [1]), ('assert_consumed', []),
                              ('assert_existing_objects_matched', []),
                              ('assert_nontrivial_match', [])):
        with pytest.raises(NotImplementedError, match=f'Mine does not define {method}'):
            getattr(Mine(), method)(*arguments)


def test_set_up_leaves_open_graphs_as_in_tensorflow():
    class Case(tf.test.TestCase):
        def test(self):
            pass

    graph = tf.Graph()
    with graph.as_default():
        Case('test').setUp()
        assert tf.get_default_graph() is not graph
