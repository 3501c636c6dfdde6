"""Optimizer ops on resource variables (ResourceApplyAdam, ...).

Most are variants of the ops in apply_ops.py with the same kernels; the others exist for resource
variables only and are used by Keras.
"""
from __future__ import annotations

from math import sqrt

import numpy as np

from tinyflow.graph.op import Op
from tinyflow.ops.updates import apply_ops
from tinyflow.ops.updates.base import Update, count_updates, flush, scalar, update, update_rows

__all__: list[str] = []


def _resource_variant(op):
    """Declares Resource<op>: refs become handles, and there is no output."""
    signature = op.signature.partition('->')[0].replace('Ref(', 'Handle(') + '->'
    return type(f'Resource{op.type}', (op,), {
        'signature': signature, '__doc__': op.__doc__, '__module__': __name__})


for _op in list(vars(apply_ops).values()):
    if isinstance(_op, type) and issubclass(_op, Update) and _op is not Update:
        _resource_variant(_op)


def resource_op(op_type):
    """The class of the op Resource<op_type>, which updates a variable by its handle."""
    return Op.registry[f'Resource{op_type}']


# ---- rules: see update_rules.py for how they are called -------------------


def keras_momentum(scratch, var, accum, grad, lr, momentum, use_nesterov):
    """accum = momentum accum - lr grad; var += accum (Nesterov: momentum accum - lr grad)"""
    t = np.multiply(grad, lr, scratch[0])
    np.multiply(accum, momentum, accum)
    np.subtract(accum, t, accum)
    if use_nesterov:
        u = np.multiply(accum, momentum, scratch[1])
        np.subtract(u, t, u)
        np.add(var, u, var)
    else:
        np.add(var, accum, var)


def adagrad_v2(scratch, var, accum, grad, lr, epsilon, update_slots):
    """accum += grad^2; var -= lr grad / (sqrt(accum) + epsilon)"""
    if update_slots:
        t = np.square(grad, scratch[0])
        np.add(accum, t, accum)
    t = np.sqrt(accum, scratch[0])
    np.add(t, epsilon, t)
    np.divide(grad, t, t)
    np.multiply(t, lr, t)
    np.subtract(var, t, var)


def amsgrad(scratch, var, m, v, vhat, grad, alpha, beta1, beta2, one_minus_beta1,
            one_minus_beta2, epsilon):
    """Adam with the largest v so far instead of v   (Reddi et al. 2018)"""
    t = np.multiply(grad, one_minus_beta1, scratch[0])
    np.multiply(m, beta1, m)
    np.add(m, t, m)
    np.square(grad, t)
    np.multiply(t, one_minus_beta2, t)
    np.multiply(v, beta2, v)
    np.add(v, t, v)
    np.maximum(vhat, v, out=vhat)
    np.sqrt(vhat, t)
    np.add(t, epsilon, t)
    np.divide(m, t, t)
    np.multiply(t, alpha, t)
    np.subtract(var, t, var)


# ---- ops -------------------------------------------------------------------------------------


class ResourceApplyKerasMomentum(Update):
    """accum = momentum accum - lr grad; var += accum."""

    signature = 'var: Handle(T), accum: Handle(T), lr: T, grad: T, momentum: T ->'
    attrs = {'use_locking': False, 'use_nesterov': False}
    state = count_updates

    def kernel(updates, var, accum, lr, grad, momentum, *, use_nesterov):
        update(keras_momentum, (var, accum), grad, lr, momentum, use_nesterov)
        flush(updates, (accum,))


class ResourceSparseApplyKerasMomentum(Update):
    """ResourceApplyKerasMomentum on the rows `indices`."""

    signature = ('var: Handle(T), accum: Handle(T), lr: T, grad: T, indices: Tindices, '
                 'momentum: T ->')
    attrs = {'use_locking': False, 'use_nesterov': False}

    def kernel(var, accum, lr, grad, indices, momentum, *, use_nesterov):
        update_rows(keras_momentum, (var, accum), grad, indices, lr, momentum, use_nesterov)


class ResourceApplyAdagradV2(Update):
    """accum += grad^2; var -= lr grad / (sqrt(accum) + epsilon)."""

    signature = 'var: Handle(T), accum: Handle(T), lr: T, epsilon: T, grad: T ->'
    attrs = {'use_locking': False, 'update_slots': True}

    def kernel(var, accum, lr, epsilon, grad, *, update_slots):
        update(adagrad_v2, (var, accum), grad, lr, epsilon, update_slots)


class ResourceSparseApplyAdagradV2(Update):
    """ResourceApplyAdagradV2 on the rows `indices`."""

    signature = ('var: Handle(T), accum: Handle(T), lr: T, epsilon: T, grad: T, '
                 'indices: Tindices ->')
    attrs = {'use_locking': False, 'update_slots': True}

    def kernel(var, accum, lr, epsilon, grad, indices, *, update_slots):
        update_rows(adagrad_v2, (var, accum), grad, indices, lr, epsilon, update_slots)


class ResourceApplyAdamWithAmsgrad(Update):
    """ResourceApplyAdam that divides by the root of the largest v so far."""

    signature = ('var: Handle(T), m: Handle(T), v: Handle(T), vhat: Handle(T), beta1_power: T, '
                 'beta2_power: T, lr: T, beta1: T, beta2: T, epsilon: T, grad: T ->')
    state = count_updates

    def kernel(updates, var, m, v, vhat, beta1_power, beta2_power, lr, beta1, beta2, epsilon,
               grad):
        alpha = lr.item() * sqrt(1.0 - beta2_power.item()) / (1.0 - beta1_power.item())
        update(amsgrad, (var, m, v, vhat), grad, scalar(alpha, var), beta1, beta2,
               scalar(1.0 - beta1.item(), var), scalar(1.0 - beta2.item(), var), epsilon)
        if epsilon.item() > 1e-9:
            flush(updates, (m,), (v,))
