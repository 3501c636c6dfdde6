"""Queue ops: create, enqueue, dequeue, close, size.

A queue node gives a handle, an array of no dimensions that holds the Session's QueueState.
"""
from __future__ import annotations

import itertools
import threading

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import InvalidArgumentError, op_error
from tinyflow.ops.queues.kinds import PaddingState, PriorityState, RandomShuffleState
from tinyflow.ops.queues.state import QueueState

_numbers = itertools.count()            # in the names of queues and readers without a shared_name
_making = threading.Lock()


def resource_name(operation):
    """The name of a resource as in TF: shared_name, or the node's with a running number."""
    return operation.attrs['shared_name'] or f'_{next(_numbers)}_{operation.name}'


class _LazyQueue:
    """The state of a queue node in a Session: the queue, created when the node first runs."""

    def __init__(self, operation, shared):
        self.operation = operation
        self.shared = shared
        self.handle = None
        self.runner_started = False
        self.cancelled = False

    def get(self, make):
        """The handle; `make(name)` creates the queue if there is none of that shared_name."""
        if self.handle is None:
            with _making:
                if self.handle is None:
                    self.handle = boxed(self._find(make))
        return self.handle

    def _find(self, make):
        attrs = self.operation.attrs
        key = 'queue', attrs['container'], attrs['shared_name']
        queue = self.shared.get(key) if attrs['shared_name'] else None
        requested = make(resource_name(self.operation) if queue is None else attrs['shared_name'])
        if queue is None:
            queue = requested
            if attrs['shared_name']:
                self.shared[key] = queue
        else:
            _check_same(queue, requested)
        queue.runner_started = queue.runner_started or self.runner_started
        if self.cancelled:
            queue.cancel()
        return queue

    def mark_started(self):
        """A queue runner is about to fill this queue."""
        self.runner_started = True
        if self.handle is not None:
            self.handle.item().runner_started = True

    def cancel(self):
        self.cancelled = True
        if self.handle is not None:
            self.handle.item().cancel()


def _check_same(queue, requested):
    """InvalidArgumentError where nodes of one shared_name describe different queues."""
    if type(queue) is not type(requested):
        problem = f'Expected {queue.kind}, found {requested.operation.type}'
    elif queue.capacity != requested.capacity:
        problem = (f"Shared queue '{queue.name}' has capacity {queue.capacity} but requested "
                   f'capacity was {requested.capacity}')
    elif queue.types != requested.types:
        problem = (f"Shared queue '{queue.name}' has component types {_names(queue.types)} but "
                   f'requested component types were {_names(requested.types)}')
    elif queue.shapes != requested.shapes:
        problem = (f"Shared queue '{queue.name}' has component shapes "
                   f'{_texts(queue.shapes)} but requested component shapes were '
                   f'{_texts(requested.shapes)}')
    else:
        return
    raise op_error(InvalidArgumentError, problem,
                   'nodes of one shared_name share a queue: use equal arguments, or other names.')


def _names(types):
    return ', '.join(t.name for t in types)


def _texts(component_shapes):
    return ', '.join(shapes.text(s) for s in component_shapes or ())


class _Queue(Op, abstract=True):
    """Returns the handle of the Session's queue."""

    signature = '-> handle: resource'
    attrs = {'component_types': REQUIRED, 'shapes': (), 'capacity': -1, 'container': '',
             'shared_name': ''}
    pure = False
    state = _LazyQueue
    state_of_node = True
    gradient = NOT_DIFFERENTIABLE

    def shape():
        return ()


def _raw(component_shapes):
    return tuple([s.raw for s in component_shapes])


def _maker(kind, holder, component_types, component_shapes, capacity, *more):
    return lambda name: kind(name, holder.operation, component_types, _raw(component_shapes),
                             capacity, *more)


class FIFOQueueV2(_Queue):
    """First in, first out."""

    def kernel(holder, *, component_types, shapes, capacity):
        return holder.get(_maker(QueueState, holder, component_types, shapes, capacity))


class PaddingFIFOQueueV2(_Queue):
    """First in, first out; components may have dimensions of unknown size."""

    def kernel(holder, *, component_types, shapes, capacity):
        return holder.get(_maker(PaddingState, holder, component_types, shapes, capacity))


