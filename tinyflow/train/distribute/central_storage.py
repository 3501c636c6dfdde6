"""CentralStorageStrategy: replicas that share each Variable.

A Variable has one component, on a parameter device; replicas on the compute devices read it, and
their gradients are added up where it is. All devices are in this process.
"""
from __future__ import annotations

from tinyflow.graph.defaults import colocate_with, get_default_graph
from tinyflow.graph.devices import DeviceSpec
from tinyflow.ops.variables import replica_context as context
from tinyflow.ops.variables.variable import (
    VariableAggregation,
    VariableSynchronization,
    collections_of,
)
from tinyflow.train.distribute.mirrored import _Mirrored
from tinyflow.train.distribute.reduce_op import ReduceOp
from tinyflow.train.distribute.strategy import Strategy
from tinyflow.train.distribute.values import (
    DistributedValues,
    PerReplica,
    add_up,
    copy_tensor,
    group_operations,
    local_results,
    select,
)
from tinyflow.train.distribute.variables import MirroredVariable

__all__ = ['AggregatingVariable', 'CentralStorageStrategy', 'SharedVariables']


_FIRST_CPU = DeviceSpec(replica=0, task=0, device_type='CPU', device_index=0)


class CentralStorageStrategy(Strategy):
    """Replicas on `compute_devices`, which share Variables on `parameter_device`.

    By default both are the one CPU. Each Variable is stored once; an update takes the sum or mean
    of all replicas' gradients.
    """

    def __init__(self, compute_devices=None, parameter_device=None):
        super().__init__(SharedVariables(self, compute_devices, parameter_device))


class SharedVariables(_Mirrored):
    """Several replicas and one component of each Variable."""

    def __init__(self, strategy, compute_devices=None, parameter_device=None):
        super().__init__(strategy, compute_devices or ['/cpu:0'], None)
        self._parameters = (parameter_device or '/device:CPU:0',)

    @property
    def _allows_parts(self):
        return len(self._devices) == 1

    _always_copies = False      # also the gradient of a single replica

    @property
    def parameter_devices(self):
        return self._parameters

    @property
    def experimental_between_graph(self):
        return True

    def _call_for_each_replica(self, fn, args, kwargs):
        def placed(*args, **kwargs):
            with get_default_graph().device(self._devices[context.current_replica()]):
                return fn(*args, **kwargs)
        return super()._call_for_each_replica(placed, args, kwargs)

    # ---- Variables -------------------------------------------------------------------------

    def _next_parameter_device(self):
        """The device of the next Variable."""
        return self._parameters[0]

    def _create_components(self, next_creator, settings):
        if settings.get('synchronization') is VariableSynchronization.ON_READ:
            return super()._create_components(next_creator, settings)
        collections = settings.pop('collections', None)
        trainable = settings.pop('trainable', None)
        trainable = True if trainable is None else trainable
        several = len(self._devices) > 1
        kept = {'collections': [], 'trainable': False} if several else \
            {'collections': collections, 'trainable': trainable}
        with get_default_graph().device(self._next_parameter_device()):
            variable = next_creator(**{**settings, **kept, 'use_resource': True})
        if several:
            variable = AggregatingVariable(
                [variable], settings.get('synchronization'),
                settings.get('aggregation') or VariableAggregation.NONE)
            variable._trainable = trainable
            variable.graph.add_to_collections(collections_of(collections, trainable), variable)
        variable.distribute_strategy = self._strategy
        return variable

    # ---- values of replicas ----------------------------------------------------------------

    def _reduce_to(self, reduce_op, value, destinations):
        """Adds up on the device of the Variable; the result is copied there, as in TensorFlow."""
        if len(self._devices) > 1 and not isinstance(value, DistributedValues):
            value = PerReplica([value] * len(self._devices))
        where = getattr(destinations, 'device', '')
        graph = get_default_graph()
        if isinstance(value, DistributedValues):
            with graph.device(where or self._parameters[0]):
                value = add_up(local_results(value), reduce_op is ReduceOp.MEAN)
        elif destinations is not None and not self._always_copies:
            return value
        with graph.device(_whole_name(where) if where else self._devices[0]):
            return copy_tensor(value)

    def _update(self, var, fn, args, kwargs, group):
        with colocate_with(getattr(var, 'primary', var)), \
                context.entered(self._strategy, None, 0):
            result = fn(var, *select(tuple(args), 0), **select(kwargs, 0))
        return group_operations(result) if group else [result]

    def _update_non_slot(self, fn, args, kwargs, group):
        with context.entered(self._strategy, None, 0):
            result = fn(*select(tuple(args), 0), **select(kwargs, 0))
        return group_operations(result) if group else [result]

    def broadcast_to(self, tensor, destinations):
        return tensor


def _whole_name(device):
    """'/job:ps/replica:0/task:1/device:CPU:0' for '/job:ps/task:1'."""
    return _FIRST_CPU.make_merged_spec(DeviceSpec.from_string(device)).to_string()


class AggregatingVariable(MirroredVariable):
    """A Variable that several replicas share; a replica may update it only with an aggregation."""

    def get(self, replica=None):
        """The one component."""
        return self.components[0]
