"""tf.cond: a graph for each branch, and a node that runs one of them.

The node is TF's functional If: its inputs are the condition and whatever the branches capture from
outside; its attributes then_branch and else_branch are FuncGraphs. TF 1.15 makes the same nodes
after enable_control_flow_v2(); in its older form a cond is a network of Switch and Merge nodes.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, eager_mode
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.func_graph import func_graph_from_py
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.operation import WRITES_OF_FUNCTIONS, Operation, Tensor
from tinyflow.graph.source_location import user_site, warn_at
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.ops.array import identity_and_cast, shaping
from tinyflow.ops.control_flow import tf1_names
from tinyflow.ops.control_flow.cond_gradient import if_gradient
from tinyflow.ops.control_flow.function_nodes import describe_value, make_if
from tinyflow.ops.random import tf1_node_count

__all__ = ['cond']


class _Conditional(Op, abstract=True):
    """Runs the branch that the condition selects, and returns its outputs."""

    signature = 'cond: Tcond, input: [Tin] -> output: [Tout]'
    attrs = {'Tcond': None, 'Tin': None, 'Tout': REQUIRED, 'then_branch': REQUIRED,
             'else_branch': REQUIRED, 'output_shapes': (), '_writes': ()}
    functions = ('then_branch', 'else_branch')
    writes = WRITES_OF_FUNCTIONS
    calls_user_code = True
    partial_rank = True
    gradient = if_gradient

    def shape(cond, input, *, output_shapes):
        return list(output_shapes)

    def captures(attrs, count):
        return range(1, count)

    def bind(instruction, function):
        graphs = [instruction.attrs[name] for name in _Conditional.functions]
        inputs = instruction.attrs.get('_inputs') or range(len(instruction.inputs) - 1)
        outputs = instruction.attrs.get('_outputs') or range(len(instruction.outputs))
        not_passed = instruction.storage_inputs
        given = [i for position, i in enumerate(inputs, 1) if position not in not_passed]
        branches = [function(g, [g.inputs[i] for i in given], [g.outputs[i] for i in outputs])
                    for g in graphs]

        def choose(condition, *values):
            return branches[0 if condition else 1](*values)
        return choose


class If(_Conditional):
    """A conditional with at least one branch that has side effects or state."""

    pure = False


class StatelessIf(_Conditional):
    """A conditional whose branches have no side effects or state."""


class FakeParam(Op):
    """A placeholder for a value that only the other branch computes."""

    signature = '-> output: dtype'
    attrs = {'dtype': REQUIRED, 'shape': REQUIRED}

    def shape(*, shape):
        return None

    def kernel(*, dtype):
        return np.zeros((), dtype.np)


def cond(pred, true_fn=None, false_fn=None, strict=False, name=None, fn1=None, fn2=None):
    """What `true_fn()` returns if `pred` is true while the graph runs, else what `false_fn()` does.

    Both functions are called once, while the graph is built; only the nodes of the chosen branch
    run. What a branch uses from outside is computed in any case, as TF does: side effects belong
    inside the functions. Both must return the same structure and dtypes; a list or tuple of one
    element is unpacked, unless `strict`.

    Shapes: pred [] (bool) -> the structure that the functions return.

    Raises TypeError if `pred` is a Python bool or not of dtype bool, or a function is missing or
    not callable, ValueError if a branch returns None or the branches return different structures or
    dtypes.
    """
    true_fn = _either(true_fn, fn1, 'fn1', 'true_fn')
    false_fn = _either(false_fn, fn2, 'fn2', 'false_fn')
    if eager_mode.executing_eagerly():
        return _unpacked((true_fn if pred else false_fn)(), strict)
    if isinstance(pred, bool):
        raise misuse(TypeError(
            'pred must not be a Python bool: it is known while the graph is built.\n  Hint: '
            "Python's own `if`, or tf.constant(...) around it."))
    for label, function in (('true_fn', true_fn), ('false_fn', false_fn)):
        if not callable(function):
            raise misuse(TypeError(f'{label} must be callable, not {function!r}.\n  Hint: '
                                   f'lambda: ... around the branch.'))
    with name_scope(name or 'cond') as scope:
        condition = convert_to_tensor(pred, name='pred')
        _check_bool(condition)
        tf1_names.reserve(tf1_names.COND_HEAD)
        tf1_node_count.enter_here(condition, condition.op.graph)
        with tf1_node_count.counted_as(tf1_node_count.COND_HEAD):
            condition = _scalar(condition)
        branches = [_branch(scope + label, function, condition)
                    for label, function in (('true', true_fn), ('false', false_fn))]
        for label, branch in zip(('true_fn', 'false_fn'), branches):
            if branch.structured_outputs is None:
                raise misuse(ValueError(
                    f'{label} must have a return value.\n  Hint: return ... of the values; of a '
                    'branch that only acts, its operation; of one that does nothing, tf.no_op().'))
        _check_alike(*branches)
        return _build(condition, branches, scope, strict)


def _either(value, old, old_name, new_name):
    if old is None:
        if value is None:
            raise misuse(TypeError(f'{new_name} argument required'))
        return value
    if value is not None:
        raise misuse(TypeError(f'cond: {new_name} and {old_name} may not be set simultaneously.'))
    return old


def _check_bool(pred):
    if pred.dtype.base_dtype is not dtypes.bool:
        raise misuse(TypeError(report(
            f'pred must be a bool, not {pred.dtype.base_dtype.name}.', inputs=[('pred', pred)],
            hint='compare: tf.cond(x > 0, ...), or tf.cast(x, tf.bool).')))


def _scalar(pred):
    if pred.raw_shape is None or len(pred.raw_shape):
        return shaping.squeeze(pred)
    return pred


def _branch(name, function, condition):
    """The FuncGraph of one branch."""
    before = get_default_graph()
    context = tf1_node_count.Context(before)
    graph = context.function(name.replace('/', '_'))
    tf1_names.share(graph, 'Switch')
    own = []

    def build():
        result = function()
        _warn_of_outside_op(result, before)
        own.append(context.knows(condition))
        return result
    func_graph_from_py('', build, graph=graph, op_value=condition)
    if context.knows(condition) and not own[0] and not _returns(graph, condition):
        tf1_node_count.add(-1)             # TF1 has another node there for an Operation's value
    return graph


def _returns(graph, tensor):
    return any(t is graph.captured[tensor] for t in graph.outputs)


def _warn_of_outside_op(result, outside):
    """Warns about ops with side effects created outside the branch: they always run."""
    for value in nest.flatten(result):
        operation = value.op if isinstance(value, Tensor) else value
        if isinstance(operation, Operation) and operation.graph is outside and \
                _has_effect(operation):
            warn_at(user_site(), report(
                f"[outside-branch] a branch of tf.cond returns {operation.type} "
                f"'{operation.name}', which was made outside the branch: it runs whichever branch "
                'is taken.', op=operation,
                hint='make it inside: tf.cond(p, lambda: tf.assign(v, 1.), ...), not '
                     '`op = tf.assign(v, 1.)` before and `lambda: op`.' + why('outside-branch')))


def _has_effect(operation):
    return operation.definition.writes or operation.type in ('Print', 'PrintV2', 'PyFunc')


def _check_alike(then_graph, else_graph):
    try:
        nest.assert_same_structure(then_graph.structured_outputs, else_graph.structured_outputs)
    except (ValueError, TypeError):
        raise misuse(ValueError(
            'true_fn and false_fn must return the same structure of outputs:\n  true_fn returns '
            f'{_describe(then_graph)}\n  false_fn returns {_describe(else_graph)}\n  '
            'Hint: return values '
            'of the same number and structure from both.' + why('cond-branches'))) from None
    for one, other in zip(then_graph.outputs, else_graph.outputs):
        if one.dtype.base_dtype is not other.dtype.base_dtype:
            raise misuse(ValueError(report(
                'Outputs of true_fn and false_fn must have the same type: '
                f'{one.dtype.base_dtype.name}, {other.dtype.base_dtype.name}',
                inputs=[('true_fn', one), ('false_fn', other)],
                hint='tf.cast in one of the branches.' + why('cond-branches'))))


def _describe(graph):
    return repr(nest.map_structure(describe_value, graph.structured_outputs))


def _build(condition, branches, scope, strict):
    """The If node and its Identities, packed as the branches return them."""
    with tf1_node_count.counted_as(len(branches[0].outputs)):        # a Merge each
        operation = make_if(condition, branches, scope)
        called = tf1_names.name_of('Merge', 'Identity')
        outputs = [identity_and_cast.identity(t, called) for t in operation.outputs]
    structure = branches[0].structured_outputs
    if structure is None or not outputs:
        return operation
    leaves = iter(outputs)
    packed = nest.map_structure(lambda leaf: None if leaf is None else next(leaves), structure,
                                expand_composites=True)
    return _unpacked(packed, strict)


def _unpacked(result, strict):
    """The only element of a list or tuple, unless `strict`; other results as they are."""
    if not strict and isinstance(result, (list, tuple)) and len(result) == 1 and \
            not hasattr(result, '_fields'):
        return result[0]
    return result
