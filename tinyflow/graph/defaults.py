"""The default graph of each thread, and the module-level functions that act on it."""
from __future__ import annotations

from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Tensor
from tinyflow.graph.stacks import stacks
from tinyflow.graph.support.errors import describe, misuse, report, why

_global_graph: Graph | None = None


def get_default_graph() -> Graph:
    """The graph that new nodes are added to: the innermost `as_default()`, or a global one."""
    stack = stacks.graphs
    return stack[-1] if stack else _get_global_graph()


def _get_global_graph():
    global _global_graph
    if _global_graph is None:
        _global_graph = Graph()
        _global_graph._site = None
    return _global_graph


def has_nodes() -> bool:
    """True if the global default graph has nodes."""
    return _global_graph is not None and _global_graph.version > 0


def use_graph(graph: Graph | None) -> None:
    """Makes `graph` the global default graph; None: an empty one, when it is needed."""
    global _global_graph
    _global_graph = graph


def reset_default_graph() -> None:
    """Replaces the global default graph with an empty one. Not allowed inside `as_default()`."""
    global _global_graph
    if stacks.graphs:
        raise misuse(AssertionError(
            'Do not use tf.reset_default_graph() to clear nested graphs. If you need a cleared '
            'graph, exit the nesting and create a new graph.'))
    _global_graph = Graph()


def common_graph(inputs) -> Graph:
    """The graph that all the tensors in `inputs` belong to. ValueError if there are several."""
    graph, first = None, None
    default = stacks.graphs[-1] if stacks.graphs else None
    if default is not None and default.outer_graph is not None:
        return _function_graph(default, inputs)
    for tensor in inputs:
        if graph is None:
            graph, first = tensor.op.graph, tensor
            if graph.outer_graph is not None:
                if graph.builds_models:
                    return graph
                raise refuse_inner(tensor, get_default_graph())
        elif tensor.op.graph is not graph:
            if tensor.op.graph.builds_models:
                return tensor.op.graph
            raise misuse(ValueError(
                f"Tensors '{first.name}' and '{tensor.name}' must be from the same graph.\n"
                f'  {describe(first)}\n    in {graph}\n'
                f'  {describe(tensor)}\n    in {tensor.op.graph}\n'
                '  Hint: build both inside one `with graph.as_default():`. A second '
                'tf.reset_default_graph() or tf.Graph().as_default() between the two lines '
                'switched the graph.' + why('mixed-graphs')))
    return graph or get_default_graph()


def _function_graph(default, inputs):
    """The default graph, a function's: tensors of the enclosing graphs will be captured."""
    for tensor in inputs:
        graph = tensor.op.graph
        if not default.takes_from(graph):
            if graph.outer_graph is not None:
                raise refuse_inner(tensor, default)
            return graph
    return default


def refuse_inner(tensor, graph):
    """The error for a tensor of a function's graph that is used outside the function."""
    function = tensor.op.graph
    return misuse(ValueError(report(
        f"'{tensor.name}' was created inside the function '{function.name}' (a branch of a cond, "
        f'the body of a loop or of a map) and is used outside it, in {graph}.',
        inputs=[('tensor', tensor)],
        hint='return it from that function; only returned tensors can be used outside. A list or '
             'attribute keeps the node, not its value; a loop collects values in a '
             'tf.TensorArray.')))


class name_scope:                       # noqa: N801 (TF's name)
    """``with tf.name_scope('layer1') as scope:`` prefixes the names of nodes created inside.

    `default_name` is used if `name` is None; `values` are tensors that determine the graph.
    """

    def __init__(self, name, default_name=None, values=None):
        self._name = default_name if name is None else name
        self._values = values
        if self._name is None and values is not None:
            raise misuse(ValueError(
                'At least one of name and default_name must be given with values.'))

    @property
    def name(self):
        return self._name

    def __enter__(self):
        graph = default = get_default_graph()
        if not default.runs_at_once:
            tensors = [v for v in self._values or () if isinstance(v, Tensor)]
            graph = common_graph(tensors[:1])
        self._as_default = graph.as_default() if graph is not default else None
        if self._as_default:
            self._as_default.__enter__()
        try:
            self._scope = graph.name_scope(self._name)
            return self._scope.__enter__()
        except BaseException:
            if self._as_default:
                self._as_default.__exit__(None, None, None)
            raise

    def __exit__(self, *error):
        self._scope.__exit__(*error)
        if self._as_default:
            self._as_default.__exit__(*error)


def control_dependencies(control_inputs):
    """Same as `Graph.control_dependencies`, on the default graph."""
    return get_default_graph().control_dependencies(control_inputs)


def device(device_name_or_function):
    """Same as `Graph.device`, on the default graph."""
    return get_default_graph().device(device_name_or_function)


def colocate_with(op, ignore_existing=False):
    """Same as `Graph.colocate_with`, on the default graph."""
    return get_default_graph().colocate_with(op, ignore_existing)


def add_to_collection(name, value):
    """Appends `value` to a collection of the default graph."""
    get_default_graph().add_to_collection(name, value)


def add_to_collections(names, value):
    """Appends `value` to several collections of the default graph."""
    get_default_graph().add_to_collections(names, value)


def get_collection(key, scope=None):
    """A copy of a collection of the default graph; `scope` filters by name as a regex."""
    return get_default_graph().get_collection(key, scope)


def get_collection_ref(key):
    """The list itself of a collection of the default graph."""
    return get_default_graph().get_collection_ref(key)


def set_random_seed(seed, by_name=False):
    """Sets the graph-level seed, which every random op created afterwards depends on.

    In TF1 an op's numbers also depend on how many nodes were created before it, so adding one op
    changes all that follow. With by_name=True (only in tinyflow) they depend on the op's name
    instead.
    """
    graph = get_default_graph()
    graph.seed, graph.seed_by_name = seed, by_name
