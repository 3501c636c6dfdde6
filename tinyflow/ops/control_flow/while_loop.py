"""tf.while_loop: a graph for the condition, one for the body, and a node that repeats them.

The node is TF's functional While. All its inputs are loop variables: a counter, the most iterations
allowed, the user's variables, and the captures of both functions, passed through
unchanged. TF 1.15 makes the same nodes after enable_control_flow_v2(); its older form is a cycle
of Enter, Merge, Switch, NextIteration and Exit nodes.
"""
from __future__ import annotations

import inspect

import numpy as np

from tinyflow.graph import dtypes, eager_mode, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.func_graph import Spec
from tinyflow.graph.indexed_slices import IndexedSlices, convert_to_tensor_or_indexed_slices
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.operation import WRITES_OF_FUNCTIONS, Tensor
from tinyflow.graph.source_location import user_site, warn_at
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report, why
from tinyflow.graph.support.v1_v2_switches import ControlFlow
from tinyflow.graph.support.waits import check_deadline, deadlines
from tinyflow.ops.array import constants, identity_and_cast, shaping
from tinyflow.ops.control_flow import tf1_names
from tinyflow.ops.control_flow.function_nodes import describe_value, make_while
from tinyflow.ops.control_flow.lifted_loop import bind_lifted
from tinyflow.ops.control_flow.while_gradient import while_gradient
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.random import tf1_node_count

__all__ = ['while_loop']


class While(Op):
    """Repeats the body while the condition holds; returns the last values of the loop variables."""

    signature = 'input: [T] -> output: [T]'
    attrs = {'T': None, 'cond': REQUIRED, 'body': REQUIRED, 'output_shapes': (),
             'parallel_iterations': 10, '_writes': (), '_num_original_outputs': 0}
    functions = ('cond', 'body')
    writes = WRITES_OF_FUNCTIONS
    pure = False
    calls_user_code = True
    partial_rank = True
    gradient = while_gradient

    def shape(input, *, output_shapes):
        return list(output_shapes)

    def captures(attrs, count):
        body = attrs['body']
        positions = attrs.get('_inputs') or range(count)
        return [index for index, p in enumerate(positions)
                if body.source_of(body.inputs[p]) is not None]

    def bind(instruction, function):
        """A loop over compiled functions; None for values passed through (see compiler/lower)."""
        if '_lifted' in instruction.attrs:
            return bind_lifted(instruction, function)
        condition, body = instruction.attrs['cond'], instruction.attrs['body']
        positions = instruction.attrs.get('_inputs') or range(len(instruction.inputs))
        not_passed = instruction.storage_inputs
        given = [p for index, p in enumerate(positions) if index not in not_passed]
        known = {p: v.array for p, v in zip(positions, instruction.inputs) if v.array is not None
                 and body.outputs[p] is body.inputs[p]}
        passed = [slot for slot, p in enumerate(given) if p not in known]
        changing = [(slot, p) for slot, p in enumerate(given)
                    if body.outputs[p] is not body.inputs[p]]
        slots = [passed.index(slot) for slot, _ in changing]
        result_indices = [list(positions).index(p) for _, p in changing]
        parameters = [given[slot] for slot in passed]
        keep_going = function(condition, [condition.inputs[p] for p in parameters],
                              condition.outputs[:1],
                              {condition.inputs[p]: a for p, a in known.items()})
        step = function(body, [body.inputs[p] for p in parameters],
                        [body.outputs[p] for _, p in changing],
                        {body.inputs[p]: a for p, a in known.items()},
                        {body.inputs[p] for _, p in changing})

        def loop(*arrays):
            values = [arrays[slot] for slot in passed]
            for slot in slots:            # other code may reuse the memory of these arrays
                values[slot] = np.array(values[slot])
            results = [None] * len(positions)
            if keep_going(*values)[0]:
                while True:
                    if deadlines:
                        check_deadline()
                    for slot, value in zip(slots, step(*values)):
                        values[slot] = value
                    if not keep_going(*values)[0]:
                        break
            for index, slot in zip(result_indices, slots):
                results[index] = values[slot]
            return results
        return loop


