"""MultiWorkerMirroredStrategy: replicas in several processes, which add up gradients by MPI.

Each process runs this program and is a worker with replicas of its own, usually one. Variables
have the same values on all workers: worker 0's initial ones, and then the same updates. What it is
to be started by is in docs/workers.md; a program that is started alone is one worker.
"""
from __future__ import annotations

import enum

from tinyflow.cluster import buckets, collective_ops as collectives
from tinyflow.cluster.process_group import process_group
from tinyflow.data import structure
from tinyflow.data.function_graphs import as_values
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.math import arithmetic
from tinyflow.ops.variables.variable import VariableAggregation, VariableSynchronization
from tinyflow.train.distribute import inputs, sharding
from tinyflow.train.distribute.inputs import InputContext
from tinyflow.train.distribute.mirrored import _Mirrored
from tinyflow.train.distribute.reduce_op import ReduceOp, as_reduce_op
from tinyflow.train.distribute.strategy import Strategy
from tinyflow.train.distribute.values import add_up, local_results

__all__ = ['CollectiveCommunication', 'MultiWorkerMirroredStrategy']


class CollectiveCommunication(enum.Enum):
    """TensorFlow's choice of a library for all-reduce; here it is MPI with each of them."""

    AUTO = 'AUTO'
    RING = 'RING'
    NCCL = 'NCCL'


class MultiWorkerMirroredStrategy(Strategy):
    """Data parallelism over processes: each takes its part of a batch, and gradients are summed.

    The processes are started by `mpiexec -n 4 python train.py`, or each by itself with its own
    TF_CONFIG; `communication` is checked and has no effect. ValueError and UnavailableError if the
    workers do not come together, ImportError without the extra `cluster`.
    """

    def __init__(self, communication=CollectiveCommunication.AUTO):
        if not isinstance(communication, CollectiveCommunication):
            raise misuse(ValueError(
                'communication must be a tf.distribute.experimental.CollectiveCommunication, not '
                f'{communication!r}.'))
        super().__init__(_MultiWorker(self))


class _MultiWorker(_Mirrored):
    def __init__(self, strategy, devices=None):
        super().__init__(strategy, devices, None)
        self._group = process_group()

    @property
    def _num_workers(self):
        return self._group.size

    @property
    def _num_replicas_in_sync(self):
        return len(self._devices) * self._group.size

    @property
    def _first_replica(self):
        return len(self._devices) * self._group.rank

    @property
    def experimental_between_graph(self):
        return True

    @property
    def trains_together(self):
        return self._group.size > 1

    def _training_session(self, creator, hooks, stop_grace_period_secs):
        """The monitored session of this worker."""
        from tinyflow.train.distribute.worker_sessions import session_of_all  # start-up time
        return session_of_all(self._group, creator, hooks, stop_grace_period_secs)

    @property
    def should_checkpoint(self):
        """True on worker 0, which writes for all."""
        return self._group.rank == 0

    @property
    def should_save_summary(self):
        return self._group.rank == 0

    # ---- input -----------------------------------------------------------------------------

    def _input_context(self):
        return InputContext(self._group.size, self._group.rank, self._num_replicas_in_sync)

    def _make_dataset_iterator(self, dataset):
        """Each worker's part of each batch; all end together."""
        own = sharding.of_worker(dataset, self._group.size, self._group.rank,
                                 self._global_batch_size)
        if self._global_batch_size:
            own = inputs.rebatch(own, len(self._devices))
        return self._make_input_iterator(own)

    def _make_input_iterator(self, dataset):
        return inputs.DistributedIterator(
            dataset, len(self._devices), _next_of_all if self._group.size > 1 else None)

    # ---- Variables -------------------------------------------------------------------------

    def _create_components(self, next_creator, settings):
        if self._group.size > 1 and \
                settings.get('synchronization') is not VariableSynchronization.ON_READ and \
                GraphKeys.LOCAL_VARIABLES not in (settings.get('collections') or ()):
            settings['initial_value'] = self._of_first_worker(settings['initial_value'],
                                                              settings.get('dtype'))
        return super()._create_components(next_creator, settings)

    def _of_first_worker(self, value, dtype):
        """A function that makes worker 0's initial value; computed ones differ between workers."""
        def initial():
            tensor = convert_to_tensor(value() if callable(value) else value, dtype,
                                       'initial_value')
            if tensor.op.type == 'Const':
                return tensor
            return collectives.CollectiveBroadcast.apply(tensor, group_size=self._group.size)
        return initial

    # ---- values ------------------------------------------------------------------------------

    def _reduce_to(self, reduce_op, value, destinations):
        return self.batch_reduce_to(reduce_op, [(value, destinations)])[0]

    def batch_reduce_to(self, reduce_op, value_destination_pairs):
        """The sums (means) over all replicas; the values of many Variables share messages."""
        pairs = list(value_destination_pairs)
        totals = self._all_reduce([self._local_sum(value) for value, _ in pairs])
        if as_reduce_op(reduce_op) is ReduceOp.MEAN:
            totals = [arithmetic.divide(total, self._num_replicas_in_sync) for total in totals]
        return [self._reduction.broadcast(total, destinations)
                for total, (_, destinations) in zip(totals, pairs)]

    def _local_sum(self, value):
        parts = local_results(value)
        if len(parts) < len(self._devices):         # the same value on all replicas
            parts = parts * len(self._devices)
        return add_up([part if hasattr(part, 'op') else convert_to_tensor(part)
                       for part in parts], mean=False)

    def _all_reduce(self, values):
        if self._group.size == 1:
            return values
        with name_scope('allreduce'):
            return buckets.all_reduce(values, self._group.size)

    def _across_workers(self, value, aggregation):
        if self._group.size == 1 or \
                aggregation not in (VariableAggregation.SUM, VariableAggregation.MEAN):
            return value
        total, = self._all_reduce([value])
        return arithmetic.divide(total, self._group.size) \
            if aggregation is VariableAggregation.MEAN else total


def _next_of_all(iterator):
    """The next element; all workers stop where the input of one ends."""
    spec = iterator.element_spec
    return as_values(spec, collectives.CollectiveGetNext.apply(
        iterator._iterator_resource, **structure.of_elements(spec)))
