"""`if` in converted functions, and what names are before they have a value."""
from __future__ import annotations

import numpy as np

from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.control_flow.tensor_array import TensorArray

__all__ = ['Undefined', 'UndefinedReturn', 'as_tensors', 'bound', 'decides_in_graph', 'if_stmt',
           'is_tensors', 'no_state', 'returned', 'set_attribute', 'set_item', 'set_no_state']


class Undefined:
    """The value of a name that has none yet."""

    def __init__(self, name):
        self.name = name

    def _fail(self, *_, **__):
        raise misuse(UnboundLocalError(
            f"local variable '{self.name}' referenced before assignment\n  Hint: give it a value "
            'before the loop or `if` that a tensor decides about: the block may never run.'))

    __getattr__ = __getitem__ = __call__ = __add__ = __radd__ = __iter__ = __bool__ = _fail


class UndefinedReturn:
    """The result of a function that has not returned yet."""


def bound(get, name):
    """The value of a name, an attribute or an item, or Undefined."""
    try:
        return get()
    except (NameError, AttributeError, KeyError):
        return Undefined(name)


def set_attribute(target, name, value):
    """`target.name = value`, if it is another value; no such attribute if it is Undefined."""
    before = getattr(target, name, _NOTHING)
    if isinstance(value, Undefined):
        if before is not _NOTHING:
            delattr(target, name)
    elif before is not value:
        setattr(target, name, value)


def set_item(target, key, value):
    """`target[key] = value`; no such item if it is Undefined."""
    if not isinstance(value, Undefined):
        target[key] = value
    elif key in target:
        del target[key]


_NOTHING = object()


def returned(value):
    """The result at the end of a function."""
    return None if isinstance(value, UndefinedReturn) else value


def no_state():
    return ()


def set_no_state(state):
    """Nothing: the block sets no names."""


def decides_in_graph(value):
    """True for a tensor whose value is not known while Python runs."""
    return isinstance(value, Tensor) and type(value) is not EagerTensor


# ---- if ----------------------------------------------------------------------------------------


def if_stmt(condition, body, orelse, get_state, set_state, names, own=()):
    """Runs one of two blocks; both as branches of a tf.cond if a node decides.

    `own` are the names that are not read after the `if`: they have the value from before it.
    """
    if not decides_in_graph(condition):
        (body if condition else orelse)()
        return
    start, ends = get_state(), []
    given = [i for i, name in enumerate(names) if name not in own]

    def branch(block):
        def build():
            set_state(start)
            block()
            state = get_state()
            ends.append([state[i] for i in given])
            return [as_tensors(value) for value in ends[-1]] + [constants.constant(0)]
        return build
    try:
        results = cond(condition, branch(body), branch(orelse), strict=True)
    except ValueError:
        if len(ends) == 2:
            _check_dtypes([names[i] for i in given], *ends)
        raise
    finally:
        set_state(start)
        if len(ends) == 2:          # also if cond refuses what the branches give
            _check_defined([names[i] for i in given], *ends)
    after = list(start)
    for i, value, one, other in zip(given, results, *ends):
        after[i] = _after(names[i], value, one, other)
    set_state(tuple(after))


def as_tensors(value):
    """A value as tensors; 0 for a Python object that is none."""
    if not is_tensors(value):
        return constants.constant(0)
    return nest.map_structure(lambda v: v if isinstance(v, TensorArray) else convert_to_tensor(v),
                              value)


def is_tensors(value):
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


def _check_dtypes(names, body, orelse):
    """TypeError for a name that is one tensor after each branch, of different dtypes."""
    for name, one, other in zip(names, body, orelse):
        if is_tensors(one) and is_tensors(other) and not any(map(nest.is_nested, (one, other))):
            types = [as_tensors(value).dtype.base_dtype.name for value in (one, other)]
            if types[0] != types[1]:
                raise misuse(TypeError(
                    f"'{name}' has dtype {types[0]} in the main branch, but dtype {types[1]} in "
                    'the else branch\n  Hint: tf.cast in one of the branches; a tensor decides '
                    'which one runs, so both give the same dtype.'))


def _after(name, value, body, orelse):
    """The value of a name after both branches were built."""
    if is_tensors(body) and is_tensors(orelse):
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