def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10,
               back_prop=True, swap_memory=False, name=None, maximum_iterations=None,
               return_same_structure=False):
    """Repeats `loop_vars = body(*loop_vars)` while `cond(*loop_vars)` holds; the last loop_vars.

    Both functions are called once or a few times, while the graph is built. `loop_vars` is a list
    (or nest) of tensors, TensorArrays or what converts to tensors, and the body returns as many of
    the same dtypes. A variable whose shape changes from one iteration to the next is taken to be of
    unknown size there, which `shape_invariants` can say beforehand. `back_prop`,
    `parallel_iterations` and `swap_memory` are accepted for TF1 programs and need not be set.

    Shapes: loop_vars [*a], ... -> [*a], ...: a list or a tuple, as the body returns; a single loop
    variable that is one tensor is returned bare, unless `return_same_structure`.

    Raises TypeError if cond or body is not callable, ValueError if the body returns another number
    of values or other dtypes, or shapes that contradict shape_invariants.
    """
    _check_arguments(cond, body, loop_vars, parallel_iterations)
    if eager_mode.executing_eagerly():
        return _loop_at_once(cond, body, loop_vars, maximum_iterations, return_same_structure)
    return _build(cond, body, loop_vars, shape_invariants, parallel_iterations, name,
                  maximum_iterations, return_same_structure)


def _loop_at_once(cond, body, loop_vars, maximum_iterations, return_same_structure):
    """The last loop_vars, by a loop of Python's."""
    if not isinstance(loop_vars, (list, tuple)):
        loop_vars = [loop_vars]
    single, count = False, 0
    while (maximum_iterations is None or count < maximum_iterations) and cond(*loop_vars):
        before, loop_vars, count = loop_vars, body(*loop_vars), count + 1
        if len(before) == 1 and not return_same_structure and \
                not isinstance(loop_vars, (list, tuple)):
            single, loop_vars = True, (loop_vars,)
        nest.assert_same_structure(list(before), list(loop_vars))
    loop_vars = nest.map_structure(_converted, loop_vars)
    return loop_vars[0] if single else loop_vars


def _check_arguments(cond, body, loop_vars, parallel_iterations):
    for label, function in (('cond', cond), ('body', body)):
        if not callable(function):
            raise misuse(TypeError(f'{label} must be callable, not {function!r}.'))
    if not isinstance(loop_vars, (list, tuple, dict)) and not nest.flatten(loop_vars) or \
            isinstance(loop_vars, (list, tuple, dict)) and not loop_vars:
        raise misuse(ValueError('No loop variables provided\n  Hint: tf.while_loop(cond, body, '
                                '[tf.constant(0)]); what the body changes are its arguments.'))
    if not isinstance(parallel_iterations, Tensor) and parallel_iterations < 1:
        raise misuse(TypeError('parallel_iterations must be a positive integer.'))


def _build(cond, body, loop_vars, shape_invariants, parallel_iterations, name,
           maximum_iterations, return_same_structure):
    structure = list(loop_vars) if isinstance(loop_vars, (list, tuple)) else [loop_vars]
    if ControlFlow.v2_names:
        structure = nest.map_structure(_converted, structure)
    with name_scope(name or 'while') as scope:
        limit, counter = _counters(maximum_iterations)
        structure = nest.map_structure(_converted, structure)       # named in the scope
        initial = nest.flatten(structure, expand_composites=True)
        invariants = _invariants(structure, initial, shape_invariants)
        tf1_node_count.add(-2 if maximum_iterations is None else 0)
        loop = _Loop(cond, body, structure, [counter, limit, *initial], maximum_iterations, scope)
        graphs = loop.functions([(), (), *invariants], widen=shape_invariants is None)
        with tf1_node_count.counted_as(0):
            outputs = make_while(*graphs, loop.initial, loop.shapes, scope, parallel_iterations)
            results = _results(outputs, len(initial), maximum_iterations is not None)
    result = nest.pack_sequence_as(structure, results, expand_composites=True)
    if isinstance(loop_vars, (list, tuple)) and (len(initial) > 1 or return_same_structure):
        return loop.kind(result)
    return result[0]


