"""Devices and colocation: where a node is to run.

A device is named by job, replica, task, type and index: '/job:ps/replica:0/task:1/device:CPU:0'.
Each part may be left out; `tf.device` scopes inside each other fill in each other's parts, and the
innermost decides. `colocate_with` places a node with another one and ignores the devices around.
In one process devices have no effect; a cluster (tinyflow/cluster/) runs each node on its task.
"""
from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tinyflow.graph.support.errors import misuse, why

if TYPE_CHECKING:
    from tinyflow.graph.operation import Operation

_PARTS = ('job', 'replica', 'task', 'device_type', 'device_index')
_GROUP = 'loc:@'


def _part(name):
    """A property of DeviceSpec; assigning converts the value."""
    def assign(spec, value):
        spec._values[name] = _converted(name, value)
    return property(lambda spec: spec._values[name], assign)


def _converted(name, value):
    if value is None:
        return None
    if name in ('job', 'device_type'):
        return value.upper() if value in ('cpu', 'gpu') else str(value)
    return int(value)


class DeviceSpec:
    """A device, perhaps with parts left out (None): DeviceSpec(job='ps', task=1).

    Parts may be assigned later. ValueError for an index that is no number.
    """

    __slots__ = ('_values',)

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        given = (job, replica, task, device_type, device_index)
        self._values = {name: _converted(name, value) for name, value in zip(_PARTS, given)}

    job, replica, task, device_type, device_index = map(_part, _PARTS)

    @classmethod
    def from_string(cls, spec):
        """The device of a string such as '/job:ps/cpu:0'. ValueError if it is none."""
        return cls(*_parse(spec or ''))

    def parse_from_string(self, spec):
        """Replaces all parts by those of a string; returns this DeviceSpec."""
        self._values = dict(zip(_PARTS, DeviceSpec.from_string(spec)._values.values()))
        return self

    def merge_from(self, dev):
        """Replaces the parts that `dev` has; the others stay."""
        self._values = self.make_merged_spec(dev)._values

    def make_merged_spec(self, dev):
        """A new DeviceSpec: the parts of `dev`, and those of this one where it has none."""
        return type(self)(*[theirs if theirs is not None else own
                            for own, theirs in zip(self._values.values(), dev._values.values())])

    def replace(self, **kwargs):
        """A new DeviceSpec with some parts replaced."""
        return type(self)(**{**self._values, **kwargs})

    def to_string(self):
        """'/job:<name>/replica:<n>/task:<n>/device:<type>:<n>', without the parts left out."""
        text = ''.join(f'/{name}:{self._values[name]}' for name in _PARTS[:3]
                       if self._values[name] is not None)
        kind, index = self.device_type, self.device_index
        return text if kind is None else f'{text}/device:{kind}:{"*" if index is None else index}'

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return f'<tf.DeviceSpec {self.to_string()!r}>'


@cache
def _parse(text):
    """The five parts of a device string."""
    found = dict.fromkeys(_PARTS)
    for part in text.split('/'):
        name, *values = part.split(':')
        if name in ('job', 'replica', 'task') and len(values) == 1:
            found[name] = values[0]
        elif name.upper() in ('CPU', 'GPU') and len(values) <= 1:
            _set_type(found, name.upper(), values[0] if values else '*', text)
        elif name == 'device' and len(values) == 2:
            _set_type(found, *values, text)
        elif name:
            raise misuse(ValueError(f"Unknown attribute: '{name}' in '{text}'\n  Hint: "
                                    "'/cpu:0', '/job:worker/task:1', '/job:ps/device:CPU:0'."
                                    + why('device-name')))
    try:
        return tuple(_converted(name, value) for name, value in found.items())
    except ValueError:
        raise misuse(ValueError(f"Replica, task and index of a device are numbers: '{text}'")) \
            from None


def _set_type(found, kind, index, text):
    if found['device_type'] is not None:
        raise misuse(ValueError(f'Cannot specify multiple device types: {text}'))
    found['device_type'], found['device_index'] = kind, None if index == '*' else index


def canonical_name(device) -> str:
    """The full spelling of a device string or DeviceSpec: '/cpu:0' becomes '/device:CPU:0'."""
    if device is None:
        return ''
    if hasattr(device, 'to_string'):
        return device.to_string()
    if not isinstance(device, str):
        raise misuse(AttributeError(
            f"A device is a string such as '/cpu:0', a tf.DeviceSpec, a function or None, not "
            f'{device!r}.'))
    return DeviceSpec(*_parse(device)).to_string()


@cache
def _merged(outer, inner):
    """`inner` with the parts of `outer` that it leaves out."""
    return DeviceSpec(*_parse(outer)).make_merged_spec(DeviceSpec(*_parse(inner))).to_string()


