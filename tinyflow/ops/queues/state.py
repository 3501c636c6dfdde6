"""The queues themselves: what a Session holds for a queue node.

Threads that cannot be served at once stand in two lines, those that bring and those that take, as
TF's do; whoever changes the queue serves both lines until nobody can be served any more. So the
order among threads, and what a half-served `dequeue_many` leaves behind, are TF's.
"""
from __future__ import annotations

import threading
from collections import deque

import numpy as np

from tinyflow.graph import shapes
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.queues.waiting import Waiter, Watch, registered


class _Attempt(Waiter):
    """One thread in a line: `advance()` serves it as far as possible, True if that was anything."""

    __slots__ = ('advance', 'error', 'remaining', 'items', 'ready')

    def __init__(self, remaining, items=()):
        super().__init__()
        self.advance = None
        self.error = None
        self.ready = None                       # wakes the thread, once it sleeps
        self.remaining = remaining              # elements still to bring or to take
        self.items = items                      # those to bring, or those taken so far

    def finish(self, error=None):
        self.error = error
        self.done = True
        if self.ready is not None:
            self.ready.notify()
        return True


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
        self.enqueues = 0                       # how often somebody brought something
        self._cancelled = False
        self._lock = threading.Lock()
        self._bringing: deque = deque()
        self._taking: deque = deque()
        self._make_room()

    # ---- the container: what the other kinds of queue do in their own way -------------------

    def _make_room(self):
        self._elements: deque = deque()

    def _put(self, element):
        self._elements.append(element)

    def _take(self):
        return self._elements.popleft()

    def _put_back(self, elements):
        """Undoes the taking of `elements`."""
        self._elements.extendleft(reversed(elements))

    def _available(self):
        """How many elements may be taken now."""
        return len(self._elements)

    # ---- what the ops do -----------------------------------------------------------------

    def size(self):
        with self._lock:
            return len(self._elements)

    def enqueue(self, components):
        """Waits for room and adds one element."""
        self._check(components)
        self._bring([tuple([_own(c) for c in components])])

    def enqueue_many(self, components):
        """Adds the slices of `components` along axis 0, one by one as there is room."""
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
            self._bring(list(zip(*[_own(c) for c in components])))

    def dequeue(self):
        """Waits for an element: a tuple of arrays."""
        element, = self._get(1, False)
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
        elements = self._get(n, allow_fewer) if n else []
        return tuple([self._stacked([e[i] for e in elements], i) for i in range(len(self.types))])

    def close(self, cancel_pending):
        """Nothing is added from now on; what waits to be added is, unless `cancel_pending`."""
        if not cancel_pending:
            attempt = _Attempt(0)
            attempt.advance = lambda: attempt.finish(self._shut())
            self._stand_in(self._bringing, attempt)
            return
        with self._lock:
            self.closed = True
            self._dismiss(self._bringing, 'Enqueue')
            self._serve()

    def cancel(self):
        """The Session ends: everybody who waits, now or later, gets a CancelledError."""
        with self._lock:
            self._cancelled = True
            self._dismiss(self._bringing, 'Enqueue')
            self._dismiss(self._taking, 'Dequeue')

    # ---- lines of threads ------------------------------------------------------------------

    def _bring(self, elements):
        attempt = _Attempt(len(elements), elements)
        self.enqueues += 1

        def advance():
            if self.closed:
                return attempt.finish(errors.CancelledError(
                    None, None, f"{self.kind} '{self.name}' is closed.{self._why_closed()}"))
            room = self.capacity - len(self._elements)
            start = len(elements) - attempt.remaining
            for element in elements[start:start + max(room, 0)]:
                self._put(element)
                attempt.remaining -= 1
            return attempt.finish() if not attempt.remaining else room > 0
        attempt.advance = advance
        self._stand_in(self._bringing, attempt)

    def _get(self, n, allow_fewer):
        attempt = _Attempt(n, [])

        def advance():
            if self.closed and len(self._elements) < attempt.remaining:
                left = len(self._elements)
                self._put_back(attempt.items)
                attempt.items = []
                if not allow_fewer or not self._elements:
                    return attempt.finish(self._at_end(attempt.remaining, left))
                attempt.remaining = len(self._elements)
            return self._hand_over(attempt)
        attempt.advance = advance
        self._stand_in(self._taking, attempt)
        return attempt.items

    def _hand_over(self, attempt):
        """Gives an attempt as many elements as there are."""
        taken = min(self._available(), attempt.remaining)
        for _ in range(taken):
            attempt.items.append(self._take())
        attempt.remaining -= max(taken, 0)
        return attempt.finish() if not attempt.remaining else taken > 0

    def _shut(self):
        if self.closed:
            return errors.CancelledError(None, None, f"Queue '{self.name}' is already closed.")
        self.closed = True
        return None

    def _stand_in(self, line, attempt):
        with self._lock:
            if self._cancelled:
                raise _cancelled('Enqueue' if line is self._bringing else 'Dequeue')
            line.append(attempt)
            self._serve()
            if not attempt.done:
                self._wait(line, attempt)
        if attempt.error is not None:
            raise attempt.error

    def _serve(self):
        """Serves both lines until nothing moves."""
        while True:
            brought, taken = self._serve_line(self._bringing), self._serve_line(self._taking)
            if not brought and not taken:
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
        watch = Watch(attempt, lambda: self._hopeless(attempt, line is self._taking),
                      lambda: self._suspicion(line is self._taking))
        attempt.ready = threading.Condition(self._lock)
        try:
            with registered(attempt):
                while not attempt.done:
                    if not attempt.ready.wait(watch.seconds()) and not attempt.done:
                        watch.look()
        except BaseException:           # Ctrl-C, too, must leave the queue as it was
            self._withdraw(line, attempt)
            raise

    def _withdraw(self, line, attempt):
        if attempt in line:
            line.remove(attempt)
        if line is self._taking and attempt.items:
            self._put_back(attempt.items)
        attempt.done = True
        self._serve()

    def _dismiss(self, line, what):
        for attempt in line:
            attempt.finish(_cancelled(what))
            if line is self._taking and attempt.items:
                self._put_back(attempt.items)
        line.clear()

    # ---- checks and messages ---------------------------------------------------------------

    def _check(self, components, batch=None):
        """ValueError where the components are not what the queue holds."""
        if len(components) != len(self.types):
            raise OpFailure(f'Signature mismatch, have: {len(components)} components, expected: '
                            f'{len(self.types)}',
                            'one value for each dtype of the queue: '
                            f"{', '.join(t.name for t in self.types)}.")
        leading = () if batch is None else (batch,)
        for i, component in enumerate(components):
            if self.shapes is None:
                break
            wanted = self.shapes[i]
            if wanted is not None and not shapes.compatible(component.shape, leading + wanted):
                raise ValueError(
                    f'Shape mismatch in tuple component {i}. Expected '
                    f'{shapes.compact(leading + wanted)}, got {shapes.compact(component.shape)}')

    def _stacked(self, values, i):
        shape, dtype = self.shapes[i], self.types[i].np
        out = np.empty((len(values), *shape), dtype)
        for j, value in enumerate(values):
            out[j, ...] = value         # without the dots a string's array would go in whole
        return out

    def _at_end(self, wanted, left):
        return errors.op_error(errors.OutOfRangeError,
                               f"{self.kind} '{self.name}' is closed and has insufficient "
                               f'elements (requested {wanted}, current size {left})',
                               self._why_closed())

    def _why_closed(self):
        """A mend for who meets a closed queue, where an error of its runner closed it."""
        runner = runner_of(self.operation)
        if runner is None or not runner.failures:
            return None
        return _told(runner.failures[-1])

    def _hopeless(self, attempt, taking):
        name = self.operation.name
        if not taking:
            return errors.op_error(errors.FailedPreconditionError,
                                   f"[queue-deadlock] the queue '{name}' is full ({self.capacity} "
                                   'elements), nobody is left to take from it, and this waits for '
                                   'ever',
                                   _MEND_FULL)
        have = len(self._elements) + len(attempt.items)
        problem = (f"[queue-deadlock] the queue '{name}' has {have} elements, {attempt.remaining} "
                   'more are needed, nobody is left to add them, and this waits for ever')
        return errors.op_error(errors.FailedPreconditionError, problem, self._mend_empty())

    def _mend_empty(self):
        runner = runner_of(self.operation)
        if runner is None:
            return ('run the enqueue op first, in a run of its own, or in another thread; '
                    'close() it when nothing more will come.')
        if not self.runner_started:
            return ('tf.train.start_queue_runners(sess) after the whole graph is built and before '
                    'the loop: it starts the thread that fills this queue.')
        if runner.failures:
            return _told(runner.failures[-1])
        return 'its queue runner was started, but its thread has ended without closing the queue.'

    def _suspicion(self, taking):
        if not taking or self.enqueues or self.closed:
            return None
        return (f"[queue-deadlock] the queue '{self.operation.name}' is empty, and nobody has "
                f'added anything so far. Mend: {self._mend_empty()}')


_MEND_FULL = ('dequeue from it in another thread, give it a larger capacity, or enqueue in a '
              'thread of its own (tf.train.QueueRunner).')


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


def _told(error):
    first = str(error).partition('\n')[0]
    return f'what fills this queue stopped with {type(error).__name__}: {first}'


def _cancelled(what):
    return errors.CancelledError(None, None, f'{what} operation was cancelled')


def _own(component):
    """A copy: the program will use the array's memory again."""
    return np.array(component)


def array_of(value, dtype):
    """One component of an element as an array; a scalar is kept as it was cut from its batch."""
    if isinstance(value, np.ndarray):
        return value
    array = np.empty((), dtype.np)
    array[()] = value
    return array
