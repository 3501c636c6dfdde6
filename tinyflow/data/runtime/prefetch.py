"""Elements computed ahead on other threads: prefetch and parallel map.

Neither changes the elements, nor their order. Passing an element between threads costs about 20
microseconds in Python, so a pass first measures the time per element and computes cheap ones in the
reading thread.
"""
from __future__ import annotations

import os
import threading
import weakref
from collections import deque
from contextlib import ExitStack
from time import perf_counter
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import (
    Cursor,
    Element,
    Source,
    State,
    Transform,
    draws_randomly,
    save,
)
from tinyflow.data.runtime.mapping import Function
from tinyflow.graph.support.waits import may_wait

_WATCHED = 8                # elements that are timed before the decision
_WORTH_IT = 150e-6          # seconds per element above which threads help
_LOOK = 0.5                 # seconds; Python may miss a signal that comes just before it waits
_PATIENCE = 10.0            # seconds that closing waits for an element that is being made


class Watch:
    """Times the first elements of a pass; `slow` is whether a thread pays off."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.slow = False

    @property
    def open(self) -> bool:
        return len(self.times) < _WATCHED

    def add(self, seconds: float) -> None:
        self.times.append(seconds)
        # The first calls compile; the fastest one is the time of an element afterwards.
        if not self.open:
            self.slow = min(self.times) > _WORTH_IT


class _Producer:
    """A thread that keeps a buffer of a cursor's elements full."""

    def __init__(self, cursor: Cursor, buffer_size: int) -> None:
        self.cursor, self.buffer_size = cursor, buffer_size
        self.buffer: deque[tuple[Element | None, BaseException | None]] = deque()
        self.changed = threading.Condition()
        self.working = threading.RLock()        # held while an element is taken and buffered
        self.over = self.stopped = False
        self.thread = threading.Thread(target=self._produce, name='tinyflow prefetch', daemon=True)
        self.thread.start()

    def _produce(self) -> None:
        with np.errstate(all='ignore'):
            while self._wait_for_space():
                with self.working:
                    if self.stopped or not self._make():
                        break
        with self.changed:
            self.over = True
            self.changed.notify_all()

    def _wait_for_space(self) -> bool:
        with self.changed:
            while len(self.buffer) >= self.buffer_size and not self.stopped:
                self.changed.wait()
            return not self.stopped

    def _make(self) -> bool:
        item: tuple[Element | None, BaseException | None]
        try:
            item = next(self.cursor), None
        except StopIteration:
            return False
        except BaseException as error:          # noqa: BLE001 - raised in the reading thread
            item = None, error
        with self.changed:
            self.buffer.append(item)
            self.changed.notify_all()
        return True

    def take(self) -> Element:
        with self.changed:
            self._until_ready()
            if not self.buffer:
                raise StopIteration
            element, error = self.buffer.popleft()
            self.changed.notify_all()
        if error is not None:
            raise error
        return element                          # type: ignore[return-value]

    @may_wait
    def _until_ready(self) -> None:
        while not self.buffer and not self.over:
            self.changed.wait(_LOOK)

    def stop(self) -> None:
        with self.changed:
            self.stopped = True
            self.changed.notify_all()

    def join(self) -> bool:
        """Waits for the thread to end; False if an element blocks it."""
        if self.thread is not threading.current_thread():
            self.thread.join(_PATIENCE)
        return not self.thread.is_alive()


