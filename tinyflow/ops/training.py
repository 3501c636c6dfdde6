"""The optimizers' updates as nodes: each changes a Variable and its slots in place, in one op.

The arithmetic is in ops/update_rules.py. A dense op applies a rule to whole arrays, large ones tile
by tile and on several threads; a sparse op applies it to the rows that have a gradient, and leaves
the others alone. tf.train's optimizers make these nodes; there are no public functions.
"""
from __future__ import annotations

import itertools
from math import sqrt

import numpy as np

from tinyflow import tiles
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.op import Op
from tinyflow.ops import update_rules as rules

__all__: list[str] = []

_SMALL = 4096           # elements; up to here temporary arrays cost less than tiles
_FLUSH_EVERY = 16       # updates


class _Update(Op, abstract=True):
    types = {'T': dtypes.FLOATS, 'Tindices': dtypes.INDEX}
    attrs = {'use_locking': False}
    partial_rank = True

    def __init_subclass__(cls, abstract=False):
        names = [part.split(':') for part in cls.signature.partition('->')[0].split(',')]
        places = [i for i, (_, kind) in enumerate(names) if 'Ref' in kind]
        cls.writes = tuple(places)
        cls.shape = _shape_rule([name.strip() for name, _ in names], places)
        super().__init_subclass__(abstract)


def _shape_rule(names, places):
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
        return result
    return shape


def _merge(shape, other, name):
    try:
        return shapes.merge(shape, other)
    except ValueError:
        raise ValueError(f'{name} has shape {shapes.text(other)}, must have '
                         f'{shapes.text(shape)}') from None


def _update(rule, places, grad, *scalars):
    """Applies a rule to whole arrays; returns the Variable's."""
    var = places[0]
    if grad.shape != var.shape:
        raise ValueError(f'var has shape {shapes.text(var.shape)}, the gradient '
                         f'{shapes.text(grad.shape)}')
    if var.size <= _SMALL:
        rule(rules.FRESH, *places, grad, *scalars)
        return var
    flat = [array.reshape(-1) for array in (*places, grad)]

    def tile(start, stop):
        rule(tiles.scratch(stop - start, var.dtype, 3),
             *[array[start:stop] for array in flat], *scalars)

    tiles.in_tiles(var.size, tile)
    return var


def _update_rows(rule, places, grad, indices, *scalars):
    """Applies a rule to the rows `indices`; equal indices count one after the other."""
    var = places[0]
    if grad.shape != indices.shape + var.shape[1:]:
        raise ValueError(f'the gradient has shape {shapes.text(grad.shape)}; indices.shape + '
                         f'var.shape[1:] is {shapes.text(indices.shape + var.shape[1:])}')
    if not indices.size:
        return var
    if indices.min() < 0 or indices.max() >= len(var):
        at = int(np.argmax((indices < 0) | (indices >= len(var))))
        raise ValueError(f'indices[{at}] = {indices[at]} is not in [0, {len(var)})')
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
    rule(rules.FRESH, *rows, grad, *scalars)
    for place, row in zip(places, rows):
        place[indices] = row


def _scalar(value, like):
    return np.array(value, like.dtype)


def _count_updates(attrs):
    return itertools.count(1)


def _flush(updates, means=(), squares=()):
    """Now and then sets what has all but decayed to 0, as TF does with denormal numbers.

    The slots of a unit that gets no gradient any more decay without end, and arithmetic on the
    denormal numbers at that end is ten times slower. Far before, nothing of it reaches a Variable.
    """
    if next(updates) % _FLUSH_EVERY:
        return
    for arrays, power in ((means, 30), (squares, 36)):
        for array in arrays:
            if array.dtype == np.float32:
                _update(rules.flush, (array,), array, np.float32(10.0 ** -power))
            elif array.dtype == np.float64:
                _update(rules.flush, (array,), array, 10.0 ** (-8 * power))


# ---- gradient descent, momentum --------------------------------------------------------------


class ApplyGradientDescent(_Update):
    """var -= alpha delta."""

    signature = 'var: Ref(T), alpha: T, delta: T -> out: Ref(T)'

    def kernel(var, alpha, delta):
        return _update(rules.gradient_descent, (var,), delta, alpha)


class ApplyMomentum(_Update):
    """accum = momentum accum + grad; var -= lr accum."""

    signature = 'var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T -> out: Ref(T)'
    attrs = {'use_locking': False, 'use_nesterov': False}
    state = _count_updates

    def kernel(updates, var, accum, lr, grad, momentum, *, use_nesterov):
        _update(rules.momentum, (var, accum), grad, lr, momentum, use_nesterov)
        _flush(updates, (accum,))
        return var


class SparseApplyMomentum(_Update):
    """ApplyMomentum on some rows."""

    signature = ('var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T '
                 '-> out: Ref(T)')
    attrs = {'use_locking': False, 'use_nesterov': False}

    def kernel(var, accum, lr, grad, indices, momentum, *, use_nesterov):
        return _update_rows(rules.momentum, (var, accum), grad, indices, lr, momentum,
                            use_nesterov)


