"""IteratorSaveable: lets a Saver save and restore the position of an iterator."""
from __future__ import annotations

from typing import Any

from tinyflow.data.ops.iterator_ops import DeserializeIterator, SerializeIterator
from tinyflow.graph.defaults import colocate_with
from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec


class IteratorSaveable(SaveableObject):
    def __init__(self, iterator_resource: Any, name: str = '') -> None:
        serialized = SerializeIterator.apply(iterator_resource)
        name = name or iterator_resource.name
        super().__init__(iterator_resource, [SaveSpec(serialized, '', name + '-state')], name)

    def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
        with colocate_with(self.op):
            return DeserializeIterator.apply(self.op, restored_tensors[0])


def make_saveable_from_iterator(iterator: Any) -> SaveableObject:
    """The SaveableObject of an iterator's position, which a Saver restores exactly.

    tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, make_saveable_from_iterator(iterator))
    before the Saver is made. Buffers of shuffle() and caches are saved with it; a generator is
    restarted and skips the values that it yielded before. Restore it after the iterator's
    initializer has run.
    """
    return IteratorSaveable(iterator._iterator_resource)
