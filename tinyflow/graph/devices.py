"""Where nodes are to run: DeviceSpec, and the scopes of tf.device and colocate_with.

A device string names a job, its task and a device, each of which may be left open:
'/job:ps/replica:0/task:1/device:CPU:0'. A node's string is merged from the open scopes, the
innermost first: outer ones fill in what is still open. A node inside colocate_with(op) takes the
device of `op` instead, and the group 'loc:@op' in its attribute _class.
"""
from __future__ import annotations

from functools import lru_cache
from typing import Any

from tinyflow.graph.support.errors import misuse

_FIELDS = ('job', 'replica', 'task', 'device_type', 'device_index')
_HINT = "\n  Hint: a device is written as '/job:ps/task:0/device:CPU:0', '/cpu:0' or '/gpu:1'."


class DeviceSpec:
    """The parts of a device string; None for a part that is left open.

    Two are equal if their strings are equal. Numbers may be given as strings.
    """

    __slots__ = tuple(f'_{field}' for field in _FIELDS)

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        self.job, self.replica, self.task = job, replica, task
        self.device_type, self.device_index = device_type, device_index

    job = property(lambda self: self._job,
                   lambda self, job: setattr(self, '_job', _text(job)))
    replica = property(lambda self: self._replica,
                       lambda self, replica: setattr(self, '_replica', _number(replica)))
    task = property(lambda self: self._task,
                    lambda self, task: setattr(self, '_task', _number(task)))
    device_type = property(lambda self: self._device_type,
                           lambda self, kind: setattr(self, '_device_type', _kind(kind)))
    device_index = property(lambda self: self._device_index,
                            lambda self, index: setattr(self, '_device_index', _number(index)))

    @classmethod
    def from_string(cls, spec):
        """The parts of a device string. ValueError if it has parts that no device has."""
        return cls(*_parts(spec))

    def parse_from_string(self, spec):
        """Replaces all parts by those of a device string; returns itself."""
        self.__init__(*_parts(spec))
        return self

    def to_string(self):
        """The device string in its canonical form, such as '/job:ps/task:0/device:CPU:*'."""
        return _joined(self._values())

    def merge_from(self, dev):
        """Takes over the parts of another DeviceSpec, except those that it leaves open."""
        self.__init__(*self._merged(dev))

    def make_merged_spec(self, dev):
        """A new DeviceSpec: the parts of `dev`, and for those that it leaves open its own."""
        return type(self)(*self._merged(dev))

    def replace(self, **kwargs):
        """A new DeviceSpec in which the named parts are others."""
        return type(self)(**{**dict(zip(_FIELDS, self._values())), **kwargs})

    def _values(self):
        return self._job, self._replica, self._task, self._device_type, self._device_index

    def _merged(self, dev):
        return [own if other is None else other
                for own, other in zip(self._values(), [getattr(dev, f) for f in _FIELDS])]

    def __eq__(self, other):
        return isinstance(other, type(self)) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        return f'<tf.DeviceSpec {self.to_string()!r}>'


def _text(value):
    return None if value is None else str(value)


def _number(value):
    return None if value is None else int(value)


def _kind(value):
    return value.upper() if value in ('cpu', 'gpu') else _text(value)


@lru_cache(1024)
def _parts(text):
    """(job, replica, task, device type, device index) of a device string."""
    job = replica = task = kind = index = None
    for part in (text or '').split('/'):
        key, *values = part.split(':')
        if key in ('job', 'replica', 'task') and len(values) == 1:
            if key == 'job':
                job = values[0]
            elif key == 'replica':
                replica = _parsed(values[0], text)
            else:
                task = _parsed(values[0], text)
        elif key.upper() in ('CPU', 'GPU') and len(values) < 2 or \
                key == 'device' and len(values) == 2:
            if kind is not None:
                raise misuse(ValueError(f'Cannot specify multiple device types: {text}{_HINT}'))
            kind = values[0] if key == 'device' else key.upper()
            number = values[-1] if len(values) == 1 + (key == 'device') else '*'
            index = None if number == '*' else _parsed(number, text)
        elif key:
            raise misuse(ValueError(f"Unknown attribute: '{key}' in '{text}'{_HINT}"))
    return job, replica, task, kind, index


def _parsed(number, text):
    try:
        return int(number)
    except ValueError:
        raise misuse(ValueError(f"'{number}' in the device '{text}' is not a number.{_HINT}")) \
            from None


def _joined(parts):
    job, replica, task, kind, index = parts
    text = '' if job is None else f'/job:{job}'
    if replica is not None:
        text += f'/replica:{replica}'
    if task is not None:
        text += f'/task:{task}'
    if kind is not None:
        text += f'/device:{kind}:{"*" if index is None else index}'
    return text


def canonical_name(device) -> str:
    """The canonical string of a device string or DeviceSpec; '' for None."""
    if isinstance(device, DeviceSpec):
        return device.to_string()
    if device is not None and not isinstance(device, str):
        raise misuse(AttributeError(
            f"A device is a string such as '/cpu:0', a function or None, not {device!r}."))
    return _joined(DeviceSpec(*_parts(device))._values())


@lru_cache(4096)
def merged(inner: str, outer: str) -> str:
    """The device string `inner`, in which `outer` fills in the parts that are left open."""
    own, other = DeviceSpec.from_string(inner), DeviceSpec.from_string(outer)
    return other.make_merged_spec(own).to_string()


def merge_device(spec):
    """A function for tf.device that fills in the parts of `spec` which a node leaves open."""
    if callable(spec):
        return spec
    outer = canonical_name(spec)
    return lambda node: merged(node.device or '', outer)