class _PrefetchedCursor(Transform):
    def __init__(self, source: Prefetched) -> None:
        super().__init__(source)
        self.watch = Watch()
        self.ready: deque[Element] = deque()        # elements of a restored state
        self.producer: _Producer | None = None

    def __next__(self) -> Element:
        if self.ready:
            return self.ready.popleft()
        if self.producer is not None:
            return self.producer.take()
        if not self.watch.open:
            return next(self.input)
        start = perf_counter()
        element = next(self.input)
        self.watch.add(perf_counter() - start)
        if self.watch.slow and self.source.buffer_size:
            self.producer = _Producer(self.input, self.source.buffer_size)
            weakref.finalize(self, self.producer.stop)      # a pass that is not closed
        return element

    def hold(self, held: ExitStack) -> None:
        if self.producer is not None:           # before the input, which that thread waits for
            held.enter_context(self.producer.working)
        super().hold(held)

    def get_state(self) -> State:
        if self.producer is None:
            return {**super().get_state(), 'ready': [tuple(e) for e in self.ready]}
        with self.producer.working:
            buffered = list(self.producer.buffer)
            for _, error in buffered:
                if error is not None:
                    raise error
            ready = [tuple(e) for e, _ in buffered if e is not None]
            return {'input': save(self.input), 'ready': ready}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.ready = deque(state['ready'])

    def close(self) -> None:
        if self.producer is not None:
            self.producer.stop()
            if not self.producer.join():
                return                          # still using the input
        super().close()


class Prefetched(Source):
    """The input's elements, computed ahead: up to `buffer_size` of them (-1: a few)."""

    pass_class = _PrefetchedCursor

    def __init__(self, source: Source, buffer_size: int) -> None:
        self.inputs = source,
        self.buffer_size = 2 if buffer_size < 0 else buffer_size

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _Failed:
    """An error of the input, queued instead of an element."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def result(self) -> Element:
        raise self.error

    def exception(self) -> Exception:
        return self.error


@may_wait
def _until_ready(future: Any) -> None:
    future.exception()


class _ParallelCursor(Transform):
    """Results are in the order of the elements; pending work is started again after a restore."""

    def __init__(self, source: ParallelMapped) -> None:
        super().__init__(source)
        self.watch = Watch()
        self.pool: Any = None
        self.waiting: deque[tuple[Element, Any]] = deque()      # element, its future
        self.elements: deque[Element] = deque()                 # of a restored state

    def __next__(self) -> Element:
        if self.pool is not None:
            return self._from_pool()
        element = self._take()
        if not self.watch.open:
            return self.source.function(*element)
        start = perf_counter()
        result = self.source.function(*element)
        self.watch.add(perf_counter() - start)
        if self.watch.slow and self.source.threads > 1:
            self._open_pool()
        return result

    def _take(self) -> Element:
        return self.elements.popleft() if self.elements else next(self.input)

    def _open_pool(self) -> None:
        from concurrent.futures import ThreadPoolExecutor  # start-up time
        self.pool = ThreadPoolExecutor(self.source.threads, 'tinyflow map')
        weakref.finalize(self, self.pool.shutdown, wait=False, cancel_futures=True)

    def _from_pool(self) -> Element:
        waiting, function = self.waiting, self.source.function
        while len(waiting) < self.source.threads:
            try:
                element = self._take()
            except StopIteration:
                break
            except Exception as error:          # noqa: BLE001 - raised when its turn comes
                waiting.append(((), _Failed(error)))
                break
            waiting.append((element, self.pool.submit(_run, function, element)))
        if not waiting:
            raise StopIteration
        _until_ready(waiting[0][1])             # Ctrl-C must not lose the element
        return waiting.popleft()[1].result()

    def get_state(self) -> State:
        if self.pool is not None and self.source.random:
            raise draws_randomly(self.source.random, 'several threads call it at a time')
        elements = [e for e, future in self.waiting if not isinstance(future, _Failed)]
        return {**super().get_state(), 'elements': [tuple(e) for e in [*elements, *self.elements]]}

    def set_state(self, state: State) -> None:
        super().set_state(state)
        self.elements = deque(state['elements'])

    def close(self) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=True, cancel_futures=True)
        super().close()


def _run(function: Function, element: Element) -> Element:
    with np.errstate(all='ignore'):
        return function(*element)


class ParallelMapped(Source):
    """function(element) for each element, up to `threads` (-1: one per core) at a time."""

    pass_class = _ParallelCursor

    def __init__(self, source: Source, function: Function, threads: int) -> None:
        self.inputs = source,
        self.function = function
        self.threads = threads if threads > 0 else os.cpu_count() or 1

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()
