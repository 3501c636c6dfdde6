"""Input of replicas: iterators that give each replica its own batches of a dataset."""
from __future__ import annotations

from tinyflow.data.dataset import Dataset
from tinyflow.data.iterators import initializable
from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.nest import flatten
from tinyflow.ops.array import constants
from tinyflow.train.distribute.values import regroup

__all__ = ['DistributedDataset', 'DistributedIterator', 'InputContext', 'rebatch']


class DistributedIterator:
    """An iterator from which each replica takes the next element, in the order of the replicas.

    If the input ends before all replicas have an element, the step is skipped, as in TensorFlow
    1.15.
    """

    def __init__(self, dataset, replicas, get_next=None):
        if not isinstance(dataset, Dataset):
            raise misuse(ValueError(
                f'The input of a strategy must be a tf.data.Dataset, not {dataset!r}.\n  Hint: '
                'tf.data.Dataset.from_tensor_slices(arrays).batch(32).'))
        self._iterator = initializable(dataset)
        self._replicas = replicas
        self._get_next = get_next or (lambda iterator: iterator.get_next())
        self.element_spec = dataset.element_spec

    def initialize(self):
        """The initializer, in a list."""
        return [self._iterator.initializer]

    @property
    def initializer(self):
        """The operation that starts an epoch."""
        return self._iterator.initializer

    def get_next(self, name=None):
        """The next element of each replica: a nest of PerReplica tensors."""
        elements = []
        for _ in range(self._replicas):
            previous = flatten(elements[-1]) if elements else []
            with control_dependencies([getattr(leaf, 'values', leaf) for leaf in previous]):
                elements.append(self._get_next(self._iterator))
        return regroup(elements) if len(elements) > 1 else elements[0]


class DistributedDataset:
    """A dataset from which each replica takes its own batches; see Strategy."""

    def __init__(self, strategy, dataset):
        self._strategy, self._dataset = strategy, dataset

    @property
    def element_spec(self):
        return self._dataset.element_spec

    def make_initializable_iterator(self):
        """An iterator with PerReplica elements."""
        return self._strategy.make_dataset_iterator(self._dataset)

    def make_one_shot_iterator(self):
        """Raises ValueError: the iterator must be initialized."""
        raise misuse(ValueError('Cannot create a one shot iterator. Please use '
                                '`make_initializable_iterator()` instead.'))


class InputContext:
    """The argument of an input_fn: which part of the input it should read."""

    def __init__(self, num_input_pipelines=1, input_pipeline_id=0, num_replicas_in_sync=1):
        self.num_input_pipelines = num_input_pipelines
        self.input_pipeline_id = input_pipeline_id
        self.num_replicas_in_sync = num_replicas_in_sync

    def get_per_replica_batch_size(self, global_batch_size):
        """The batch size per replica. Raises ValueError if it is not an integer."""
        if global_batch_size % self.num_replicas_in_sync:
            raise misuse(ValueError(
                f'The `global_batch_size` {global_batch_size!r} is not divisible by '
                f'`num_replicas_in_sync` {self.num_replicas_in_sync!r} '))
        return global_batch_size // self.num_replicas_in_sync


def rebatch(dataset, replicas):
    """Divides each batch among the replicas. ValueError if a static batch size is not divisible."""
    if replicas == 1:
        return dataset
    sizes = {spec.shape[0].value for spec in flatten(dataset.element_spec)
             if spec.shape.ndims}
    for size in sizes - {None}:
        if size % replicas:
            raise misuse(ValueError(f'A batch of {size} rows cannot be divided among '
                                    f'{replicas} replicas.\n  Hint: use a batch size that is a '
                                    'multiple of strategy.num_replicas_in_sync.'))

    def parts(*element):
        structure = element if len(element) > 1 else element[0]
        rows = flatten(structure)[0].get_shape()[0].value
        if rows is not None:
            return Dataset.from_tensor_slices(structure).batch(rows // replicas)
        count = constants.shape(flatten(structure)[0])[0]
        size = (count + replicas - 1) // replicas
        return Dataset.from_tensor_slices(structure).batch(constants.cast(size, 'int64'))
    return dataset.flat_map(parts)
