"""Queue state in a Session: the elements, and the threads that wait to enqueue or dequeue.

As in TF, threads that cannot be served at once wait in two lines, to enqueue and to dequeue. Each
change of the queue serves both lines as far as possible. So the order among threads, and the
effect of an interrupted `dequeue_many`, are those of TF.
"""
from __future__ import annotations

import threading
from collections import deque

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.graph.support.waits import indivisible, may_wait, served
from tinyflow.ops.queues.waiting import Waiter, Watch, registered


class _Attempt(Waiter):
    """One thread in a line: `advance()` serves it and returns whether any element moved."""

    __slots__ = ('advance', 'error', 'remaining', 'items', 'ready')

    def __init__(self, remaining, items=(), what=None):
        super().__init__(what)
        self.advance = None
        self.error = None
        self.ready = None                       # wakes the thread, once it sleeps
        self.remaining = remaining              # elements still to enqueue or dequeue
        self.items = items                      # to enqueue, or dequeued so far

    def finish(self, error=None):
        self.error = error
        self.done = True
        if self.ready is not None:
            self.ready.notify()
        return True


@may_wait
def _until_done(attempt, watch):
    while not attempt.done:
        if not attempt.ready.wait(watch.seconds()) and not attempt.done:
            watch.look()


class QueueState:
    """First in, first out. An element is a tuple of arrays, one for each component."""

    kind = 'FIFOQueue'
    partial_shapes = False

    def __init__(self, name, operation, types, component_shapes, capacity):
        self.name = name
        self.operation = operation
        self.types = types
        self.shapes = component_shapes or None
        self.capacity = capacity if capacity >= 0 else 2**31 - 1
        self.closed = False
        self.runner_started = False             # set by QueueRunner.create_threads
        self.enqueues = 0                       # number of enqueue calls
        self._cancelled = False
        self._lock = threading.Lock()
        self._enqueuing: deque = deque()
        self._dequeuing: deque = deque()
        self._create_storage()

    # ---- storage: overridden by the other kinds of queue -----------------------------------

    def _create_storage(self):
        self._elements: deque = deque()

    def _put(self, element):
        self._elements.append(element)

    def _take(self):
        return self._elements.popleft()

    def _put_back(self, elements):
        """Undoes the dequeue of `elements`."""
        self._elements.extendleft(reversed(elements))

    def _available(self):
        """The number of elements that can be dequeued now."""
        return len(self._elements)

    # ---- what the ops do -----------------------------------------------------------------

    def size(self):
        with self._lock:
            return len(self._elements)

    def enqueue(self, components):
        """Adds one element; waits while the queue is full."""
        self._check(components)
        self._enqueue([tuple([_copy(c) for c in components])])

    def enqueue_many(self, components):
        """Adds the slices of `components` along axis 0, one by one as space becomes free."""
        sizes = [c.shape[0] if c.ndim else None for c in components]
        for i, size in enumerate(sizes):
            if size is None:
                raise OpFailure(f'Component {i} of enqueue_many is a scalar',
                                'axis 0 counts the elements; enqueue([x]) adds a single one.')
            if size != sizes[0]:
                raise ValueError(
                    'All input tensors must have the same size in the 0th dimension. Component '
                    f'{i} has {size}, and should have {sizes[0]}')
        self._check(components, sizes[0] if sizes else 0)
        if sizes and sizes[0]:
            self._enqueue(list(zip(*[_copy(c) for c in components])))

    def dequeue(self):
        """Waits for an element: a tuple of arrays."""
        element, = self._dequeue(1, False)
        return tuple([array_of(value, dtype) for value, dtype in zip(element, self.types)])

    def dequeue_many(self, n, allow_fewer=False):
        """Waits for `n` elements (with `allow_fewer`, at the end of a closed queue, for the rest).

        A tuple of arrays, components [n, *shape].
        """
        if n < 0:
            raise ValueError(f"Input 'n' must be >= 0, but is {n}")
        if self.shapes is None or \
                not self.partial_shapes and not all(shapes.known(s) for s in self.shapes):
            raise OpFailure(f"{self.kind}'s DequeueMany and DequeueUpTo require the components to "
                            'have specified shapes.',
                            'name them where the queue is made: shapes=[[], [28, 28]]; a '
                            'PaddingFIFOQueue takes unknown sizes.')
        elements = self._dequeue(n, allow_fewer) if n else []
        return tuple([self._stacked([e[i] for e in elements], i) for i in range(len(self.types))])

    def close(self, cancel_pending):
        """Closes the queue after pending enqueues, or cancels those if `cancel_pending`."""
        if not cancel_pending:
            attempt = _Attempt(0)
            attempt.advance = lambda: attempt.finish(self._mark_closed())
            self._submit(self._enqueuing, attempt)
            return
        with self._lock:
            self.closed = True
            self._cancel_all(self._enqueuing, 'Enqueue')
            self._serve()

    def cancel(self):
        """The Session ends: threads that wait, now or later, get a CancelledError."""
        with self._lock:
            self._cancelled = True
            self._cancel_all(self._enqueuing, 'Enqueue')
            self._cancel_all(self._dequeuing, 'Dequeue')

    # ---- lines of threads ------------------------------------------------------------------

    def _enqueue(self, elements):
        attempt = _Attempt(len(elements), elements, lambda: f"the queue '{self.name}' is full")
        self.enqueues += 1

        def advance():
            if self.closed:
                return attempt.finish(errors.CancelledError(
                    None, None, f"{self.kind} '{self.name}' is closed.{self._why_closed()}"))
            free = self.capacity - len(self._elements)
            start = len(elements) - attempt.remaining
            for element in elements[start:start + max(free, 0)]:
                self._put(element)
                attempt.remaining -= 1
            return attempt.finish() if not attempt.remaining else free > 0
        attempt.advance = advance
        self._submit(self._enqueuing, attempt)

    def _dequeue(self, n, allow_fewer):
        attempt = _Attempt(n, [], lambda: f"the queue '{self.name}' has too few elements")

        def advance():
            if self.closed and len(self._elements) < attempt.remaining:
                left = len(self._elements)
                self._put_back(attempt.items)
                attempt.items = []
                if not allow_fewer or not self._elements:
                    return attempt.finish(self._end_error(attempt.remaining, left))
                attempt.remaining = len(self._elements)
            return self._serve_dequeue(attempt)
        attempt.advance = advance
        self._submit(self._dequeuing, attempt)
        if served:
            self._note_dequeue(attempt.items)
        return attempt.items

    def _note_dequeue(self, elements):
        """A run for another process learns how to put back what it has dequeued."""
        run = served.get(threading.get_ident())
        if run is not None:
            run.undo.append(lambda: self._return(elements))

    def _return(self, elements):
        with self._lock:
            self._put_back(elements)
            self._serve()

    def _serve_dequeue(self, attempt):
        """Gives a dequeue attempt as many elements as possible."""
        dequeued = min(self._available(), attempt.remaining)
        for _ in range(dequeued):
            attempt.items.append(self._take())
        attempt.remaining -= max(dequeued, 0)
        return attempt.finish() if not attempt.remaining else dequeued > 0

    def _mark_closed(self):
        if self.closed:
            return errors.CancelledError(None, None, f"Queue '{self.name}' is already closed.")
        self.closed = True
        return None

    def _submit(self, line, attempt):
        with self._lock:
            if self._cancelled:
                raise _cancelled('Enqueue' if line is self._enqueuing else 'Dequeue')
            line.append(attempt)
            self._serve()
            if not attempt.done:
                self._wait(line, attempt)
        if attempt.error is not None:
            raise attempt.error

    @indivisible
    def _serve(self):
        """Serves both lines until nothing moves."""
        while True:
            enqueued = self._serve_line(self._enqueuing)
            dequeued = self._serve_line(self._dequeuing)
            if not enqueued and not dequeued:
                return

    def _serve_line(self, line):
        moved = False
        while line:
            moved = line[0].advance() or moved
            if not line[0].done:
                break
            line.popleft()
        return moved

    def _wait(self, line, attempt):
        watch = Watch(attempt, lambda: self._deadlock_error(attempt, line is self._dequeuing),
                      lambda: self._deadlock_warning(line is self._dequeuing))
        attempt.ready = threading.Condition(self._lock)
        try:
            with registered(attempt):
                _until_done(attempt, watch)
        except BaseException:           # Ctrl-C, too, must leave the queue as it was
            self._withdraw(line, attempt)
            raise

    @indivisible
    def _withdraw(self, line, attempt):
        if attempt in line:
            line.remove(attempt)
        if line is self._dequeuing and attempt.items:
            self._put_back(attempt.items)
        attempt.done = True
        self._serve()

    def _cancel_all(self, line, what):
        for attempt in line:
            attempt.finish(_cancelled(what))
            if line is self._dequeuing and attempt.items:
                self._put_back(attempt.items)
        line.clear()

    # ---- checks and messages ---------------------------------------------------------------

    def _check(self, components, batch=None):
        """ValueError where the components do not match the queue."""
        if len(components) != len(self.types):
            raise OpFailure(f'Signature mismatch, have: {len(components)} components, expected: '
                            f'{len(self.types)}',
                            'one value for each dtype of the queue: '
                            f"{', '.join(t.name for t in self.types)}.")
        leading = () if batch is None else (batch,)
        for i, component in enumerate(components):
            if self.shapes is None:
                break
            expected = self.shapes[i]
            if expected is not None and not shapes.compatible(component.shape, leading + expected):
                raise ValueError(
                    f'Shape mismatch in tuple component {i}. Expected '
                    f'{shapes.compact(leading + expected)}, got {shapes.compact(component.shape)}')

    def _stacked(self, values, i):
        shape, dtype = self.shapes[i], self.types[i].np
        out = np.empty((len(values), *shape), dtype)
        for j, value in enumerate(values):
            out[j, ...] = value         # the dots unpack the array of a string
        return out

    def _end_error(self, expected, left):
        return errors.op_error(errors.OutOfRangeError,
                               f"{self.kind} '{self.name}' is closed and has insufficient "
                               f'elements (requested {expected}, current size {left})',
                               self._why_closed())

    def _why_closed(self):
        """A hint for a closed queue: the error of its runner, if that closed it."""
        runner = runner_of(self.operation)
        if runner is None or not runner.failures:
            return None
        return _failure_hint(runner.failures[-1])

    def _deadlock_error(self, attempt, dequeuing):
        name = self.operation.name
        if not dequeuing:
            return errors.op_error(errors.FailedPreconditionError,
                                   f"[queue-deadlock] the queue '{name}' is full ({self.capacity} "
                                   'elements), no other thread can take from it, so this would '
                                   'wait forever',
                                   _HINT_FULL)
        have = len(self._elements) + len(attempt.items)
        problem = (f"[queue-deadlock] the queue '{name}' has {have} elements, {attempt.remaining} "
                   'more are needed, no other thread can add them, so this would wait forever')
        return errors.op_error(errors.FailedPreconditionError, problem,
                               self._hint_empty() + errors.why('queue-deadlock'))

    def _hint_empty(self):
        runner = runner_of(self.operation)
        if runner is None:
            return ('run the enqueue op first, in a separate run, or in another thread; '
                    'close() it when nothing more will come.')
        if not self.runner_started:
            return ('tf.train.start_queue_runners(sess) after the whole graph is built and before '
                    'the loop: it starts the thread that fills this queue.')
        if runner.failures:
            return _failure_hint(runner.failures[-1])
        return 'its queue runner was started, but its thread has ended without closing the queue.'

    def _deadlock_warning(self, dequeuing):
        if not dequeuing or self.enqueues or self.closed:
            return None
        return (f"[queue-deadlock] the queue '{self.operation.name}' is empty, and nothing has "
                f'been added so far. Hint: {self._hint_empty()}')


_HINT_FULL = ('dequeue from it in another thread, give it a larger capacity, or enqueue in a '
              'separate thread (tf.train.QueueRunner).' + errors.why('queue-deadlock'))


def runner_of(operation):
    """The first QueueRunner in the graph's collection that fills the queue node `operation`."""
    for runner in operation.graph.get_collection('queue_runners'):
        if hasattr(runner, 'failures') and node_of(runner.queue) is operation:
            return runner
    return None


def node_of(queue):
    """The node of a queue, which an imported QueueRunner knows as a node and not as a QueueBase."""
    ref = getattr(queue, 'queue_ref', queue)
    return getattr(ref, 'op', ref)


def _failure_hint(error):
    first = str(error).partition('\n')[0]
    return f'the thread that fills this queue stopped with {type(error).__name__}: {first}'


def _cancelled(what):
    return errors.CancelledError(None, None, f'{what} operation was cancelled')


def _copy(component):
    """A copy: the program will use the array's memory again."""
    return np.array(component)


def array_of(value, dtype):
    """One component of an element as an array, also if it is a NumPy scalar."""
    if isinstance(value, np.ndarray):
        return value
    array = np.empty((), dtype.np)
    array[()] = value
    return array
