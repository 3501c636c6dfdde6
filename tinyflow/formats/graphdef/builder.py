"""Builder: makes the Operations of a Graph from Nodes, inputs first."""
from __future__ import annotations

from tinyflow.formats.graphdef import attributes, wiring
from tinyflow.formats.graphdef.expansion import Budget
from tinyflow.formats.graphdef.nodes import Function, Node, newer_type, upgrade
from tinyflow.formats.graphdef.rewritten import rewrite
from tinyflow.graph import shapes
from tinyflow.graph.devices import ANYWHERE, group_names
from tinyflow.graph.func_graph import FuncGraph, Spec
from tinyflow.graph.op import Op, nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.control_flow.function_nodes import written_positions
from tinyflow.ops.imported import stack_ops, tf_gradient_ops
from tinyflow.ops.support.registry_loading import load_every_op

_BRANCHES = {'If': ('then_branch', 'else_branch'), 'StatelessIf': ('then_branch', 'else_branch')}
_LOOPS = frozenset(('While', 'StatelessWhile'))
CALLS = frozenset(('PartitionedCall', 'StatefulPartitionedCall'))
_DEEP = 200                 # functions inside functions; more is a function that calls itself


class Made:
    """The result of building a node: its outputs, and the operations that represent it."""

    __slots__ = ('outputs', 'operations', 'parts')

    def __init__(self, outputs, operations, parts=None):
        self.outputs = outputs
        self.operations = operations
        self.parts = parts              # output name -> outputs; None: see the operation's op


