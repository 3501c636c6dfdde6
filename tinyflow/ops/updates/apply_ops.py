"""Optimizer ops (ApplyAdam, ...): each updates a Variable and its slots in place, in one op.

The arithmetic is in update_rules.py, its application to arrays and rows in base.py. tf.train's
optimizers make these nodes; there are no public functions.
"""
from __future__ import annotations

from math import sqrt

import numpy as np

from tinyflow.ops.updates import update_rules
from tinyflow.ops.updates.base import Update, count_updates, flush, scalar, update, update_rows

__all__: list[str] = []


# ---- gradient descent, momentum --------------------------------------------------------------


class ApplyGradientDescent(Update):
    """var -= alpha delta."""

    signature = 'var: Ref(T), alpha: T, delta: T -> out: Ref(T)'

    def kernel(var, alpha, delta):
        return update(update_rules.gradient_descent, (var,), delta, alpha)


class ApplyMomentum(Update):
    """accum = momentum accum + grad; var -= lr accum."""

    signature = 'var: Ref(T), accum: Ref(T), lr: T, grad: T, momentum: T -> out: Ref(T)'
    attrs = {'use_locking': False, 'use_nesterov': False}
    state = count_updates

    def kernel(updates, var, accum, lr, grad, momentum, *, use_nesterov):
        update(update_rules.momentum, (var, accum), grad, lr, momentum, use_nesterov)
        flush(updates, (accum,))
        return var


class SparseApplyMomentum(Update):
    """ApplyMomentum on the rows `indices`."""

    signature = ('var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices, momentum: T '
                 '-> out: Ref(T)')
    attrs = {'use_locking': False, 'use_nesterov': False}

    def kernel(var, accum, lr, grad, indices, momentum, *, use_nesterov):
        return update_rows(update_rules.momentum, (var, accum), grad, indices, lr, momentum,
                           use_nesterov)


# ---- Adagrad ---------------------------------------------------------------------------------


class ApplyAdagrad(Update):
    """accum += grad^2; var -= lr grad / sqrt(accum)."""

    signature = 'var: Ref(T), accum: Ref(T), lr: T, grad: T -> out: Ref(T)'
    attrs = {'use_locking': False, 'update_slots': True}

    def kernel(var, accum, lr, grad, *, update_slots):
        return update(update_rules.adagrad, (var, accum), grad, lr, update_slots)


class SparseApplyAdagrad(Update):
    """ApplyAdagrad on the rows `indices`."""

    signature = 'var: Ref(T), accum: Ref(T), lr: T, grad: T, indices: Tindices -> out: Ref(T)'
    attrs = {'use_locking': False, 'update_slots': True}

    def kernel(var, accum, lr, grad, indices, *, update_slots):
        return update_rows(update_rules.adagrad, (var, accum), grad, indices, lr, update_slots)


class ApplyAdagradDA(Update):
    """Adagrad with dual averaging: var is computed from sums of gradients and of their squares."""

    signature = ('var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), '
                 'grad: T, lr: T, l1: T, l2: T, global_step: int64 -> out: Ref(T)')

    def kernel(var, gradient_accumulator, gradient_squared_accumulator, grad, lr, l1, l2,
               global_step):
        return update(
            update_rules.adagrad_da, (var, gradient_accumulator, gradient_squared_accumulator),
            grad, *_adagrad_da(var, lr, l1, l2, global_step))


class SparseApplyAdagradDA(Update):
    """ApplyAdagradDA on the rows `indices`."""

    signature = ('var: Ref(T), gradient_accumulator: Ref(T), gradient_squared_accumulator: Ref(T), '
                 'grad: T, indices: Tindices, lr: T, l1: T, l2: T, global_step: int64 '
                 '-> out: Ref(T)')

    def kernel(var, gradient_accumulator, gradient_squared_accumulator, grad, indices, lr, l1, l2,
               global_step):
        return update_rows(
            update_rules.adagrad_da, (var, gradient_accumulator, gradient_squared_accumulator),
            grad, indices, *_adagrad_da(var, lr, l1, l2, global_step))


def _adagrad_da(var, lr, l1, l2, global_step):
    steps = global_step.item()
    return (scalar(-lr.item(), var), scalar(l1.item() * steps, var),
            scalar(l2.item() * steps * lr.item(), var))


# ---- Adadelta, Adam --------------------------------------------------------------------------


class ApplyAdadelta(Update):
    """The step is grad times the ratio of two root mean squares: of steps and of gradients."""

    signature = ('var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, '
                 'grad: T -> out: Ref(T)')
    state = count_updates

    def kernel(updates, var, accum, accum_update, lr, rho, epsilon, grad):
        update(update_rules.adadelta, (var, accum, accum_update), grad, lr, rho,
               scalar(1.0 - rho.item(), var), epsilon)
        if epsilon.item() > 1e-20:
            flush(updates, (), (accum, accum_update))
        return var


