"""Learning rate schedules: tensors computed from the global step.

While ops run at once they are functions without arguments, which optimizers call at every step.
"""
from __future__ import annotations

import functools
from math import pi

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.math import arithmetic, logic, unary
from tinyflow.ops.random import random_functions, tf1_node_count
from tinyflow.ops.variables.variable import Variable


def _followed(schedule):
    """The schedule, of the step at the time of each call while ops run at once."""
    @functools.wraps(schedule)
    def rate(*args, **kwargs):
        now = functools.partial(schedule, *args, **kwargs)
        return now if executing_eagerly() else now()
    return rate


@_followed
def exponential_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                      name=None):
    """learning_rate decay_rate ^ (global_step / decay_steps); the exponent floored if `staircase`.

    Shapes: all [] -> [].
    """
    with name_scope(name, 'ExponentialDecay',
                    [learning_rate, global_step, decay_steps, decay_rate]) as scope:
        rate, dtype = _initial(learning_rate)
        base, done = _decay_and_periods(decay_rate, global_step, decay_steps, staircase, dtype)
        return arithmetic.multiply(rate, arithmetic.pow(base, done), name=scope)


@_followed
def natural_exp_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                      name=None):
    """learning_rate exp(-decay_rate global_step / decay_steps); quotient floored if `staircase`.

    Shapes: all [] -> [].
    """
    base = unary.exp(arithmetic.negative(decay_rate))
    return exponential_decay.__wrapped__(learning_rate, global_step, decay_steps, base, staircase,
                                         name)


@_followed
def inverse_time_decay(learning_rate, global_step, decay_steps, decay_rate, staircase=False,
                       name=None):
    """learning_rate / (1 + decay_rate global_step / decay_steps); quotient floored if `staircase`.

    Shapes: all [] -> [].
    """
    with name_scope(name, 'InverseTimeDecay',
                    [learning_rate, global_step, decay_steps, decay_rate]) as scope:
        rate, dtype = _initial(learning_rate)
        weight, done = _decay_and_periods(decay_rate, global_step, decay_steps, staircase, dtype)
        one = constants.cast(constants.constant(1), dtype)
        divisor = arithmetic.add(one, arithmetic.multiply(weight, done))
        return arithmetic.divide(rate, divisor, name=scope)


def _decay_and_periods(decay_rate, global_step, decay_steps, staircase, dtype):
    """(decay_rate as `dtype`, global_step / decay_steps, floored if `staircase`)."""
    steps = constants.cast(decay_steps, dtype)
    decay_rate = constants.cast(decay_rate, dtype)
    done = constants.cast(global_step, dtype) / steps
    return decay_rate, arithmetic.floor(done) if staircase else done


@_followed
def piecewise_constant(x, boundaries, values, name=None):
    """values[i] where boundaries[i-1] < x <= boundaries[i].

    Shapes: x [], boundaries n times [], values n + 1 times [] -> [].

    Raises ValueError if there are not n + 1 values, or dtypes differ among values or between x and
    boundaries (int32 boundaries go with an int64 x).
    """
    if len(boundaries) != len(values) - 1:
        raise misuse(ValueError(
            'The length of boundaries should be 1 less than the length of values: got '
            f'{len(boundaries)} boundaries and {len(values)} values.'))
    boundaries = [convert_to_tensor(b) for b in boundaries]
    values = [convert_to_tensor(v) for v in values]
    with name_scope(name, 'PiecewiseConstant', [x, *boundaries, *values]):
        x = _converted_twice(x)
        boundaries = [_like_x(b, x) for b in boundaries]
        for value in values[1:]:
            if value.dtype.base_dtype is not values[0].dtype.base_dtype:
                raise misuse(ValueError(
                    'Values must have elements all with the same dtype '
                    f'({values[0].dtype.base_dtype!r} vs {value.dtype.base_dtype!r}).'))
        result = values[-1]
        for tensor in (x, *boundaries, *values):
            tf1_node_count.enter_here(tensor, tensor.op.graph)
        with tf1_node_count.counted_as(_nodes_of_exclusive_case(len(boundaries), x)):
            for boundary, value in zip(reversed(boundaries), reversed(values[:-1])):
                result = nodes.Select(logic.less_equal(x, boundary), value, result)
        return result