def _results(outputs, count, limited):
    """Identities of the user's variables, and of the others for which TensorFlow makes one."""
    if ControlFlow.v2_names:
        return [identity_and_cast.identity(t) for t in outputs][2:2 + count]
    if limited:
        identity_and_cast.identity(outputs[0], name='Exit')
    return [identity_and_cast.identity(t, name='Exit') for t in outputs[2:2 + count]]


def _converted(value):
    if getattr(value, '_nest_parts', None) is not None and not isinstance(value, IndexedSlices):
        return value
    return convert_to_tensor_or_indexed_slices(value)


def _counters(maximum_iterations):
    """(the most iterations, -1 for any number; the counter from 0), as constants or tensors."""
    if maximum_iterations is None:
        limit = constants.constant(-1, dtypes.int32, name='maximum_iterations')
        return limit, constants.constant(0, dtypes.int32, name='loop_counter')
    limit = convert_to_tensor(maximum_iterations, name='maximum_iterations')
    if limit.raw_shape not in ((), None):
        raise misuse(ValueError('maximum_iterations must be a scalar, saw shape: '
                                f'{shapes.text(limit.raw_shape)}'))
    counter = tf1_names.name_of('iteration_counter', 'loop_counter')
    return limit, constants.constant(0, limit.dtype.base_dtype, name=counter)


def _invariants(structure, initial, shape_invariants):
    """The shape that each (flat) loop variable keeps throughout."""
    if shape_invariants is None:
        return [t.raw_shape for t in initial]
    given = list(shape_invariants) if isinstance(shape_invariants, (list, tuple)) \
        else [shape_invariants]
    if len(given) != len(structure):
        raise misuse(ValueError(f'{len(structure)} loop variables, but {len(given)} shape '
                                'invariants'))
    found = []
    for variable, invariant in zip(structure, given):
        parts = nest.flatten(variable, expand_composites=True)
        if len(parts) == 1:
            found.append(() if parts[0].dtype is dtypes.variant else _shape_of(invariant))
        elif nest.is_nested(variable):
            flat = nest.flatten(invariant)
            if len(flat) != len(parts):
                raise misuse(ValueError('shape_invariants must be nested as loop_vars are.'))
            found += [() if t.dtype is dtypes.variant else _shape_of(i)
                      for t, i in zip(parts, flat)]
        else:                                           # a SparseTensor
            found += [_composite_shape(t, i, _shape_of(invariant)) for i, t in enumerate(parts)]
    for tensor, shape in zip(initial, found):
        if not shapes.compatible(tensor.raw_shape, shape):
            raise misuse(ValueError(report(
                f'The shape invariant specified for {tensor.name} is not compatible with the '
                f'initial shape of the loop variable. It enters the loop with shape '
                f'{tensor.shape_text}, but the specified shape invariant is {shapes.text(shape)}.',
                inputs=[('loop variable', tensor)])))
    return found


def _shape_of(invariant):
    return shapes.raw(getattr(invariant, 'shape', invariant))


def _composite_shape(tensor, index, dense):
    """Of a SparseTensor (indices, values, dense_shape) only the rank stays the same."""
    rank = None if dense is None else len(dense)
    return {0: (None, rank), 1: (None,), 2: (rank,)}[index]


