"""Optimizer update rules (SGD, momentum, Adagrad, Adam, RMSProp, FTRL, ...) in NumPy.

A rule is rule(scratch, var, *slots, grad, *scalars). All arrays have the same shape: a whole
Variable, a tile of a large one, or some rows. `scratch` is three arrays for intermediate results,
or three times None, for which NumPy allocates new ones. `var` is written last, because the gradient
may be a view of it. Scalars are 0-d arrays, which NumPy handles faster than Python numbers.
"""
from __future__ import annotations

import numpy as np
from numpy import add, divide, maximum, multiply, power, sqrt, square, subtract

FRESH = (None, None, None)


def gradient_descent(scratch, var, delta, alpha):
    """var -= alpha delta"""
    t = multiply(delta, alpha, scratch[0])
    subtract(var, t, var)


def momentum(scratch, var, accum, grad, lr, momentum, use_nesterov):
    """accum = momentum accum + grad; var -= lr accum (Nesterov: lr (grad + momentum accum))"""
    multiply(accum, momentum, accum)
    add(accum, grad, accum)
    if use_nesterov:
        t = multiply(accum, momentum, scratch[0])
        add(t, grad, t)
        multiply(t, lr, t)
    else:
        t = multiply(accum, lr, scratch[0])
    subtract(var, t, var)


def adagrad(scratch, var, accum, grad, lr, update_slots):
    """accum += grad^2; var -= lr grad / sqrt(accum)   (Duchi et al. 2011)"""
    if update_slots:
        t = square(grad, scratch[0])
        add(accum, t, accum)
    t = sqrt(accum, scratch[0])
    divide(grad, t, t)
    multiply(t, lr, t)
    subtract(var, t, var)


def adagrad_da(scratch, var, total, total_squared, grad, minus_lr, l1, l2):
    """total += grad; total_squared += grad^2; var = -lr shrink(total, l1) / (sqrt(tot.sq.) + l2)

    l1 and l2 are the strengths times the number of steps, l2 times the learning rate as well
    (Duchi et al. 2011, dual averaging).
    """
    t = square(grad, scratch[0])
    add(total_squared, t, total_squared)
    add(total, grad, total)
    t = _shrink(scratch, total, l1) if l1 > 0 else np.positive(total, scratch[0])
    multiply(t, minus_lr, t)
    u = sqrt(total_squared, scratch[1])
    add(u, l2, u)
    divide(t, u, var)


def _shrink(scratch, x, limit):
    """sign(x) max(|x| - limit, 0), in scratch[0]; `x` may be scratch[0] or scratch[2]."""
    u = np.sign(x, scratch[1])
    t = np.absolute(x, scratch[0])
    subtract(t, limit, t)
    maximum(t, 0, out=t)
    return multiply(t, u, t)


def adadelta(scratch, var, accum, accum_update, grad, lr, rho, one_minus_rho, epsilon):
    """The step is grad sqrt(accum_update + epsilon) / sqrt(accum + epsilon)   (Zeiler 2012)"""
    t = square(grad, scratch[0])
    multiply(t, one_minus_rho, t)
    multiply(accum, rho, accum)
    add(accum, t, accum)
    add(accum, epsilon, t)
    u = add(accum_update, epsilon, scratch[1])
    divide(u, t, u)
    sqrt(u, u)
    multiply(u, grad, u)
    square(u, t)
    multiply(t, one_minus_rho, t)
    multiply(accum_update, rho, accum_update)
    add(accum_update, t, accum_update)
    multiply(u, lr, u)
    subtract(var, u, var)


def adam(scratch, var, m, v, grad, alpha, beta1, beta2, one_minus_beta1, one_minus_beta2, epsilon,
         use_nesterov):
    """m, v: running means of grad and grad^2; var -= alpha m / (sqrt(v) + epsilon)

    alpha = lr sqrt(1 - beta2^t) / (1 - beta1^t)   (Kingma & Ba 2014, end of section 2)
    """
    # Each step uses two arrays, not three: they fit in the cache, which is twice as fast.
    multiply(m, beta1, m)
    t = multiply(grad, one_minus_beta1, scratch[0])
    add(m, t, m)
    multiply(v, beta2, v)
    square(grad, t)
    multiply(t, one_minus_beta2, t)
    add(v, t, v)
    sqrt(v, t)
    add(t, epsilon, t)
    if use_nesterov:
        ahead = multiply(m, beta1, scratch[1])
        u = multiply(grad, one_minus_beta1, scratch[2])
        add(ahead, u, ahead)
        divide(ahead, t, t)
    else:
        divide(m, t, t)
    multiply(t, alpha, t)
    subtract(var, t, var)


def rms_prop(scratch, var, ms, mom, grad, lr, one_minus_rho, momentum, epsilon):
    """ms += (1-rho) (grad^2 - ms); mom = momentum mom + lr grad / sqrt(ms + epsilon); var -= mom"""
    t = _towards_square(scratch[0], ms, grad, one_minus_rho)
    add(ms, epsilon, t)
    _rms_step(t, var, mom, grad, lr, momentum)