class SparseApplyAdadelta(Update):
    """ApplyAdadelta on the rows `indices`."""

    signature = ('var: Ref(T), accum: Ref(T), accum_update: Ref(T), lr: T, rho: T, epsilon: T, '
                 'grad: T, indices: Tindices -> out: Ref(T)')

    def kernel(var, accum, accum_update, lr, rho, epsilon, grad, indices):
        return update_rows(update_rules.adadelta, (var, accum, accum_update), grad, indices, lr,
                           rho, scalar(1.0 - rho.item(), var), epsilon)


class ApplyAdam(Update):
    """Running means m of the gradient and v of its square; var -= alpha m / (sqrt(v) + epsilon)."""

    signature = ('var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, beta2_power: T, lr: T, '
                 'beta1: T, beta2: T, epsilon: T, grad: T -> out: Ref(T)')
    attrs = {'use_locking': False, 'use_nesterov': False}
    state = count_updates

    def kernel(updates, var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad, *,
               use_nesterov):
        alpha = lr.item() * sqrt(1.0 - beta2_power.item()) / (1.0 - beta1_power.item())
        update(update_rules.adam, (var, m, v), grad, scalar(alpha, var), beta1, beta2,
               scalar(1.0 - beta1.item(), var), scalar(1.0 - beta2.item(), var), epsilon,
               use_nesterov)
        # Without epsilon, m / sqrt(v) matters even if both are tiny.
        if epsilon.item() > 1e-9:
            flush(updates, (m,), (v,))
        return var


class ApplyAdaMax(Update):
    """Adam by the largest gradient: v is a decaying maximum of |grad|."""

    signature = ('var: Ref(T), m: Ref(T), v: Ref(T), beta1_power: T, lr: T, beta1: T, '
                 'beta2: T, epsilon: T, grad: T -> out: Ref(T)')

    def kernel(var, m, v, beta1_power, lr, beta1, beta2, epsilon, grad):
        alpha = lr.item() / (1.0 - beta1_power.item())
        return update(update_rules.ada_max, (var, m, v), grad, scalar(alpha, var), beta1,
                      beta2, scalar(1.0 - beta1.item(), var), epsilon)


# ---- RMSProp ---------------------------------------------------------------------------------


class ApplyRMSProp(Update):
    """ms: running mean of grad^2; mom = momentum mom + lr grad / sqrt(ms + epsilon); var -= mom."""

    signature = ('var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, '
                 'grad: T -> out: Ref(T)')
    state = count_updates

    def kernel(updates, var, ms, mom, lr, rho, momentum, epsilon, grad):
        update(update_rules.rms_prop, (var, ms, mom), grad, lr, scalar(1.0 - rho.item(), var),
               momentum, epsilon)
        if epsilon.item() > 1e-20:
            flush(updates, (mom,), (ms,))
        return var


class SparseApplyRMSProp(Update):
    """ApplyRMSProp on the rows `indices`."""

    signature = ('var: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, epsilon: T, '
                 'grad: T, indices: Tindices -> out: Ref(T)')

    def kernel(var, ms, mom, lr, rho, momentum, epsilon, grad, indices):
        return update_rows(update_rules.rms_prop, (var, ms, mom), grad, indices, lr,
                           scalar(1.0 - rho.item(), var), momentum, epsilon)


class ApplyCenteredRMSProp(Update):
    """ApplyRMSProp with the variance ms - mg^2 for ms, where mg is a running mean of grad."""

    signature = ('var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, '
                 'epsilon: T, grad: T -> out: Ref(T)')
    state = count_updates

    def kernel(updates, var, mg, ms, mom, lr, rho, momentum, epsilon, grad):
        update(update_rules.centered_rms_prop, (var, mg, ms, mom), grad, lr,
               scalar(1.0 - rho.item(), var), momentum, epsilon)
        if epsilon.item() > 1e-20:
            flush(updates, (mg, mom), (ms,))
        return var


class SparseApplyCenteredRMSProp(Update):
    """ApplyCenteredRMSProp on the rows `indices`."""

    signature = ('var: Ref(T), mg: Ref(T), ms: Ref(T), mom: Ref(T), lr: T, rho: T, momentum: T, '
                 'epsilon: T, grad: T, indices: Tindices -> out: Ref(T)')

    def kernel(var, mg, ms, mom, lr, rho, momentum, epsilon, grad, indices):
        return update_rows(update_rules.centered_rms_prop, (var, mg, ms, mom), grad, indices, lr,
                           scalar(1.0 - rho.item(), var), momentum, epsilon)


# ---- follow the regularized leader -----------------------------------------------------------


class ApplyFtrl(Update):
    """FTRL-proximal: var minimises the linearized sum of past losses plus l1 |var| and l2 var^2."""

    signature = ('var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, '
                 'lr_power: T -> out: Ref(T)')

    def kernel(var, accum, linear, grad, lr, l1, l2, lr_power):
        return update(update_rules.ftrl, (var, accum, linear), grad, lr, l1,
                      scalar(2.0 * l2.item(), var), lr_power.item(), None)


