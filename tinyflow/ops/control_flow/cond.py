"""tf.cond and tf.case: a graph for each branch, and a node that runs one of them.

The node is TF's functional If: its inputs are the condition and whatever the branches use from
around them; its attributes then_branch and else_branch are FuncGraphs. TF 1.15 makes the same nodes
after enable_control_flow_v2(); in its older form a cond is a web of Switch and Merge nodes.
"""
from __future__ import annotations

import functools
import itertools

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.func_graph import func_graph_from_py
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.operation import WRITES_OF_FUNCTIONS, Operation, Tensor
from tinyflow.graph.source_location import user_site, warn_at
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import report, worded
from tinyflow.ops.array import constants, identity_and_cast as identities, shaping
from tinyflow.ops.checks import assertions
from tinyflow.ops.math import logic, reduction
from tinyflow.ops.random import tf1_node_count as node_counts

__all__ = ['case', 'cond']


class _Conditional(Op, abstract=True):
    """Runs the branch that the condition chooses, and gives its outputs."""

    signature = 'cond: Tcond, input: [Tin] -> output: [Tout]'
    attrs = {'Tcond': None, 'Tin': None, 'Tout': REQUIRED, 'then_branch': REQUIRED,
             'else_branch': REQUIRED, 'output_shapes': (), '_writes': ()}
    functions = ('then_branch', 'else_branch')
    writes = WRITES_OF_FUNCTIONS
    calls_user_code = True
    partial_rank = True

    def shape(cond, input, *, output_shapes):
        return list(output_shapes)

    def captures(attrs, count):
        return range(1, count)

    def bind(instruction, function):
        graphs = [instruction.attrs[name] for name in _Conditional.functions]
        inputs = instruction.attrs.get('_inputs') or range(len(instruction.inputs) - 1)
        outputs = instruction.attrs.get('_outputs') or range(len(instruction.outputs))
        not_passed = instruction.storage_inputs
        given = [i for place, i in enumerate(inputs, 1) if place not in not_passed]
        branches = [function(g, [g.inputs[i] for i in given], [g.outputs[i] for i in outputs])
                    for g in graphs]

        def choose(condition, *values):
            return branches[0 if condition else 1](*values)
        return choose


class If(_Conditional):
    """A choice between branches of which at least one has side effects or a state."""

    pure = False


class StatelessIf(_Conditional):
    """A choice between branches that only compute."""