class RandomShuffleQueueV2(_Queue):
    """Dequeues elements in random order."""

    attrs = {**_Queue.attrs, 'min_after_dequeue': 0, 'seed': 0, 'seed2': 0}

    def kernel(holder, *, component_types, shapes, capacity, min_after_dequeue, seed, seed2):
        return holder.get(_maker(RandomShuffleState, holder, component_types, shapes, capacity,
                                 min_after_dequeue, (seed, seed2)))


class PriorityQueueV2(_Queue):
    """Dequeues the element of the smallest priority, an int64 that comes before the components."""

    attrs = {**_Queue.attrs, 'component_types': (), 'shapes': REQUIRED}

    def kernel(holder, *, component_types, shapes, capacity):
        return holder.get(lambda name: PriorityState(
            name, holder.operation, (dtypes.int64, *component_types), ((), *_raw(shapes)),
            capacity))


# ---- what uses a queue ---------------------------------------------------------------------

def queue_in(handle):
    """The QueueState in a handle; ValueError where it holds something else."""
    queue = handle.item() if isinstance(handle, np.ndarray) and handle.ndim == 0 else handle
    if not isinstance(queue, QueueState):
        raise ValueError('the handle is not that of a queue')
    return queue


class _QueueOp(Op, abstract=True):
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE


def _check_types(queue, components):
    for i, (component, dtype) in enumerate(zip(components, queue.types)):
        if component.dtype != dtype.np:
            raise ValueError(f'Signature mismatch: component {i} has dtype {component.dtype}, the '
                             f'queue holds {dtype.name}')


class QueueEnqueueV2(_QueueOp):
    """Adds one element."""

    signature = 'handle: resource, components: [Tcomponents] ->'
    attrs = {'Tcomponents': REQUIRED, 'timeout_ms': -1}

    def kernel(handle, components):
        queue = queue_in(handle)
        _check_types(queue, components)
        queue.enqueue(components)


class QueueEnqueueManyV2(_QueueOp):
    """Adds the slices along axis 0 as elements."""

    signature = 'handle: resource, components: [Tcomponents] ->'
    attrs = {'Tcomponents': REQUIRED, 'timeout_ms': -1}

    def kernel(handle, components):
        queue = queue_in(handle)
        _check_types(queue, components)
        queue.enqueue_many(components)


class QueueDequeueV2(_QueueOp):
    """Takes one element."""

    signature = 'handle: resource -> components: [component_types]'
    attrs = {'component_types': REQUIRED, 'timeout_ms': -1}

    def kernel(handle, *, component_types):
        queue = queue_in(handle)
        _check_taken(queue, component_types)
        return queue.dequeue()


class _DequeueSeveral(_QueueOp, abstract=True):
    signature = 'handle: resource, n: int32 -> components: [component_types]'
    attrs = {'component_types': REQUIRED, 'timeout_ms': -1}
    static = {'n': 0}

    def shape(handle, n):
        if n is not None and n < 0:
            raise ValueError(f"Input 'n' must be >= 0, but is {n}")


class QueueDequeueManyV2(_DequeueSeveral):
    """Takes n elements, stacked along a new axis 0."""

    def kernel(handle, n, *, component_types):
        queue = queue_in(handle)
        _check_taken(queue, component_types)
        return queue.dequeue_many(n)


class QueueDequeueUpToV2(_DequeueSeveral):
    """Takes n elements, or what is left of a closed queue."""

    def kernel(handle, n, *, component_types):
        queue = queue_in(handle)
        _check_taken(queue, component_types)
        return queue.dequeue_many(n, allow_fewer=True)


def _check_taken(queue, component_types):
    if tuple(component_types) != tuple(queue.types):
        raise ValueError(f'the queue holds {_names(queue.types)}, not {_names(component_types)}')


class QueueCloseV2(_QueueOp):
    """No more elements will be added."""

    signature = 'handle: resource ->'
    attrs = {'cancel_pending_enqueues': False}

    def kernel(handle, *, cancel_pending_enqueues):
        queue_in(handle).close(cancel_pending_enqueues)


class QueueSizeV2(_QueueOp):
    """The number of elements."""

    signature = 'handle: resource -> size: int32'

    def shape(handle):
        return ()

    def kernel(handle):
        return np.array(queue_in(handle).size(), np.int32)


class QueueIsClosedV2(_QueueOp):
    """True if the queue was closed."""

    signature = 'handle: resource -> is_closed: bool'

    def shape(handle):
        return ()

    def kernel(handle):
        return np.array(queue_in(handle).closed)
