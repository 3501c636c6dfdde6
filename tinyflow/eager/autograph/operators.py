"""What converted expressions do: Python's own way, or nodes where a tensor of a graph decides."""
from __future__ import annotations

from tinyflow.eager.autograph.conditions import decides_in_graph
from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph import dtypes
from tinyflow.graph.operation import Tensor
from tinyflow.ops.array import constants
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.control_flow.python_functions import py_func
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.math import logic

__all__ = ['and_', 'append', 'assert_stmt', 'eq', 'if_exp', 'not_', 'not_eq', 'or_']


def if_exp(condition, body, orelse):
    """`body() if condition else orelse()`."""
    if not decides_in_graph(condition):
        return body() if condition else orelse()
    return cond(condition, body, orelse)


def and_(*terms):
    """`a and b`, where terms are functions."""
    value = terms[0]()
    for i, term in enumerate(terms[1:], 1):
        if decides_in_graph(value):
            return cond(value, _term(and_, terms[i:]), lambda: constants.constant(False))
        if not value:
            return value
        value = term()
    return value


def or_(*terms):
    """`a or b`, where terms are functions."""
    value = terms[0]()
    for i, term in enumerate(terms[1:], 1):
        if decides_in_graph(value):
            return cond(value, lambda: constants.constant(True), _term(or_, terms[i:]))
        if value:
            return value
        value = term()
    return value


def _term(operator, rest):
    """A branch that computes the rest of the terms, as a tensor."""
    def build():
        value = operator(*rest)
        return value if isinstance(value, Tensor) else constants.constant(bool(value))
    return build


def not_(value):
    return logic.logical_not(value) if decides_in_graph(value) else not value


def eq(a, b):
    """`a == b`; element by element if one is a tensor of a graph."""
    return logic.equal(a, b) if decides_in_graph(a) or decides_in_graph(b) else a == b


def not_eq(a, b):
    """`a != b`; element by element if one is a tensor of a graph."""
    return logic.not_equal(a, b) if decides_in_graph(a) or decides_in_graph(b) else a != b


def assert_stmt(condition, message):
    """`assert`: when it runs, if a node decides."""
    if decides_in_graph(condition):
        text = message()
        assertions.Assert(condition, ['assertion failed' if text is None else text])
    elif not condition:
        text = message()
        raise AssertionError(*([] if text is None else [text]))


def append(target, item):
    """`target.append(item)` as a statement: what `target` is afterwards."""
    if isinstance(target, TensorArray):
        return target.write(target.size(), item)
    target.append(item)
    return target


# ---- Python's functions ------------------------------------------------------------------------


def _len(value):
    if decides_in_graph(value):
        known = value.raw_shape
        return known[0] if known and known[0] is not None else constants.shape(value)[0]
    return len(value)


def _range(*limits):
    if any(decides_in_graph(v) for v in limits):
        return constants.range(*limits)
    return range(*[int(v) if isinstance(v, EagerTensor) else v for v in limits])


def _int(*values):
    if values and decides_in_graph(values[0]):
        return constants.cast(values[0], dtypes.int32)
    return int(*values)


def _float(*values):
    if values and decides_in_graph(values[0]):
        return constants.cast(values[0], dtypes.float32)
    return float(*values)


def _print(*values, **settings):
    """`print`: with the values that tensors have when it runs."""
    if not any(decides_in_graph(v) for v in values):
        print(*values, **settings)
        return
    positions = [i for i, v in enumerate(values) if decides_in_graph(v)]

    def show(*arrays):
        shown = list(values)
        for i, array in zip(positions, arrays):
            shown[i] = array
        print(*shown, **settings)
    py_func(show, [values[i] for i in positions], [])


OF_PYTHON = {len: _len, range: _range, int: _int, float: _float}
ON_REQUEST = {print: _print}                # Feature.BUILTIN_FUNCTIONS
