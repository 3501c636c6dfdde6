"""tf.queue: queues between threads."""
from tinyflow.graph.support.missing import absent as _absent
from tinyflow.ops.queues.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)

__all__ = ['FIFOQueue', 'PaddingFIFOQueue', 'PriorityQueue', 'QueueBase', 'RandomShuffleQueue']

__getattr__ = _absent(__name__, __all__)