def _converted_twice(x):
    """x as a tensor; TF1 converts it a second time, to a read or a constant."""
    graph = get_default_graph()
    before = tf1_node_count.as_in_tensorflow_1(graph)
    x = convert_to_tensor(x)
    tf1_node_count.add(int(tf1_node_count.as_in_tensorflow_1(graph) > before))
    return x


def _nodes_of_exclusive_case(boundaries, x):
    """The number of nodes of TF1's tf.case with a predicate for each value, exclusive=True.

    A value goes through a Switch for each predicate before its own, hence the square.
    """
    helpers = 3 if x.raw_shape is None else 0           # of a sum over all axes
    return 25 + 11 * boundaries + boundaries ** 2 + helpers


def _like_x(boundary, x):
    have, wanted = boundary.dtype.base_dtype, x.dtype.base_dtype
    if have is wanted:
        return boundary
    if have is dtypes.int32 and wanted is dtypes.int64:
        return constants.cast(boundary, wanted)
    raise misuse(ValueError(f'Boundaries ({have!r}) must have the same dtype as x ({wanted!r}).\n'
                            '  Hint: integer boundaries for a global step.'))


@_followed
def polynomial_decay(learning_rate, global_step, decay_steps, end_learning_rate=0.0001, power=1.0,
                     cycle=False, name=None):
    """(learning_rate - end_learning_rate) (1 - step / decay_steps) ^ power + end_learning_rate.

    The step stops at decay_steps; with `cycle`, decay_steps is increased to a multiple of itself
    instead. TF1's graph is the same, but its optimizer (Grappler) replaces step / decay_steps by a
    product with 1 / decay_steps, whose rounding starts some cycles (decay_steps=7: step 21) a step
    early.

    Shapes: all [] -> [].
    """
    with name_scope(name, 'PolynomialDecay',
                    [learning_rate, global_step, decay_steps, end_learning_rate, power]) as scope:
        rate, dtype = _initial(learning_rate)
        end = constants.cast(end_learning_rate, dtype)
        power = constants.cast(power, dtype)
        step = constants.cast(global_step, dtype)
        steps = constants.cast(decay_steps, dtype)
        if cycle:
            first = logic.equal(step, 0)
            handles = int(hasattr(step, 'handle'))      # TF1 reads it again inside its tf.cond
            with name_scope('cond'), tf1_node_count.counted_as(10 + handles):
                times = nodes.Select(first, constants.constant(1.0, dtype),
                                     arithmetic.ceil(step / steps))
            steps = arithmetic.multiply(steps, times)
        else:
            step = arithmetic.minimum(step, decay_steps)
        done = arithmetic.divide(step, steps)
        return arithmetic.add(
            arithmetic.multiply(rate - end, arithmetic.pow(1 - done, power)), end, name=scope)


@_followed
def cosine_decay(learning_rate, global_step, decay_steps, alpha=0.0, name=None):
    """learning_rate ((1 - alpha) (1 + cos(pi step / decay_steps)) / 2 + alpha), up to decay_steps.

    Shapes: all [] -> []. Source: Loshchilov & Hutter 2016.
    """
    with name_scope(name, 'CosineDecay', [learning_rate, global_step]):
        rate, dtype = _initial(learning_rate)
        steps = constants.cast(decay_steps, dtype)
        step = arithmetic.minimum(constants.cast(global_step, dtype), steps)
        decayed = (1 - alpha) * _half_cosine(step / steps) + alpha
        return arithmetic.multiply(rate, decayed)


def _half_cosine(done):
    return 0.5 * (1.0 + unary.cos(constants.constant(pi) * done))


@_followed
def cosine_decay_restarts(learning_rate, global_step, first_decay_steps, t_mul=2.0, m_mul=1.0,
                          alpha=0.0, name=None):
    """cosine_decay with repeated warm restarts.

    The first period has first_decay_steps steps; each following one is t_mul times longer, and its
    initial rate m_mul times higher.

    Shapes: all [] -> []. Source: Loshchilov & Hutter 2016.
    """
    with name_scope(name, 'SGDRDecay', [learning_rate, global_step]) as scope:
        rate, dtype = _initial(learning_rate)
        first_steps = constants.cast(first_decay_steps, dtype)
        alpha = constants.cast(alpha, dtype)
        longer = constants.cast(t_mul, dtype)
        higher = constants.cast(m_mul, dtype)
        done = constants.cast(global_step, dtype) / first_steps
        equal_periods = logic.equal(longer, 1.0)
        with name_scope('cond'), tf1_node_count.counted_as(29):          # tf.cond in TF1
            if isinstance(t_mul, (Tensor, Variable)):
                restarts, within = [nodes.Select(equal_periods, a, b) for a, b in zip(
                    _in_equal_periods(done), _in_growing_periods(done, longer))]
            elif t_mul == 1.0:
                restarts, within = _in_equal_periods(done)
            else:
                restarts, within = _in_growing_periods(done, longer)
        height = higher ** restarts
        cosine = 0.5 * height * (1.0 + unary.cos(constants.constant(pi) * within))
        decayed = (1 - alpha) * cosine + alpha
        return arithmetic.multiply(rate, decayed, name=scope)


