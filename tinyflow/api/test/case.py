"""tf.test.TestCase: unittest's, with a graph, a Session and a directory for each test."""
from __future__ import annotations

import atexit
import os
import random
import shutil
import tempfile
import threading
from contextlib import contextmanager

import numpy as np

from tinyflow.api.test.assertions import Assertions
from tinyflow.graph.defaults import get_default_graph, reset_default_graph
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.stacks import get_default_session, stacks
from tinyflow.graph.support import nest
from tinyflow.session.session import Session

# The seed of each test's graph, TF1's own, so that tests see the same random numbers.
_SEED = 87654321
_directory: str | None = None


def get_temp_dir():
    """A directory for the files of this process's tests; it is deleted when the process ends."""
    global _directory
    if _directory is None:
        _directory = tempfile.mkdtemp(prefix='tinyflow_test_')
        atexit.register(shutil.rmtree, _directory, ignore_errors=True)
    return _directory


def _array(value):
    """The value of a tensor or Variable of eager execution; other values as they are."""
    return value.numpy() if hasattr(value, 'numpy') else value


class _EagerSession:
    """What `cached_session` gives with eager execution."""

    def __init__(self, case):
        self._case = case

    def run(self, fetches, feed_dict=None):
        """The values of tensors. RuntimeError for a feed_dict."""
        if feed_dict:
            raise RuntimeError('feed_dict is not supported when eager execution is enabled (in '
                               'this case, sess.run(t) is shorthand for t.numpy()')
        return self._case.evaluate(fetches)


class TestCase(Assertions):
    """A test case whose tests begin with an empty default graph of a known seed.

        class SquareTest(tf.test.TestCase):
            def testSquare(self):
                with self.session():
                    self.assertAllEqual(tf.square([2, 3]).eval(), [4, 9])
    """

    __test__ = False        # the class itself is not a test; its subclasses are

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if '__test__' not in cls.__dict__:
            cls.__test__ = True

    def __init__(self, methodName='runTest'):                   # noqa: N803 (unittest's name)
        super().__init__(methodName)
        self._cached = None
        self._threads = []
        self._tempdir = None

    def setUp(self):
        self._forget_session()
        random.seed(_SEED)
        np.random.seed(_SEED)
        self._leave_graphs()
        reset_default_graph()
        get_default_graph().seed = _SEED

    def tearDown(self):
        for thread in self._threads:
            thread.check_termination()
        self._forget_session()

    @staticmethod
    def _leave_graphs():
        """The test begins outside of the `as_default` blocks that are open, as in TensorFlow."""
        del stacks.graphs[:]

    def _forget_session(self):
        if self._cached is not None:
            self._cached.close()
            self._cached = None

    def get_temp_dir(self):
        """A directory for the files of this test."""
        if self._tempdir is None:
            self._tempdir = tempfile.mkdtemp(dir=get_temp_dir(), prefix=f'{self.id()}_')
        return self._tempdir

    @contextmanager
    def session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """A Session that is the default one inside the block, and is closed where it ends."""
        if executing_eagerly():
            yield None
            return
        with Session(graph=graph, config=config) as session:
            yield session

    @contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """As `session`, but all blocks of a test share one Session."""
        if executing_eagerly():
            yield _EagerSession(self)
            return
        if self._cached is None:
            self._cached = Session(graph=graph, config=config)
        session = self._cached
        if graph is not None and session.graph is not graph:
            raise ValueError('The graph used to get the cached session is different than the one '
                             'that was used to create the session. Maybe create a new session with '
                             'self.session()')
        with session.graph.as_default(), session.as_default():
            yield session

    def test_session(self, graph=None, config=None, use_gpu=False, force_gpu=False):
        """cached_session, or with a graph a `session`: the name of both before TensorFlow 1.11."""
        if self._testMethodName == 'test_session':
            self.skipTest('Not a test.')        # unittest would run it as a test
        make = self.cached_session if graph is None else self.session
        return make(graph, config, use_gpu, force_gpu)

    test_session.__test__ = False

    def evaluate(self, tensors):
        """The values of a nest of tensors, run in the default Session or the test's own."""
        if executing_eagerly():
            return nest.map_structure(_array, tensors)
        flat = nest.flatten(tensors)
        session = get_default_session()
        if session is None:
            with self.cached_session() as session:
                return nest.pack_sequence_as(tensors, session.run(flat))
        return nest.pack_sequence_as(tensors, session.run(flat))

    def checkedThread(self, target, args=None, kwargs=None):    # noqa: N802 (TF's name)
        """A thread whose exceptions fail the test that joins it."""
        thread = _CheckedThread(self, target, args or (), kwargs or {})
        self._threads.append(thread)
        return thread

    @contextmanager
    def captureWritesToStream(self, stream):                    # noqa: N802
        """Yields an object whose `contents()` is what the block writes to the stream."""
        descriptor = stream.fileno()
        saved = os.dup(descriptor)
        with tempfile.TemporaryFile() as file:
            os.dup2(file.fileno(), descriptor)
            try:
                yield _Captured(file, stream)
            finally:
                stream.flush()
                os.dup2(saved, descriptor)
                os.close(saved)


class _Captured:
    def __init__(self, file, stream):
        self._file, self._stream = file, stream

    def contents(self):
        """What has been written so far."""
        self._stream.flush()
        return os.pread(self._file.fileno(), os.fstat(self._file.fileno()).st_size, 0).decode()


class _CheckedThread:
    def __init__(self, case, target, args, kwargs):
        self._case, self._joined, self._error = case, False, None
        self._thread = threading.Thread(target=self._run, args=(target, args, kwargs))

    def _run(self, target, args, kwargs):
        try:
            target(*args, **kwargs)
        except Exception as error:
            self._error = error

    def start(self):
        """Starts the thread."""
        self._thread.start()

    def join(self):
        """Waits for the end of the thread, and fails the test if it raised."""
        self._joined = True
        self._thread.join()
        if self._error is not None:
            self._case.fail(f'Error in checkedThread: {self._error}')

    def is_alive(self):
        """True while the thread runs."""
        return self._thread.is_alive()

    def check_termination(self):
        """Fails the test if the thread was not joined."""
        if not self._joined:
            self._case.fail('A checked thread was started and not joined.')
