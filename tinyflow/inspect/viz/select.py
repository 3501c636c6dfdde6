"""Selects the operations of a picture, and the part (forward, gradient ...) of each."""
from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from tinyflow.graph.control_flow_names import local_name
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse

FORWARD, GRADIENT, OPTIMIZER, INIT = 'forward', 'gradient', 'optimizer', 'init'

_GRADIENT_SCOPE = re.compile(r'gradients(_\d+)?\Z|.*_grad(_\d+)?\Z')
_UPDATE = re.compile(r'(Resource)?(Sparse)?Apply[A-Z]')
_SAVER_TYPES = {'SaveV2', 'RestoreV2', 'MergeV2Checkpoints', 'ShardedFilename', 'ShardedFilespec',
                'Save', 'SaveSlices', 'Restore', 'RestoreSlice'}
_READINESS = re.compile(r'report_uninitialized_(variables|resources)(_\d+)?\Z')
_STARTER = re.compile(r'(init|init_all_tables|group_deps)(_\d+)?\Z')
_drawables: list[tuple[type, Callable]] = []


def register_drawable(kind: type, to_fetches: Callable) -> None:
    """Registers a new kind of object for `draw`: `to_fetches(obj)` returns its Graph or fetches.

    So a higher layer can make its Model or Estimator drawable without being imported here.
    """
    _drawables.append((kind, to_fetches))


def subject(target) -> tuple[Graph | None, list[Operation] | None]:
    """The graph that `target` is about and the fetched operations (None: all of the graph).

    Raises TypeError if `target` cannot be drawn, ValueError for several graphs.
    """
    for kind, to_fetches in _drawables:
        if isinstance(target, kind):
            inside = to_fetches(target)
            if inside is None:
                raise misuse(ValueError(
                    f'{target!r:.80} has no graph yet.\n  Hint: a Keras model has one when the '
                    'shape of its input is known: input_shape=... of the first layer, or '
                    'model.build(input_shape); an Estimator after train(...).'))
            return subject(inside)
    if isinstance(target, Graph):
        return target, None
    if isinstance(getattr(target, 'graph', None), Graph) and hasattr(target, 'run') and \
            not isinstance(target, Operation):                       # a Session
        return target.graph, None
    fetched = operations(target, 'draw')
    graphs = list(dict.fromkeys(op.graph for op in fetched))
    if len(graphs) > 1:
        raise misuse(ValueError('draw: the nodes belong to different graphs: '
                                + ', '.join(map(str, graphs))))
    return (graphs[0] if graphs else None), fetched


def operations(nodes, caller) -> list[Operation]:
    """The operations of Tensors, Operations, Variables, and lists or dicts of these.

    Raises TypeError for anything else.
    """
    if nodes is None:
        raise _not_drawable(nodes, caller)
    found: dict[Operation, None] = {}
    stack = [nodes]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            stack += reversed(list(node.values()))
        elif isinstance(node, (list, tuple, set, frozenset)):
            stack += reversed(list(node))
        elif isinstance(node, Operation):
            found[node] = None
        elif isinstance(node, Tensor):
            found[node.op] = None
        elif isinstance(getattr(node, 'op', None), Operation):      # a Variable
            found[node.op] = None
        elif isinstance(getattr(node, 'values', None), Tensor):     # IndexedSlices
            stack += [node.indices, node.values]
        elif node is not None:              # tf.gradients gives None where nothing is connected
            raise _not_drawable(node, caller)
    return list(found)


def _not_drawable(node, caller):
    hint = ''
    if isinstance(node, str):
        hint = f'\n  Hint: graph.get_operation_by_name({node!r}) gives the node of that name.'
    return misuse(TypeError(
        f'{caller} needs a Graph, a Session, a Tensor, an Operation, a Variable or a list of '
        f'nodes, not {node!r} of type {type(node).__name__}.{hint}'))


def needed(fetched, fed=frozenset()) -> set[Operation]:
    """The operations that have to run for `fetched`; nothing behind a fed tensor is included."""
    seen = set(fetched)
    stack = [op for op in fetched if not any(t in fed for t in op.outputs)]
    while stack:
        op = stack.pop()
        for producer in [*(t.op for t in op.inputs), *op.control_inputs]:
            if producer not in seen:
                seen.add(producer)
                if not any(t in fed for t in producer.outputs):
                    stack.append(producer)
    return seen