def merge_device(spec) -> Callable[[Operation], str]:
    """A device function that fills in the parts which scopes further in leave out."""
    text = canonical_name(spec)
    return lambda operation: _merged(text, operation.device or '')


class DeviceScopes(NamedTuple):
    """The scopes that place the nodes made inside.

    devices     of the open `device` scopes, the innermost first: a device string, a function
                Operation -> device, or None, which hides those after it
    colocated   the operations of the open `colocate_with` scopes
    group       the Variable, not made yet, whose initial value is being computed
    hidden      `devices` outside of the `colocate_with` scopes
    """

    devices: tuple[str | Callable | None, ...] = ()
    colocated: tuple[Operation, ...] = ()
    group: str = ''
    hidden: tuple[str | Callable | None, ...] = ()

    def on(self, device) -> DeviceScopes:
        """With one more device scope."""
        if device is not None and not callable(device):
            device = canonical_name(device)
        if device == '':
            return self
        return DeviceScopes((device, *self.devices), self.colocated, self.group, self.hidden)

    def for_initial_value(self, name) -> DeviceScopes:
        """In the group of a Variable of this name, which is made afterwards."""
        return DeviceScopes(self.devices, self.colocated, name, self.hidden)

    def with_operation(self, operation, ignore_existing=False) -> DeviceScopes:
        """With one more `colocate_with` scope; without the others if they are to be ignored."""
        known = () if ignore_existing else self.colocated
        return DeviceScopes((), known if operation is None else (*known, operation), self.group,
                         self.devices or self.hidden)

    def device_of(self, operation) -> str:
        """The device of a new node, by the `device` scopes alone."""
        operation.device = ''           # what functions see: the merged device so far
        for device in self.devices:
            if device is None:
                break
            operation.device = _merged(device, operation.device) if isinstance(device, str) \
                else _text(device(operation), device)
        return operation.device


ANYWHERE = DeviceScopes()


class PlacedBy:
    """A `with` block in which those scopes place the new nodes of a graph."""

    __slots__ = ('_graph', '_device_scopes', '_outer')

    def __init__(self, graph, scopes):
        self._graph, self._device_scopes = graph, scopes

    def __enter__(self):
        self._outer = self._graph._device_scopes
        self._graph._device_scopes = self._device_scopes

    def __exit__(self, *_):
        self._graph._device_scopes = self._outer


def place(operation, scopes: DeviceScopes) -> None:
    """Sets the device of a new node, and the operations that it is colocated with."""
    others = scopes.colocated
    for position in operation.definition.ref_positions:
        tensor = operation.inputs[position]
        if tensor.dtype.is_ref:             # a colocate_with scope for the Variable
            operation_of_it = tensor.op if tensor.op.graph.outer_graph is None \
                else _source(tensor).op
            others = (*others, operation_of_it)
    if others is scopes.colocated and scopes.devices and scopes.devices[0] is not None:
        scopes.device_of(operation)
    if others:
        groups: tuple | None = None
        for other in others:
            operation.device = other.device or operation.device
            own = other.colocated_with or (other.name,)
            groups = own if groups is None or own == groups else \
                tuple(sorted({*groups, *own}))
        operation.colocated_with = groups
    elif scopes.group:
        operation.colocated_with = (scopes.group,)


def _source(tensor):
    """The Variable's own reference, where functions have captured it."""
    outer = tensor
    while outer is not None:
        tensor, outer = outer, getattr(outer.op.graph, 'source_of', _no_source)(outer)
    return tensor


def _no_source(tensor):
    return None


def _text(device, function):
    """The result of a device function as a string."""
    if hasattr(device, 'to_string'):
        return device.to_string()
    if isinstance(device, bytes):
        return device.decode()
    if not isinstance(device, str):
        name = getattr(function, '__name__', function)
        raise misuse(TypeError(
            f'The device function {name} returned {device!r}.\n  Hint: it returns a device string '
            "such as '/job:ps/task:0', a tf.DeviceSpec, or '' for any device."))
    return device


def colocation_groups(operation) -> list[bytes]:
    """The groups of nodes to run together that it belongs to, as TensorFlow names them."""
    return [f'{_GROUP}{name}'.encode() for name in operation.colocated_with or (operation.name,)]


def group_names(groups) -> tuple[str, ...]:
    """The names in an attribute `_class` of a GraphDef's node."""
    texts = [group.decode() if isinstance(group, bytes) else group for group in groups]
    return tuple(text.removeprefix(_GROUP) for text in texts if text.startswith(_GROUP))


__all__ = ['ANYWHERE', 'DeviceScopes', 'DeviceSpec', 'PlacedBy', 'canonical_name',
           'colocation_groups', 'group_names', 'merge_device', 'place']
