"""tf.queue: queues between threads."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.queues.queues import (
    FIFOQueue,
    PaddingFIFOQueue,
    PriorityQueue,
    QueueBase,
    RandomShuffleQueue,
)

__all__ = ['FIFOQueue', 'PaddingFIFOQueue', 'PriorityQueue', 'QueueBase', 'RandomShuffleQueue']

__getattr__ = _explain_missing(__name__, __all__)
