"""RandomShuffleQueue, PaddingFIFOQueue and PriorityQueue: what a Session holds for them."""
from __future__ import annotations

import heapq
from itertools import count

import numpy as np

from tinyflow.ops.queues.state import QueueState, array_of
from tinyflow.ops.random.philox import PhiloxStream, words

_WORDS = 256            # random words generated at a time: few cost as much as many


class RandomShuffleState(QueueState):
    """Takes a random element; `reserve` elements stay behind until the queue is closed."""

    kind = 'RandomShuffleQueue'

    def __init__(self, name, operation, types, component_shapes, capacity, reserve, seeds):
        self.reserve = reserve
        self._stream = PhiloxStream(*seeds) if any(seeds) else PhiloxStream.from_os()
        self._words = iter(())
        super().__init__(name, operation, types, component_shapes, capacity)

    def _create_storage(self):
        self._elements = []

    def _take(self):
        # One word for each element, and the last element fills the gap: the same draws as in TF.
        elements = self._elements
        i = self._word() % len(elements)
        elements[i], chosen = elements[-1], elements[i]
        elements.pop()
        return chosen

    def _word(self):
        for word in self._words:
            return word
        self._words = iter(words(self._stream.reserve(_WORDS // 4), _WORDS).tolist())
        return next(self._words)

    def _put_back(self, elements):
        self._elements.extend(reversed(elements))

    def _available(self):
        return len(self._elements) - (0 if self.closed else self.reserve)


class PaddingState(QueueState):
    """Elements of different sizes; `dequeue_many` pads them to the largest of the batch."""

    kind = 'PaddingFIFOQueue'
    partial_shapes = True

    def _stacked(self, values, i):
        static, dtype = self.shapes[i], self.types[i]
        arrays = [array_of(value, dtype) for value in values]
        shape = tuple([max([a.shape[axis] for a in arrays], default=0) if size is None else size
                       for axis, size in enumerate(static)])
        out = np.full((len(arrays), *shape), b'', object) if dtype.kind == 'O' else \
            np.zeros((len(arrays), *shape), dtype.np)
        for j, array in enumerate(arrays):
            out[(j, *[slice(size) for size in array.shape], ...)] = array
        return out


class PriorityState(QueueState):
    """Takes the element with the smallest first component, and among equal ones the oldest."""

    kind = 'PriorityQueue'

    def _create_storage(self):
        self._elements = []
        self._ages = count()

    def _put(self, element):
        heapq.heappush(self._elements, (int(element[0]), next(self._ages), element))

    def _take(self):
        return heapq.heappop(self._elements)[2]

    def _put_back(self, elements):
        for age, element in enumerate(elements):
            heapq.heappush(self._elements, (int(element[0]), age - len(elements), element))

    def _serve_dequeue(self, attempt):
        # An element of higher priority may arrive while this waits, so it takes all or nothing.
        return self._available() >= attempt.remaining and super()._serve_dequeue(attempt)
