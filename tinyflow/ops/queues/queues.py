"""tf.FIFOQueue, RandomShuffleQueue, PaddingFIFOQueue and PriorityQueue."""
from __future__ import annotations

import hashlib
from functools import reduce

from tinyflow.graph import dtypes as dtypes_module
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.shapes import Dimension, TensorShape, as_shape
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import gathering, joining
from tinyflow.ops.queues.nodes import (
    FIFOQueueV2,
    PaddingFIFOQueueV2,
    PriorityQueueV2,
    QueueCloseV2,
    QueueDequeueManyV2,
    QueueDequeueUpToV2,
    QueueDequeueV2,
    QueueEnqueueManyV2,
    QueueEnqueueV2,
    QueueIsClosedV2,
    QueueSizeV2,
    RandomShuffleQueueV2,
)
from tinyflow.ops.random import seeds
from tinyflow.ops.support.arguments import refusal

__all__ = ['FIFOQueue', 'PaddingFIFOQueue', 'PriorityQueue', 'QueueBase', 'RandomShuffleQueue']


class QueueBase:
    """Base of all queues. An element is one tensor for each dtype of the queue.

    With `names`, elements are dicts. Each Session has separate values.
    """

    def __init__(self, dtypes, shapes, names, queue_ref):
        self._dtypes = dtypes
        if shapes is not None and len(shapes) != len(dtypes):
            raise refusal(ValueError, f'{queue_ref.op.type}: Queue shapes must have the same '
                          f'length as dtypes: {len(shapes)} shapes, {len(dtypes)} dtypes')
        self._shapes = [TensorShape(None)] * len(dtypes) if shapes is None else \
            [TensorShape(s) for s in shapes]
        if names is not None and len(names) != len(dtypes):
            raise misuse(ValueError('Queue names must have the same length as dtypes: '
                                    f'{len(names)} names, {len(dtypes)} dtypes'))
        self._names = names
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split('/')[-1]

    @staticmethod
    def from_list(index, queues):
        """The queue at position `index` (a tensor) of a list of queues of the same dtypes."""
        if not queues or not isinstance(queues, list) \
                or not all(isinstance(q, QueueBase) for q in queues):
            raise misuse(TypeError('A list of queues expected'))
        first = queues[0]
        if not all(first.dtypes == q.dtypes for q in queues[1:]):
            raise misuse(TypeError('Queues do not have matching component dtypes.'))
        if not all(first.names == q.names for q in queues[1:]):
            raise misuse(TypeError('Queues do not have matching component names.'))
        common = [reduce(_common_shape, s) for s in zip(*[q.shapes for q in queues])]
        handles = joining.stack([q.queue_ref for q in queues])
        return QueueBase(first.dtypes, common, first.names, gathering.gather(handles, index))

    @property
    def queue_ref(self):
        """The handle tensor of the queue."""
        return self._queue_ref

    @property
    def name(self):
        return self._queue_ref.op.name

    @property
    def dtypes(self):
        return self._dtypes

    @property
    def shapes(self):
        return self._shapes

    @property
    def names(self):
        return self._names

    def enqueue(self, vals, name=None):
        """An Operation that adds one element; it waits while the queue is full.

        Shapes: vals, one for each dtype, as in `shapes`. CancelledError once the queue is closed.
        """
        with name_scope(name, f'{self._name}_enqueue', _values(vals)) as scope:
            tensors = self._components(vals)
            for tensor, shape in zip(tensors, self._shapes):
                _check_compatible(tensor, tensor.shape, shape, 'QueueEnqueueV2')
            return QueueEnqueueV2.apply(self._queue_ref, tensors, name=scope)

    def enqueue_many(self, vals, name=None):
        """An Operation that adds the slices of `vals` along axis 0, each as an element.

        Shapes: vals [count, *shape]. CancelledError once the queue is closed.
        """
        with name_scope(name, f'{self._name}_EnqueueMany', _values(vals)) as scope:
            tensors = self._components(vals)
            count = Dimension(None)
            for tensor, shape in zip(tensors, self._shapes):
                full = tensor.shape.with_rank_at_least(1)
                count = count.merge_with(full[0])
                _check_compatible(tensor, full[1:], shape, 'QueueEnqueueManyV2')
            return QueueEnqueueManyV2.apply(self._queue_ref, tensors, name=scope)

    def dequeue(self, name=None):
        """One element: a tensor, a list of them, or a dict. Waits while the queue is empty.

        Shapes: -> as in `shapes`. OutOfRangeError once the queue is closed and empty.
        """
        outputs = QueueDequeueV2.apply(self._queue_ref, component_types=tuple(self._dtypes),
                                       name=name or f'{self._name}_Dequeue')
        for tensor, shape in zip(outputs, self._shapes):
            tensor.set_shape(shape)
        return self._element(outputs)

    def dequeue_many(self, n, name=None):
        """`n` elements, each component stacked along a new axis 0.

        Shapes: -> [n, *shape]. OutOfRangeError where a closed queue holds fewer.
        """
        outputs = QueueDequeueManyV2.apply(self._queue_ref, n, component_types=tuple(self._dtypes),
                                           name=name or f'{self._name}_DequeueMany')
        count = n if isinstance(n, int) else constant_value(outputs[0].op.inputs[1])
        return self._batch(outputs, None if count is None else int(count))

    def dequeue_up_to(self, n, name=None):
        """`n` elements, or those that are left when the queue is closed and holds fewer.

        Shapes: -> [n or fewer, *shape]. OutOfRangeError once the queue is closed and empty.
        """
        outputs = QueueDequeueUpToV2.apply(self._queue_ref, n, component_types=tuple(self._dtypes),
                                           name=name or f'{self._name}_DequeueUpTo')
        return self._batch(outputs, None)

    def close(self, cancel_pending_enqueues=False, name=None):
        """An Operation after which nothing can be added; elements left can still be dequeued."""
        return QueueCloseV2.apply(self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues,
                                  name=name or f'{self._name}_Close')

    def is_closed(self, name=None):
        """True once the queue is closed. Shapes: -> []."""
        return QueueIsClosedV2.apply(self._queue_ref, name=name or f'{self._name}_Is_Closed')

    def size(self, name=None):
        """How many elements the queue holds. Shapes: -> [], int32."""
        return QueueSizeV2.apply(self._queue_ref, name=name or f'{self._name}_Size')

    def _components(self, vals):
        """The values of one element as tensors, in the order of the dtypes."""
        if isinstance(vals, dict):
            if not self._names:
                raise misuse(ValueError('Queue must have names to enqueue a dictionary'))
            if sorted(self._names, key=str) != sorted(vals.keys(), key=str):
                raise misuse(ValueError(
                    'Keys in dictionary to enqueue do not match names of Queue.  Dictionary: '
                    f'({sorted(vals.keys())}), Queue: ({sorted(self._names)})'))
            vals = [vals[k] for k in self._names]
        elif self._names:
            raise misuse(ValueError('You must enqueue a dictionary in a Queue with names'))
        elif not isinstance(vals, (list, tuple)):
            vals = [vals]
        return [convert_to_tensor(value, dtype, f'component_{i}')
                for i, (value, dtype) in enumerate(zip(vals, self._dtypes))]

    def _batch(self, tensors, count):
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(TensorShape([count]).concatenate(shape))
        return self._element(tensors)

    def _element(self, tensors):
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors


