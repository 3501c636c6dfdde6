"""tf.switch_case: runs the function of a number, as a chain of tf.cond."""
from __future__ import annotations

import functools

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.math import logic

__all__ = ['switch_case']


def switch_case(branch_index, branch_fns, default=None, name='switch_case'):
    """What the function number `branch_index` returns; another number runs the last function.

    `branch_fns` is a list of functions, or pairs (number, function), or a dict of them, with the
    numbers from 0 on. `default` is one more function, the last.

    Shapes: branch_index [] (int32) -> the structure that the functions return.

    Raises TypeError for an index that is no tensor of integers and for what is no function,
    ValueError for numbers with gaps.
    """
    if not isinstance(branch_index, Tensor):
        raise misuse(TypeError(f'branch_index must a Tensor, got {type(branch_index)}\n'
                               '  Hint: a Python number needs no graph: branch_fns[index]().'))
    if branch_index.dtype != dtypes.int32:
        raise misuse(TypeError(f'branch_index must be an int32 Tensor, got {branch_index.dtype!r}\n'
                               '  Hint: tf.cast(index, tf.int32)'))
    functions = _functions(branch_fns)
    if default is not None:
        functions.append(default)
    for function in functions:
        if not callable(function):
            raise misuse(TypeError(f'A branch is {function!r}, not a function without arguments.\n'
                                   '  Hint: lambda: x'))
    with name_scope(name, 'switch_case', [branch_index]), name_scope('indexed_case'):
        if executing_eagerly():
            number = int(branch_index)
            return functions[number if 0 <= number < len(functions) else -1]()
        chain = functions[-1]
        for number, function in reversed([*enumerate(functions[:-1])]):
            chain = functools.partial(cond, logic.equal(branch_index, number), function, chain)
        return nest.map_structure(identity, chain())


def _functions(branch_fns):
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise misuse(TypeError('branch_fns must be a list, tuple, or dict'))
    if not branch_fns:
        raise misuse(ValueError('Must provide at least one item in branch_fns'))
    if not isinstance(branch_fns, dict):
        if all(callable(function) for function in branch_fns):
            return list(branch_fns)
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in branch_fns):
            raise misuse(TypeError('Each entry in branch_fns must be a 2-tuple\n'
                                   '  Hint: or each a function: lambda: x'))
    pairs = sorted(dict(branch_fns).items())
    numbers = [number for number, _ in pairs]
    if numbers != list(range(len(pairs))):
        raise misuse(ValueError(
            f'branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found '
            f'{{{",".join(map(str, numbers))}}}'))
    return [function for _, function in pairs]
