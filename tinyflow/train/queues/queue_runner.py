"""tf.train.queue_runner: threads that fill queues."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.train.queues.queue_running import QueueRunner, add_queue_runner, start_queue_runners

__all__ = ['QueueRunner', 'add_queue_runner', 'start_queue_runners']

__getattr__ = _explain_missing('tinyflow.train.queue_runner', __all__)