# ---- Adagrad ---------------------------------------------------------------------------------


class ApplyAdagrad(_Update):
    """accum += grad^2; var -= lr grad / sqrt(accum)."""

    signature = 'var: Ref(T), accum: Ref(T), lr: T, grad: T -> out: Ref(T)'
    attrs = {'use_locking': False, 'update_slots': True}

    def kernel(var, accum, lr, grad, *, update_slots):
        return _update(rules.adagrad, (var, accum), grad, lr, update_slots)


class SparseApplyAdagrad(_Update):
    """ApplyAdagrad on some rows."""

    signature = 'var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices -> out: Ref(T)'
    attrs = {'use_locking': False, 'update_slots': True}

    def kernel(var, accum, lr, grad, indices, *, update_slots):
        return _update_rows(rules.adagrad, (var, accum), grad, indices, lr, update_slots)


class ApplyAdagradDA(_Update):
    """Adagrad with dual averaging: var follows from the sums of all gradients and their squares."""

    signature = ('var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), '
                 'grad: T, lr: T, l1: T, l2: T, global_step: int64 -> out: Ref(T)')

    def kernel(var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2,
               global_step):
        return _update(rules.adagrad_da, (var, gradient_accumulator, gradient_squared_accumulator),
                       grad, *_adagrad_da(var, lr, l1, l2, global_step))


class SparseApplyAdagradDA(_Update):
    """ApplyAdagradDA on some rows."""

    signature = ('var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), '
                 'grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64 '
                 '-> out: Ref(T)')

    def kernel(var, gradient_accumulator, gradient_squared_accumulator, grad, indices, lr, l1, l2,
               global_step):
        return _update_rows(
            rules.adagrad_da, (var, gradient_accumulator, gradient_squared_accumulator), grad,
            indices, *_adagrad_da(var, lr, l1, l2, global_step))


def _adagrad_da(var, lr, l1, l2, global_step):
    steps = global_step.item()
    return (_scalar(-lr.item(), var), _scalar(l1.item() * steps, var),
            _scalar(l2.item() * steps * lr.item(), var))


# ---- Adadelta, Adam --------------------------------------------------------------------------


class ApplyAdadelta(_Update):
    """The step is grad times the ratio of two root mean squares: of steps and of gradients."""

    signature = ('var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, '
                 'grad: T -> out: Ref(T)')
    state = _count_updates

    def kernel(updates, var, accum, accum_update, lr, rho, epsilon, grad):
        _update(rules.adadelta, (var, accum, accum_update), grad, lr, rho,
                _scalar(1.0 - rho.item(), var), epsilon)
        if epsilon.item() > 1e-20:
            _flush(updates, (), (accum, accum_update))
        return var


class SparseApplyAdadelta(_Update):
    """ApplyAdadelta on some rows."""

    signature = ('var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, '
                 'grad: T, indices: Tindices -> out: Ref(T)')

    def kernel(var, accum, accum_update, lr, rho, epsilon, grad, indices):
        return _update_rows(rules.adadelta, (var, accum, accum_update), grad, indices, lr, rho,
                            _scalar(1.0 - rho.item(), var), epsilon)


class ApplyAdam(_Update):
    """Running means m of the gradient and v of its square; var -= alpha m / (sqrt(v) + epsilon)."""

    signature = ('var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, '
                 'beta1: T, beta2: T, epsilon: T, grad: T -> out: Ref(T)')
    attrs = {'use_locking': False, 'use_nesterov': False}
    state = _count_updates

    def kernel(updates, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, *,
               use_nesterov):
        alpha = lr.item() * sqrt(1.0 - beta2_power.item()) / (1.0 - beta1_power.item())
        _update(rules.adam, (var, m, v), grad, _scalar(alpha, var), beta1, beta2,
                _scalar(1.0 - beta1.item(), var), _scalar(1.0 - beta2.item(), var), epsilon,
                use_nesterov)
        # Without an epsilon, m / sqrt(v) matters however small both are.
        if epsilon.item() > 1e-12:
            _flush(updates, (m,), (v,))
        return var


# ---- RMSProp ---------------------------------------------------------------------------------


class ApplyRMSProp(_Update):
    """ms: running mean of grad^2; mom = momentum mom + lr grad / sqrt(ms + epsilon); var -= mom."""

    signature = ('var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, '
                 'grad: T -> out: Ref(T)')
    state = _count_updates

    def kernel(updates, var, ms, mom, lr, rho, momentum, epsilon, grad):
        _update(rules.rms_prop, (var, ms, mom), grad, lr, _scalar(1.0 - rho.item(), var), momentum,
                epsilon)
        if epsilon.item() > 1e-20:
            _flush(updates, (mom,), (ms,))
        return var


class SparseApplyRMSProp(_Update):
    """ApplyRMSProp on some rows."""

    signature = ('var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, '
                 'grad: T, indices: Tindices -> out: Ref(T)')

    def kernel(var, ms, mom, lr, rho, momentum, epsilon, grad, indices):
        return _update_rows(rules.rms_prop, (var, ms, mom), grad, indices, lr,
                            _scalar(1.0 - rho.item(), var), momentum, epsilon)


