"""Enqueuers: threads or processes that make batches ahead of time."""
from __future__ import annotations

import pickle
import queue
import random
import threading
import types

from tinyflow.graph.support.errors import misuse

__all__ = ['GeneratorEnqueuer', 'OrderedEnqueuer', 'SequenceEnqueuer']

_END = object()                 # result of a task whose generator is exhausted

# How processes begin that make the batches of a Sequence: 'spawn', to which it is pickled, or
# 'fork', which copies locks that other threads hold. keras2/enabling.py sets it.
start_method = 'spawn'


class SequenceEnqueuer:
    """Base of enqueuers: `start` fills a queue of at most `max_queue_size` batches, `get` reads it.

    `get()` is a generator of batches, `stop()` ends the workers. Threads share the memory of the
    program. Processes (`use_multiprocessing`) are spawned and get the data by pickle, so they need
    a script that starts its work under ``if __name__ == '__main__':``.
    """

    queue = run_thread = stop_signal = None

    def __init__(self, sequence, use_multiprocessing=False):
        self.sequence, self.use_multiprocessing = sequence, use_multiprocessing
        self.workers = 0

    def is_running(self):
        return self.stop_signal is not None and not self.stop_signal.is_set()

    def start(self, workers=1, max_queue_size=10):
        """Starts `workers` threads or processes."""
        self.workers = max(int(workers), 1)
        self.queue = queue.Queue(max_queue_size)
        self.stop_signal = threading.Event()
        self.run_thread = threading.Thread(target=self._run_guarded, daemon=True)
        self.run_thread.start()

    def stop(self, timeout=None):
        """Stops the workers and waits for them."""
        self.stop_signal.set()
        with self.queue.mutex:                  # wakes up waiting threads
            self.queue.queue.clear()
            self.queue.unfinished_tasks = 0
            self.queue.not_full.notify_all()
            self.queue.all_tasks_done.notify_all()
        if self.run_thread is not threading.current_thread():
            self.run_thread.join(timeout)

    def __del__(self):
        if self.is_running():
            self.stop()

    def get(self):
        """The batches, in the order of the queue; errors of workers are raised here."""
        try:
            while self.is_running():
                task = self.queue.get()
                if task is None:
                    break
                inputs = task.result()
                self.queue.task_done()
                if inputs is not None and inputs is not _END:
                    yield inputs
        except Exception as error:
            self.stop()
            raise self._explained(error) from error.__cause__
        self.stop()

    def _explained(self, error):
        from concurrent.futures.process import BrokenProcessPool  # start-up time
        if isinstance(error, BrokenProcessPool):
            return misuse(RuntimeError(
                'The worker processes ended at once. Each starts by importing '
                "the program's main module.\n  Hint: put the program's work under `if __name__ == "
                "'__main__':`, and the Sequence's class into a file that can be imported; or use "
                'threads: use_multiprocessing=False.'))
        return error

    def _run_guarded(self):
        try:
            self._run()
        except Exception as error:
            from concurrent.futures import Future  # start-up time
            failed = Future()
            failed.set_exception(error)
            self.queue.put(failed)
        else:
            if self.is_running():
                self.queue.put(None)

    def _run(self):
        """Puts a Future for each batch into the queue."""
        raise NotImplementedError(f'{type(self).__name__}._run()')

    def _threads(self, count):
        from concurrent.futures import ThreadPoolExecutor  # start-up time
        return ThreadPoolExecutor(count)


