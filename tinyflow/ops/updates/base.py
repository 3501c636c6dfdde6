"""Base of the optimizer ops: applies a rule of update_rules.py to arrays or to rows.

Large arrays are updated in tiles on several threads. Sparse ops leave rows without a gradient
unchanged.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.op import Op
from tinyflow.graph.support import tiles
from tinyflow.ops.support.index_vectors import check_indices
from tinyflow.ops.updates import update_rules

SMALL = 4096            # elements; up to here temporary arrays cost less than tiles
_FLUSH_EVERY = 16       # updates


class Update(Op, abstract=True):
    """Updates all its targets (Variable and slots) in place; returns the first, the Variable."""

    types = {'T': dtypes.FLOATS, 'Tindices': dtypes.INDEX}
    attrs = {'use_locking': False}
    partial_rank = True

    def __init_subclass__(cls, abstract=False):
        names = [part.split(':') for part in cls.signature.partition('->')[0].split(',')]
        targets = [i for i, (_, kind) in enumerate(names) if 'Ref' in kind or 'Handle' in kind]
        cls.writes = tuple(targets)
        cls.shape = _shape_rule([name.strip() for name, _ in names], targets,
                                has_output=bool(cls.signature.partition('->')[2].strip()))
        super().__init_subclass__(abstract)


def _shape_rule(names, targets, has_output):
    """Slots and dense gradients have var's shape, rows that of var[indices]; others are scalar."""
    def shape(*inputs):
        given = dict(zip(names, inputs))
        result = given['var']
        for i in targets[1:]:
            result = _merge(result, inputs[i], names[i])
        for name in names[len(targets):]:
            if name == 'indices':
                shapes.merge(given[name], (None,))
            elif name in ('grad', 'delta') and 'indices' in given:
                if result is not None:
                    count = (given['indices'] or (None,))[0]
                    _merge((count, *result[1:]), given[name], name)
            elif name in ('grad', 'delta'):
                result = _merge(result, given[name], name)
            elif given[name]:
                raise ValueError(f'{name} must be a scalar, not {shapes.text(given[name])}')
        return result if has_output else []
    return shape


def _merge(shape, other, name):
    try:
        return shapes.merge(shape, other)
    except ValueError:
        raise ValueError(f'{name} has shape {shapes.text(other)}, must have '
                         f'{shapes.text(shape)}') from None


def update(rule, targets, grad, *scalars):
    """Applies a rule to whole arrays; returns that of the Variable."""
    var = targets[0]
    if grad.shape != var.shape:
        raise ValueError(f'var has shape {shapes.text(var.shape)}, the gradient '
                         f'{shapes.text(grad.shape)}')
    if var.size <= SMALL:
        if not var.ndim:        # NumPy turns 0-d results into scalars, which `out` does not accept
            targets, grad = [target.reshape(1) for target in targets], grad.reshape(1)
        rule(update_rules.FRESH, *targets, grad, *scalars)
        return var
    if grad is not var and np.may_share_memory(grad, var):
        grad = grad.copy()      # a view of the Variable, whose tiles need not be the Variable's
    flat = [array.reshape(-1) for array in (*targets, grad)]

    def tile(start, stop):
        rule(tiles.scratch(stop - start, var.dtype, 3),
             *[array[start:stop] for array in flat], *scalars)

    tiles.in_tiles(var.size, tile)
    return var


def update_rows(rule, targets, grad, indices, *scalars):
    """Applies a rule to the rows `indices`; equal indices are applied one after the other."""
    var = targets[0]
    if grad.shape != indices.shape + var.shape[1:]:
        raise ValueError(f'the gradient has shape {shapes.text(grad.shape)}; indices.shape + '
                         f'var.shape[1:] is {shapes.text(indices.shape + var.shape[1:])}')
    if not indices.size:
        return var
    check_indices(indices, len(var))
    if _are_unique(indices, len(var)):
        _some_rows(rule, targets, grad, indices, scalars)
    else:
        for i in range(len(indices)):
            _some_rows(rule, targets, grad[i:i + 1], indices[i:i + 1], scalars)
    return var


def _are_unique(indices, limit):
    """True if the indices are unique (linear time, by marking)."""
    if len(indices) == 1:
        return True
    position = np.arange(len(indices))
    mark = np.empty(limit, np.intp)
    mark[indices] = position
    return bool((mark[indices] == position).all())


def _some_rows(rule, targets, grad, indices, scalars):
    rows = [target[indices] for target in targets]
    rule(update_rules.FRESH, *rows, grad, *scalars)
    for target, row in zip(targets, rows):
        target[indices] = row


def scalar(value, like):
    return np.array(value, like.dtype)


class _Updates:
    """Counts the runs of an update in a Session, for `flush`; saved for an exact resume."""

    def __init__(self):
        self.number = 0

    def __next__(self):
        self.number += 1
        return self.number

    def get_state(self):
        return {'number': self.number}

    def set_state(self, state):
        self.number = state['number']


def count_updates(attrs):
    return _Updates()


def flush(updates, means=(), squares=()):
    """Every few updates, sets nearly decayed slots to 0 (TF flushes denormal numbers).

    The slots of a unit without gradients decay towards denormal numbers, on which arithmetic is ten
    times slower. The threshold is so small that no Variable changes.
    """
    if next(updates) % _FLUSH_EVERY:
        return
    for arrays, power in ((means, 30), (squares, 32)):
        for array in arrays:
            if array.dtype == np.float32:
                update(update_rules.flush, (array,), array, np.float32(10.0 ** -power))
            elif array.dtype == np.float64:
                update(update_rules.flush, (array,), array, 10.0 ** (-8 * power))