class ApplyCenteredRMSProp(_Update):
    """ApplyRMSProp with the variance ms - mg^2 in place of ms, where mg is a running mean of grad."""

    signature = ('var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, '
                 'epsilon: T, grad: T -> out: Ref(T)')
    state = _count_updates

    def kernel(updates, var, mg, ms, mom, lr, rho, momentum, epsilon, grad):
        _update(rules.centered_rms_prop, (var, mg, ms, mom), grad, lr,
                _scalar(1.0 - rho.item(), var), momentum, epsilon)
        if epsilon.item() > 1e-20:
            _flush(updates, (mg, mom), (ms,))
        return var


class SparseApplyCenteredRMSProp(_Update):
    """ApplyCenteredRMSProp on some rows."""

    signature = ('var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, '
                 'epsilon: T, grad: T, indices: Tindices -> out: Ref(T)')

    def kernel(var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices):
        return _update_rows(rules.centered_rms_prop, (var, mg, ms, mom), grad, indices, lr,
                            _scalar(1.0 - rho.item(), var), momentum, epsilon)


# ---- follow the regularized leader -----------------------------------------------------------


class ApplyFtrl(_Update):
    """FTRL-proximal: var minimises what all gradients so far say, plus l1 |var| and l2 var^2."""

    signature = ('var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, '
                 'lr_power: T -> out: Ref(T)')

    def kernel(var, accum, linear, grad, lr, l1, l2, lr_power):
        return _update(rules.ftrl, (var, accum, linear), grad, lr, l1,
                       _scalar(2.0 * l2.item(), var), lr_power.item(), None)


class SparseApplyFtrl(_Update):
    """ApplyFtrl on some rows."""

    signature = ('var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, '
                 'l1: T, l2: T, lr_power: T -> out: Ref(T)')

    def kernel(var, accum, linear, grad, indices, lr, l1, l2, lr_power):
        return _update_rows(rules.ftrl, (var, accum, linear), grad, indices, lr, l1,
                            _scalar(2.0 * l2.item(), var), lr_power.item(), None)


class ApplyFtrlV2(_Update):
    """ApplyFtrl whose gradient gets 2 l2_shrinkage var added: a penalty on the size of var itself."""

    signature = ('var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, '
                 'l2_shrinkage: T, lr_power: T -> out: Ref(T)')

    def kernel(var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power):
        return _update(rules.ftrl, (var, accum, linear), grad, lr, l1,
                       _scalar(2.0 * l2.item(), var), lr_power.item(),
                       _scalar(2.0 * l2_shrinkage.item(), var))


class SparseApplyFtrlV2(_Update):
    """ApplyFtrlV2 on some rows."""

    signature = ('var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, '
                 'l1: T, l2: T, l2_shrinkage: T, lr_power: T -> out: Ref(T)')

    def kernel(var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power):
        return _update_rows(rules.ftrl, (var, accum, linear), grad, indices, lr, l1,
                            _scalar(2.0 * l2.item(), var), lr_power.item(),
                            _scalar(2.0 * l2_shrinkage.item(), var))


# ---- proximal steps --------------------------------------------------------------------------


class ApplyProximalGradientDescent(_Update):
    """A gradient step, then the step that l1 |var| and l2 var^2 / 2 ask for."""

    signature = 'var: Ref(T), alpha: T, l1: T, l2: T, delta: T -> out: Ref(T)'

    def kernel(var, alpha, l1, l2, delta):
        return _update(rules.proximal_gradient_descent, (var,), delta, alpha,
                       *_proximal(var, alpha, l1, l2))


class SparseApplyProximalGradientDescent(_Update):
    """ApplyProximalGradientDescent on some rows."""

    signature = 'var: Ref(T), alpha: T, l1: T, l2: T, grad: T, indices: Tindices -> out: Ref(T)'

    def kernel(var, alpha, l1, l2, grad, indices):
        return _update_rows(rules.proximal_gradient_descent, (var,), grad, indices, alpha,
                            *_proximal(var, alpha, l1, l2))


def _proximal(var, alpha, l1, l2):
    rate = alpha.item()
    return _scalar(rate * l1.item(), var), l1, _scalar(1.0 + rate * l2.item(), var)


class ApplyProximalAdagrad(_Update):
    """ApplyProximalGradientDescent with Adagrad's rates."""

    signature = 'var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T -> out: Ref(T)'

    def kernel(var, accum, lr, l1, l2, grad):
        return _update(rules.proximal_adagrad, (var, accum), grad, lr, l1, l2)


class SparseApplyProximalAdagrad(_Update):
    """ApplyProximalAdagrad on some rows."""

    signature = ('var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T, indices: Tindices '
                 '-> out: Ref(T)')

    def kernel(var, accum, lr, l1, l2, grad, indices):
        return _update_rows(rules.proximal_adagrad, (var, accum), grad, indices, lr, l1, l2)
