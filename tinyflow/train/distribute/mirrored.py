"""MirroredStrategy and OneDeviceStrategy: replicas in this process."""
from __future__ import annotations

from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.errors import worded
from tinyflow.ops.array import identity_and_cast as identities
from tinyflow.ops.variables import replica_context as context
from tinyflow.ops.variables.variable import (
    VariableAggregation,
    VariableSynchronization,
    collections_of,
    init_scope,
)
from tinyflow.ops.variables.variable_store import get_store
from tinyflow.train.distribute import replicas
from tinyflow.train.distribute.cross_device_ops import CrossDeviceOps, ReductionToOneDevice
from tinyflow.train.distribute.strategy import Strategy, StrategyExtended
from tinyflow.train.distribute.values import DistributedValues, PerReplica, grouped, select
from tinyflow.train.distribute.variables import MirroredVariable, SyncOnReadVariable

__all__ = ['MirroredStrategy', 'OneDeviceStrategy']


class MirroredStrategy(Strategy):
    """Replicas that each take a batch of their own; their gradients are added up.

    `devices` names one device for each replica, such as ['/cpu:0', '/cpu:1']; by default there is
    one, for the machine counts as one CPU. Each Variable has a component for each replica, and all
    components change alike. Useful to see what data parallelism does to a graph, and to run
    programs that ask for it; one process does not get faster by it.
    """

    def __init__(self, devices=None, cross_device_ops=None):
        super().__init__(_Mirrored(self, devices, cross_device_ops))


class OneDeviceStrategy(Strategy):
    """One replica, on the device named."""

    def __init__(self, device):
        super().__init__(_OneDevice(self, device))


class _OneDevice(StrategyExtended):
    def __init__(self, strategy, device):
        super().__init__(strategy)
        self._device = _full(device)

    @property
    def worker_devices(self):
        return (self._device,)

    def _create_variable(self, next_creator, settings):
        variable = next_creator(**{**settings, 'use_resource': True})
        variable.distribute_strategy = self._strategy
        return variable

    def _call_for_each_replica(self, fn, args, kwargs):
        with get_default_graph().device(self._device):
            return super()._call_for_each_replica(fn, args, kwargs)


class _Mirrored(StrategyExtended):
    def __init__(self, strategy, devices, cross_device_ops):
        super().__init__(strategy)
        self._devices = tuple(_full(device) for device in devices or ['/cpu:0'])
        if len(set(self._devices)) < len(self._devices):
            raise worded(ValueError(
                f'Duplicates in devices: {list(devices)}.\n  Mend: a name for each replica: '
                "['/cpu:0', '/cpu:1']."))
        if cross_device_ops is not None and not isinstance(cross_device_ops, CrossDeviceOps):
            raise worded(TypeError('cross_device_ops must be a tf.distribute.CrossDeviceOps, not '
                                   f'{cross_device_ops!r}.'))
        self._reduction = cross_device_ops or ReductionToOneDevice()

    @property
    def _num_replicas_in_sync(self):
        return len(self._devices)

    @property
    def worker_devices(self):
        return self._devices

    def _call_for_each_replica(self, fn, args, kwargs):
        with _shared_variables(self):
            return replicas.call_for_each(self._strategy, fn, args, kwargs)

    # ---- Variables -------------------------------------------------------------------------

    def _create_variable(self, next_creator, settings):
        """A component for each replica, and the Variable that holds them."""
        replica = context.replicas_meet()
        shared = getattr(self, '_shared', None)
        if replica is None or shared is None:
            return self._make(next_creator, settings)
        # Code of replicas makes each Variable once: the first replica does, the others find it.
        if replica.replica_number:
            return shared.next(replica.replica_number)
        shared.made.append(self._make(next_creator, settings))
        return shared.made[-1]

    def _make(self, next_creator, settings):
        collections = settings.pop('collections', None)
        trainable = settings.pop('trainable', None)
        synchronization = settings.get('synchronization', VariableSynchronization.AUTO)
        aggregation = settings.get('aggregation')
        components = []
        for number, device in enumerate(self._devices):
            own = dict(settings, use_resource=True, collections=[], trainable=False)
            with get_default_graph().device(device):
                if number:
                    first = components[0]
                    own['name'] = f'{first.op.name}/replica_{number}'
                    own['initial_value'] = _same_start(first)
                    with name_scope(None), init_scope():
                        components.append(next_creator(**own))
                else:
                    components.append(next_creator(**own))
        kind = SyncOnReadVariable if synchronization is VariableSynchronization.ON_READ \
            else MirroredVariable
        variable = kind(components, synchronization, aggregation or VariableAggregation.NONE)
        variable._trainable = kind is MirroredVariable if trainable is None else trainable
        variable.distribute_strategy = self._strategy
        variable.graph.add_to_collections(collections_of(collections, variable.trainable), variable)
        return variable

    def value_container(self, value):
        return getattr(value, '_distributed_container', value)

    # ---- values of replicas ----------------------------------------------------------------

    def _reduce_to(self, reduce_op, value, destinations):
        if not isinstance(value, DistributedValues):
            # One value that all have: its sum is as many times itself, its mean itself.
            value = PerReplica([value] * len(self._devices))
        return self._reduction.reduce(reduce_op, value, destinations)

    def broadcast_to(self, tensor, destinations):
        return self._reduction.broadcast(tensor, destinations)

    def _update(self, var, fn, args, kwargs, group):
        return self._each(lambda number: fn(var, *select(tuple(args), number),
                                            **select(kwargs, number)), group)

    def _update_non_slot(self, fn, args, kwargs, group):
        return self._each(lambda number: fn(*select(tuple(args), number),
                                            **select(kwargs, number)), group)

    def _each(self, update, group):
        results = []
        for number, device in enumerate(self._devices):
            with context.entered(self._strategy, None, number), \
                    get_default_graph().device(device), name_scope(f'update_{number}'):
                results.append(update(number))
        return grouped(results) if group else results


class _Shared:
    """The Variables made in one call for all replicas, in order."""

    def __init__(self):
        self.made, self._counts = [], {}

    def next(self, replica):
        """What the first replica made where another one now makes a Variable.

        Not those of get_variable, which the others find by their names and do not make.
        """
        number = self._counts.get(replica, 0)
        self._counts[replica] = number + 1
        named = {id(variable) for variable in get_store().variables.values()}
        made = [variable for variable in self.made if id(variable) not in named]
        if number >= len(made):
            raise worded(RuntimeError(
                f'Replica {replica} makes a Variable that the first replica has not made.\n'
                '  Mend: the function must build the same graph in each replica.'))
        return made[number]


class _shared_variables:                                        # noqa: N801 - used as a function
    """While the replicas build, Variables of the same place in their code are one."""

    def __init__(self, extended):
        self._extended = extended

    def __enter__(self):
        self._before = getattr(self._extended, '_shared', None)
        self._extended._shared = _Shared()

    def __exit__(self, *error):
        self._extended._shared = self._before


def _same_start(first):
    """The initial value of the other components: the first one's tensor, drawn once."""
    initial = first.initial_value
    return lambda: identities.identity(initial)


def _full(device):
    """'/device:CPU:0' for '/cpu:0'. TypeError for what names no device."""
    if not isinstance(device, str):
        raise worded(TypeError(f'A device is named by a string such as "/cpu:0", not {device!r}.'))
    graph = Graph()
    with graph.device(device):
        return graph.current_device
