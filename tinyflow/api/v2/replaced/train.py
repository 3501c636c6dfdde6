"""tf.train.Checkpoint of TensorFlow 2."""
from __future__ import annotations

from tinyflow.train.checkpoints import checkpoint
from tinyflow.train.checkpoints.object_graph import children

__all__ = ['Checkpoint']


class Checkpoint(checkpoint.Checkpoint):
    """Groups objects to be saved: ``tf.train.Checkpoint(model=layer, optimizer=opt)``.

    ``tf.train.Checkpoint(model)`` saves one object as if it were the Checkpoint.
    """

    def __init__(self, root=None, **kwargs):
        super().__init__(**kwargs)
        self._root = root

    @property
    def _checkpoint_dependencies(self):
        own = [(n, v) for n, v in super()._checkpoint_dependencies if n != '_root']
        if self._root is None:
            return own
        return [*children(self._root).items(), *own]
