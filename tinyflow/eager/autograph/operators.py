"""What converted statements do: Python's own way, or nodes where a tensor of a graph decides."""
from __future__ import annotations

import numpy as np

from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.control_flow.while_loop import while_loop
from tinyflow.ops.math import logic

__all__ = ['Undefined', 'UndefinedReturn', 'and_', 'assert_stmt', 'bound', 'eq', 'for_stmt',
           'if_exp', 'if_stmt', 'no_state', 'not_', 'not_eq', 'or_', 'returned', 'set_no_state',
           'while_stmt']


class Undefined:
    """The value of a name that has none yet."""

    def __init__(self, name):
        self.name = name

    def _fail(self, *_, **__):
        raise misuse(UnboundLocalError(f"local variable '{self.name}' referenced before "
                                       'assignment'))

    __getattr__ = __getitem__ = __call__ = __add__ = __radd__ = __iter__ = __bool__ = _fail


class UndefinedReturn:
    """The result of a function that has not returned yet."""


def bound(get, name):
    """The value of a name, or Undefined."""
    try:
        return get()
    except NameError:
        return Undefined(name)


def returned(value):
    """The result at the end of a function."""
    return None if isinstance(value, UndefinedReturn) else value


def no_state():
    return ()


def set_no_state(state):
    """Nothing: the block sets no names."""


def _decides_in_graph(value):
    """True for a tensor whose value is not known while Python runs."""
    return isinstance(value, Tensor) and type(value) is not EagerTensor


# ---- if ----------------------------------------------------------------------------------------


def if_stmt(condition, body, orelse, get_state, set_state, names):
    """Runs one of two blocks; both as branches of a tf.cond if a node decides."""
    if not _decides_in_graph(condition):
        (body if condition else orelse)()
        return
    start, ends = get_state(), []

    def branch(block):
        def build():
            set_state(start)
            block()
            ends.append(get_state())
            return [_tensors(value) for value in ends[-1]] + [constants.constant(0)]
        return build
    try:
        results = cond(condition, branch(body), branch(orelse), strict=True)
    finally:
        set_state(start)
        if len(ends) == 2:          # also if cond refuses what the branches give
            _check_defined(names, *ends)
    set_state(tuple([_after(name, value, one, other) for name, value, one, other in
                     zip(names, results, *ends)]))


def _tensors(value):
    """A value as tensors; 0 for a Python object that is none."""
    if not _is_tensors(value):
        return constants.constant(0)
    return nest.map_structure(lambda v: v if isinstance(v, TensorArray) else convert_to_tensor(v),
                              value)


def _is_tensors(value):
    """True for what can be a tensor, or a nest of tensors."""
    try:
        leaves = nest.flatten(value)
    except (TypeError, ValueError):
        return False
    return bool(leaves) and all(
        isinstance(leaf, (Tensor, TensorArray, bool, int, float, complex, str, bytes, np.ndarray,
                          np.generic))
        or not isinstance(leaf, Undefined) and hasattr(leaf, '_as_graph_element')
        for leaf in leaves)


def _check_defined(names, body, orelse):
    for which, mine, other in (('if', body, orelse), ('else', orelse, body)):
        lacking = [n for n, a, b in zip(names, mine, other)
                   if isinstance(a, Undefined) and not isinstance(b, Undefined)]
        if lacking:
            raise misuse(ValueError(
                f'The following symbols must also be initialized in the {which} branch: '
                f'{tuple(lacking)}. Alternatively, you may initialize them before the if '
                'statement.\n  Hint: a tensor decides which branch runs, so both become nodes, and '
                'what comes after needs a value from both.'))
    for n, a, b in zip(names, body, orelse):
        if n == 'retval__' and isinstance(a, UndefinedReturn) != isinstance(b, UndefinedReturn):
            raise misuse(ValueError(
                'A value must also be returned from the other branch.\n  Hint: a tensor decides '
                'which branch runs, so both have to return a value of the same dtype.'))


def _after(name, value, body, orelse):
    """The value of a name after both branches were built."""
    if _is_tensors(body) and _is_tensors(orelse):
        return value
    if body is orelse or isinstance(body, (Undefined, UndefinedReturn)):
        return body
    try:
        equal = bool(body == orelse)
    except Exception:                               # noqa: BLE001 - of any class
        equal = False
    if equal:
        return body
    raise misuse(TypeError(
        f"'{name}' is {body!r} after one branch and {orelse!r} after the other.\n  Hint: a tensor "
        'decides which branch runs, so both must give tensors.'))


def if_exp(condition, body, orelse):
    """`body() if condition else orelse()`."""
    if not _decides_in_graph(condition):
        return body() if condition else orelse()
    return cond(condition, body, orelse)


# ---- loops -------------------------------------------------------------------------------------


def while_stmt(test, body, get_state, set_state, names):
    """Repeats a block; as a tf.while_loop if a node decides how often."""
    going = test()
    while not _decides_in_graph(going):
        if not going:
            return
        body()
        going = test()      # after an iteration a node may decide: `while True`, and a break
    _loop(test, body, get_state, set_state, names)