class FakeParam(Op):
    """Stands, in the branch that does not compute it, for a value of the other branch."""

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
    element gives that element, unless `strict`.

    Shapes: pred [] (bool) -> the structure that the functions return.

    Raises TypeError if `pred` is a Python bool or not of dtype bool, or a function is missing or
    not callable, ValueError if a branch returns None or the branches do not return alike.
    """
    true_fn = _either(true_fn, fn1, 'fn1', 'true_fn')
    false_fn = _either(false_fn, fn2, 'fn2', 'false_fn')
    if isinstance(pred, bool):
        raise worded(TypeError(
            'pred must not be a Python bool: it is known while the graph is built.\n  Mend: '
            "Python's own `if`, or tf.constant(...) around it."))
    for label, function in (('true_fn', true_fn), ('false_fn', false_fn)):
        if not callable(function):
            raise worded(TypeError(f'{label} must be callable, not {function!r}.\n  Mend: '
                                   f'lambda: ... around the branch.'))
    with name_scope(name or 'cond') as scope:
        condition = convert_to_tensor(pred, name='pred')
        _check_bool(condition)
        node_counts.enter_here(condition, condition.op.graph)
        with node_counts.standing_for(node_counts.CHOICE_HEAD):
            condition = _scalar(condition)
        branches = [_branch(scope + label, function, condition)
                    for label, function in (('true', true_fn), ('false', false_fn))]
        for label, branch in zip(('true_fn', 'false_fn'), branches):
            if branch.structured_outputs is None:
                raise worded(ValueError(
                    f'{label} must have a return value.\n  Mend: return ... of the values; of a '
                    'branch that only acts, its operation; of one that does nothing, tf.no_op().'))
        _check_alike(*branches)
        return _build(condition, branches, scope, strict)


def _either(value, old, old_name, new_name):
    if old is None:
        if value is None:
            raise worded(TypeError(f'{new_name} argument required'))
        return value
    if value is not None:
        raise worded(TypeError(f'cond: {new_name} and {old_name} may not be set simultaneously.'))
    return old


def _check_bool(pred):
    if pred.dtype.base_dtype is not dtypes.bool:
        raise worded(TypeError(report(
            f'pred must be a bool, not {pred.dtype.base_dtype.name}.', inputs=[('pred', pred)],
            mend='compare: tf.cond(x > 0, ...), or tf.cast(x, tf.bool).')))


def _scalar(pred):
    if pred.raw_shape is None or len(pred.raw_shape):
        return shaping.squeeze(pred)
    return pred


def _branch(name, function, condition):
    """The FuncGraph of one branch."""
    before = get_default_graph()
    context = node_counts.Context(before)
    graph = context.function(name.replace('/', '_'))
    own = []

    def build():
        result = function()
        _warn_of_outside(result, before)
        own.append(context.knows(condition))
        return result
    func_graph_from_py('', build, graph=graph, op_value=condition)
    if context.knows(condition) and not own[0] and not _returns(graph, condition):
        node_counts.add(-1)             # TF1 has another node there for an Operation's value
    return graph


def _returns(graph, tensor):
    return any(t is graph.captured[tensor] for t in graph.outputs)


def _warn_of_outside(result, outside):
    """PAINS A13: what stands outside runs in any case, whichever branch is taken."""
    for value in nest.flatten(result):
        operation = value.op if isinstance(value, Tensor) else value
        if isinstance(operation, Operation) and operation.graph is outside and \
                _has_effect(operation):
            warn_at(user_site(), report(
                f"[A13] a branch of tf.cond returns {operation.type} '{operation.name}', which was "
                'made outside the branch: it runs whichever branch is taken.', op=operation,
                mend='make it inside: tf.cond(p, lambda: tf.assign(v, 1.), ...), not '
                     '`op = tf.assign(v, 1.)` before and `lambda: op`.'))


def _has_effect(operation):
    return operation.definition.writes or operation.type in ('Print', 'PrintV2', 'PyFunc')


def _check_alike(then_graph, else_graph):
    try:
        nest.assert_same_structure(then_graph.structured_outputs, else_graph.structured_outputs)
    except (ValueError, TypeError):
        raise worded(ValueError(
            'true_fn and false_fn must return the same structure of outputs:\n  true_fn returns '
            f'{_told(then_graph)}\n  false_fn returns {_told(else_graph)}\n  Mend: return as many '
            'values, nested alike, from both.')) from None
    for one, other in zip(then_graph.outputs, else_graph.outputs):
        if one.dtype.base_dtype is not other.dtype.base_dtype:
            raise worded(ValueError(report(
                'Outputs of true_fn and false_fn must have the same type: '
                f'{one.dtype.base_dtype.name}, {other.dtype.base_dtype.name}',
                inputs=[('true_fn', one), ('false_fn', other)],
                mend='tf.cast in one of the branches.')))


def _told(graph):
    return repr(nest.map_structure(told_value, graph.structured_outputs))


def told_value(value):
    """A value of a nest in a message: dtype and shape of a tensor."""
    return f'{value.dtype.name} {value.shape_text}' if isinstance(value, Tensor) else repr(value)


def _build(condition, branches, scope, strict):
    """The If node and its Identities, packed as the branches return them."""
    with node_counts.standing_for(len(branches[0].outputs)):        # a Merge each
        operation = make_if(condition, branches, scope)
        outputs = [identities.identity(t) for t in operation.outputs]
    structure = branches[0].structured_outputs
    if structure is None or not outputs:
        return operation
    leaves = iter(outputs)
    packed = nest.map_structure(lambda leaf: None if leaf is None else next(leaves), structure,
                                expand_composites=True)
    if not strict and isinstance(packed, (list, tuple)) and len(packed) == 1 and \
            not hasattr(packed, '_fields'):
        return packed[0]
    return packed


def make_if(condition, branches, name):
    """The If node that runs the first of two FuncGraphs if `condition` is true, else the other."""
    captured = match_inputs(branches)
    shape_list = [shapes.common(one.raw_shape, other.raw_shape)
                  for one, other in zip(branches[0].outputs, branches[1].outputs)]
    stateful = any(has_state(graph) for graph in branches)
    waits = list(dict.fromkeys(itertools.chain(*[g.control_captures for g in branches])))
    with get_default_graph().control_dependencies(waits):
        return Op.registry['If' if stateful else 'StatelessIf'].make(
            (condition, captured),
            {'then_branch': branches[0], 'else_branch': branches[1],
             'Tout': tuple([t.dtype.base_dtype for t in branches[0].outputs]),
             'output_shapes': tuple(shape_list), '_writes': written(branches, captured, 1)}, name)


def match_inputs(graphs):
    """Gives all of `graphs` the same captures, in the same order; the tensors captured."""
    captured = list(dict.fromkeys(itertools.chain(*[g.captured for g in graphs])))
    for graph in graphs:
        with graph.as_default():
            placeholders = [graph.capture(t) for t in captured]
        others = [t for t in graph.inputs if t not in set(placeholders)]
        graph.inputs[:] = others + placeholders
    return captured


def has_state(graph):
    """True if a function does more than compute: writes Variables, draws numbers, prints."""
    return any(not op.definition.pure and op.type not in ('Placeholder', 'While')
               or op.writes or op.definition.functions and _inner_state(op)
               for op in graph.get_operations())


def _inner_state(operation):
    return any(has_state(graph) for graph in functions_of(operation))


def functions_of(operation):
    """The FuncGraphs that an operation runs."""
    found = []
    for name in operation.definition.functions:
        value = operation.attrs[name]
        found += value if isinstance(value, (list, tuple)) else [value]
    return found


def written(graphs, captured, start):
    """Positions (from `start` on) of the captured places that one of `graphs` assigns to."""
    places = set()
    for graph in graphs:
        for operation in graph.get_operations():
            for i in operation.writes:
                tensor = operation.inputs[i]
                while tensor.op.inputs:
                    inner = tensor.op.writes
                    tensor = tensor.op.inputs[inner[0] if inner else 0]
                places.add(graph.source_of(tensor))
    return tuple([i for i, t in enumerate(captured, start) if t in places])


# ---- several branches ------------------------------------------------------------------------

def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'):
    """What the function of the first true predicate returns: a chain of tf.cond.

    `pred_fn_pairs` is a list of pairs (bool scalar, function) or a dict of them. `default` is the
    function for when none is true; without it that is an error while running, and with `exclusive`
    it is one if several are true.

    Shapes: predicates [] (bool) -> the structure that the functions return.

    Raises TypeError for pairs of the wrong kind, ValueError if the branches do not return alike.
    """
    pairs = _pairs(pred_fn_pairs)
    with name_scope(name, 'case', [p for p, _ in pairs]):
        predicates = [p for p, _ in pairs]
        if default is None:
            default, pairs = _asserted_default(pairs)
        chain = default
        for predicate, function in reversed(pairs):
            chain = functools.partial(cond, predicate, function, chain, strict=strict)
        if not exclusive:
            return chain()
        with get_default_graph().control_dependencies([
                _assert_at_most(predicates, 1, 'Input error: exclusive=True')]):
            return chain()


def _assert_at_most(predicates, count, problem):
    """An Assert that no more than `count` of the predicates are true."""
    together = shaping.stack(predicates, name='preds_c')
    true = reduction.reduce_sum(constants.cast(together, dtypes.int32), name='num_true_conds')
    names = ', '.join(p.name for p in predicates)
    return assertions.Assert(
        logic.less_equal(true, constants.constant(count, name='n_true_conds')),
        [f'{problem}: more than {count} conditions ({names}) evaluated as True:', together],
        summarize=len(predicates))


def _asserted_default(pairs):
    """(a default that runs the last pair's function if its predicate is true, the other pairs)."""
    *others, (predicate, function) = pairs
    predicates = [p for p, _ in pairs]

    def default():
        waits = []
        if others:
            waits.append(_assert_at_most([p for p, _ in others], 0, 'Implementation error'))
        waits.append(assertions.Assert(predicate, [
            'Input error: None of conditions evaluated as True:',
            shaping.stack(predicates, name='preds_c')]))
        with get_default_graph().control_dependencies(waits):
            return function()
    return default, others


def _pairs(pred_fn_pairs):
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise worded(TypeError('fns must be a list, tuple, or dict'))
    if isinstance(pred_fn_pairs, dict):
        pairs = sorted(pred_fn_pairs.items(), key=lambda item: item[0].name)
    else:
        pairs = list(pred_fn_pairs)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise worded(TypeError('Each entry in pred_fn_pairs must be a 2-tuple'))
        predicate, function = pair
        if not isinstance(predicate, Tensor) or predicate.dtype.base_dtype is not dtypes.bool:
            raise worded(TypeError(f'pred must be of type bool: {predicate!r}'))
        if not callable(function):
            raise worded(TypeError(f'fn for pred {predicate.name} must be callable.'))
    if not pairs:
        raise worded(ValueError('tf.case needs at least one pair of a predicate and a function.'))
    return pairs