class Builder:
    """Makes nodes in `graph` under a name prefix; `library` has the Functions by name."""

    def __init__(self, graph, library=None, prefix='', depth=0, budget=None):
        self.graph = graph
        self.library = library or {}
        self.prefix = prefix
        self.made: dict[str, Made] = {}
        self._colocated: list = []          # (operation, its device) of those with a `_class`
        self._depth = depth
        self._budget = budget

    def build(self, nodes):
        """Makes all nodes. NotFoundError for unknown op types, else ValueError."""
        if self._budget is None:
            self._budget = Budget(nodes, self.library)
        else:
            self._budget.spend(len(nodes))
        if any(newer_type(node.op) is None and node.op not in CALLS and node.op not in self.library
               for node in nodes):
            load_every_op()
        nodes = upgrade(rewrite(nodes, self.library))
        self._check_op_types(nodes)
        for node in wiring.in_order(nodes, self.made):
            try:
                self.made[node.name] = self._make(node)
            except (errors.OpError, NotImplementedError):
                raise
            except ValueError as error:
                if getattr(error, 'raised_by_tinyflow', False):
                    raise
                raise self._damaged(node, error) from error
            except TypeError as error:
                if not getattr(error, 'raised_by_tinyflow', False):
                    raise self._damaged(node, error) from error
                raise misuse(ValueError(f"The node '{self.prefix}{node.name}' cannot be imported: "
                                        f'{error}')) from None
            except (KeyError, IndexError, AttributeError, OverflowError, ArithmeticError,
                    MemoryError) as error:
                raise self._damaged(node, error) from error
        self._place_colocated()

    def _damaged(self, node, error):
        return misuse(ValueError(f"The node '{node.name}' ({node.op}) cannot be imported: "
                                 f'{type(error).__name__}: {error}'))

    def _check_op_types(self, nodes):
        missing: dict[str, list[str]] = {}
        for node in nodes:
            if node.op not in Op.registry and node.op not in self.library \
                    and node.op not in CALLS:
                missing.setdefault(node.op, []).append(node.name)
        if not missing:
            return
        descriptions = [f"{op} (nodes {', '.join(repr(n) for n in names[:3])}"
                        + (f' and {len(names) - 3} more)' if len(names) > 3 else ')')
                        for op, names in missing.items()]
        kind = 'Op type' if len(descriptions) == 1 else 'Op types'
        raise errors.NotFoundError(None, None, report(
            f'{kind} not registered in tinyflow: ' + '; '.join(descriptions),
            hint='tf.graph_util.extract_sub_graph(graph_def, names) keeps only what the named '
                 'nodes need.'))

    # ---- one node ------------------------------------------------------------------------

    def tensor(self, ref, node=''):
        """The Tensor of a Ref. ValueError if there is none."""
        made = self.made.get(ref.node)
        if made is None:
            raise misuse(ValueError(f"Node '{node}': Unknown input node '{ref}'"))
        outputs = made.outputs
        if ref.part and made.parts is not None:
            outputs = made.parts.get(ref.part, ())
        elif ref.part:
            outputs = wiring.outputs_called(ref.part, made)
        if ref.index >= len(outputs):
            raise misuse(ValueError(f"Node '{node}': Connecting to invalid output {ref.index} of "
                                    f'source node {ref.node} which has {len(outputs)} outputs.'))
        return outputs[ref.index]

    def _make(self, node):
        inputs = [self.tensor(ref, node.name) for ref in node.inputs]
        controls = [op for name in node.controls for op in self._operations(name, node)]
        if node.op in self.library or node.op in CALLS:
            return self._inline(node, inputs, controls)
        definition = Op.registry[node.op]
        values, extras = self._attributes(node, definition)
        if node.op in _BRANCHES:
            values.update(self._branches(node, inputs[1:]))
        elif node.op in _LOOPS:
            values.update(self._loop(node, inputs))
        operation = self._operation(node, definition, inputs, values, controls)
        if extras:
            attributes.extra_attributes(self.graph)[operation.name] = extras
        return Made(operation.outputs, [operation])

    def _operations(self, name, node):
        made = self.made.get(name)
        if made is None:
            raise misuse(ValueError(f"Node '{node.name}': Unknown input node '^{name}'"))
        return made.operations

    def _operation(self, node, definition, inputs, values, controls):
        graph = self.graph
        name = wiring.graph_name(graph, self.prefix + node.name)
        operation = definition.make(wiring.nested(definition, inputs, node), values, name + '/')
        if operation.has_run:           # a node of a Keras model, computed at once
            return operation
        operation.control_inputs = tuple(dict.fromkeys([*controls, *operation.control_inputs]))
        self._place(operation, node)
        known = node.attrs.get('_output_shapes')
        if known is not None:
            wiring.refine(operation, known.list.shape)
        return operation

    def _place(self, operation, node):
        scopes = self.graph._device_scopes or ANYWHERE
        if scopes.colocated:
            return                      # they decide, whatever the node says
        if self._depth and operation.colocated_with:
            return                      # in a function it is with the Variable that it refers to
        proto = node.attrs.get('_class')
        names = group_names(proto.list.s) if hasattr(proto, 'list') else ()
        operation.colocated_with = tuple([self.prefix + name for name in names])
        if names:
            operation.device = ''
            self._colocated.append((operation, node.device))
        else:
            operation.device = scopes.on(node.device or '').device_of(operation)

    def _place_colocated(self):
        """Gives them the device of the first of their group that has one, or else their own."""
        for operation, own in self._colocated:
            others = map(self.graph._by_name.get, operation.colocated_with)
            operation.device = next((o.device for o in others if o is not None and o.device), own)

    def _attributes(self, node, definition):
        """(values of the attributes that the op declares, AttrValues of the others)."""
        values, extras = {}, {}
        for name, proto in node.attrs.items():
            if name in definition.functions and node.op in (*_BRANCHES, *_LOOPS):
                continue
            if name in definition.attrs:
                values[name] = self._value(name, proto, node, definition)
            elif name.startswith('_') and name not in _TRANSIENT:
                extras[name] = proto
        if node.op == 'Const':
            wiring.check_const(node, values)
        return values, extras

    def _value(self, name, proto, node, definition):
        if not hasattr(proto, 'WhichOneof'):
            return proto
        value = attributes.read(
            proto, name, node.op, node.name,
            lambda function, _: self._declared(self._called(function, node)))
        default = definition.attrs[name]
        if isinstance(default, tuple) and isinstance(value, shapes.TensorShape):
            return value.raw
        if type(default) in (bool, int, float, str) and type(value) is not type(default) \
                and not isinstance(value, (int, bytes)):
            raise misuse(ValueError(f"The node '{node.name}' is damaged: its attribute '{name}' "
                                    f'is {value!r}.'))
        return value

    # ---- functions -----------------------------------------------------------------------

    def _called(self, name, node):
        found = self.library.get(name)
        if found is None:
            raise errors.NotFoundError(None, None, f"The node '{node.name}' calls the function "
                                       f"'{name}', which is not in the graph's library.")
        return found

    def _called_by(self, node, attr):
        value = node.attrs.get(attr)
        if isinstance(value, Function):
            return value
        if value is None or value.WhichOneof('value') != 'func':
            raise misuse(ValueError(f"The node '{node.name}' is damaged: it does not say which "
                                    f"function is its '{attr}'."))
        return self._called(value.func.name, node)

    def _branches(self, node, inputs):
        """The attributes of an If: its FuncGraphs, and those derived from them."""
        specs = [Spec(t.dtype, t.raw_shape) for t in inputs]
        names = _BRANCHES[node.op]
        graphs = [self._graph_of(self._called_by(node, name), specs, inputs) for name in names]
        if len({len(g.outputs) for g in graphs}) > 1:
            raise misuse(ValueError(f"The node '{node.name}' is damaged: its branches do not give "
                                    'equally many values.'))
        _fill_missing(*graphs)
        shape_list = [shapes.common(one.raw_shape, other.raw_shape)
                      for one, other in zip(*[g.outputs for g in graphs])]
        given = _given_shapes(node)
        if len(given) == len(shape_list):       # shapes of set_shape are known from the file only
            shape_list = [shapes.merge(shape, more) if shapes.compatible(shape, more) else shape
                          for shape, more in zip(shape_list, given)]
        return {**dict(zip(names, graphs)), 'output_shapes': tuple(shape_list),
                'Tout': tuple([t.dtype.base_dtype for t in graphs[0].outputs]),
                '_writes': written_positions(graphs, inputs, 1)}

    def _loop(self, node, inputs):
        """The attributes of a While: its FuncGraphs, for loop-invariant shapes."""
        functions = [self._called_by(node, name) for name in ('cond', 'body')]
        shape_list = _shapes_of_loop(node, inputs)
        while True:
            specs = [Spec(t.dtype, shape) for t, shape in zip(inputs, shape_list)]
            body = self._graph_of(functions[1], specs, inputs)
            if len(body.outputs) != len(inputs):
                raise misuse(ValueError(f"The node '{node.name}' is damaged: {len(inputs)} loop "
                                        f'variables, and its body gives {len(body.outputs)}.'))
            wider = [shapes.common(shape, t.raw_shape)
                     for shape, t in zip(shape_list, body.outputs)]
            if wider == shape_list:
                break
            shape_list = wider
        condition = self._graph_of(functions[0], specs, inputs)
        # A variable that the body passes through is the value before the loop, e.g. a Variable's
        # ref.
        for i in range(len(inputs)):
            if body.outputs[i] is not body.inputs[i]:
                for graph in (condition, body):
                    del graph._source[graph.inputs[i]]
        return {'cond': condition, 'body': body, 'output_shapes': tuple(shape_list),
                '_writes': written_positions([condition, body], inputs, 0)}

    def _declared(self, function):
        """The one FuncGraph of a function for the parameters that it declares."""
        if function.graph is None:
            function.graph = self._graph_of(function, _specs_of(function))
        return function.graph

    def _graph_of(self, function, specs, sources=()):
        """The FuncGraph of a Function; `sources` are the tensors passed for its parameters."""
        if len(specs) != len(function.parameters):
            raise misuse(ValueError(f"The function '{function.name}' has "
                                    f'{len(function.parameters)} parameters and is given '
                                    f'{len(specs)} inputs.'))
        graph = FuncGraph(function.name, self.graph)
        builder = Builder(graph, self.library, depth=self._deeper(function), budget=self._budget)
        with graph.as_default(), graph.control_dependencies(None):
            for i, (parameter, spec) in enumerate(zip(function.parameters, specs)):
                tensor = graph.add_parameter(spec._replace(name=parameter))
                if sources:
                    graph._source[tensor] = sources[i]
                builder.made[parameter] = Made((tensor,), [tensor.op], {'': (tensor,)})
            builder.build(function.nodes)
            graph.outputs = [ref and builder.tensor(ref, function.name)
                             for ref in function.results]
        return graph

    def _deeper(self, function):
        if self._depth >= _DEEP:
            raise misuse(ValueError(f"The function '{function.name}' calls itself without end."))
        return self._depth + 1

    def _inline(self, node, inputs, controls):
        """A function call inlined: its nodes, under the name of the call."""
        name = node.attrs['f'].func.name if node.op in CALLS else node.op
        function = self._called(name, node)
        inner = Builder(self.graph, self.library, f'{self.prefix}{node.name}/',
                        self._deeper(function), self._budget)
        if len(inputs) != len(function.parameters):
            raise misuse(ValueError(f"Node '{node.name}' gives {len(inputs)} inputs to the "
                                    f"function '{name}', which has {len(function.parameters)}."))
        for parameter, tensor in zip(function.parameters, inputs):
            inner.made[parameter] = Made((tensor,), [tensor.op], {'': (tensor,)})
        inner.build([_waiting(n, controls, inner) for n in function.nodes])
        results = [inner.tensor(ref, name) for ref in function.results]
        waits = [op for n in function.controls if n in inner.made
                 for op in inner.made[n].operations] or ([] if results else controls)
        whole = self._stand_in(node, results, waits)
        outputs = tuple(_or_place(t, r) for t, r in zip(whole.outputs, results))
        parts = {part: (t,) for part, t in zip(function.result_names, outputs)}
        if node.op in CALLS:
            parts['output'] = outputs
        return Made(outputs, [whole], parts)

    def _stand_in(self, node, results, waits):
        """An operation with the name of the call and its results: signatures refer to that name."""
        definition = Op.registry['IdentityN' if results else 'NoOp']
        stand_in = Node(node.name, definition.type, device=node.device)
        return self._operation(stand_in, definition, results, {}, waits)


