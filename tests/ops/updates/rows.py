"""The optimizers' update ops, against their formulas computed one number at a time."""
from math import copysign, exp, sqrt

import numpy as np

from tests.ops.rows import row
from tinyflow.graph.op import Op
from tinyflow.ops.updates import apply_ops as training, resource_apply_ops as resource_training  # noqa: F401 - declares the ops

VAR = np.linspace(-2.0, 2.5, 12).reshape(4, 3)
SLOTS = [np.linspace(0.1, 1.3, 12).reshape(4, 3), np.linspace(2.4, 1.8, 12).reshape(4, 3),
         np.linspace(2.5, 5.0, 12).reshape(4, 3)]
ROWS_WITH_GRADIENT = np.array([2, 0, 2])
SCALARS = {'alpha': 0.3, 'lr': 0.3, 'momentum': 0.7, 'rho': 0.8, 'epsilon': 1e-3, 'l1': 0.2,
           'l2': 0.4, 'l2_shrinkage': 0.15, 'lr_power': -0.5, 'beta1': 0.6, 'beta2': 0.8,
           'beta1_power': 0.36, 'beta2_power': 0.512, 'global_step': 3, 'beta': 0.7, 'logbase': 0.9,
           'sign_decay': 0.6}


def build(op_type, scalars, attrs):
    """build(tf, grad): the Variable after the update, then its slots."""
    definition = Op.registry[op_type]

    def made(tf, grad, indices=ROWS_WITH_GRADIENT):
        places, arguments = [], []
        for arg in definition.inputs:
            if arg.ref or arg.handle:
                start = [VAR, *SLOTS][len(places)]
                places.append(tf.Variable(start, dtype=grad.dtype.base_dtype,
                                          use_resource=arg.handle))
                arguments.append(places[-1])
            elif arg.name in ('grad', 'delta'):
                arguments.append(grad)
            elif arg.name == 'indices':
                arguments.append(indices)
            else:
                arguments.append(scalars[arg.name])
        out = definition.apply(*arguments, **attrs)
        with tf.control_dependencies([out]):
            if definition.outputs:
                return [tf.identity(out), *[slot.read_value() for slot in places[1:]]]
            return [place.read_value() for place in places]
    return made


def update_row(op_type, formula, name=None, attrs=None, **changed):
    """A row whose ref calls formula(settings, var, *slots, grad) -> the new (var, *slots)."""
    definition = Op.registry[op_type]
    scalars = {**SCALARS, **changed}
    attrs = attrs or {}
    sparse = any(a.name == 'indices' for a in definition.inputs)
    count = sum(a.ref or a.handle for a in definition.inputs)

    def ref(grad):
        arrays = [a.copy() for a in [VAR, *SLOTS][:count]]
        for i, line in enumerate(ROWS_WITH_GRADIENT if sparse else range(4)):
            for j in range(3):
                old = [a[line, j] for a in arrays]
                for array, new in zip(arrays, formula(scalars, *old, grad[i, j])):
                    array[line, j] = new
        return arrays

    make = build(op_type, scalars, attrs)

    def wrong_shape(tf):
        make(tf, tf.zeros([4, 2], tf.float64))

    def wrong_scalar(tf):
        build(op_type, {k: [v, v] for k, v in scalars.items()}, attrs)(
            tf, tf.zeros([3 if sparse else 4, 3], tf.float64))

    def wrong_shape_fed(tf):
        grad = tf.placeholder(tf.float64)
        return make(tf, grad)[0], {grad: np.zeros([1, 3])}

    def wrong_index(tf):
        return make(tf, tf.zeros([3, 3], tf.float64), [1, 4, 2])[0]

    return row(op_type, make, [(3, 3) if sparse else (4, 3)], ref=ref, grad=False, name=name,
               bad=[wrong_shape, wrong_scalar],
               run_bad=[wrong_shape_fed] + [wrong_index] * sparse)


def gradient_descent(s, var, grad):
    return (var - s['alpha'] * grad,)


def momentum(s, var, accum, grad):
    accum = s['momentum'] * accum + grad
    return var - s['lr'] * accum, accum


def nesterov(s, var, accum, grad):
    accum = s['momentum'] * accum + grad
    return var - s['lr'] * (grad + s['momentum'] * accum), accum