def path_between(start, end) -> list[Operation]:
    """The operations on the data paths from `start` to `end`, both included, in graph order.

    ``draw(graph, highlight=path_between(x, loss))`` marks them, ``only=`` draws just them.
    If `end` comes before `start` in the graph the paths are found backwards. Raises ValueError
    if no path joins the two.
    """
    first, last = (_one(node) for node in (start, end))
    if first.graph is not last.graph:
        raise misuse(ValueError(f"path_between: '{first.name}' is in {first.graph}, "
                                f"'{last.name}' is in {last.graph}."))
    path = _paths(first, last) or _paths(last, first)
    if not path:
        raise misuse(ValueError(f"path_between: no path joins '{first.name}' and '{last.name}': "
                                'neither is computed from the other.'))
    return path


def _one(node):
    found = operations(node, 'path_between')
    if len(found) != 1:
        raise misuse(TypeError(f'path_between needs one node on each side, not {len(found)}.'))
    return found[0]


def _paths(first, last):
    behind, stack = {last}, [last]
    while stack:
        for tensor in stack.pop().inputs:
            if tensor.op not in behind:
                behind.add(tensor.op)
                stack.append(tensor.op)
    if first not in behind:
        return []
    reached, stack = {first}, [first]
    while stack:
        for tensor in stack.pop().outputs:
            for consumer in tensor.consumers():
                if consumer in behind and consumer not in reached:
                    reached.add(consumer)
                    stack.append(consumer)
    return sorted(reached, key=lambda op: op.id)


# ---- parts of a program ----------------------------------------------------------------------

def trainable_storage(graph) -> set[Operation]:
    """The VariableV2 operations of the graph's trainable Variables."""
    return {v.op for v in graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
            if isinstance(getattr(v, 'op', None), Operation)}


def is_variable_ref(op) -> bool:
    """True if this operation holds a Variable's value."""
    return op.type in ('VariableV2', 'Variable', 'VarHandleOp')


def is_initializer(op) -> bool:
    """True for the Assign of a Variable's initial value, or the test whether it has a value."""
    ending = {'Assign': '/Assign', 'AssignVariableOp': '/Assign',
              'VarIsInitializedOp': '/IsInitialized'}.get(op.type)
    return (ending is not None and bool(op.inputs)
            and op.name.startswith(op.inputs[0].op.name + ending))


def is_read(op) -> bool:
    """True for the Identity (ReadVariableOp) that reads a Variable for an expression."""
    if op.type == 'ReadVariableOp':
        return is_variable_ref(op.inputs[0].op)
    return (op.type == 'Identity' and is_variable_ref(op.inputs[0].op)
            and op.name.startswith(op.inputs[0].op.name + '/read'))


def single_part(op) -> Operation | None:
    """The storage `kernel/part_0` of a Variable with a single part, if this is its value."""
    read = op.inputs[0].op if op.type == 'Identity' else None
    if read is not None and read.inputs and is_read(read):
        place = read.inputs[0].op
        return place if place.name == f'{op.name}/part_0' else None
    return None


def parts(graph) -> dict[Operation, str]:
    """FORWARD, GRADIENT, OPTIMIZER or INIT for every operation of the graph."""
    ops = graph.get_operations()
    part = dict.fromkeys(ops, FORWARD)
    for op in ops:
        if 'grad' in op.name and any(map(_GRADIENT_SCOPE.match, op.name.split('/')[:-1])):
            part[op] = GRADIENT
    users = _users(ops)
    _mark_helpers(ops, part)
    _mark_optimizer(ops, part, users, trainable_storage(graph))
    _mark_init(ops, part, users)
    return part


def _users(ops):
    users: dict[Operation, list[Operation]] = {op: [] for op in ops}
    for op in ops:
        for producer in [*(t.op for t in op.inputs), *op.control_inputs]:
            if producer in users:
                users[producer].append(op)
    return users


def _mark_scopes(ops, part, roots, mark):
    depths = {root.count('/') + 1 for root in roots}
    for op in ops if roots else ():
        if part[op] != FORWARD:
            continue
        pieces = local_name(op).split('/')
        if any('/'.join(pieces[:n]) in roots for n in depths):
            part[op] = mark