class OrderedEnqueuer(SequenceEnqueuer):
    """The batches of a Sequence, pass after pass, each in the order of the indices.

    With `shuffle` the indices are shuffled for each pass. `on_epoch_end` is called when a pass has
    been taken from the queue, before the next one starts.
    """

    def __init__(self, sequence, use_multiprocessing=False, shuffle=False):
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle

    def _run(self):
        order = list(range(len(self.sequence)))
        pool, sent = None, None
        try:
            while self.is_running():
                if self.shuffle:
                    random.shuffle(order)
                pool, sent = self._pool(pool, sent)
                make = _sent_item if self.use_multiprocessing else self.sequence.__getitem__
                for index in order:
                    if not self.is_running():
                        return
                    self.queue.put(pool.submit(make, index))
                self._wait()
                if self.is_running():
                    self.sequence.on_epoch_end()
        finally:
            if pool is not None:
                pool.shutdown(cancel_futures=True)

    def _pool(self, pool, sent):
        """(workers with the current state of the Sequence, the state that they received)."""
        if not self.use_multiprocessing:
            return pool or self._threads(self.workers), None
        import multiprocessing  # start-up time
        from concurrent.futures import ProcessPoolExecutor  # start-up time
        if start_method == 'fork':
            if pool is not None:
                pool.shutdown()
            return ProcessPoolExecutor(self.workers, multiprocessing.get_context('fork'),
                                       _take, (self.sequence,)), None
        state = _pickled(self.sequence)
        if pool is not None and state == sent:
            return pool, sent
        if pool is not None:
            pool.shutdown()
        return ProcessPoolExecutor(self.workers, multiprocessing.get_context('spawn'),
                                   _receive, (state,)), state

    def _wait(self):
        """Waits until all batches of the pass have been taken."""
        with self.queue.all_tasks_done:
            while self.queue.unfinished_tasks and self.is_running():
                self.queue.all_tasks_done.wait()


class GeneratorEnqueuer(SequenceEnqueuer):
    """The items of a generator, until it ends.

    A generator function cannot run in several threads, so one thread reads it; other iterators,
    such as those of ImageDataGenerator, are read by all workers. Processes are forks of this one,
    each with a copy of the generator: data may repeat. Their NumPy random numbers begin with
    `random_seed`, + 1, ..., or with others each time.
    """

    def __init__(self, sequence, use_multiprocessing=False, random_seed=None):
        super().__init__(sequence, use_multiprocessing)
        self.random_seed = random_seed
        self._ended = False
        self._processes = None

    def is_running(self):
        """True between `start` and the end of the items, or `stop`."""
        return super().is_running() if self._processes is None else self._processes.is_running()

    def start(self, workers=1, max_queue_size=10):
        """Starts `workers` threads or processes."""
        if not self.use_multiprocessing:
            super().start(workers, max_queue_size)
            return
        from keras_layer.utils.generator_processes import GeneratorProcesses  # start-up time
        self.workers = max(int(workers), 1)
        self._processes = GeneratorProcesses(self.sequence, self.workers, max_queue_size,
                                             self.random_seed)

    def get(self):
        """The items; errors of workers are raised here."""
        return super().get() if self._processes is None else self._processes.items()

    def stop(self, timeout=None):
        """Stops the workers and waits for them."""
        if self._processes is None:
            super().stop(timeout)
        else:
            self._processes.stop()

    def _run(self):
        single = isinstance(self.sequence, types.GeneratorType)
        with self._threads(1 if single else self.workers) as pool:
            while True:
                self._wait_for_room()           # no item is read that the queue cannot take
                if not self.is_running() or self._ended:
                    return
                self.queue.put(pool.submit(self._next))

    def _wait_for_room(self):
        with self.queue.not_full:
            while self.queue._qsize() >= self.queue.maxsize > 0 and self.is_running():
                self.queue.not_full.wait()

    def _next(self):
        try:
            return next(self.sequence)
        except StopIteration:
            self._ended = True
            return _END


def _pickled(sequence):
    try:
        return pickle.dumps(sequence)
    except Exception as error:
        raise misuse(ValueError(
            f'{type(sequence).__name__} cannot be sent to other processes: {error}\n  Hint: a '
            'class at the top of a file, without open files, locks or lambdas in it; or threads: '
            'use_multiprocessing=False.')) from None


_received = None                # in a process that makes batches: its Sequence


def _receive(state):
    _take(pickle.loads(state))


def _take(sequence):
    global _received
    _received = sequence


def _sent_item(index):
    return _received[index]