def centered_rms_prop(scratch, var, mg, ms, mom, grad, lr, one_minus_rho, momentum, epsilon):
    """As rms_prop, with ms - mg^2 for ms, where mg averages the gradient   (Graves 2013)"""
    t = _towards_square(scratch[0], ms, grad, one_minus_rho)
    subtract(grad, mg, t)
    multiply(t, one_minus_rho, t)
    add(mg, t, mg)
    square(mg, t)
    subtract(ms, t, t)
    add(t, epsilon, t)
    _rms_step(t, var, mom, grad, lr, momentum)


def _towards_square(t, ms, grad, one_minus_rho):
    t = square(grad, t)
    subtract(t, ms, t)
    multiply(t, one_minus_rho, t)
    add(ms, t, ms)
    return t


def _rms_step(t, var, mom, grad, lr, momentum):
    sqrt(t, t)
    divide(grad, t, t)
    multiply(t, lr, t)
    multiply(mom, momentum, mom)
    add(mom, t, mom)
    subtract(var, mom, var)


def ftrl(scratch, var, accum, linear, grad, lr, l1, twice_l2, lr_power, twice_shrinkage):
    """FTRL-proximal   (McMahan et al. 2013, algorithm 1)

    new = accum + grad^2; linear += grad + 2 shrinkage var - (new^-p - accum^-p) / lr var;
    var = (l1 sign(linear) - linear) / (new^-p / lr + 2 l2) where |linear| > l1, else 0.
    """
    new = square(grad, scratch[0])
    add(accum, new, new)
    before, after = _root(accum, lr_power, scratch[1]), _root(new, lr_power, scratch[2])
    subtract(after, before, before)
    divide(before, lr, before)
    if twice_shrinkage is not None:
        subtract(before, twice_shrinkage, before)
    multiply(before, var, before)
    subtract(grad, before, before)
    add(linear, before, linear)
    accum[...] = new
    divide(after, lr, after)
    add(after, twice_l2, after)
    # sign(x) l1 - x is 0 where it would overshoot: minus x shrunk by l1.
    shrunk = _shrink((new, before, None), linear, l1)
    subtract(0, shrunk, shrunk)             # 0 stays 0, not -0
    divide(shrunk, after, var)


def _root(x, lr_power, out):
    """x ^ -lr_power; nearly always the square root."""
    return sqrt(x, out) if lr_power == -0.5 else power(x, -lr_power, out)


def proximal_gradient_descent(scratch, var, delta, alpha, shrinkage, l1, scale):
    """var = shrink(var - alpha delta, alpha l1) / (1 + alpha l2)   (Duchi & Singer 2009)

    shrinkage is alpha l1, scale 1 + alpha l2.
    """
    t = multiply(delta, alpha, scratch[0])
    subtract(var, t, t)
    if l1 > 0:
        _shrink((t, scratch[1], None), t, shrinkage)
    divide(t, scale, var)


def proximal_adagrad(scratch, var, accum, grad, lr, l1, l2):
    """As proximal_gradient_descent, with a rate for each element: lr / sqrt(accum)"""
    rate = square(grad, scratch[0])
    add(accum, rate, accum)
    sqrt(accum, rate)
    divide(lr, rate, rate)
    t = multiply(grad, rate, scratch[1])
    subtract(var, t, t)
    if l1 > 0:
        limit = multiply(rate, l1, scratch[2])
        sign = np.sign(t)
        np.absolute(t, t)
        subtract(t, limit, t)
        maximum(t, 0, out=t)
        multiply(t, sign, t)
    multiply(rate, l2, rate)
    add(rate, 1, out=rate)
    divide(t, rate, var)


def ada_max(scratch, var, m, v, grad, alpha, beta1, beta2, one_minus_beta1, epsilon):
    """v = max(beta2 v, |grad|); var -= alpha m / (v + epsilon)   (Kingma & Ba 2014, section 7)"""
    t = multiply(grad, one_minus_beta1, scratch[0])
    multiply(m, beta1, m)
    add(m, t, m)
    np.absolute(grad, t)
    multiply(v, beta2, v)
    maximum(v, t, out=v)
    add(v, epsilon, t)
    divide(m, t, t)
    multiply(t, alpha, t)
    subtract(var, t, var)


def sign_steps(scratch, var, m, grad, lr, beta, one_minus_beta, factor):
    """m: running mean of grad; var -= lr factor(sign(grad) sign(m)) grad   (Bello et al. 2017)"""
    t = multiply(grad, one_minus_beta, scratch[0])
    multiply(m, beta, m)
    add(m, t, m)
    t = np.sign(grad, scratch[0])
    u = np.sign(m, scratch[1])
    t = factor(multiply(t, u, t))
    t = multiply(t, grad, t)
    multiply(t, lr, t)
    subtract(var, t, var)


def flush(scratch, x, _, limit):
    """x = 0 where |x| < limit"""
    large = np.absolute(x, scratch[0]) >= limit
    multiply(x, large, x)
