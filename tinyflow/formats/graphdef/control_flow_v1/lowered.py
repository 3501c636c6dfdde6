"""If and While nodes written as TensorFlow's older Switch, Merge, Enter, Exit ... nodes.

Needed where a branch or a body changes a Variable of the default kind, which a function of
TensorFlow cannot do. An IdentityN of the results has the name of the node.
"""
from __future__ import annotations

from tinyflow.formats.graphdef import attributes


class Adder:
    """Appends NodeDefs whose names begin with that of one operation."""

    def __init__(self, nodes, operation, names):
        self._nodes = nodes
        self._name = names.node(operation)
        self._device = operation.device

    def __call__(self, op, suffix, inputs, **attrs):
        """Adds a node, and returns its name."""
        proto = self._nodes.add()
        proto.name, proto.op, proto.device = self._name + suffix, op, self._device
        proto.input.extend(inputs)
        for key, value in attrs.items():
            attributes.fill(proto.attr[key], value)
        return proto.name


class _Inlined:
    """Names of the nodes of a function that is inlined into the graph around it."""

    def __init__(self, prefix, parameters, pivot):
        self._prefix = prefix
        self._parameters = parameters           # tensor -> name
        self._pivot = pivot                     # control input of nodes without inputs

    def node(self, operation):
        return self._prefix + operation.name

    def tensor(self, tensor):
        found = self._parameters.get(tensor)
        if found is not None:
            return found
        name = self.node(tensor.op)
        return f'{name}:{tensor.value_index}' if tensor.value_index else name

    def controls(self, operation):
        found = sorted('^' + self.node(c) for c in operation.control_inputs)
        return found if found or operation.inputs else ['^' + self._pivot]


def _inline(nodes, graph, names, add_node):
    parameters = {t.op for t in graph.inputs}
    for operation in graph.get_operations():
        if operation not in parameters:
            add_node(nodes, operation, names=names)
    return [names.tensor(t) for t in graph.outputs]


def _finish(add, results, dtypes, controls=()):
    """The node of the operation's own name."""
    if results:
        add('IdentityN', '', results, T=tuple(dtypes))
    else:
        add('NoOp', '', ['^' + c for c in controls])


def lower_if(nodes, operation, names, add_node):
    """An If: a Switch for each input, a Merge for each result.

    `add_node` writes a node of a branch, which may itself be an If or While (export.py).
    """
    add = Adder(nodes, operation, names)
    predicate, *inputs = [names.tensor(t) for t in operation.inputs]
    waits = names.controls(operation)
    boolean = operation.inputs[0].dtype
    if waits:
        predicate = add('Identity', '/pred', [predicate, *waits], T=boolean)
    switch = add('Switch', '/Switch', [predicate, predicate], T=boolean)
    arrived = []
    for i, (tensor, name) in enumerate(zip(operation.inputs[1:], inputs)):
        kind = 'RefSwitch' if tensor.dtype.is_ref else 'Switch'
        arrived.append(add(kind, f'/Switch_{i + 1}', [name, predicate], T=tensor.dtype.base_dtype))
    results = {}
    for way, label in ((0, 'else_branch'), (1, 'then_branch')):
        graph = operation.attrs[label]
        suffix = ':1' if way else ''
        pivot = add('Identity', f'/switch_{"ft"[way]}', [switch + suffix], T=boolean)
        parameters = {t: a + suffix for t, a in zip(graph.inputs, arrived)}
        results[way] = _inline(nodes, graph, _Inlined(
            f'{names.node(operation)}/{label}/', parameters, pivot), add_node)
    dtypes = [t.dtype for t in operation.outputs]
    merged = [add('Merge', f'/Merge_{i}', list(pair), T=dtype, N=2)
              for i, (pair, dtype) in enumerate(zip(zip(results[0], results[1]), dtypes))]
    _finish(add, merged, dtypes, [switch])


def lower_while(nodes, operation, names, add_node):
    """A While: a cycle of Enter, Merge, Switch and NextIteration for each value that changes."""
    add = Adder(nodes, operation, names)
    condition, body = operation.attrs['cond'], operation.attrs['body']
    waits = names.controls(operation)
    changing = [out is not parameter for out, parameter in zip(body.outputs, body.inputs)]
    dtypes = [t.dtype.base_dtype for t in operation.inputs]
    frame = names.node(operation)
    entered = [add('RefEnter' if tensor.dtype.is_ref else 'Enter', f'/Enter_{i}',
                   [names.tensor(tensor), *waits], T=dtypes[i], frame_name=frame,
                   is_constant=not changing[i],
                   parallel_iterations=operation.attrs['parallel_iterations'])
               for i, tensor in enumerate(operation.inputs)]
    ring = [i for i, changes in enumerate(changing) if changes]
    merged = {i: add('Merge', f'/Merge_{i}', [entered[i], f'{frame}/NextIteration_{i}'],
                     T=dtypes[i], N=2) for i in ring}
    inside = [merged.get(i, name) for i, name in enumerate(entered)]
    goes_on, = _inline(nodes, condition, _Inlined(
        f'{frame}/cond/', dict(zip(condition.inputs, inside)), merged[ring[0]]),
        add_node)[:1]
    goes_on = add('LoopCond', '/LoopCond', [goes_on])
    switched = {i: add('Switch', f'/Switch_{i}', [merged[i], goes_on], T=dtypes[i]) for i in ring}
    pivot = add('Identity', '/pivot', [switched[ring[0]] + ':1'], T=dtypes[ring[0]])
    inside = [switched[i] + ':1' if i in switched else name for i, name in enumerate(entered)]
    following = _inline(nodes, body, _Inlined(
        f'{frame}/body/', dict(zip(body.inputs, inside)), pivot), add_node)
    results = []
    for i, tensor in enumerate(operation.inputs):
        if i in switched:
            add('NextIteration', f'/NextIteration_{i}', [following[i]], T=dtypes[i])
            results.append(add('Exit', f'/Exit_{i}', [switched[i]], T=dtypes[i]))
        else:
            results.append(names.tensor(tensor))
    _finish(add, results, dtypes)
