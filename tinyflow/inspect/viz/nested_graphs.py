"""Operations inside functions: branches of If, bodies of While, functions of datasets.

A picture shows such a node as a box with a box for each function in it. The operations of the
functions join those around them, and every tensor is traced to the operation that computes
it: a function's parameter to the tensor that is passed for it, the output of an If or While
to the operation inside.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tinyflow.graph.control_flow_names import local_name
from tinyflow.graph.graph import Graph
from tinyflow.inspect.viz import select
from tinyflow.inspect.viz.select import FORWARD, GRADIENT

_LABELS = {'then_branch': 'if true', 'else_branch': 'if false', 'cond': 'condition'}
CHOICES, LOOPS = ('If', 'StatelessIf'), ('While', 'StatelessWhile')
_KEPT = {'accumulator': 'accumulators', 'kept values': 'kept values'}
_DEEPEST = 60               # no scope inside so many others is drawn
_COUNTER = 0                # the loop counter among the inputs of a While; input 1 is its limit
_FIRST_OF_USER = 2


class Link(NamedTuple):
    """One tensor that an operation takes. `place` is its position among the operation's inputs,
    or None for the result of a function; `kind` is 'data', 'next' (computed by the
    iteration before) or 'result' (of the operation's function)."""

    tensor: object
    place: int | None
    kind: str


@dataclass
class Region:
    """A box: a node that runs functions, or one of its functions. `kind` is 'if', 'while', 'call'
    or 'function'."""

    kind: str
    title: str
    op: object
    graph: object = None
    parts: list[tuple[str, ...]] = field(default_factory=list)      # the boxes of its functions


class NestedGraphs:
    """All operations of a picture, those in functions included.

    ops         `given`, with the operations of each node's functions before it
    part        operation -> FORWARD, GRADIENT ...; for those in functions too
    prefix      operation in a function -> path of the function's box
    home        operation -> path of the box that it belongs to, regardless of its name
    regions     path -> Region
    parameters  drawn parameter of a function -> its label
    machinery   operations that only count iterations or keep values for gradients
    """

    def __init__(self, given, part, dissolve=True):
        self.ops: list = []
        self.part = dict(part)
        self.prefix: dict = {}
        self.home: dict = {}
        self.regions: dict[tuple[str, ...], Region] = {}
        self.parameters: dict = {}
        self.machinery: set = set()
        self.dissolved: set = set()
        self._dissolve = dissolve
        self._alias: dict = {}
        self._links: dict = {}
        self._given, self._scopes = given, None
        for op in given:
            self._add(op)

    # ---- reading -------------------------------------------------------------------------

    def sources(self, tensor) -> list:
        """The drawn tensors behind a tensor; several where a branch is chosen."""
        found: dict = {}
        seen, stack = set(), [tensor]
        while stack:
            t = stack.pop()
            if t in seen:
                continue
            seen.add(t)
            behind = self._behind(t)
            if behind is None:
                found[t] = None
            else:
                stack += reversed(behind)
        return list(found)

    def links(self, op) -> list[Link]:
        """The inputs of an operation, tensor by tensor."""
        raw = self._links.get(op)
        if raw is None:
            raw = [Link(t, index, 'data') for index, t in enumerate(op.inputs)]
        return [Link(t, index, kind) for tensor, index, kind in raw for t in self.sources(tensor)]

    def waits(self, op) -> list:
        """The drawn operations that an operation waits for."""
        found: dict = {}
        for waited in op.control_inputs:
            found.update(dict.fromkeys(self.ends(waited)))
        return list(found)

    def ends(self, op) -> list:
        """The drawn operations that compute the results of `op`: [op], unless it is a box."""
        if op not in self.dissolved:
            return [op]
        ends = dict.fromkeys(s.op for t in op.outputs for s in self.sources(t))
        return list(ends) or [o for o in self.within(op) if not o.outputs]

    def within(self, op) -> list:
        """The operations in the functions of a node, including nested functions."""
        path = self.home.get(op)
        return [] if path is None else \
            [o for o in self.ops if self._path(o)[:len(path)] == path and o is not op]

    def name(self, op) -> str:
        """A name of the operation that is unique in the picture."""
        return '/'.join((*self.prefix.get(op, ()), *_pieces(op)))

    def _path(self, op):
        return self.home.get(op) or self.prefix.get(op, ())

    def _behind(self, tensor):
        """The tensors behind a tensor, or None if it is drawn itself."""
        if tensor in self._alias:
            return [self._alias[tensor]]
        op = tensor.op
        if op not in self.dissolved:
            return None
        graphs = _functions(op)
        if op.type in LOOPS:
            graph, k = graphs['body'][0], tensor.value_index
            unchanged = graph.outputs[k] is graph.inputs[k]
            return [op.inputs[k] if unchanged else graph.outputs[k]]
        return [g.outputs[tensor.value_index] for pair in graphs.values() for g in pair]

    # ---- building ------------------------------------------------------------------------

    def _add(self, op, prefix=()):
        functions = _functions(op)
        if prefix:
            self.prefix[op] = prefix
        if functions:
            self._open(op, functions, prefix)
        if op not in self.dissolved or op.type in CHOICES:
            self.ops.append(op)

    def _open(self, op, functions, prefix):
        kind = 'if' if op.type in CHOICES else 'while' if op.type in LOOPS else 'call'
        home = self.home[op] = self._box_path(op, prefix)
        region = self.regions[home] = Region(kind, home[-1], op)
        if self._dissolve and kind != 'call':
            self.dissolved.add(op)
        for label, graph in _labelled(functions):
            path = self._free((*home, label))
            region.parts.append(path)
            self.regions[path] = Region('function', label, op, graph)
        self._parameters(op, kind, functions, home, region)
        for path in region.parts:
            self._fill(op, self.regions[path].graph, path)
        if kind == 'while':
            self._mark_counting(op, functions)
        self._link_node(op, kind, region)

    def _box_path(self, op, prefix):
        pieces = _pieces(op)
        if not self._dissolve:              # the names that observers of runs use
            return self._free((*prefix, *pieces), self.regions)
        if prefix and self.part[op] == GRADIENT and len(pieces) > 2:
            pieces = pieces[pieces[0].startswith('gradients'):]
        if self.part[op] == GRADIENT and len(pieces) > 1 and pieces[-2].endswith('_grad'):
            shorter = (*prefix, *pieces[:-1])
            if shorter not in self.regions:
                return shorter
        return self._free((*prefix, *pieces), self.regions)

    def _free(self, path, taken=None):
        if taken is None:
            if self._scopes is None:        # only functions need it
                self._scopes = {p[:n] for p in map(_pieces, self._given)
                                for n in range(1, min(len(p), _DEEPEST))}
            taken = self._scopes
        while path in taken:
            path = (*path[:-1], path[-1] + "'")
        return path

    def _fill(self, op, graph, path):
        """The operations of a function. Parameters are among them only if they are drawn."""
        own = select.parts(graph) if self.part[op] == FORWARD else {}
        places = {t.op for t in graph.inputs}
        for inner in graph.get_operations():
            if inner in places:
                continue
            self.part[inner] = own.get(inner, self.part[op])
            if inner.type == 'FakeParam':
                self.machinery.add(inner)
            self._add(inner, path)

    def _parameters(self, op, kind, functions, home, region):
        if kind == 'while':
            self._loop_variables(op, functions['cond'][0], functions['body'][0], home, region)
            return
        for path in region.parts:
            graph = self.regions[path].graph
            for position, parameter in enumerate(graph.inputs):
                if kind == 'if':
                    outer = op.inputs[1 + position]
                    drawn = any(parameter is t for t in graph.outputs)
                    called = self._called(outer)
                else:
                    outer = graph.source_of(parameter)
                    drawn = outer is None
                    called = 'element' if position == 0 else f'element {position}'
                    outer = _element(op) if drawn else outer
                if drawn:
                    links = [] if outer is None else [Link(outer, 0, 'data')]
                    self._draw_parameter(op, parameter, called, path, links)
                else:
                    self._alias[parameter] = outer

    def _called(self, tensor):
        op = self.sources(tensor)[0].op
        return self.parameters.get(op) or op.name.split('/')[-1]

    def _loop_variables(self, op, condition, body, home, region):
        for k, parameter in enumerate(body.inputs):
            if body.outputs[k] is parameter:
                self._alias[parameter] = op.inputs[k]
            else:
                links = [Link(op.inputs[k], k, 'data')]
                if self._dissolve:
                    links.append(Link(body.outputs[k], None, 'next'))
                called = op.inputs[k].op.name.split('/')[-1] if k < _FIRST_OF_USER else \
                    'accumulator' if _accumulates(op, body, k) else \
                    'kept values' if body.outputs[k].op.type == 'TensorListPopBack' else \
                    f'variable {k - _FIRST_OF_USER + 1}'
                self._draw_parameter(op, parameter, called, region.parts[1], links, home)
            self._alias[condition.inputs[k]] = parameter

    def _draw_parameter(self, op, parameter, called, path, links, home=None):
        self.parameters[parameter.op] = called
        self.prefix[parameter.op] = path
        self.home[parameter.op] = home or path
        self.part[parameter.op] = self.part[op]
        self._links[parameter.op] = links
        self.ops.append(parameter.op)

    def _mark_counting(self, op, functions):
        """The counter, if only gradients need it, and the lists of values kept for gradients."""
        body, condition = functions['body'][0], functions['cond'][0]
        for k, parameter in enumerate(body.inputs):
            step = body.outputs[k].op
            if step is parameter.op:
                continue
            if k == _COUNTER and not condition.inputs[k].consumers() and \
                    parameter.consumers() == [step] or _accumulates(op, body, k):
                self.machinery |= {parameter.op, step}
        kept = {t.op for t in body.outputs}
        for inner in reversed(body.get_operations()):
            users = [u for t in inner.outputs for u in t.consumers()]
            if users and inner not in kept and self.machinery.issuperset(users):
                self.machinery.add(inner)
        for t in op.outputs:
            if body.outputs[t.value_index] is body.inputs[t.value_index] or \
                    t.value_index < _FIRST_OF_USER:
                self.machinery.update(u for u in t.consumers() if u.type == 'Identity'
                                      and u.name.startswith(op.name + '/')
                                      and not u.outputs[0].consumers())

    def _link_node(self, op, kind, region):
        if op in self.dissolved:
            self._links[op] = [Link(op.inputs[0], 0, 'data')] if kind == 'if' else []
            return
        graphs = [self.regions[path].graph for path in region.parts]
        captured = {g.source_of(p) for g in graphs for p in g.inputs} \
            if kind == 'call' and self._dissolve else set()
        self._links[op] = [Link(t, i, 'data') for i, t in enumerate(op.inputs)
                           if t not in captured]
        self._links[op] += [Link(t, None, 'result') for g in graphs for t in g.outputs
                            if t not in self._alias]


def kept_for_gradients(inside, ops) -> dict:
    """Operation -> the path of the one node for all lists in which a loop keeps values for its
    gradient: the loop variables, the empty lists that they start with, and what adds a value to
    a list or takes one from it."""
    found = {}
    for op in ops:
        if inside.parameters.get(op) in _KEPT:
            found[op] = (*inside.home[op], _KEPT[inside.parameters[op]])
            found.update({link.tensor.op: found[op] for link in inside.links(op)
                          if link.tensor.op.type == 'EmptyTensorList'})
    homes = {path[:-1]: path for path in found.values()}
    for op in ops:
        loop = inside.prefix.get(op, ())[:-1]
        if op.type in ('TensorListPushBack', 'TensorListPopBack') and loop in homes \
                and op not in found and (op in inside.machinery or op.type.endswith('PopBack')):
            found[op] = homes[loop]
    return found


def summary(region, number) -> str:
    """The label of a closed box: ``loop: 12 nodes``."""
    noun = {'if': 'choice', 'while': 'loop'}.get(region.kind, 'function')
    return f'{noun}: {number} node{"s" * (number != 1)}'


def _pieces(op):
    return tuple([p for p in local_name(op).split('/') if p]) or (op.name,)


def _functions(op) -> dict[str, list]:
    """The functions of an operation by the names of its attributes; {} if it has none."""
    found = {}
    for name in op.definition.functions or ():
        value = op.attrs.get(name)
        graphs = [g for g in (value if isinstance(value, (list, tuple)) else [value])
                  if isinstance(g, Graph)]
        if graphs:
            found[name] = graphs
    return found


def _labelled(functions):
    for name, graphs in functions.items():
        for number, graph in enumerate(graphs):
            label = _LABELS.get(name, name)
            yield (label if len(graphs) == 1 else f'{label} {number}'), graph


def _element(op):
    """The dataset whose elements are the parameters of a dataset's function; None for a source."""
    first = op.inputs[0] if op.inputs else None
    return first if first is not None and first.dtype.base_dtype.name == 'variant' else None


def _accumulates(op, body, k):
    """True if a loop variable only keeps all values of a tensor, for the gradient."""
    made, step = op.inputs[k].op, body.outputs[k].op
    return step.type == 'TensorListPushBack' and step.inputs[0] is body.inputs[k] and \
        made.type == 'EmptyTensorList' and 'accumulator' in made.name
