"""Coordinator: lets threads stop together, and reports the first exception of any of them."""
from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager

from tinyflow.graph.support import errors, logging
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.queues.waiting import idle

__all__ = ['Coordinator', 'LooperThread']


class Coordinator:
    """Stops a group of threads together.

        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        ... until coord.should_stop()
        coord.request_stop()
        coord.join(threads)

    The first exception that a thread reports is raised by `join`; those of
    `clean_stop_exception_types` (by default OutOfRangeError, the end of the input) only stop.
    """

    def __init__(self, clean_stop_exception_types=None):
        self._clean = (errors.OutOfRangeError,) if clean_stop_exception_types is None else \
            tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._error = None                      # the exception that `join` is to raise
        self._joined = False
        self._registered = set()

    def request_stop(self, ex=None):
        """Requests that all threads stop; `ex` is an exception or a sys.exc_info() tuple.

        After `join` has returned, `ex` is raised immediately, since nothing else would report it.
        """
        with self._lock:
            error = self._reported(ex)
            if self._joined and error is not None:
                raise error
            if not self._stop.is_set():
                if error is not None and self._error is None:
                    self._error = error
                    logging.info('Error reported to Coordinator: %s, %s', type(error), error)
                self._stop.set()

    def _reported(self, ex):
        """The exception in `ex`; None for one that only signals the end."""
        if isinstance(ex, tuple):
            if len(ex) != 3 or not ex[0] or not ex[1]:
                return ValueError('ex must be a tuple or sys.exc_info must return the current '
                                  f'exception: {ex}')
            ex = ex[1]
        return None if isinstance(ex, self._clean) else ex

    def clear_stop(self):
        """Clears the stop request and the error; threads may then run, and be joined, again."""
        with self._lock:
            self._joined = False
            self._error = None
            self._stop.clear()

    def should_stop(self):
        """True once a stop was requested."""
        return self._stop.is_set()

    @contextmanager
    def stop_on_exception(self):
        """``with coord.stop_on_exception():`` passes an exception of the block to request_stop."""
        try:
            yield
        except BaseException:                   # join re-raises Ctrl-C and sys.exit, too
            self.request_stop(sys.exc_info())

    def wait_for_stop(self, timeout=None):
        """Waits until a stop is requested, at most `timeout` seconds; returns whether it was."""
        if timeout is not None:
            return self._stop.wait(timeout)
        with idle():
            return self._stop.wait()

    def register_thread(self, thread):
        """Adds a thread to those that `join` waits for."""
        with self._lock:
            self._registered.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits until `threads` and the registered ones have ended, and raises the first error.

        After a stop was requested they have `stop_grace_period_secs` to end; RuntimeError names
        those that did not, unless `ignore_live_threads`.
        """
        with self._lock:
            waited_for = list(self._registered.union(threads or ()))
        self._wait(waited_for, stop_grace_period_secs)
        late = [t.name for t in waited_for if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered = set()
            if self._error is not None:
                raise self._error
            if late and not ignore_live_threads:
                raise misuse(RuntimeError(
                    f'Coordinator stopped with threads still running: {" ".join(late)}\n'
                    '  Hint: each thread must check coord.should_stop() in its loop; '
                    'sess.close() ends those that wait for a queue.'))

    def _wait(self, threads, grace):
        with idle():
            for thread in threads:
                while thread.is_alive() and not self._stop.is_set():
                    thread.join(0.02)
        end = time.monotonic() + grace
        for thread in threads:
            while thread.is_alive() and time.monotonic() < end:
                thread.join(max(min(0.05, end - time.monotonic()), 0.001))

    @property
    def joined(self):
        """True once `join` has returned."""
        return self._joined

    def raise_requested_exception(self):
        """Raises the error that a thread has reported, if there is one."""
        with self._lock:
            if self._error is not None:
                raise self._error


class LooperThread(threading.Thread):
    """A thread that calls `target`, or its own `run_loop`, until its Coordinator stops it.

    Once every `timer_interval_secs` seconds, without a pause if that is None.
    """

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, Coordinator):
            raise misuse(ValueError(f"'coord' argument must be a Coordinator: {coord}"))
        super().__init__(daemon=True)
        if target is None and (args or kwargs):
            raise misuse(ValueError("'args' and 'kwargs' argument require that you also pass "
                                    "'target'"))
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._call = target
        self._call_args = args or ()
        self._call_kwargs = kwargs or {}
        coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """Starts a LooperThread that calls `target`, and returns it."""
        looper = LooperThread(coord, timer_interval_secs, target, args, kwargs)
        looper.start()
        return looper

    def run(self):
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                due = time.time()
                while not self._coord.wait_for_stop(due - time.time()):
                    due += self._timer_interval_secs
                    self.run_loop()
            self.stop_loop()

    def start_loop(self):
        """Called once when the thread starts."""

    def stop_loop(self):
        """Called once when the thread stops."""

    def run_loop(self):
        """Called repeatedly."""
        if self._call:
            self._call(*self._call_args, **self._call_kwargs)