def adagrad(s, var, accum, grad):
    accum += grad * grad
    return var - s['lr'] * grad / sqrt(accum), accum


def adagrad_with_fixed_slots(s, var, accum, grad):
    return var - s['lr'] * grad / sqrt(accum), accum


def shrunk(x, limit):
    return copysign(max(abs(x) - limit, 0.0), x)


def adagrad_da(s, var, total, squares, grad):
    total, squares = total + grad, squares + grad * grad
    step = s['global_step']
    return (-s['lr'] * shrunk(total, s['l1'] * step)
            / (s['l2'] * step * s['lr'] + sqrt(squares)), total, squares)


def adadelta(s, var, accum, accum_update, grad):
    accum = s['rho'] * accum + (1 - s['rho']) * grad ** 2
    update = sqrt(accum_update + s['epsilon']) / sqrt(accum + s['epsilon']) * grad
    return (var - s['lr'] * update, accum,
            s['rho'] * accum_update + (1 - s['rho']) * update ** 2)


def adam(s, var, m, v, grad, ahead=False):
    m = s['beta1'] * m + (1 - s['beta1']) * grad
    v = s['beta2'] * v + (1 - s['beta2']) * grad ** 2
    rate = s['lr'] * sqrt(1 - s['beta2_power']) / (1 - s['beta1_power'])
    seen = s['beta1'] * m + (1 - s['beta1']) * grad if ahead else m
    return var - rate * seen / (sqrt(v) + s['epsilon']), m, v


def adam_nesterov(s, var, m, v, grad):
    return adam(s, var, m, v, grad, ahead=True)


def rms_prop(s, var, ms, mom, grad):
    ms = s['rho'] * ms + (1 - s['rho']) * grad ** 2
    mom = s['momentum'] * mom + s['lr'] * grad / sqrt(ms + s['epsilon'])
    return var - mom, ms, mom


def centered_rms_prop(s, var, mg, ms, mom, grad):
    ms = s['rho'] * ms + (1 - s['rho']) * grad ** 2
    mg = s['rho'] * mg + (1 - s['rho']) * grad
    mom = s['momentum'] * mom + s['lr'] * grad / sqrt(ms - mg ** 2 + s['epsilon'])
    return var - mom, mg, ms, mom


def ftrl(s, var, accum, linear, grad, shrinkage=0.0):
    power = -s['lr_power']
    new = accum + grad ** 2
    linear += grad + 2 * shrinkage * var - (new ** power - accum ** power) / s['lr'] * var
    if abs(linear) <= s['l1']:
        return 0.0, new, linear
    quadratic = new ** power / s['lr'] + 2 * s['l2']
    return (copysign(s['l1'], linear) - linear) / quadratic, new, linear


def ftrl_v2(s, var, accum, linear, grad):
    return ftrl(s, var, accum, linear, grad, s['l2_shrinkage'])


def proximal_gradient_descent(s, var, grad):
    rate = s['alpha']
    return (shrunk(var - rate * grad, rate * s['l1']) / (1 + rate * s['l2']),)


def proximal_adagrad(s, var, accum, grad):
    accum += grad ** 2
    rate = s['lr'] / sqrt(accum)
    return shrunk(var - rate * grad, rate * s['l1']) / (1 + rate * s['l2']), accum


def keras_momentum(s, var, accum, grad, ahead=False):
    accum = s['momentum'] * accum - s['lr'] * grad
    return var + (s['momentum'] * accum - s['lr'] * grad if ahead else accum), accum


def keras_nesterov(s, var, accum, grad):
    return keras_momentum(s, var, accum, grad, ahead=True)


def adagrad_v2(s, var, accum, grad):
    accum += grad * grad
    return var - s['lr'] * grad / (sqrt(accum) + s['epsilon']), accum


def adagrad_v2_with_fixed_slots(s, var, accum, grad):
    return var - s['lr'] * grad / (sqrt(accum) + s['epsilon']), accum


def amsgrad(s, var, m, v, vhat, grad):
    m = s['beta1'] * m + (1 - s['beta1']) * grad
    v = s['beta2'] * v + (1 - s['beta2']) * grad ** 2
    vhat = max(vhat, v)
    rate = s['lr'] * sqrt(1 - s['beta2_power']) / (1 - s['beta1_power'])
    return var - rate * m / (sqrt(vhat) + s['epsilon']), m, v, vhat