def _mark_optimizer(ops, part, users, trainable):
    """The updates, their scope, the operations that wait for them or that only they use."""
    updates = [op for op in ops if _UPDATE.match(op.type) and part[op] == FORWARD]
    if not updates:
        return
    roots = set()
    for op in updates:
        part[op] = OPTIMIZER
        pieces = local_name(op).split('/')[:-1]
        pieces = pieces[:next((n for n, piece in enumerate(pieces)
                               if piece.startswith('update')), len(pieces))]
        if len(pieces) > 2 and pieces[-1] == pieces[-2]:    # training/Adam/Adam, by Keras
            pieces.pop()
        roots.add('/'.join(pieces))
    _mark_scopes(ops, part, roots - {''}, OPTIMIZER)
    for op in ops:
        if part[op] == FORWARD and any(part.get(p) == OPTIMIZER for p in
                                       [*(t.op for t in op.inputs), *op.control_inputs]):
            part[op] = OPTIMIZER
    for op in reversed(ops):
        if part[op] == FORWARD and op not in trainable and not is_initializer(op):
            uses = [u for u in users[op] if part[u] != INIT and not (
                is_variable_ref(op) and _is_upkeep(u, users))]
            if uses and all(part[u] == OPTIMIZER for u in uses):
                part[op] = OPTIMIZER
    for op in ops:
        if part[op] == FORWARD and is_read(op):
            part[op] = part[op.inputs[0].op]


def _is_upkeep(user, users):
    """An Assign of the initial value, or an unused read: every Variable has these."""
    return is_initializer(user) or is_read(user) and not users[user]


def _mark_helpers(ops, part):
    """A Saver's nodes, and those that report uninitialized Variables."""
    roots = {'/'.join(local_name(op).split('/')[:-1]) for op in ops if op.type in _SAVER_TYPES}
    _mark_scopes(ops, part, roots - {''}, INIT)
    reports = set()
    for op in ops:
        values = [t.op for t in op.inputs if t.op.type != 'Const' or t.op in reports]
        if part[op] == FORWARD and (any(map(_READINESS.match, op.name.split('/')[:-1]))
                                    or values and reports.issuperset(values)):
            part[op] = INIT
            reports.add(op)


def _mark_init(ops, part, users):
    """Initial values, their Assigns, and the ops that run these."""
    for op in ops:
        if is_initializer(op):
            part[op] = INIT
        elif op.type == 'NoOp' and not op.inputs and part[op] == FORWARD and (
                op.control_inputs or _STARTER.match(op.name.split('/')[-1])) and \
                all(part.get(c) == INIT for c in op.control_inputs):
            part[op] = INIT
    for op in reversed(ops):
        if part[op] in (FORWARD, OPTIMIZER) and not is_variable_ref(op) and users[op] and \
                all(part[u] == INIT for u in users[op]):
            part[op] = INIT


# ---- filters ---------------------------------------------------------------------------------

def matching(ops, patterns, argument) -> set[Operation]:
    """The operations that a filter names: by op type, by regular expression on names, or directly.

    Raises ValueError for a string that matches nothing, so that a typo does not go unnoticed.
    """
    if isinstance(patterns, (str, re.Pattern, Operation, Tensor)):
        patterns = [patterns]
    chosen = set()
    types = {op.type for op in ops}
    for pattern in patterns:
        if not isinstance(pattern, (str, re.Pattern)):
            chosen.update(operations(pattern, argument))
        elif pattern in types:
            chosen.update(op for op in ops if op.type == pattern)
        else:
            chosen.update(_by_expression(ops, pattern, types, argument))
    return chosen


def _by_expression(ops, pattern, types, argument):
    try:
        search = re.compile(pattern).search
    except re.error as error:
        raise misuse(ValueError(f'{argument}={pattern!r} is neither an op type of this graph nor '
                                f'a regular expression: {error}.')) from None
    found = [op for op in ops if search(op.name)]
    if not found:
        near = get_close_matches(str(pattern), sorted(types), n=3)
        hint = f' Near: {", ".join(near)}.' if near else ''
        raise misuse(ValueError(f'{argument}={pattern!r} matches no node: it is neither an op '
                                f'type here nor found in any name.{hint}'))
    return found
