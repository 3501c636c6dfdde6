"""optimize_loss: a training step from a loss, with clipping, noise, decay and summaries."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_collection
from tinyflow.graph.indexed_slices import IndexedSlices
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import identity_and_cast
from tinyflow.ops.checks import shape_checks
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.math import clip
from tinyflow.ops.random import random_functions
from tinyflow.ops.summary import summaries as summary
from tinyflow.ops.variables.initializers import constant_initializer
from tinyflow.ops.variables.variable_lists import trainable_variables
from tinyflow.ops.variables.variable_scope import get_variable, variable_scope
from tinyflow.train import (
    AdagradOptimizer,
    AdamOptimizer,
    FtrlOptimizer,
    GradientDescentOptimizer,
    MomentumOptimizer,
    RMSPropOptimizer,
    training_util,
)
from tinyflow.train.optimizers.optimizer import Optimizer

OPTIMIZER_CLS_NAMES = {
    'Adagrad': AdagradOptimizer,
    'Adam': AdamOptimizer,
    'Ftrl': FtrlOptimizer,
    'Momentum': lambda learning_rate: MomentumOptimizer(learning_rate, momentum=0.9),
    'RMSProp': RMSPropOptimizer,
    'SGD': GradientDescentOptimizer,
}
OPTIMIZER_SUMMARIES = ['learning_rate', 'loss', 'gradients', 'gradient_norm',
                       'global_gradient_norm']


def optimize_loss(loss, global_step, learning_rate, optimizer, gradient_noise_scale=None,
                  gradient_multipliers=None, clip_gradients=None, learning_rate_decay_fn=None,
                  update_ops=None, variables=None, name=None, summaries=None,
                  colocate_gradients_with_ops=False, increment_global_step=True):
    """The loss, as a tensor that is computed after a training step.

    `optimizer` is a name ('SGD', 'Adam', ...), a class, an object, or a function of the learning
    rate. `update_ops`, GraphKeys.UPDATE_OPS if not given, run before the step. `clip_gradients` is
    the largest global norm, or a function of (gradient, Variable) pairs.

    Shapes: loss [] -> []. ValueError for anything else.
    """
    loss = convert_to_tensor(loss)
    shape_checks.assert_scalar(loss)
    if global_step is None:
        global_step = training_util.get_global_step()
    else:
        training_util.assert_global_step(global_step)
    with variable_scope(name, 'OptimizeLoss', [loss, global_step]):
        if update_ops is None:
            update_ops = dict.fromkeys(get_collection(GraphKeys.UPDATE_OPS))
        if update_ops:
            loss = grouping.with_dependencies(list(update_ops), loss)
        rate = _rate(learning_rate)
        summaries = _chosen(summaries)
        if learning_rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise misuse(ValueError('global_step is required for learning_rate_decay_fn.'))
            rate = learning_rate_decay_fn(rate, global_step)
            if 'learning_rate' in summaries:
                summary.scalar('learning_rate', rate)
        optimizer = _optimizer(optimizer, rate, learning_rate)
        if variables is None:
            variables = trainable_variables()
        pairs = optimizer.compute_gradients(
            loss, variables, colocate_gradients_with_ops=colocate_gradients_with_ops)
        pairs = _changed(pairs, gradient_noise_scale, gradient_multipliers)
        pairs = _clipped(pairs, clip_gradients, summaries)
        _summarize(loss, pairs, summaries, clip_gradients is not None)
        step = optimizer.apply_gradients(
            pairs, global_step=global_step if increment_global_step else None, name='train')
        return grouping.with_dependencies([step], loss)


def _rate(learning_rate):
    """A tensor is returned unchanged, a number becomes the Variable `learning_rate`."""
    if learning_rate is None:
        return None
    if isinstance(learning_rate, Tensor) and learning_rate.shape.ndims == 0:
        return learning_rate
    if not isinstance(learning_rate, float):
        raise misuse(ValueError('Learning rate should be 0d Tensor or float. Got '
                                f'{learning_rate} of type {type(learning_rate)}'))
    if learning_rate < 0.0:
        raise misuse(ValueError(f'Invalid learning_rate {learning_rate}.'))
    return get_variable('learning_rate', [], trainable=False,
                        initializer=constant_initializer(learning_rate))


def _chosen(summaries):
    if summaries is None:
        return ['loss', 'learning_rate', 'global_gradient_norm']
    for each in summaries:
        if each not in OPTIMIZER_SUMMARIES:
            raise misuse(ValueError(f'Summaries should be one of '
                                    f'[{", ".join(OPTIMIZER_SUMMARIES)}], you provided {each}.'))
    return summaries


def _optimizer(optimizer, rate, learning_rate):
    """The optimizer object for a name, a class or a function."""
    if isinstance(optimizer, Optimizer):
        return optimizer
    is_class = isinstance(optimizer, type) and issubclass(optimizer, Optimizer)
    if isinstance(optimizer, str) or is_class:
        kind = 'string' if isinstance(optimizer, str) else 'class'
        if rate is None:
            raise misuse(ValueError('Learning rate is None, but should be specified if optimizer '
                                    f'is {kind} ({optimizer}).'))
        if isinstance(optimizer, str) and optimizer not in OPTIMIZER_CLS_NAMES:
            raise misuse(ValueError(f'Optimizer name should be one of '
                                    f'[{", ".join(OPTIMIZER_CLS_NAMES)}], you provided '
                                    f'{optimizer}.'))
        return (optimizer if is_class else OPTIMIZER_CLS_NAMES[optimizer])(learning_rate=rate)
    if not callable(optimizer):
        raise misuse(ValueError('Unrecognized optimizer: should be string, subclass of Optimizer, '
                                'instance of subclass of Optimizer or function with one argument. '
                                f'Got {optimizer}.'))
    made = optimizer() if learning_rate is None else optimizer(rate)
    if not isinstance(made, Optimizer):
        raise misuse(ValueError('Unrecognized optimizer: function should return subclass of '
                                f'Optimizer. Got {made}.'))
    return made


def _with_values(gradient, change):
    """`gradient` with its values changed; sparse ones stay sparse, None stays None."""
    if gradient is None:
        return None
    if isinstance(gradient, IndexedSlices):
        return IndexedSlices(change(gradient.values), gradient.indices, gradient.dense_shape)
    return change(gradient)


def _changed(pairs, noise_scale, multipliers):
    """Adds noise, and scales each gradient by the multiplier of its Variable or Variable's name."""
    if noise_scale is not None:
        pairs = [(None if g is None else g + random_functions.truncated_normal(
            g.dense_shape if isinstance(g, IndexedSlices) else g.shape) * noise_scale, v)
            for g, v in pairs]
    if multipliers is None:
        return pairs
    result = []
    for gradient, variable in pairs:
        factor = multipliers.get(variable, multipliers.get(variable.name))
        if factor is not None:
            gradient = _with_values(
                gradient, lambda g, f=factor: g * identity_and_cast.cast(f, g.dtype))
        result.append((gradient, variable))
    if not result:
        raise misuse(ValueError(
            'Empty list of (gradient, var) pairs encountered. This is most likely to be caused by '
            'an improper value of gradient_multipliers.'))
    return result