def _loop(test, body, get_state, set_state, names, counter=None):
    """A tf.while_loop over the names that are tensors when it begins."""
    start = get_state()
    changing = [i for i, value in enumerate(start) if _is_tensors(value)]
    for name, value in zip(names, start):
        if name == 'retval__' and isinstance(value, UndefinedReturn):
            raise misuse(NotImplementedError(
                'return inside a loop that a tensor controls is not supported.\n  Hint: set a '
                'variable before the loop, and break.'))
    others = {}

    def put(values):
        state = list(start)
        for i, value in others.items():
            state[i] = value
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
        _check_loop(names, start, after, changing)
        results = [_tensors(after[i]) for i in changing]
        return [values[0] + 1, *results] if counter else results
    initial = [_tensors(start[i]) for i in changing]
    if counter:
        initial = [constants.constant(0), *initial]
    try:
        results = while_loop(condition, step, initial, return_same_structure=True)
    except BaseException:
        set_state(start)
        raise
    put(results[1:] if counter else results)


def _check_loop(names, start, after, changing):
    for i, (name, before, now) in enumerate(zip(names, start, after)):
        if i in changing or isinstance(before, (Undefined, UndefinedReturn)) or before is now:
            continue
        raise misuse(TypeError(
            f"'{name}' is {before!r} before the loop and {now!r} after an iteration.\n  Hint: a "
            'tensor controls the loop, so what changes in it must be a tensor from the '
            'beginning.'))


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


def for_stmt(iterated, test, body, get_state, set_state, names):
    """Runs a block for each element; as a tf.while_loop for a tensor of a graph."""
    if _decides_in_graph(iterated):
        _loop(test, body, get_state, set_state, names, _Items(iterated))
        return
    if hasattr(iterated, '_variant_tensor') and not executing_eagerly():
        _over_dataset(iterated, test, body, get_state, set_state, names)
        return
    for item in iterated:
        if test is not None:
            going = test()
            if _decides_in_graph(going):
                if_stmt(going, lambda item=item: body(item), lambda: None, get_state, set_state,
                        names)
                continue
            if not going:
                break
        body(item)


def _over_dataset(dataset, test, body, get_state, set_state, names):
    """Runs a block for each element of a dataset, by its `reduce`."""
    start = get_state()
    changing = [i for i, value in enumerate(start) if _is_tensors(value)]

    def put(values):
        state = list(start)
        for i, value in zip(changing, values):
            state[i] = value
        set_state(tuple(state))

    def step(values, element):
        put(values)
        if test is None:
            body(element)
        else:
            if_stmt(test(), lambda: body(element), lambda: None, get_state, set_state, names)
        after = get_state()
        _check_loop(names, start, after, changing)
        return tuple([_tensors(after[i]) for i in changing])
    try:
        results = dataset.reduce(tuple([_tensors(start[i]) for i in changing]), step)
    finally:
        set_state(start)
    put(results)


# ---- expressions -------------------------------------------------------------------------------


def and_(*terms):
    """`a and b`, where terms are functions."""
    value = terms[0]()
    for i, term in enumerate(terms[1:], 1):
        if _decides_in_graph(value):
            return cond(value, _term(and_, terms[i:]), lambda: constants.constant(False))
        if not value:
            return value
        value = term()
    return value


def or_(*terms):
    """`a or b`, where terms are functions."""
    value = terms[0]()
    for i, term in enumerate(terms[1:], 1):
        if _decides_in_graph(value):
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
    return logic.logical_not(value) if _decides_in_graph(value) else not value


def eq(a, b):
    """`a == b`; element by element if one is a tensor of a graph."""
    return logic.equal(a, b) if _decides_in_graph(a) or _decides_in_graph(b) else a == b


def not_eq(a, b):
    """`a != b`; element by element if one is a tensor of a graph."""
    return logic.not_equal(a, b) if _decides_in_graph(a) or _decides_in_graph(b) else a != b


def assert_stmt(condition, message):
    """`assert`: when it runs, if a node decides."""
    if _decides_in_graph(condition):
        text = message()
        assertions.Assert(condition, ['assertion failed' if text is None else text])
    elif not condition:
        text = message()
        raise AssertionError(*([] if text is None else [text]))


# ---- Python's functions ------------------------------------------------------------------------


def _len(value):
    if _decides_in_graph(value):
        known = value.raw_shape
        return known[0] if known and known[0] is not None else constants.shape(value)[0]
    return len(value)


def _range(*limits):
    if any(_decides_in_graph(v) for v in limits):
        return constants.range(*limits)
    return range(*[int(v) if isinstance(v, EagerTensor) else v for v in limits])


def _int(*values):
    if values and _decides_in_graph(values[0]):
        return constants.cast(values[0], dtypes.int32)
    return int(*values)


def _float(*values):
    if values and _decides_in_graph(values[0]):
        return constants.cast(values[0], dtypes.float32)
    return float(*values)


OF_PYTHON = {len: _len, range: _range, int: _int, float: _float}