# ---- scopes ------------------------------------------------------------------------------


class Places:
    """The scopes of devices and of colocation that are open in a graph, innermost last.

    devices     canonical strings, functions (node -> device), and None, which hides outer ones
    colocated   operations
    group       of a Variable that is being made: its future group, for its initial value
    """

    __slots__ = ('devices', 'colocated', 'group', 'fixed')

    def __init__(self, devices=(), colocated=(), group=None):
        self.devices, self.colocated, self.group = devices, colocated, group
        self.fixed = None       # the device of every node, if no function decides
        if not any(map(callable, devices)):
            self.fixed = ''
            for device in devices:
                self.fixed = '' if device is None else merged(device, self.fixed)

    def inside_function(self) -> Places | None:
        """The scopes around a FuncGraph that its nodes see: colocation, and functions' devices.

        Other devices are those of the node that calls the function.
        """
        devices = self.devices if self.fixed is None else ()
        return Places(devices, self.colocated) if devices or self.colocated else None


def place(operation, places: Places | None) -> None:
    """Sets the device of a new node and the groups that it belongs to.

    A node that takes a reference to a Variable goes where the Variable is.
    """
    colocated = [_source(operation.inputs[i]).op for i in operation.definition.ref_positions]
    if places is not None:
        colocated[:0] = places.colocated
        if not operation.definition.ref_positions:
            apply_scopes(operation, places)
        if places.group is not None:
            operation.groups = (places.group,)
    if colocated:
        groups = set()
        for other in colocated:
            groups.update(other.colocation_groups())
            operation.device = other.device or operation.device
        operation.groups = tuple(sorted(groups))


def _source(tensor):
    """The reference itself, where a function has captured it."""
    while tensor is not None:
        found, tensor = tensor, tensor.op.graph.source_of(tensor)
    return found


def apply_scopes(operation, places: Places | None, own: str = '') -> None:
    """Sets the device of a node from the scopes, of which a scope of the device `own` is innermost.
    """
    if places is None or places.fixed is not None:
        outer = '' if places is None else places.fixed
        operation.device = merged(own, outer) if own else outer
        return
    operation.device = own and canonical_name(own)
    for device in reversed(places.devices):
        if device is None:
            break
        operation.device = _called(device, operation) if callable(device) else \
            merged(operation.device, device)


def _called(function, operation):
    device = function(operation)
    if isinstance(device, DeviceSpec):
        return device.to_string()
    if isinstance(device, bytes):
        return device.decode()
    if not isinstance(device, str):
        raise misuse(TypeError(
            f'Expected binary or unicode string, got {device!r}: the device function gave this '
            f"for the node '{operation.name}' ({operation.type}).\n"
            "  Hint: '' leaves the device of a node to the other scopes."))
    return device


_NOWHERE = Places()


class _Entered:
    """A block in which these scopes are open in a graph."""

    __slots__ = ('graph', 'places', 'outer')

    def __init__(self, graph, places):
        self.graph, self.places, self.outer = graph, places, graph.places

    def __enter__(self):
        self.outer, self.graph.places = self.graph.places, self.places

    def __exit__(self, kind, *_):
        left, self.graph.places = self.graph.places, self.outer
        if left is not self.places and kind is None:
            raise misuse(RuntimeError('Exiting device scope without proper scope nesting.'))


def device_scope(graph, device):
    """The scope of Graph.device: a device string, a DeviceSpec, a function, or None."""
    if device is not None and not callable(device):
        device = canonical_name(device)
    outer = graph.places or _NOWHERE
    return _Entered(graph, outer if device == '' else Places(
        (*outer.devices, device), outer.colocated, outer.group))


def colocation_scope(graph, op, ignore_existing=False):
    """The scope of Graph.colocate_with; it hides the scopes of devices around it."""
    if op is None and not ignore_existing:
        raise misuse(ValueError('Trying to reset colocation (op is None) but ignore_existing is '
                                'not True.\n  Hint: colocate_with(None, ignore_existing=True).'))
    outer = graph.places or _NOWHERE
    kept: tuple = () if ignore_existing else outer.colocated
    return _Entered(graph, Places((), kept if op is None else (*kept, _operation(op)),
                                  outer.group))


def only_on(graph, device: str):
    """A scope of a device string that hides all scopes around it."""
    outer = graph.places
    if not device and outer is None:
        return _Entered(graph, None)
    return _Entered(graph, Places((device,) if device else (), (), outer and outer.group))


def taken_over(graph, inner):
    """The scopes of devices that are open in the function `inner`, for nodes of `graph`."""
    outer = graph.places
    if inner.places is None or not inner.places.devices:
        return _Entered(graph, outer)
    return _Entered(graph, Places(inner.places.devices, outer.colocated if outer else ()))


def group_scope(graph, name):
    """A scope whose nodes belong to the group of a node that is made at its end."""
    outer = graph.places or _NOWHERE
    return _Entered(graph, Places(outer.devices, outer.colocated, f'loc:@{name}'.encode()))


def _operation(value: Any):
    """The operation that decides where a value is: of a Variable, that of its storage."""
    operation = value
    if not hasattr(value, 'colocation_groups'):
        operation = getattr(getattr(value, 'handle', value), 'op', None)
    if not hasattr(operation, 'colocation_groups'):
        raise misuse(TypeError(f'colocate_with takes an operation, a tensor or a Variable, not '
                               f'{value!r}.'))
    return operation


__all__ = ['DeviceSpec', 'Places', 'canonical_name', 'merge_device', 'merged']
