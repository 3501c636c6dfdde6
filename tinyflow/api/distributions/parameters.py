"""What the classes of distributions share: checks of parameters, seeds, combinations."""
from __future__ import annotations

import hashlib

from tinyflow.api import math
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array import constants
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.array.where_v2 import where_v2
from tinyflow.ops.checks import value_checks
from tinyflow.ops.control_flow.grouping import with_dependencies


def positive(values, validate, *names):
    """Each value as a tensor of its name, checked to be positive when run if `validate`."""
    checks = [value_checks.assert_positive(v) for v in values] if validate else []
    with control_dependencies(checks):
        return [identity(v, name=n) for v, n in zip(values, names)]


def same_float_dtype(*tensors):
    """Raises ValueError unless the tensors have one dtype, of floats."""
    first = tensors[0]
    for tensor in tensors[1:]:
        if tensor.dtype is not first.dtype:
            raise misuse(ValueError(f'{tensor.name}, type={tensor.dtype!r}, must be of the same '
                                    f'type ({first.dtype!r}) as {first.name}.'))
    if not first.dtype.is_floating:
        raise misuse(ValueError(f'Expected floating point type, got {first.dtype!r}.'))


def checked(checks, x, validate):
    """x, after the checks that `checks()` makes if `validate`."""
    return with_dependencies(checks(), x) if validate else x


def new_seed(seed, salt):
    """Another seed, from one (or None) and a word."""
    if seed is None:
        return None
    digest = hashlib.md5((str(seed) + salt).encode(), usedforsecurity=False).hexdigest()
    return int(digest[:8], 16) & 0x7FFFFFFF


def logits_and_probs(logits, probs, multidimensional, validate, name):
    """(logits, probabilities) of which one is given; of one outcome or several along an axis."""
    if (probs is None) == (logits is None):
        raise misuse(ValueError('Must pass probs or logits, but not both.'))
    with name_scope(name, values=[logits, probs]):
        if probs is None:
            logits = convert_to_tensor(logits, name='logits')
            _check_floating(logits, 'logits')
            return logits, (math.softmax(logits, name='probs') if multidimensional
                            else math.sigmoid(logits, name='probs'))
        probs = convert_to_tensor(probs, name='probs')
        _check_floating(probs, 'probs')
        if validate:
            with name_scope('validate_probs'):
                one = constants.constant(1.0, probs.dtype)
                checks = [value_checks.assert_non_negative(probs)]
                if multidimensional:
                    checks.append(value_checks.assert_near(
                        math.reduce_sum(probs, -1), one,
                        message='probs does not sum to 1.'))
                else:
                    checks.append(value_checks.assert_less_equal(
                        probs, one, message='probs has components greater than 1.'))
                probs = with_dependencies(checks, probs)
        with name_scope('logits'):
            if multidimensional:
                return math.log(probs), probs
            return math.log(probs) - math.log1p(-1.0 * probs), probs


def _check_floating(x, what):
    if not x.dtype.is_floating:
        raise misuse(TypeError(f'{what} must having floating type.'))


def log_combinations(n, counts, name='log_combinations'):
    """log n! - sum of log counts!, the number of ways to draw such counts: [*a, k] -> [*a]."""
    with name_scope(name, values=[n, counts]):
        n = convert_to_tensor(n, name='n')
        counts = convert_to_tensor(counts, name='counts')
        return math.lgamma(n + 1.0) - math.reduce_sum(math.lgamma(counts + 1.0), [-1])


def check_counts(counts, validate):
    """Whole numbers that are not negative, checked when run if `validate`."""
    if not validate:
        return counts
    checks = [value_checks.assert_non_negative(counts,
                                               message='counts must be non-negative.')]
    if not counts.dtype.is_integer:
        checks.append(value_checks.assert_equal(counts, math.round(counts),
                                                message='counts cannot contain fractional '
                                                        'components.'))
    return with_dependencies(checks, counts)


def nan_unless(defined, value, shape, allow_nan, checks):
    """`value` where it is `defined`, NaN elsewhere; or, without NaN, `value` after checks."""
    if not allow_nan:
        return with_dependencies(checks(), value)
    nan = constants.fill(shape(), value.dtype.np.type(float('nan')), name='nan')
    return where_v2(defined() if callable(defined) else defined, value, nan)


__all__ = ['check_counts', 'checked', 'log_combinations', 'logits_and_probs', 'nan_unless',
           'new_seed', 'positive', 'same_float_dtype']
