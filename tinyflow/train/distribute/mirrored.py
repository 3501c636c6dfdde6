"""MirroredStrategy and OneDeviceStrategy: replicas in one process."""
from __future__ import annotations

from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.devices import DeviceSpec, canonical_name
from tinyflow.graph.support.errors import misuse
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
from tinyflow.train.distribute.values import DistributedValues, PerReplica, group_operations, select
from tinyflow.train.distribute.variables import MirroredVariable, SyncOnReadVariable

__all__ = ['MirroredStrategy', 'OneDeviceStrategy']


_FIRST_TASK = DeviceSpec(replica=0, task=0)


class MirroredStrategy(Strategy):
    """Data parallelism: each replica takes its own batch, and the gradients are summed.

    `devices` names one device per replica, such as ['/cpu:0', '/cpu:1']; by default there is one,
    because the machine counts as one CPU. Each Variable has a component per replica, and all
    components get the same updates. Useful to see the graph of data parallelism, and to run
    programs that use it; it is not faster in one process.
    """

    def __init__(self, devices=None, cross_device_ops=None):
        super().__init__(_Mirrored(self, devices, cross_device_ops))


class OneDeviceStrategy(Strategy):
    """One replica on the given device."""

    def __init__(self, device):
        super().__init__(_OneDevice(self, device))


class _OneDevice(StrategyExtended):
    def __init__(self, strategy, device):
        super().__init__(strategy)
        self._device = _full_device_name(device)

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
        if isinstance(devices, str):
            raise misuse(TypeError(f'The devices must be a list of names, not the string '
                                   f'{devices!r}.\n  Hint: [{devices!r}].'))
        self._devices = tuple(_full_device_name(device) for device in devices or ['/cpu:0'])
        if len(set(self._devices)) < len(self._devices):
            raise misuse(ValueError(
                f'Duplicates in devices: {list(devices)}.\n  Hint: use a different name for each '
                "replica: ['/cpu:0', '/cpu:1']."))
        if cross_device_ops is not None and not isinstance(cross_device_ops, CrossDeviceOps):
            raise misuse(TypeError('cross_device_ops must be a tf.distribute.CrossDeviceOps, not '
                                   f'{cross_device_ops!r}.'))
        self._reduction = cross_device_ops or ReductionToOneDevice()

    @property
    def _num_replicas_in_sync(self):
        return len(self._devices)

    @property
    def worker_devices(self):
        return self._devices

    @property
    def worker_devices_by_replica(self):
        return [(device,) for device in self._devices]

    def _call_for_each_replica(self, fn, args, kwargs):
        with _shared_variables(self):
            return replicas.call_for_each(self._strategy, fn, args, kwargs)

    # ---- Variables -------------------------------------------------------------------------

    def _create_variable(self, next_creator, settings):
        """Creates a component for each replica, and the Variable that contains them."""
        replica = context.active_replica_context()
        shared = getattr(self, '_shared', None)
        if replica is None or shared is None:
            return self._create_components(next_creator, settings)
        # The first replica creates a Variable, the same code of the others finds it.
        if replica.replica_number:
            return shared.next(replica.replica_number)
        shared.created.append(self._create_components(next_creator, settings))
        return shared.created[-1]

    def _create_components(self, next_creator, settings):
        collections = settings.pop('collections', None)
        trainable = settings.pop('trainable', None)
        synchronization = settings.get('synchronization', VariableSynchronization.AUTO)
        aggregation = settings.get('aggregation')
        components = []
        for number, device in enumerate(self._devices):
            component_settings = dict(settings, use_resource=True, collections=[],
                                      trainable=False)
            with get_default_graph().device(device):
                if number:
                    first = components[0]
                    component_settings['name'] = f'{first.op.name}/replica_{number}'
                    component_settings['initial_value'] = _copy_initial_value(first)
                    with name_scope(None), init_scope():
                        components.append(next_creator(**component_settings))
                else:
                    components.append(next_creator(**component_settings))
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
            # The same value on all replicas.
            value = PerReplica([value] * len(self._devices))
        return self._reduction.reduce(reduce_op, value, destinations)

    def broadcast_to(self, tensor, destinations):
        return self._reduction.broadcast(tensor, destinations)

    def _update(self, var, fn, args, kwargs, group):
        return self._for_each_replica(lambda number: fn(var, *select(tuple(args), number),
                                                        **select(kwargs, number)), group)

    def _update_non_slot(self, fn, args, kwargs, group):
        return self._for_each_replica(lambda number: fn(*select(tuple(args), number),
                                                        **select(kwargs, number)), group)

    def _for_each_replica(self, update, group):
        results = []
        for number, device in enumerate(self._devices):
            with context.entered(self._strategy, None, number), \
                    get_default_graph().device(device), name_scope(f'update_{number}'):
                results.append(update(number))
        return group_operations(results) if group else results


class _SharedVariables:
    """The Variables that one call creates for all replicas, in order."""

    def __init__(self):
        self.created, self._counts = [], {}

    def next(self, replica):
        """The Variable of the first replica for the next creation of a Variable in another one.

        Skips those of get_variable, which the other replicas find by name.
        """
        number = self._counts.get(replica, 0)
        self._counts[replica] = number + 1
        named = {id(variable) for variable in get_store().variables.values()}
        created = [variable for variable in self.created if id(variable) not in named]
        if number >= len(created):
            raise misuse(RuntimeError(
                f'Replica {replica} creates a Variable that the first replica did not create.\n'
                '  Hint: the function must build the same graph in each replica.'))
        return created[number]


class _shared_variables:                                        # noqa: N801 - used as a function
    """While the replicas build, the n-th Variables that they create are the same Variable."""

    def __init__(self, extended):
        self._extended = extended

    def __enter__(self):
        self._previous = getattr(self._extended, '_shared', None)
        self._extended._shared = _SharedVariables()

    def __exit__(self, *error):
        self._extended._shared = self._previous


def _copy_initial_value(first):
    """The initial value of the other components: the tensor of the first one."""
    initial = first.initial_value
    return lambda: identities.identity(initial)


def _full_device_name(device):
    """'/device:CPU:0' for '/cpu:0'. Raises TypeError unless it is a string."""
    if not isinstance(device, str):
        raise misuse(TypeError(f'A device must be a string such as "/cpu:0", not {device!r}.'))
    return _FIRST_TASK.make_merged_spec(
        DeviceSpec.from_string(canonical_name(device))).to_string()