def _or_place(output, result):
    """A Variable's ref is passed through a call unchanged; other results are those of the call."""
    return result if result.dtype.is_ref else output


def _waiting(node, controls, builder):
    """A node of an inlined function, with the control inputs of the call."""
    if controls and not any(ref.node not in builder.made for ref in node.inputs):
        for operation in controls:
            key = f'^{operation.name}'
            builder.made.setdefault(key, Made((), [operation]))
            if key not in node.controls:
                node = type(node)(node.name, node.op, node.inputs, [*node.controls, key],
                                  node.attrs, node.device)
    return node


def _given_shapes(node):
    """The shapes of a node's outputs according to the file."""
    known = node.attrs.get('output_shapes')
    return [shapes.raw(s) for s in known.list.shape] if hasattr(known, 'list') else []


def _shapes_of_loop(node, inputs):
    """The initial shape of each loop variable: that of the file, else that of the input."""
    given = _given_shapes(node)
    if len(given) == len(inputs) and all(
            shapes.covers(shape, t.raw_shape) for shape, t in zip(given, inputs)):
        return given
    return [t.raw_shape for t in inputs]


def _fill_missing(*graphs):
    """Gives a branch that does not compute a value a substitute, which is never used."""
    for graph, other in (graphs, graphs[::-1]):
        for i, tensor in enumerate(graph.outputs):
            if tensor is None:
                wanted = other.outputs[i]
                with graph.as_default():
                    graph.outputs[i] = nodes.FakeParam(
                        dtype=wanted.dtype.base_dtype, shape=wanted.shape)


_TRANSIENT = frozenset(('_class', '_output_shapes', '_lower_using_switch_merge'))


def _specs_of(function):
    """The dtypes and shapes that a FunctionDef declares for its parameters."""
    return [Spec(dtype, shape) for dtype, shape
            in zip(function.parameter_types, function.parameter_shapes)]


# These declare ops that only imported graphs have.
__all__ = ['Builder', 'Made', 'Tensor', 'stack_ops', 'tf_gradient_ops']