def _norm_of(pairs):
    return clip.global_norm([g for g, _ in pairs])


def _clipped(pairs, clip_gradients, summaries):
    if 'global_gradient_norm' in summaries or 'gradient_norm' in summaries:
        summary.scalar('global_norm/gradient_norm', _norm_of(pairs))
    if isinstance(clip_gradients, float):
        clipped, _ = clip.clip_by_global_norm([g for g, _ in pairs], clip_gradients)
        return list(zip(clipped, [v for _, v in pairs]))
    if callable(clip_gradients):
        return clip_gradients(pairs)
    if clip_gradients is not None:
        raise misuse(ValueError(f'Unknown type {type(clip_gradients)} for clip_gradients'))
    return pairs


def _summarize(loss, pairs, summaries, is_clipped):
    if 'loss' in summaries:
        summary.scalar('loss', loss)
    for gradient, variable in pairs:
        values = gradient.values if isinstance(gradient, IndexedSlices) else gradient
        if values is None:
            continue
        name = variable.name.replace(':', '_')
        if 'gradients' in summaries:
            summary.histogram(f'gradients/{name}', values)
        if 'gradient_norm' in summaries:
            summary.scalar(f'gradient_norm/{name}', clip.global_norm([values]))
    if is_clipped and ('global_gradient_norm' in summaries or 'gradient_norm' in summaries):
        summary.scalar('global_norm/clipped_gradient_norm', _norm_of(pairs))


__all__ = ['OPTIMIZER_CLS_NAMES', 'OPTIMIZER_SUMMARIES', 'optimize_loss']
