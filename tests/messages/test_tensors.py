"""Messages about tensors used as if they were arrays, numbers or Variables."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tests.messages.support import at, check_message, expect, floats, line, message_of, weights
from tinyflow.graph.numpy_misuse import NUMPY_NAMES

pytestmark = pytest.mark.usefixtures('graph')


def test_a_tensor_is_not_a_truth_value_a_list_or_a_number():
    """A tensor says what it is; it is no truth value, no list, no number."""
    x = tf.placeholder(tf.float32, [None, 2], name='x'); made = line()             # noqa: E702
    expect(repr(x), "'x:0'", 'float32', '(?, 2)')
    expect(str(x), 'x:0', 'float32')
    refused = tf.errors.OperatorNotAllowedInGraphError
    assert issubclass(refused, TypeError)
    expect(message_of(refused, bool, x), "'x:0'", 'truth value', 'sess.run', 'tf.cond',
           'tf.where', at(made))
    expect(message_of(refused, bool, x > 1.0), 'truth value')
    expect(message_of(refused, iter, x), 'iterated', 'x[i]', 'tf.while_loop', at(made))
    expect(message_of(TypeError, len, x), 'len()', 'shape[0]', at(made))
    expect(message_of(TypeError, float, x), 'not a number', 'sess.run')
    expect(message_of(TypeError, range, tf.constant(3)), 'tf.range(x)', 'tf.while_loop')
    assert not isinstance(x, (list, tuple)) and x is not None


@pytest.mark.parametrize('kind', [
    tf.OpError, tf.errors.OperatorNotAllowedInGraphError, tf.errors.TinyflowWarning,
    tf.errors.NotFoundError])
def test_classes_of_errors_have_the_module_of_the_public_name(kind):
    assert kind.__module__ == 'tinyflow.errors'


ATTRIBUTES = [
    ('numpy', lambda t: t.numpy(), 'sess.run({})'), ('T', lambda t: t.T, 'tf.transpose({})'),
    ('mean', lambda t: t.mean(), 'tf.reduce_mean({})'),
    ('reshape', lambda t: t.reshape(-1), 'tf.reshape({}, shape)'),
    ('astype', lambda t: t.astype('int32'), 'tf.cast({}, dtype)'),
]


@pytest.mark.parametrize('make', [floats, weights])
@pytest.mark.parametrize('name, use, hint', ATTRIBUTES)
def test_attributes_that_numpy_has(make, name, use, hint):
    value = make()
    text = message_of(AttributeError, lambda: use(value))
    expect(text, f"{type(value).__name__!r} object has no attribute '{name}'", f"'{value.name}'",
           hint.format(value.op.name), 'test_tensors.py:')


@pytest.mark.parametrize('make', [floats, weights])
def test_refused_attributes_are_not_set(make):
    value = make()
    for name in NUMPY_NAMES:
        assert not hasattr(value, name) and not hasattr(type(value), name)
        assert name not in dir(value)
    assert 'shape' in dir(value) and not hasattr(value, 'nonsense')


def test_methods_of_variables_are_not_on_tensors():
    value = tf.add(weights(), 1.)
    for name in ('assign', 'assign_add', 'initializer', 'load', 'read_value'):
        text = message_of(AttributeError, lambda name=name: getattr(value, name))
        expect(text, f"'Tensor' object has no attribute '{name}'", "the Variable '", 'Hint: ',
               'test_tensors.py:')
        assert not hasattr(value, name) and not hasattr(tf.Tensor, name) and name not in dir(value)
        assert hasattr(weights(), name)
    check_message(AttributeError, lambda: floats().assign, 'is a node of the graph')
    assert not hasattr(value.op, 'eval') and 'eval' not in dir(value.op)
    check_message(AttributeError, lambda: value.op.eval, 'op.outputs[0].eval()')


def set_item(value):
    value[0] = 1.0


def delete_item(value):
    del value[0]


TRIED = [
    ('v[0] = 1.0', set_item, 'does not support item assignment'),
    ('del v[0]', delete_item, 'item deletion'), ('1 in v', lambda v: 1 in v, 'not iterable'),
    ('format', lambda v: f'{v:.2f}', 'format its value: value = sess.run({})'),
    ('round', lambda v: round(v, 2), 'round(sess.run({}), digits)'),
]


@pytest.mark.parametrize('make', [floats, weights])
@pytest.mark.parametrize('row', TRIED, ids=lambda row: row[0])
def test_operations_of_numbers_and_lists(make, row):
    name, use, part = row
    value = make()
    kind = (tf.errors.OperatorNotAllowedInGraphError
            if name == '1 in v' and isinstance(value, tf.Tensor) else TypeError)
    check_message(kind, lambda: use(value), part.format(value.op.name), f"'{value.name}'",
                  'test_tensors.py:')


def test_format_without_a_spec():
    value = floats()
    assert f'{value}' == str(value) and f'{weights()}'.startswith('<tf.Variable')