class SparseApplyFtrl(Update):
    """ApplyFtrl on the rows `indices`."""

    signature = ('var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, '
                 'l1: T, l2: T, lr_power: T -> out: Ref(T)')

    def kernel(var, accum, linear, grad, indices, lr, l1, l2, lr_power):
        return update_rows(update_rules.ftrl, (var, accum, linear), grad, indices, lr, l1,
                           scalar(2.0 * l2.item(), var), lr_power.item(), None)


class ApplyFtrlV2(Update):
    """ApplyFtrl with 2 l2_shrinkage var added to the gradient: an L2 penalty."""

    signature = ('var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, lr: T, l1: T, l2: T, '
                 'l2_shrinkage: T, lr_power: T -> out: Ref(T)')

    def kernel(var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power):
        return update(update_rules.ftrl, (var, accum, linear), grad, lr, l1,
                      scalar(2.0 * l2.item(), var), lr_power.item(),
                      scalar(2.0 * l2_shrinkage.item(), var))


class SparseApplyFtrlV2(Update):
    """ApplyFtrlV2 on the rows `indices`."""

    signature = ('var: Ref(T), accum: Ref(T), linear: Ref(T), grad: T, indices: Tindices, lr: T, '
                 'l1: T, l2: T, l2_shrinkage: T, lr_power: T -> out: Ref(T)')

    def kernel(var, accum, linear, grad, indices, lr, l1, l2, l2_shrinkage, lr_power):
        return update_rows(update_rules.ftrl, (var, accum, linear), grad, indices, lr, l1,
                           scalar(2.0 * l2.item(), var), lr_power.item(),
                           scalar(2.0 * l2_shrinkage.item(), var))


# ---- proximal steps --------------------------------------------------------------------------


class ApplyProximalGradientDescent(Update):
    """A gradient step, then the proximal step of l1 |var| and l2 var^2 / 2."""

    signature = 'var: Ref(T), alpha: T, l1: T, l2: T, delta: T -> out: Ref(T)'

    def kernel(var, alpha, l1, l2, delta):
        return update(update_rules.proximal_gradient_descent, (var,), delta, alpha,
                      *_proximal(var, alpha, l1, l2))


class SparseApplyProximalGradientDescent(Update):
    """ApplyProximalGradientDescent on the rows `indices`."""

    signature = 'var: Ref(T), alpha: T, l1: T, l2: T, grad: T, indices: Tindices -> out: Ref(T)'

    def kernel(var, alpha, l1, l2, grad, indices):
        return update_rows(update_rules.proximal_gradient_descent, (var,), grad, indices, alpha,
                           *_proximal(var, alpha, l1, l2))


def _proximal(var, alpha, l1, l2):
    rate = alpha.item()
    return scalar(rate * l1.item(), var), l1, scalar(1.0 + rate * l2.item(), var)


class ApplyProximalAdagrad(Update):
    """ApplyProximalGradientDescent with Adagrad's rates."""

    signature = 'var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T -> out: Ref(T)'

    def kernel(var, accum, lr, l1, l2, grad):
        return update(update_rules.proximal_adagrad, (var, accum), grad, lr, l1, l2)


class SparseApplyProximalAdagrad(Update):
    """ApplyProximalAdagrad on the rows `indices`."""

    signature = ('var: Ref(T), accum: Ref(T), lr: T, l1: T, l2: T, grad: T, indices: Tindices '
                 '-> out: Ref(T)')

    def kernel(var, accum, lr, l1, l2, grad, indices):
        return update_rows(update_rules.proximal_adagrad, (var, accum), grad, indices, lr, l1, l2)


# ---- steps by signs ---------------------------------------------------------------------------


class ApplyAddSign(Update):
    """Steps lr (alpha + sign_decay s) grad, s being 1 where grad and its mean have one sign."""

    signature = ('var: Ref(T), m: Ref(T), lr: T, alpha: T, sign_decay: T, beta: T, grad: T '
                 '-> out: Ref(T)')

    def kernel(var, m, lr, alpha, sign_decay, beta, grad):
        def factor(agreement):
            agreement = np.multiply(agreement, sign_decay, agreement)
            return np.add(agreement, alpha, agreement)
        return update(update_rules.sign_steps, (var, m), grad, lr, beta,
                      scalar(1.0 - beta.item(), var), factor)


class ApplyPowerSign(Update):
    """Steps lr exp(logbase sign_decay s) grad, s being 1 where grad and its mean have one sign."""

    signature = ('var: Ref(T), m: Ref(T), lr: T, logbase: T, sign_decay: T, beta: T, '
                 'grad: T -> out: Ref(T)')

    def kernel(var, m, lr, logbase, sign_decay, beta, grad):
        power = logbase * sign_decay

        def factor(agreement):
            return np.exp(np.multiply(agreement, power, agreement), agreement)
        return update(update_rules.sign_steps, (var, m), grad, lr, beta,
                      scalar(1.0 - beta.item(), var), factor)
