"""Loops of converted functions: Python's, or a tf.while_loop where a node decides how often."""
from __future__ import annotations

from tinyflow.eager.autograph.conditions import (
    Undefined,
    UndefinedReturn,
    as_tensors,
    decides_in_graph,
    if_stmt,
    is_tensors,
)
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.control_flow.while_loop import while_loop
from tinyflow.ops.math import logic

__all__ = ['for_stmt', 'set_loop_options', 'while_stmt']


def set_loop_options(parallel_iterations=None, back_prop=None, swap_memory=None,
                     maximum_iterations=None):
    """Accepted inside of loops: iterations run one after another, and keep what gradients need."""


def while_stmt(test, body, get_state, set_state, names, own=()):
    """Repeats a block; as a tf.while_loop if a node decides how often.

    `own` are the names that an iteration sets before it reads them, and which are not read later.
    """
    going = test()
    while not decides_in_graph(going):
        if not going:
            return
        body()
        going = test()      # after an iteration a node may decide: `while True`, and a break
    _loop(test, body, get_state, set_state, names, own)


def _loop(test, body, get_state, set_state, names, own, counter=None):
    """A tf.while_loop over the names that are tensors when it begins."""
    start = get_state()
    changing, fixed = _changing(names, own, start)
    if not changing:            # Variables alone change: a tf.while_loop has at least one value
        counter = counter or _Count()
    for name, value in zip(names, start):
        if name == 'retval__' and isinstance(value, UndefinedReturn):
            raise misuse(NotImplementedError(
                'return inside a loop that a tensor controls is not supported.\n  Hint: set a '
                'variable before the loop, and break.'))

    def put(values):
        state = list(start)
        for i, value in zip(changing, values):
            state[i] = value
        set_state(tuple(state))

    def condition(*values):
        put(values[1:] if counter else values)
        return test() if not counter else counter.test(values[0], test)

    def step(*values):
        put(values[1:] if counter else values)
        if counter:
            counter.run(values[0], body)
        else:
            body()
        after = get_state()
        _check_loop(names, start, after, fixed)
        results = [as_tensors(after[i]) for i in changing]
        return [values[0] + 1, *results] if counter else results
    initial = [as_tensors(start[i]) for i in changing]
    if counter:
        initial = [constants.constant(0), *initial]
    try:
        results = while_loop(condition, step, initial, return_same_structure=True)
    except BaseException:
        set_state(start)
        raise
    put(results[1:] if counter else results)


def _changing(names, own, start):
    """Indices of the names that a loop of the graph carries, and of those that must not change."""
    carried = [i for i, name in enumerate(names) if name not in own]
    changing = [i for i in carried if is_tensors(start[i])]
    return changing, [i for i in carried if i not in changing]


def _check_loop(names, start, after, fixed):
    for i in fixed:
        before, now = start[i], after[i]
        if isinstance(before, (Undefined, UndefinedReturn)) or before is now:
            continue
        raise misuse(TypeError(
            f"'{names[i]}' is {before!r} before the loop and {now!r} after an iteration.\n  Hint: "
            'a tensor controls the loop, so what changes in it must be a tensor from the '
            'beginning.'))


class _Count:
    """The number of iterations, which is the value of a loop that has no other."""

    def test(self, i, test):
        return logic.logical_and(test(), i >= 0)

    def run(self, i, body):
        body()


class _Items:
    """The elements of a tensor along its first axis."""

    def __init__(self, tensor):
        self._tensor = tensor
        self._count = constants.shape(tensor)[0]

    def test(self, i, extra):
        more = i < self._count
        return more if extra is None else logic.logical_and(more, extra())

    def run(self, i, body):
        body(self._tensor[i])


def for_stmt(iterated, test, body, get_state, set_state, names, own=()):
    """Runs a block for each element; as a tf.while_loop for a tensor of a graph."""
    if decides_in_graph(iterated):
        _loop(test, body, get_state, set_state, names, own, _Items(iterated))
        return
    if hasattr(iterated, '_variant_tensor') and not executing_eagerly():
        _over_dataset(iterated, test, body, get_state, set_state, names, own)
        return
    for item in iterated:
        if test is not None:
            going = test()
            if decides_in_graph(going):
                if_stmt(going, lambda item=item: body(item), lambda: None, get_state, set_state,
                        names, own)
                continue
            if not going:
                break
        body(item)


def _over_dataset(dataset, test, body, get_state, set_state, names, own):
    """Runs a block for each element of a dataset, by its `reduce`."""
    start = get_state()
    changing, fixed = _changing(names, own, start)

    def put(values):
        state = list(start)
        for i, value in zip(changing, values):
            state[i] = _with_flows(start[i], value)
        set_state(tuple(state))

    def step(values, element):
        put(values)
        body(element)
        after = get_state()
        _check_loop(names, start, after, fixed)
        return tuple([_flows(as_tensors(after[i])) for i in changing])

    def step_while_going(values, element):
        put(values)
        going = convert_to_tensor(test())
        if_stmt(going, lambda: body(element), lambda: None, get_state, set_state, names, own)
        return going, tuple([_flows(as_tensors(get_state()[i])) for i in changing])
    initial = tuple([_flows(as_tensors(start[i])) for i in changing])
    try:
        results = dataset.reduce(initial, step) if test is None else \
            dataset._reduce_while(initial, step_while_going)
    finally:
        set_state(start)
    put(results)


def _flows(value):
    """A nest with the flows of its TensorArrays: states of a dataset are tensors."""
    return nest.map_structure(lambda v: v.flow if isinstance(v, TensorArray) else v, value)


def _with_flows(before, value):
    """A nest with TensorArrays where `before` has them."""
    return nest.map_structure(
        lambda old, new: old._with_flow(new) if isinstance(old, TensorArray) else new,
        before, value)