class RandomShuffleQueue(QueueBase):
    """Dequeues elements in random order, reproducible with a seed.

    At least `min_after_dequeue` elements stay in the queue until it is closed.
    """

    def __init__(self, capacity, min_after_dequeue, dtypes, shapes=None, names=None, seed=None,
                 shared_name=None, name='random_shuffle_queue'):
        dtypes, shapes = _types(dtypes), _shapes(shapes, 'RandomShuffleQueueV2')
        names = _names(names, dtypes)
        seed1, seed2 = seeds.get_seed(seed)
        if seed1 is None and seed2 is None:
            seed1, seed2 = 0, 0
        elif seed is None and shared_name is not None:
            # Nodes of one queue must agree on the seed, wherever in the graph they are made.
            digest = hashlib.md5((str(seed1) + shared_name).encode(), usedforsecurity=False)
            seed2 = int(digest.hexdigest()[:8], 16) & 0x7FFFFFFF
        ref = RandomShuffleQueueV2.apply(
            component_types=tuple(dtypes), shapes=tuple(shapes or ()), capacity=capacity,
            min_after_dequeue=min_after_dequeue, seed=seed1, seed2=seed2,
            shared_name=shared_name or '', name=name)
        super().__init__(dtypes, shapes, names, ref)


class FIFOQueue(QueueBase):
    """First in, first out."""

    def __init__(self, capacity, dtypes, shapes=None, names=None, shared_name=None,
                 name='fifo_queue'):
        dtypes, shapes = _types(dtypes), _shapes(shapes, 'FIFOQueueV2')
        names = _names(names, dtypes)
        ref = FIFOQueueV2.apply(component_types=tuple(dtypes), shapes=tuple(shapes or ()),
                                capacity=capacity, shared_name=shared_name or '', name=name)
        super().__init__(dtypes, shapes, names, ref)


