"""CrossDeviceOps: how values of replicas are added up and handed back.

In one process all of them add up in one node. The interface is what a strategy over several
processes fills in with its own all-reduce.
"""
from __future__ import annotations

from tinyflow.graph.defaults import device
from tinyflow.graph.support.errors import abstract
from tinyflow.train.distribute.reduce_op import ReduceOp, as_reduce_op
from tinyflow.train.distribute.values import Mirrored, add_up, copied, local_results

__all__ = ['CrossDeviceOps', 'HierarchicalCopyAllReduce', 'NcclAllReduce', 'ReductionToOneDevice']


class CrossDeviceOps:
    """Base class: a subclass defines the three `_implementation`s."""

    def reduce(self, reduce_op, per_replica_value, destinations):
        """The sum or mean of PerReplica values; `destinations` says which replicas get it."""
        return self.reduce_implementation(as_reduce_op(reduce_op), per_replica_value, destinations)

    def batch_reduce(self, reduce_op, value_destination_pairs):
        """`reduce` of many (value, destination) pairs at once, a list."""
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
    """Adds up in one place and copies the result to where it is wanted.

    `accumulation_fn` adds up a list of tensors, tf.add_n by default; IndexedSlices are joined
    without it. Its nodes are placed on `reduce_to_device`.
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
            return copied(tensor)
        return Mirrored([copied(tensor) for _ in parts])


class HierarchicalCopyAllReduce(ReductionToOneDevice):
    """TensorFlow's reduction over a tree of GPUs; on one CPU the same as ReductionToOneDevice.

    `num_packs`, in how many messages the values would be sent, changes nothing there.
    """

    def __init__(self, num_packs=1):
        super().__init__()
        self.num_packs = num_packs


class NcclAllReduce(ReductionToOneDevice):
    """TensorFlow's reduction by NCCL; on one CPU the same as ReductionToOneDevice.

    `num_packs`, in how many messages the values would be sent, changes nothing there.
    """

    def __init__(self, num_packs=1):
        super().__init__()
        self.num_packs = num_packs
