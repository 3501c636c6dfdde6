"""The base of the optimizers' ops: a rule of update_rules.py, applied to arrays or to rows.

Large arrays are updated tile by tile and on several threads. What sparse ops have no gradient for,
they leave alone.
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
    """Changes all its places in place; the result is that of the first, the Variable."""

    types = {'T': dtypes.FLOATS, 'Tindices': dtypes.INDEX}
    attrs = {'use_locking': False}
    partial_rank = True

    def __init_subclass__(cls, abstract=False):
        names = [part.split(':') for part in cls.signature.partition('->')[0].split(',')]
        places = [i for i, (_, kind) in enumerate(names) if 'Ref' in kind or 'Handle' in kind]
        cls.writes = tuple(places)
        cls.shape = _shape_rule([name.strip() for name, _ in names], places,
                                has_output=bool(cls.signature.partition('->')[2].strip()))
        super().__init_subclass__(abstract)


def _shape_rule(names, places, has_output):
    """Slots and dense gradients are shaped as `var`, rows as var[indices]; the rest is scalar."""
    def shape(*inputs):
        given = dict(zip(names, inputs))
        result = given['var']
        for i in places[1:]:
            result = _merge(result, inputs[i], names[i])
        for name in names[len(places):]:
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


def update(rule, places, grad, *scalars):
    """Applies a rule to whole arrays; returns the Variable's."""
    var = places[0]
    if grad.shape != var.shape:
        raise ValueError(f'var has shape {shapes.text(var.shape)}, the gradient '
                         f'{shapes.text(grad.shape)}')
    if var.size <= SMALL:
        if not var.ndim:        # what NumPy makes of such arrays is numbers, which `out` cannot be
            places, grad = [place.reshape(1) for place in places], grad.reshape(1)
        rule(update_rules.FRESH, *places, grad, *scalars)
        return var
    if np.may_share_memory(grad, var):
        grad = grad.copy()      # a view of the Variable, whose tiles need not be the Variable's
    flat = [array.reshape(-1) for array in (*places, grad)]

    def tile(start, stop):
        rule(tiles.scratch(stop - start, var.dtype, 3),
             *[array[start:stop] for array in flat], *scalars)

    tiles.in_tiles(var.size, tile)
    return var


def update_rows(rule, places, grad, indices, *scalars):
    """Applies a rule to the rows `indices`; equal indices count one after the other."""
    var = places[0]
    if grad.shape != indices.shape + var.shape[1:]:
        raise ValueError(f'the gradient has shape {shapes.text(grad.shape)}; indices.shape + '
                         f'var.shape[1:] is {shapes.text(indices.shape + var.shape[1:])}')
    if not indices.size:
        return var
    check_indices(indices, len(var))
    if _all_different(indices, len(var)):
        _some_rows(rule, places, grad, indices, scalars)
    else:
        for i in range(len(indices)):
            _some_rows(rule, places, grad[i:i + 1], indices[i:i + 1], scalars)
    return var


def _all_different(indices, limit):
    """Are no two of the indices equal? By marking, in linear time."""
    if len(indices) == 1:
        return True
    position = np.arange(len(indices))
    mark = np.empty(limit, np.intp)
    mark[indices] = position
    return bool((mark[indices] == position).all())


def _some_rows(rule, places, grad, indices, scalars):
    rows = [place[indices] for place in places]
    rule(update_rules.FRESH, *rows, grad, *scalars)
    for place, row in zip(places, rows):
        place[indices] = row


def scalar(value, like):
    return np.array(value, like.dtype)


class _Updates:
    """How often an update ran in a Session, for `flush`; it counts for an exact resume."""

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
    """Now and then sets what has all but decayed to 0, as TF does with denormal numbers.

    The slots of a unit that gets no gradient any more decay without end, and arithmetic on the
    denormal numbers at that end is ten times slower. Far before, nothing of it reaches a Variable.
    """
    if next(updates) % _FLUSH_EVERY:
        return
    for arrays, power in ((means, 30), (squares, 32)):
        for array in arrays:
            if array.dtype == np.float32:
                update(update_rules.flush, (array,), array, np.float32(10.0 ** -power))
            elif array.dtype == np.float64:
                update(update_rules.flush, (array,), array, 10.0 ** (-8 * power))
