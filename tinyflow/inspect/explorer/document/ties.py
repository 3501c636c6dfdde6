"""What belongs together: gradients and their operations, Variables and their pieces, weights."""
from __future__ import annotations

import re
from collections.abc import Iterator

from tinyflow.graph.control_flow_names import local_name
from tinyflow.graph.operation import Operation
from tinyflow.inspect.explorer.document.nodes import Nodes
from tinyflow.inspect.viz import labels, select
from tinyflow.inspect.viz.select import FORWARD, GRADIENT, INIT

_RULE = re.compile(r'(.+)_grad(_\d+)?\Z')
_WRITES = ('Assign', 'Scatter', 'ResourceScatter')
_UPDATE = re.compile(r'(Resource)?(Sparse)?Apply[A-Z]')


def tie(nodes: Nodes) -> None:
    """Writes "g", "v", "x" and "w" into the nodes."""
    differentiated(nodes)
    variables(nodes)
    arguments(nodes)


# ---- gradients -------------------------------------------------------------------------------

def differentiated(nodes: Nodes) -> None:
    """"g": the operation that a node of the backward half differentiates.

    The scope of a gradient is named after its operation. The sum of several gradients of a tensor
    belongs to the operation that computes the tensor.
    """
    operations = _Differentiated(nodes)
    for n, op in enumerate(nodes.operations):
        if nodes.part[op] != GRADIENT:
            continue
        of = operations.of(op)
        if of is None and op.type == 'AddN':
            of = _of_sum(nodes, n)
        if of is not None and of != n:
            nodes.documents[n]['g'] = of


class _Differentiated:
    """Finds the operation that a gradient's scope is named after.

    A function of a gradient, such as the branch of a cond, differentiates operations of the
    functions of the node that its own node differentiates.
    """

    def __init__(self, nodes: Nodes) -> None:
        self._nodes = nodes
        self._scopes: dict[tuple, int | None] = {}
        self._named: dict[tuple[str, ...], dict[str, int]] = {}
        for n, op in enumerate(nodes.operations):
            place = self._named.setdefault(nodes.inside.prefix.get(op, ()), {})
            place.setdefault(local_name(op), n)

    def of(self, op: Operation) -> int | None:
        prefix = self._nodes.inside.prefix.get(op, ())
        key = prefix, local_name(op).rpartition('/')[0]
        if key not in self._scopes:
            self._scopes[key] = self._find(prefix, key[1].split('/'))
        return self._scopes[key]

    def _find(self, prefix, pieces):
        places = self._places(prefix)
        for last in range(len(pieces) - 1, 0, -1):
            match = _RULE.match(pieces[last])
            for first in range(1, last + 1) if match else ():
                name = '/'.join([*pieces[first:last], match[1]])
                for place in places:
                    if name in self._named.get(place, ()):
                        return self._named[place][name]
        return None

    def _places(self, prefix):
        """The functions, the most likely first, in which the differentiated operations are."""
        inside = self._nodes.inside
        if prefix not in inside.regions:
            return [prefix]
        forward = self.of(inside.regions[prefix].op)
        home = None if forward is None else inside.home.get(self._nodes.operations[forward])
        if home is None:
            return [prefix]
        return [(*home, prefix[-1]), *inside.regions[home].parts, prefix]


def _of_sum(nodes, n):
    """The operation whose result the operations behind all the summed gradients take."""
    common: set | None = None
    for source, _ in nodes.documents[n].get('i', ()):
        of = nodes.documents[source].get('g')
        if of is None:
            return None
        takes = {i for i, _ in nodes.documents[of].get('i', ())}
        common = takes if common is None else common & takes
    return next(iter(common)) if common and len(common) == 1 else None


# ---- Variables -------------------------------------------------------------------------------

def variables(nodes: Nodes) -> None:
    """"v": the Variable that a read, an initial value, an Assign, a slot or an update is of; "x":
    how the inputs of an update are called."""
    documents, index = nodes.documents, nodes.index
    for n, op in enumerate(nodes.operations):
        place = op.inputs[0].op if op.inputs else None
        if place is None or place not in index or not select.is_variable_ref(place):
            continue
        if select.is_read(op) or select.is_initializer(op) or op.type.startswith(_WRITES):
            documents[n]['v'] = index[place]
        elif _UPDATE.match(op.type):
            documents[n]['v'] = index[place]
            documents[n]['x'] = [labels.argument(op, k) for k in range(len(op.inputs))]
            for slot in _slots(op):
                if slot in index:
                    documents[index[slot]].setdefault('v', index[place])
    _initial_values(nodes)


def _slots(update: Operation) -> Iterator[Operation]:
    """The Variables of an update that have the shape of the one that it changes."""
    place = update.inputs[0].op
    for tensor in update.inputs[1:]:
        if select.is_variable_ref(tensor.op) and tensor.op is not place and \
                tensor.op.name.startswith(place.name + '/') | (
                    labels.tensor(tensor.op.outputs[0]) == labels.tensor(place.outputs[0])
                    != 'scalar'):
            yield tensor.op


def _initial_values(nodes):
    """What only the Assign of a single Variable needs belongs to the Variable."""
    users: dict[int, set[int]] = {}
    for n, node in enumerate(nodes.documents):
        for source, _ in node.get('i', ()):
            users.setdefault(source, set()).add(n)
    documents = nodes.documents
    for n in range(len(documents) - 1, -1, -1):
        node = documents[n]
        if 'v' in node or nodes.part[nodes.operations[n]] != INIT or n not in users:
            continue
        of = {documents[user].get('v') for user in users[n]}
        if len(of) == 1 and None not in of:
            node['v'] = of.pop()


# ---- weights and hyperparameters -------------------------------------------------------------

def arguments(nodes: Nodes) -> None:
    """"w": how a constant or a Variable is called in the only node that uses it, if just one does.

    Initial values, gradients and updates of a Variable do not count as its use.
    """
    for n, op in enumerate(nodes.operations):
        node = nodes.documents[n]
        kind = node.get('k')
        if kind == 'constant':
            uses = _uses(op, nodes, None)
            if len(uses) == 1 and uses[0][0] in nodes.index:
                user, place = uses[0]
                node['w'] = f'{labels.argument(user, place)} = {labels.constant(op)}'
        elif kind == 'variable' and nodes.part[op] == FORWARD and 'v' not in node:
            uses = _uses(op, nodes, FORWARD)
            if len({user for user, _ in uses}) == 1:
                node['w'] = f'{_last(op.name)} {labels.tensor(op.outputs[0])}'


def _uses(op, nodes, part) -> list[tuple[Operation, int]]:
    """(operation, input) for each use, through the reads of a Variable."""
    found = []
    for tensor in op.outputs:
        for user in tensor.consumers():
            if user not in nodes.index or part is not None and nodes.part[user] != part:
                continue
            if part is not None and select.is_read(user):
                found += _uses(user, nodes, part)
            else:
                found += [(user, k) for k, t in enumerate(user.inputs) if t is tensor]
    return found


def _last(name):
    return name.rpartition('/')[2]


__all__ = ['tie']
