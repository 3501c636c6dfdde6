"""tf.train.queue_runner: threads that fill queues."""
from tinyflow.absent import absent as _absent
from tinyflow.train.queue_running import QueueRunner, add_queue_runner, start_queue_runners

__all__ = ['QueueRunner', 'add_queue_runner', 'start_queue_runners']

__getattr__ = _absent(__name__, __all__)
