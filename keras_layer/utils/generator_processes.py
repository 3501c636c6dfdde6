"""Processes that run copies of a generator, for fit_generator(use_multiprocessing=True).

A generator cannot be sent to another process, so the processes are forks of this one.
"""
from __future__ import annotations

import multiprocessing
import queue

import numpy as np

from tinyflow.graph.support.errors import misuse

__all__ = ['GeneratorProcesses']


class GeneratorProcesses:
    """`workers` forks of this process; each runs its copy of the generator, so data may repeat.

    `items()` gives what they make, in any order, until all copies have ended. An error in a
    process is raised by `items()`. ValueError where the system cannot fork.
    """

    def __init__(self, generator, workers, max_queue_size, random_seed=None):
        if 'fork' not in multiprocessing.get_all_start_methods():
            raise misuse(ValueError(
                'A generator cannot be sent to other processes, and this system cannot fork.\n'
                '  Hint: a keras.utils.Sequence, which gives batch i of n, or threads: '
                'use_multiprocessing=False.'))
        context = multiprocessing.get_context('fork')
        self._queue = context.Queue(max_queue_size)
        self._stopped = context.Event()
        self._processes = [
            context.Process(target=_make, daemon=True, args=(
                generator, self._queue, None if random_seed is None else random_seed + number))
            for number in range(workers)]
        for process in self._processes:
            process.start()

    def is_running(self):
        return not self._stopped.is_set()

    def items(self):
        ended = 0
        while self.is_running() and ended < len(self._processes):
            try:
                item, error = self._queue.get(timeout=1)
            except queue.Empty:
                if not any(process.is_alive() for process in self._processes):
                    break
                continue
            if error is not None:
                self.stop()
                raise error
            if item is None:
                ended += 1
            else:
                yield item
        self.stop()

    def stop(self):
        """Ends the processes."""
        self._stopped.set()
        for process in self._processes:
            if process.is_alive():
                process.terminate()
        for process in self._processes:
            process.join()
        self._queue.close()


def _make(generator, made, seed):
    """In a process: puts (item, error) into the queue; (None, None) at the end."""
    np.random.seed(seed)                # None: another one in each process
    try:
        for item in generator:
            made.put((item, None))
        made.put((None, None))
    except Exception as error:
        made.put((None, error))