class _Loop:
    """The two functions of a loop, built (again, where shapes change) for its variables."""

    def __init__(self, cond, body, structure, initial, maximum_iterations, scope):
        self.cond = cond
        self.body = body
        self.structure = structure
        self.initial = initial                  # grows by what is captured
        self.limited = maximum_iterations is not None
        self.scope = scope
        self.count = len(initial)
        self.shapes: list = []
        self.kind = list        # or tuple, as the body returns: the last values are given so
        self.counts = tf1_node_count.Loop(initial[2:], initial[1] if self.limited else None)

    def functions(self, invariants, widen):
        """(condition, body) as FuncGraphs whose variables have the shapes `invariants`."""
        names = tf1_names.Names(get_default_graph())
        for _ in range(8):
            graphs = self._trace(invariants)
            changed = self._changed(graphs[1], invariants)
            if changed is None:
                break
            if not widen:
                self._refuse(graphs[1], invariants)
            self._note(graphs[1], invariants, changed)
            invariants = changed
            names.forget(self.counts.outside)
        else:
            self._refuse(graphs[1], invariants)
        with tf1_node_count.counted_as(0):
            self._capture_alike(*graphs)
        self.shapes = [*invariants, *[t.raw_shape for t in graphs[1].outputs[self.count:]]]
        return graphs

    def _trace(self, invariants):
        size = len(self.initial) - 2 + self.limited             # of the loop in TensorFlow 1
        name = self.scope.replace('/', '_')
        context = self.counts.begin()
        condition, body = context.function(name + 'cond'), context.function(name + 'body')
        for function in (condition, body):
            tf1_names.share(function, 'Enter')
        tf1_names.reserve(['Enter'] * size)
        with tf1_node_count.counted_as(0), condition.as_default():
            parameters = self._parameters(condition, invariants, 'Merge')
        self.counts.condition()
        with condition.as_default():
            condition.outputs = condition.after_side_effects(
                [condition.capture(self._condition(*parameters))])
        tf1_names.reserve(['LoopCond', *['Switch'] * size])
        with body.as_default():
            with tf1_node_count.counted_as(0):
                parameters = self._parameters(body, invariants, 'Identity')
                body.capture_as(condition)
            self.counts.body()
            body.outputs = body.after_side_effects(
                [body.capture(t) for t in self._body(*parameters)])
        tf1_names.reserve(['NextIteration'] * size)
        self.counts.end()
        return condition, body

    def _parameters(self, function, invariants, name):
        """The counter, the limit and the loop variables as parameters of a function."""
        names = [name if self.limited else 'loop_counter', 'maximum_iterations']
        names += [name] * (len(invariants) - 2)
        return [function.add_parameter(Spec(t.dtype.base_dtype, shape, called))
                for t, shape, called in zip(self.initial, invariants, names)]

    def _pack(self, tensors):
        return nest.pack_sequence_as(self.structure, tensors, expand_composites=True)

    def _call(self, function, label, variables):
        values = self._pack(variables)
        try:
            signature = inspect.signature(function)
        except (TypeError, ValueError):         # some builtins have no signature
            return function(*values)
        try:
            signature.bind(*values)
        except TypeError:
            raise misuse(TypeError(
                f'{label} of the while_loop is called with {len(values)} arguments, one for each '
                f'of loop_vars, but takes {signature}.\n  loop_vars: {_describe(self.structure)}\n'
                f'  Hint: {label} needs one argument for each of loop_vars.')) from None
        return function(*values)

    def _condition(self, counter, limit, *variables):
        keep_going = convert_to_tensor(self._call(self.cond, 'cond', variables))
        if keep_going.raw_shape is None or len(keep_going.raw_shape):
            with tf1_node_count.counted_as(0):
                keep_going = shaping.squeeze(keep_going)
        if keep_going.dtype.base_dtype is not dtypes.bool:
            raise misuse(TypeError(report(
                f'The condition of a while_loop is a bool, not {keep_going.dtype.name}.',
                inputs=[('cond', keep_going)], hint='compare: lambda i: i < 10.')))
        if not self.limited:
            return keep_going
        tf1_node_count.add(-1)                     # TF1 has compared before
        return logic.logical_and(counter < limit, keep_going)

    def _body(self, counter, limit, *variables):
        with tf1_node_count.counted_as(0):
            following = counter + 1 if self.limited else \
                arithmetic.add(counter, 1, name='loop_counter')
        result = self._call(self.body, 'body', variables)
        if not isinstance(result, (list, tuple)) or \
                hasattr(result, '_fields') and len(self.structure) == 1 and \
                type(result) is type(self.structure[0]):
            result = [result]
        self.kind = getattr(result, '_make', tuple if isinstance(result, tuple) else list)
        result = list(result)
        self._check_structure(result)
        result = nest.map_structure(_converted, result)
        flat = nest.flatten(result, expand_composites=True)
        for before, after in zip(self.initial[2:], flat):
            if before.dtype.base_dtype is not after.dtype.base_dtype:
                raise misuse(TypeError(report(
                    f"The loop variable '{before.name}' enters the loop as "
                    f'{before.dtype.base_dtype.name} and becomes {after.dtype.base_dtype.name} '
                    'in an iteration.', inputs=[('before', before), ('after', after)],
                    hint=f'tf.cast(..., tf.{before.dtype.base_dtype.name}) in the body.')))
        return [following, limit, *flat]

    def _check_structure(self, result):
        try:
            nest.assert_same_structure(self.structure, result)
        except (ValueError, TypeError):
            raise misuse(ValueError(
                'The two structures do not match: the body of a while_loop must return values of '
                'the number and structure of its arguments.\n  loop_vars: '
                f'{_describe(self.structure)}\n  body returns: {_describe(result)}\n  '
                'Hint: the body returns the next value of each loop variable, also of unchanged '
                'ones.')) from None

    def _changed(self, body, invariants):
        """The invariants as they must be for the shapes that the body returns, None if as now."""
        wider = []
        for shape, output in zip(invariants, body.outputs):
            wider.append(shape if _covers(shape, output)
                         else shapes.common(shape, output.raw_shape))
        return None if wider == list(invariants) else wider

    def _note(self, body, invariants, wider):
        """Warns: TF refuses such a loop, here the sizes that change become unknown."""
        site = user_site()
        for i, (shape, now) in enumerate(zip(invariants, wider)):
            if shape != now and shapes.known(shape):
                text = report(
                    f"[loop-shape] the loop variable '{self.initial[i].name}' enters the loop with "
                    f'shape {shapes.text(shape)} and has shape {body.outputs[i].shape_text} after '
                    f'an iteration; it is taken to be {shapes.text(now)} throughout.', site=site,
                    hint=f'shape_invariants=[..., tf.TensorShape({_listed(now)}), ...] says so '
                         'beforehand.' + why('loop-shape'))
                warn_at(site, text)

    def _refuse(self, body, invariants):
        for before, shape, after in zip(self.initial, invariants, body.outputs):
            if not _covers(shape, after):
                raise misuse(ValueError(report(
                    f"Input tensor '{before.name}' enters the loop with shape {before.shape_text}, "
                    f'but has shape {after.shape_text} after one iteration, which its shape '
                    f'invariant {shapes.text(shape)} does not allow.',
                    inputs=[('before', before), ('after', after)],
                    hint='a shape invariant with None where the size changes.')))

    def _capture_alike(self, condition, body):
        """Makes what either function captures a variable that the body passes through."""
        captured = list(body.captured)
        with condition.as_default():
            condition.capture_as(body)
        placeholders = [condition.captured[t] for t in captured]
        condition.inputs[:] = condition.inputs[:self.count] + placeholders
        body.inputs[:] = body.inputs[:self.count] + [body.captured[t] for t in captured]
        body.outputs = body.outputs[:self.count] + body.inputs[self.count:]
        self.initial = [*self.initial, *captured]


def _covers(shape, after):
    """Does an invariant hold for what the body returns? A list of tensors is always one value."""
    return after.dtype.base_dtype is dtypes.variant or shapes.covers(shape, after.raw_shape)


def _listed(shape):
    return 'None' if shape is None else str(list(shape))


def _describe(structure):
    return repr(nest.map_structure(describe_value, structure))