class PaddingFIFOQueue(QueueBase):
    """A FIFOQueue whose elements may differ in size; batches are padded with zeros."""

    def __init__(self, capacity, dtypes, shapes, names=None, shared_name=None,
                 name='padding_fifo_queue'):
        dtypes, shapes = _types(dtypes), _shapes(shapes, 'PaddingFIFOQueueV2', partial=True)
        names = _names(names, dtypes)
        if len(dtypes) != len(shapes):
            raise misuse(ValueError('Shapes must be provided for all components, but received '
                                    f'{len(dtypes)} dtypes and {len(shapes)} shapes.'))
        ref = PaddingFIFOQueueV2.apply(component_types=tuple(dtypes), shapes=tuple(shapes),
                                       capacity=capacity, shared_name=shared_name or '', name=name)
        super().__init__(dtypes, shapes, names, ref)


class PriorityQueue(QueueBase):
    """Dequeues the element with the smallest priority, an int64 before the components."""

    def __init__(self, capacity, types, shapes=None, names=None, shared_name=None,
                 name='priority_queue'):
        types, shapes = _types(types), _shapes(shapes, 'PriorityQueueV2')
        if shapes is None:
            raise refusal(TypeError, "Expected list for 'shapes' argument to 'PriorityQueueV2' "
                          'Op, not None.', hint='one shape for each dtype: shapes=[()].')
        ref = PriorityQueueV2.apply(component_types=tuple(types), shapes=tuple(shapes),
                                    capacity=capacity, shared_name=shared_name or '', name=name)
        super().__init__([dtypes_module.int64, *types], [TensorShape([]), *shapes],
                         names, ref)


def _types(dtypes):
    many = dtypes if isinstance(dtypes, (list, tuple)) else [dtypes]
    return [dtypes_module.as_dtype(d).base_dtype for d in many]


def _shapes(shapes, kind, partial=False):
    """The component shapes as TensorShapes; ValueError where they are not defined enough."""
    if partial and (not isinstance(shapes, (list, tuple)) or not shapes
                    or any(s is None or isinstance(s, int) for s in shapes)):
        raise refusal(ValueError, f'{kind}: When providing partial shapes, a list of shapes must '
                      'be provided.', hint='shapes=[[None, 3]], one for each dtype.')
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, (tuple, list)):
        raise refusal(TypeError, f'{kind}: shapes must be a TensorShape or a list or tuple of '
                      'TensorShapes.')
    if all(s is None or isinstance(s, int) for s in shapes):
        shapes = [shapes]
    shapes = [as_shape(s) for s in shapes]
    if not partial and not all(s.is_fully_defined() for s in shapes):
        raise refusal(ValueError, f'{kind}: All shapes must be fully defined: {shapes}',
                      hint='a PaddingFIFOQueue (dynamic_pad=True) takes unknown sizes; '
                           'tensor.set_shape sets the shape of a tensor.')
    if any(s.dims is None for s in shapes):
        raise refusal(ValueError, f'{kind}: All shapes must have a defined rank: {shapes}')
    return shapes


def _names(names, dtypes):
    if names is None:
        return None
    names = list(names) if isinstance(names, (list, tuple)) else [names]
    if len(names) != len(dtypes):
        raise misuse(ValueError(
            'List of names must have the same length as the list of dtypes'))
    return names


def _common_shape(x, y):
    x, y = TensorShape(x).raw, TensorShape(y).raw
    if x is None or y is None or len(x) != len(y):
        return TensorShape(None)
    return TensorShape([i if i == j else None for i, j in zip(x, y)])


def _values(vals):
    if isinstance(vals, dict):
        return list(vals.values())
    return list(vals) if isinstance(vals, (list, tuple)) else [vals]


def _check_compatible(tensor, shape, expected, kind):
    if not shape.is_compatible_with(expected):
        raise refusal(ValueError, f'{kind}: Shapes {shape} and {expected} are incompatible: the '
                      f'queue was made for elements of shape {expected}.',
                      inputs=[('component', tensor)],
                      hint='a list has one value for each dtype of the queue: enqueue([x]); '
                           'enqueue_many([xs]) adds the rows of xs one by one.')