def _in_equal_periods(done):
    """(number of restarts, elapsed fraction of the period)."""
    restarts = arithmetic.floor(done)
    return restarts, done - restarts


def _in_growing_periods(done, longer):
    """The same, where period i has longer^i times the first one's steps: a geometric series."""
    restarts = arithmetic.floor(
        unary.log(1.0 - done * (1.0 - longer)) / unary.log(longer))
    before = (1.0 - longer ** restarts) / (1.0 - longer)
    return restarts, (done - before) / longer ** restarts


@_followed
def linear_cosine_decay(learning_rate, global_step, decay_steps, num_periods=0.5, alpha=0.0,
                        beta=0.001, name=None):
    """learning_rate ((alpha + 1 - t) (1 + cos(2 pi num_periods t)) / 2 + beta).

    t is step / decay_steps, up to 1.

    Shapes: all [] -> []. Source: Bello et al. 2017.
    """
    with name_scope(name, 'LinearCosineDecay', [learning_rate, global_step]) as scope:
        rate, dtype = _initial(learning_rate)
        steps = constants.cast(decay_steps, dtype)
        periods = constants.cast(num_periods, dtype)
        alpha = constants.cast(alpha, dtype)
        beta = constants.cast(beta, dtype)
        step = arithmetic.minimum(constants.cast(global_step, dtype), steps)
        left = (steps - step) / steps
        cosine = _half_cosine_of_periods(step, steps, periods)
        return arithmetic.multiply(rate, (alpha + left) * cosine + beta, name=scope)


@_followed
def noisy_linear_cosine_decay(learning_rate, global_step, decay_steps, initial_variance=1.0,
                              variance_decay=0.55, num_periods=0.5, alpha=0.0, beta=0.001,
                              name=None):
    """linear_cosine_decay with noise of variance initial_variance / (1 + step)^variance_decay.

    The noise is added to 1 - t.

    Shapes: all [] -> []. Source: Bello et al. 2017.
    """
    with name_scope(name, 'NoisyLinearCosineDecay', [learning_rate, global_step]) as scope:
        rate, dtype = _initial(learning_rate)
        steps = constants.cast(decay_steps, dtype)
        variance = constants.cast(initial_variance, dtype)
        variance_decay = constants.cast(variance_decay, dtype)
        periods = constants.cast(num_periods, dtype)
        alpha = constants.cast(alpha, dtype)
        beta = constants.cast(beta, dtype)
        step = arithmetic.minimum(constants.cast(global_step, dtype), steps)
        left = (steps - step) / steps
        deviation = arithmetic.sqrt(variance / arithmetic.pow(1.0 + step, variance_decay))
        noisy = left + random_functions.random_normal(left.shape, stddev=deviation)
        cosine = _half_cosine_of_periods(step, steps, periods)
        return arithmetic.multiply(rate, (alpha + noisy) * cosine + beta, name=scope)


def _half_cosine_of_periods(step, steps, periods):
    done = step / steps
    turns = 2.0 * periods * done
    return _half_cosine(turns)


def _initial(learning_rate):
    """(the initial rate, its dtype)."""
    rate = convert_to_tensor(learning_rate, name='initial_learning_rate')
    return rate, rate.dtype.base_dtype


piecewise_constant_decay = piecewise_constant

__all__ = [
    'cosine_decay', 'cosine_decay_restarts', 'exponential_decay', 'inverse_time_decay',
    'linear_cosine_decay', 'natural_exp_decay', 'noisy_linear_cosine_decay', 'piecewise_constant',
    'piecewise_constant_decay', 'polynomial_decay',
]
