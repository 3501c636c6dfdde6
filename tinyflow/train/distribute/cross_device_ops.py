"""CrossDeviceOps: reduction of the values of replicas, and broadcast of the result.

In one process a reduction is one node. A strategy over several processes would implement the same
interface by its own all-reduce.
"""
from __future__ import annotations

from tinyflow.graph.defaults import device
from tinyflow.graph.support.errors import abstract
from tinyflow.train.distribute.reduce_op import ReduceOp, as_reduce_op
from tinyflow.train.distribute.values import Mirrored, add_up, copy_tensor, local_results

__all__ = ['CrossDeviceOps', 'HierarchicalCopyAllReduce', 'NcclAllReduce', 'ReductionToOneDevice']


class CrossDeviceOps:
    """Base class: a subclass defines the three `_implementation`s."""

    def reduce(self, reduce_op, per_replica_value, destinations):
        """The sum or mean of PerReplica values, for the replicas of `destinations`."""
        return self.reduce_implementation(as_reduce_op(reduce_op), per_replica_value, destinations)

    def batch_reduce(self, reduce_op, value_destination_pairs):
        """`reduce` of several (value, destination) pairs, a list."""
        return self.batch_reduce_implementation(as_reduce_op(reduce_op), value_destination_pairs)

    def broadcast(self, tensor, destinations):
        """The tensor for each replica of `destinations`."""
        return self.broadcast_implementation(tensor, destinations)

    def reduce_implementation(self, reduce_op, per_replica_value, destinations):
        raise abstract(self)

    def batch_reduce_implementation(self, reduce_op, value_destination_pairs):
        raise abstract(self)

    def broadcast_implementation(self, tensor, destinations):
        raise abstract(self)


class ReductionToOneDevice(CrossDeviceOps):
    """Adds the values on one device and copies the result to the destinations.

    `accumulation_fn` adds a list of tensors (default: tf.add_n); IndexedSlices are concatenated
    instead. Its nodes are placed on `reduce_to_device`.
    """

    def __init__(self, reduce_to_device=None, accumulation_fn=None):
        self.reduce_to_device, self.accumulation_fn = reduce_to_device, accumulation_fn

    def reduce_implementation(self, reduce_op, per_replica_value, destinations):
        with device(self.reduce_to_device):
            total = add_up(local_results(per_replica_value), reduce_op is ReduceOp.MEAN,
                           self.accumulation_fn)
        return self.broadcast_implementation(total, destinations)

    def batch_reduce_implementation(self, reduce_op, value_destination_pairs):
        return [self.reduce_implementation(reduce_op, value, destination)
                for value, destination in value_destination_pairs]

    def broadcast_implementation(self, tensor, destinations):
        parts = getattr(destinations, 'values', None)
        if parts is None or callable(parts):
            return copy_tensor(tensor)
        return Mirrored([copy_tensor(tensor) for _ in parts])


class HierarchicalCopyAllReduce(ReductionToOneDevice):
    """TensorFlow's hierarchical reduction over GPUs; on one CPU equal to ReductionToOneDevice.

    `num_packs`, the number of messages for the values, has no effect there.
    """

    def __init__(self, num_packs=1):
        super().__init__()
        self.num_packs = num_packs


class NcclAllReduce(ReductionToOneDevice):
    """TensorFlow's reduction by NCCL; on one CPU equal to ReductionToOneDevice.

    `num_packs`, the number of messages for the values, has no effect there.
    """

    def __init__(self, num_packs=1):
        super().__init__()
        self.num_packs = num_packs
