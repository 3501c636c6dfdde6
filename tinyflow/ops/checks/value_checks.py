"""tf.assert_equal, assert_less, assert_positive and other assertions about values.

Each is an Operation that must be run or be a control dependency:

    with tf.control_dependencies([tf.assert_positive(x)]):
        y = tf.log(x)

Constants that violate an assertion raise the error while the graph is built.
"""
from __future__ import annotations

import numpy as np

from tinyflow.graph.constant_value import constant_value_as_tensorflow
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import InvalidArgumentError, report
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow import grouping
from tinyflow.ops.math import arithmetic, logic, reduction

__all__ = [
    'assert_equal', 'assert_greater', 'assert_greater_equal', 'assert_less', 'assert_less_equal',
    'assert_near', 'assert_negative', 'assert_non_negative', 'assert_non_positive',
    'assert_none_equal', 'assert_positive',
]


def _binary(sign, default_name, compare, numpy_compare, x, y, data, summarize, message, name):
    """The node that asserts compare(x, y) everywhere; `numpy_compare` is the same in NumPy."""
    with name_scope(name, default_name, [x, y, data]):
        x = convert_to_tensor(x, name='x')
        y = convert_to_tensor(y, name='y')
        if data is None:
            data = [f'Condition x {sign} y did not hold element-wise:',
                    f'x ({x.name}) = ', x, f'y ({y.name}) = ', y]
        if message is not None:
            data = [message, *data]
        condition = reduction.reduce_all(compare(x, y))
        left, right = constant_value_as_tensorflow(x), constant_value_as_tensorflow(y)
        if left is not None and right is not None and not np.all(numpy_compare(left, right)):
            raise _assertion_error(data, [('x', x), ('y', y)])
        return assertions.Assert(condition, data, summarize=summarize)


def _assertion_error(data, inputs):
    """The error for constants that violate the assertion, with the data and the user's line."""
    text = '\n'.join(str(_constant_or_item(item)) for item in data)
    return InvalidArgumentError(None, None, report(text.strip(), inputs=inputs,
                                                   site=user_site()))


def _constant_or_item(item):
    if not isinstance(item, Tensor):
        return item
    value = constant_value_as_tensorflow(item)
    return item if value is None else value


def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x == y everywhere. Shapes: x [*a], y [*b] (broadcast) -> no tensor."""
    with name_scope(name, 'assert_equal', [x, y, data]):
        if x is y:
            return grouping.no_op()
    return _binary('==', 'assert_equal', logic.equal, np.equal, x, y, data, summarize, message,
                   name)


def assert_none_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x != y everywhere. Shapes: x [*a], y [*b] (broadcast) -> no tensor."""
    return _binary('!=', 'assert_none_equal', logic.not_equal, np.not_equal, x, y, data, summarize,
                   message, name)


def assert_less(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x < y everywhere. Shapes: x [*a], y [*b] (broadcast) -> no tensor."""
    return _binary('<', 'assert_less', logic.less, np.less, x, y, data, summarize, message, name)


def assert_less_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x <= y everywhere. Shapes: x [*a], y [*b] (broadcast) -> no tensor."""
    return _binary('<=', 'assert_less_equal', logic.less_equal, np.less_equal, x, y, data,
                   summarize, message, name)


def assert_greater(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x > y everywhere. Shapes: x [*a], y [*b] (broadcast) -> no tensor."""
    return _binary('>', 'assert_greater', logic.greater, np.greater, x, y, data, summarize,
                   message, name)


def assert_greater_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Fails unless x >= y everywhere. Shapes: x [*a], y [*b] (broadcast) -> no tensor."""
    return _binary('>=', 'assert_greater_equal', logic.greater_equal, np.greater_equal, x, y, data,
                   summarize, message, name)


def _unary(sign, default_name, compare, x, data, summarize, message, name):
    """The node that asserts compare(x, zero) everywhere."""
    with name_scope(name, default_name, [x, data]):
        x = convert_to_tensor(x, name='x')
        if data is None:
            data = [message or '', f'Condition x {sign} 0 did not hold element-wise:',
                    f'x ({x.name}) = ', x]
        return compare(x, convert_to_tensor(0, x.dtype.base_dtype), data, summarize)


def assert_negative(x, data=None, summarize=None, message=None, name=None):
    """Fails unless x < 0 everywhere. Shapes: x [*a] -> no tensor."""
    return _unary('<', 'assert_negative', assert_less, x, data, summarize, message, name)


def assert_positive(x, data=None, summarize=None, message=None, name=None):
    """Fails unless x > 0 everywhere. Shapes: x [*a] -> no tensor."""
    return _unary('>', 'assert_positive', _swap_operands(assert_less), x, data, summarize,
                  message, name)


def assert_non_negative(x, data=None, summarize=None, message=None, name=None):
    """Fails unless x >= 0 everywhere. Shapes: x [*a] -> no tensor."""
    return _unary('>=', 'assert_non_negative', _swap_operands(assert_less_equal), x, data,
                  summarize, message, name)


def assert_non_positive(x, data=None, summarize=None, message=None, name=None):
    """Fails unless x <= 0 everywhere. Shapes: x [*a] -> no tensor."""
    with name_scope(name, 'assert_non_positive', [x, data]):
        x = convert_to_tensor(x, name='x')
        if data is None:
            # One string fewer than the other functions, as in TF1: it changes the nodes.
            data = [message or '',
                    f'Condition x <= 0 did not hold element-wise:x ({x.name}) = ', x]
        return assert_less_equal(x, convert_to_tensor(0, x.dtype.base_dtype), data, summarize)


def _swap_operands(compare):
    return lambda x, zero, data, summarize: compare(zero, x, data, summarize)


def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """Fails unless |x - y| < atol + rtol |y| everywhere; each tolerance is 10 eps by default.

    Shapes: x [*a], y [*b] (broadcast), rtol [], atol [] -> no tensor.
    """
    with name_scope(name, 'assert_near', [x, y, rtol, atol, data]):
        x = convert_to_tensor(x, name='x')
        dtype = x.dtype.base_dtype
        y = convert_to_tensor(y, dtype, 'y')
        tolerance = 10 * np.finfo(dtype.np).eps
        rtol = convert_to_tensor(tolerance if rtol is None else rtol, dtype, 'rtol')
        atol = convert_to_tensor(tolerance if atol is None else atol, dtype, 'atol')
        if data is None:
            data = [message or '',
                    f'x and y not equal to tolerance rtol = {rtol}, atol = {atol}',
                    f'x ({x.name}) = ', x, f'y ({y.name}) = ', y]
        allowed = atol + rtol * arithmetic.abs(y)
        condition = reduction.reduce_all(logic.less(arithmetic.abs(x - y), allowed))
        return assertions.Assert(condition, data, summarize=summarize)