def ada_max(s, var, m, v, grad):
    m = s['beta1'] * m + (1 - s['beta1']) * grad
    v = max(s['beta2'] * v, abs(grad))
    return var - s['lr'] / (1 - s['beta1_power']) * m / (v + s['epsilon']), m, v


def _agreement(grad, m):
    return float(np.sign(grad) * np.sign(m))


def add_sign(s, var, m, grad):
    m = s['beta'] * m + (1 - s['beta']) * grad
    return var - s['lr'] * (s['alpha'] + s['sign_decay'] * _agreement(grad, m)) * grad, m


def power_sign(s, var, m, grad):
    m = s['beta'] * m + (1 - s['beta']) * grad
    return var - s['lr'] * exp(s['logbase'] * s['sign_decay'] * _agreement(grad, m)) * grad, m


def dense_and_sparse(op_type, formula, name=None, **settings):
    return [*kinds(op_type, formula, name, **settings),
            *kinds(f'Sparse{op_type}', formula, name, **settings)]


def kinds(op_type, formula, name=None, **settings):
    """Rows of an op on ref Variables, and of its counterpart on resource handles."""
    return [update_row(op_type, formula, name, **settings),
            update_row(f'Resource{op_type}', formula, name, **settings)]


ROWS = [
    *kinds('ApplyGradientDescent', gradient_descent),
    *dense_and_sparse('ApplyMomentum', momentum),
    *dense_and_sparse('ApplyMomentum', nesterov, 'nesterov', attrs={'use_nesterov': True}),
    *dense_and_sparse('ApplyAdagrad', adagrad),
    *dense_and_sparse('ApplyAdagrad', adagrad_with_fixed_slots, 'fixed_slots',
                      attrs={'update_slots': False}),
    *dense_and_sparse('ApplyAdagradDA', adagrad_da),
    *dense_and_sparse('ApplyAdagradDA', adagrad_da, 'without_l1', l1=0.0),
    *dense_and_sparse('ApplyAdadelta', adadelta),
    *kinds('ApplyAdam', adam),
    *kinds('ApplyAdam', adam_nesterov, 'nesterov', attrs={'use_nesterov': True}),
    *dense_and_sparse('ApplyRMSProp', rms_prop),
    *dense_and_sparse('ApplyCenteredRMSProp', centered_rms_prop),
    *dense_and_sparse('ApplyFtrl', ftrl),
    *dense_and_sparse('ApplyFtrl', ftrl, 'power', lr_power=-0.7),
    *dense_and_sparse('ApplyFtrl', ftrl, 'strong_l1', l1=3.0),
    *dense_and_sparse('ApplyFtrlV2', ftrl_v2),
    *dense_and_sparse('ApplyProximalGradientDescent', proximal_gradient_descent),
    *dense_and_sparse('ApplyProximalGradientDescent', proximal_gradient_descent, 'without_l1',
                      l1=0.0),
    *dense_and_sparse('ApplyProximalAdagrad', proximal_adagrad),
    *dense_and_sparse('ApplyProximalAdagrad', proximal_adagrad, 'without_l1', l1=0.0),
    *[update_row(f'Resource{op_type}', formula, name, attrs=attrs)
      for apply in ('ApplyKerasMomentum', 'SparseApplyKerasMomentum')
      for op_type, formula, name, attrs in (
          (apply, keras_momentum, None, None),
          (apply, keras_nesterov, 'nesterov', {'use_nesterov': True}))],
    *[update_row(f'Resource{op_type}', formula, name, attrs=attrs)
      for apply in ('ApplyAdagradV2', 'SparseApplyAdagradV2')
      for op_type, formula, name, attrs in (
          (apply, adagrad_v2, None, None),
          (apply, adagrad_v2_with_fixed_slots, 'fixed_slots', {'update_slots': False}))],
    update_row('ResourceApplyAdamWithAmsgrad', amsgrad),
    *kinds('ApplyAdaMax', ada_max),
    *kinds('ApplyAddSign', add_sign),
    *kinds('ApplyPowerSign', power_sign),
]
