"""What a beginner is told: each mistake with its class of error, and the parts of its message."""
from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.numpy_misuse import NUMPY_NAMES

pytestmark = pytest.mark.usefixtures('graph')


def told(kind, function):
    """The message of the error, of just this class, that function() raises."""
    with pytest.raises(kind) as caught:
        function()
    error = caught.value
    assert type(error) is kind
    assert isinstance(error, tf.errors.OpError) or error.worded_by_tinyflow
    text = str(error)
    assert len(text.split('\n')) <= 8, text
    return text


def has(text, *parts):
    for part in parts:
        assert part in text, f'{part!r} is not in:\n{text}'


def holder(dtype, shape, name):
    return tf.placeholder(dtype, shape, name=name)


def ints(name='n'):
    return holder(tf.int32, [2], name)


def floats(name='f'):
    return holder(tf.float32, [2], name)


def weights():
    return tf.Variable(tf.zeros([2, 2]), name='w')


def scores():
    """x, one-hot labels y, class numbers c, and logits made with the Variable w."""
    x, y = holder(tf.float32, [None, 2], 'x'), holder(tf.float32, [None, 2], 'y')
    return x, y, holder(tf.int64, [None], 'c'), tf.matmul(x, weights(), name='scores')


def minimize(loss, rate=0.1, **settings):
    return tf.train.GradientDescentOptimizer(rate).minimize(loss, **settings)


def run(fetch, feed):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetch, feed)


# ---- feeds -----------------------------------------------------------------------------------

LABELS = 'look like class numbers'
# shape of the placeholder, the value, what the mend says
FEEDS = [
    ([None, 10], [3, 1, 4], (LABELS, 'np.eye(10)[labels]', 'sparse_softmax_cross_entropy')),
    ([None, 10], np.arange(10), (LABELS, 'np.eye(10)[labels]')),
    ([None, 10], np.arange(20) % 10, (LABELS,)),
    ([None, 10], np.array([1., 2., 9.]), (LABELS,)),
    ([None, 10], np.array([[1], [2]]), (LABELS, 'np.eye(10)[np.ravel(labels)]')),
    ([None, 10], np.eye(10)[3], ('np.expand_dims(value, 0)',)),
    ([None, 10], [3, 10], ('must have shape [?, 10]',)),
    ([None, 10], [-1, 1], ('must have shape [?, 10]',)),
    ([None, 10], [0.5, 1.5], ('must have shape [?, 10]',)),
    ([None, 784], np.zeros([5, 28, 28]), ('np.reshape(value, (-1, 784)) keeps the 5 rows',)),
    ([None, 784], np.zeros([28, 28]), ('np.reshape(value, (-1, 784)), if all of it is one row',)),
    ([None, 784], np.zeros([784]), ('np.expand_dims(value, 0)', 'a batch of one')),
    ([None, 784], np.zeros([784 * 2]), ('np.reshape(value, (-1, 784))', '2 rows')),
    ([None, 28, 28, 1], np.zeros([5, 784]), ('np.reshape(value, (-1, 28, 28, 1)) keeps',)),
    ([None, 28, 28, 1], np.zeros([5, 28, 28]), ('np.expand_dims(value, 3)', 'channel')),
    ([None, 1], [0, 0, 0], ('np.expand_dims(value, 1)', 'a column')),
    ([None], [[1.], [2.]], ('np.reshape(value, (-1,)) keeps the 2 rows',)),
    ([None], [[0, 1], [1, 0]], ('np.argmax(value, 1)',)),
    ([None], 1.0, ('[value]',)),
    ([None, 3], np.full([3, 5], 0.5), ('np.transpose(value)',)),
    ([100, 3], np.full([50, 3], 0.5), ('[None, 3] takes any number of rows', '100')),
    ([], [1.], ('value[0] is the number',)),
    ([], [[1.]], ('value[0][0] is the number',)),
    ([], [1., 2.], ('feed one number', 'tf.placeholder(tf.float32, [None])')),
]


@pytest.mark.parametrize('shape, value, parts', FEEDS)
def test_a_feed_of_another_shape(shape, value, parts):
    x = holder(tf.float32, shape, 'x')
    text = told(ValueError, lambda: run(x * 1.0, {x: value}))
    has(text, "'x:0' float32", 'test_messages.py', *parts)
    if LABELS in parts:
        assert 'reshape' not in text and 'expand_dims' not in text
    assert 'value.' not in text.partition('Mend')[2]         # lists have no such methods


# ---- dtypes ----------------------------------------------------------------------------------

FLOAT_OF_N = 'tf.cast(n, tf.float32)'
DTYPES = [
    ('int tensor * 0.5', lambda: tf.constant([1, 2]) * 0.5, (
        "Input 'y' of 'Mul' Op has type float32 that does not match type int32 of argument 'x'",
        "x: 'Const:0' int32 [2]", 'tf.cast(x, tf.float32)')),
    ('0.5 * int tensor', lambda: 0.5 * tf.constant([1, 2]), (
        "Expected int32, got 0.5 of type 'float' instead.", 'tf.cast(y, tf.float32)')),
    ('int tensor / 0.5', lambda: tf.constant([1, 2]) / 0.5, (
        'x and y must have the same dtype, got tf.int32 != tf.float32', 'tf.cast(x, tf.float32)')),
    ('add', lambda: tf.add(ints(), 0.5), ("'y' of 'Add'", 'got 0.5', FLOAT_OF_N)),
    ('add, number first', lambda: tf.add(0.5, ints()), (FLOAT_OF_N,)),
    ('less', lambda: ints() < 0.5, ("'y' of 'Less'", FLOAT_OF_N)),
    ('pow', lambda: ints() ** 0.5, ("'y' of 'Pow'", FLOAT_OF_N)),
    ('int + float', lambda: ints() + floats(), (FLOAT_OF_N, "'n:0'", "'f:0'")),
    ('float + int', lambda: floats() + ints(), (FLOAT_OF_N, "'n:0'", "'f:0'")),
    ('matmul(x, w)', lambda: tf.matmul(holder(tf.int32, [1, 2], 'x'), weights()),
     ('tf.cast(x, tf.float32)',)),
    ('matmul(w, x)', lambda: tf.matmul(weights(), holder(tf.int32, [2, 1], 'x')),
     ('tf.cast(x, tf.float32)',)),
    ('add(n, w)', lambda: tf.add(ints(), weights()), (FLOAT_OF_N, "'y' of 'Add'")),
    ('an int Variable', lambda: tf.Variable(3, name='v') * floats(), ('tf.cast(v, tf.float32)',)),
    ('concat', lambda: tf.concat([ints(), floats()], 0), ("'values[0]'", FLOAT_OF_N)),
    ('stack', lambda: tf.stack([floats(), ints()]), ("'values[0]'", FLOAT_OF_N)),
    ('float64 data', lambda: tf.matmul(holder(tf.float64, [1, 2], 'x'), weights()),
     ('tf.cast(x, tf.float32)',)),
    ('bool', lambda: floats() + holder(tf.bool, [2], 'b'), ('tf.cast(b, tf.float32)',)),
    ('mean of bool', lambda: tf.reduce_mean(holder(tf.bool, [2], 'b')),
     ('tf.cast(b, tf.float32)',)),
    ('sqrt', lambda: tf.sqrt(ints()), (FLOAT_OF_N,)),
    ('argmax with one-hot', lambda: tf.equal(tf.argmax(scores()[3], 1), holder(
        tf.float32, [None, 2], 'rows')), ('tf.argmax(rows, 1)',)),
    ('one-hot with argmax', lambda: tf.equal(holder(tf.float32, [None, 2], 'rows'), tf.argmax(
        scores()[3], 1)), ('tf.argmax(rows, 1)',)),
    ('argmax with int32', lambda: tf.equal(tf.argmax(scores()[3], 1), holder(
        tf.int32, [None], 'rows')), ('tf.cast(rows, tf.int64)',)),
    ('text + float', lambda: holder(tf.string, [2], 's') + floats(), ('s is text', 'float(text)')),
    ('float + text', lambda: floats() + 'a', ('y is text', 'float(text)')),
    ('mean of text', lambda: tf.reduce_mean(holder(tf.string, [2], 's')), ('float(text)',)),
]


@pytest.mark.parametrize('row', DTYPES, ids=lambda row: row[0])
def test_dtypes_that_do_not_agree(row):
    """The side that holds less is the one to cast, whichever came first."""
    _, function, parts = row
    text = told(TypeError, function)
    has(text, 'test_messages.py:', *parts)
    mend = text.partition('Mend: ')[2]
    assert mend.count('tf.cast') <= 1 and '<' not in mend
    if 'float(text)' in parts:
        assert 'tf.cast' not in mend


# ---- losses ----------------------------------------------------------------------------------

def exchanged_softmax():
    _, y, _, logits = scores()
    minimize(tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=logits, logits=y)))


def exchanged_sparse():
    _, _, classes, logits = scores()
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=logits, logits=classes)


def accuracy():
    _, y, _, logits = scores()
    right = tf.equal(tf.argmax(logits, 1), tf.argmax(y, 1))
    minimize(tf.reduce_mean(tf.cast(right, tf.float32)))


def in_top_k():
    _, _, classes, logits = scores()
    minimize(tf.reduce_mean(tf.cast(tf.nn.in_top_k(logits, classes, 1), tf.float32)))


@pytest.mark.parametrize('function, parts', [
    (exchanged_softmax, ("logits='y:0'", 'labels get no gradient')),
    (exchanged_sparse, ("logits='c:0'", 'Rank of labels (received 2)', 'Mend: labels= takes'))])
def test_exchanged_labels_and_logits(function, parts):
    has(told(ValueError, function), 'labels and logits look exchanged', "labels='scores:0'",
        'test_messages.py:', *parts)


def test_labels_with_variables_on_both_sides_are_not_called_exchanged():
    _, _, _, logits = scores()
    loss = tf.nn.softmax_cross_entropy_with_logits(labels=logits, logits=tf.stop_gradient(logits))
    text = told(ValueError, lambda: minimize(loss))
    assert 'look exchanged' not in text and 'tf.stop_gradient says' in text


@pytest.mark.parametrize('function', [accuracy, in_top_k])
def test_training_on_an_accuracy(function):
    text = told(ValueError, function)
    has(text, 'counts right answers', 'cross-entropy loss')
    assert 'itself' not in text


SOFTMAX = ['softmax_cross_entropy_with_logits', 'softmax_cross_entropy_with_logits_v2',
           'sparse_softmax_cross_entropy_with_logits']


@pytest.mark.parametrize('name', SOFTMAX)
def test_rows_of_labels_and_logits(name):
    x, y, classes, logits = scores()
    labels = classes if 'sparse' in name else y
    loss = getattr(tf.nn, name)(labels=labels, logits=logits)
    rows = np.zeros(labels.shape.as_list()[1:], np.float32)
    text = told(tf.errors.InvalidArgumentError, lambda: run(
        loss, {x: np.zeros([5, 2]), labels: [rows] * 4}))
    has(text, "logits: 'scores:0' float32 [5, 2]", f"labels: '{labels.name}'",
        'feed as many rows of labels as of logits')
    assert text.count('getattr(tf.nn, name)') == 1


def test_a_line_is_shown_once():
    a, b = (holder(tf.float32, [size], 'x') for size in (2, 3))
    text = told(ValueError, lambda: a + b)
    assert text.count('return tf.placeholder') == 1 and text.count('test_messages.py:') == 3


# ---- arguments -------------------------------------------------------------------------------

def in_scope():
    with tf.name_scope('my layer'):
        pass


OLD_ORDER = 'TensorFlow before 1.0'


def matrix():
    return tf.Variable(tf.zeros([2, 3]), name='m')


ARGUMENTS = [
    ('concat(1, tensors)', ValueError, lambda: tf.concat(1, [floats(), floats()]),
     (OLD_ORDER, 'the axis is the second argument: tf.concat(values, axis)', "'f:0'")),
    ('split(0, 2, t)', TypeError, lambda: tf.split(0, 2, floats()),
     (OLD_ORDER, 'tf.split(value, num_or_size_splits, axis)', "'f:0'")),
    ('zeros of an unknown size', TypeError,
     lambda: tf.Variable(tf.zeros([scores()[0].shape[0], 2])), ('not known', 'tf.shape(x)[i]')),
    ('Variable of unknown shape', ValueError,
     lambda: tf.Variable(tf.zeros([tf.shape(scores()[0])[0], 2])), ('[?, 2]', 'validate_shape')),
    ('placeholder(shape, dtype)', TypeError, lambda: tf.placeholder([None, 3], tf.float32),
     ('the dtype comes first: tf.placeholder(tf.float32, [None, 3])',)),
    ('placeholder(shape)', TypeError, lambda: tf.placeholder([None, 3]), ('comes first',)),
    ('placeholder("flaot")', TypeError, lambda: tf.placeholder('flaot'), ('tf.float32',)),
    ('placeholder of -1', ValueError, lambda: tf.placeholder(tf.float32, [-1, 3]),
     ('Dimension -1', '[None, 3]')),
    ('placeholder(dtype, name)', TypeError, lambda: tf.placeholder(tf.float32, 'x'),
     ("name='x'",)),
    ('minimize(None)', AttributeError, lambda: minimize(None), ('forget its return',)),
    ('minimize(0.5)', AttributeError, lambda: minimize(0.5), ('loss = sess.run(loss)',)),
    ('minimize(array)', AttributeError, lambda: minimize(np.float32(0.5)),
     ('loss = sess.run(loss)',)),
    ('minimize([a, b])', AttributeError, lambda: minimize([floats(), floats()]), ('tf.add_n',)),
    ('global_step=0', AttributeError,
     lambda: minimize(tf.reduce_sum(weights()), global_step=0), ('get_or_create_global_step',)),
    ('rate as text', TypeError, lambda: minimize(tf.reduce_sum(weights()), '0.1'),
     ("learning_rate must be a number or a tensor, not the text '0.1'", "float('0.1')")),
    ('rate None', ValueError, lambda: minimize(tf.reduce_sum(weights()), None),
     ('learning_rate is None',)),
    ('int Variable', ValueError, lambda: minimize(tf.Variable(3) * 2),
     ('Invalid type tf.int32', 'tf.Variable(3.0)')),
    ('int Variable, cast', ValueError, lambda: minimize(tf.cast(tf.Variable(3), tf.float32)),
     ('int32', 'tf.Variable(3.0)')),
    ('loss + None', ValueError, lambda: tf.reduce_sum(floats()) + None,
     ('None values not supported', "x: 'Sum:0'", 'forgotten its return')),
    ('None + loss', ValueError, lambda: None + tf.reduce_sum(floats()),
     ('None values not supported', "y: 'Sum:0'")),
    ('clip(None)', ValueError, lambda: tf.clip_by_value(None, -1., 1.),
     ('None values not supported', 'forgotten its return', 'the loss does not depend on that '
      'Variable: `if g is not None`')),
    ('assign [3, 2]', ValueError, lambda: matrix().assign(tf.ones([3, 2])),
     ("'m:0'", 'tf.transpose(value) has the shape', 'tf.assign(..., validate_shape=False)')),
    ('assign [6]', ValueError, lambda: matrix().assign(tf.ones([1, 6])),
     ("'m:0'", 'tf.reshape(value, [2, 3]) has the shape', 'validate_shape=False')),
    ('assign [2]', ValueError, lambda: matrix().assign(tf.ones([2])),
     ('same rank', 'validate_shape=False')),
    ('assign_add [3, 2]', ValueError, lambda: matrix().assign_add(tf.ones([3, 2])),
     ('tf.transpose(value) has the shape of the Variable',)),
    ('dense(units=[10])', TypeError, lambda: tf.layers.dense(matrix(), units=[10]),
     ('units is an integer, not [10]', 'units=10, without brackets')),
    ('logits of images', ValueError, lambda: tf.losses.softmax_cross_entropy(
        tf.placeholder(tf.float32, [None, 10]), tf.placeholder(tf.float32, [None, 24, 24, 10])),
     ("'softmax_cross_entropy_loss': Shapes (?, 24, 24, 10) and (?, 10) are incompatible",
      'built at ', 'tf.layers.flatten')),
    ('Operation.eval()', AttributeError, lambda: tf.no_op().eval(),
     ("'Operation' object has no attribute 'eval'", 'sess.run(op), or op.run()')),
    ('w = w + 1; w.assign', AttributeError, lambda: (matrix() * 2. + 1.).assign(2.),
     ("'Tensor' object has no attribute 'assign'", "computed from the Variable 'm'",
      'keep the Variable under a name of its own')),
    ('add(loss, None)', ValueError, lambda: tf.add(floats(), None),
     ("Tried to convert 'y'", 'None values not supported', "'f:0'")),
]


@pytest.mark.parametrize('row', ARGUMENTS, ids=lambda row: row[0])
def test_arguments(row):
    _, kind, function, parts = row
    has(told(kind, function), 'Mend: ', 'test_messages.py:', *parts)


def test_a_name_with_a_space():
    has(told(ValueError, in_scope), "'my layer' is not a valid scope name", "Mend: 'my_layer'")


def test_the_traceback_shows_the_users_lines_only(tmp_path):
    program = tmp_path / 'program.py'
    program.write_text('import tinyflow as tf\nwith tf.name_scope("my layer"):\n    pass\n')
    root = os.path.dirname(os.path.dirname(tf.__file__))
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': root}, timeout=60)
    assert 'program.py' in done.stderr and 'contextlib' not in done.stderr
    assert len(done.stderr.strip().split('\n')) <= 6


CALLED = '''import tinyflow as tf
def parsed(x):
    return missing[x]
def read(path):
    return {call}
missing = {{}}
tf.data.Dataset.from_tensor_slices(['a.txt']).map(read)
'''


def lines_told(tmp_path, text, **more):
    program = tmp_path / 'program.py'
    program.write_text(text)
    root = os.path.dirname(os.path.dirname(tf.__file__))
    return subprocess.run([sys.executable, str(program)], capture_output=True, text=True,
                          env={**os.environ, 'PYTHONPATH': root, **more}, timeout=60).stderr


@pytest.mark.parametrize('call, kind', [('parsed(path)', 'KeyError'), ('open(path)', 'TypeError')])
def test_the_traceback_of_a_function_that_tinyflow_called(tmp_path, call, kind):
    text = CALLED.format(call=call)
    told_lines = lines_told(tmp_path, text)
    assert f'\n{kind}' in told_lines and 'in read' in told_lines and 'line 7' in told_lines
    assert f'{os.sep}tinyflow{os.sep}' not in told_lines
    assert f'{os.sep}tinyflow{os.sep}' in lines_told(tmp_path, text, TINYFLOW_FULL_TRACEBACK='1')


def test_an_error_inside_tinyflow_shows_all_frames(tmp_path):
    told_lines = lines_told(tmp_path, 'import tinyflow.errors\ntinyflow.errors.worded(None)\n')
    assert 'in worded' in told_lines and 'AttributeError' in told_lines


def test_an_error_of_a_library_that_tinyflow_called_shows_all_frames(tmp_path):
    text = ('import tinyflow as tf, tinyflow.nest, json\n'
            "tinyflow.nest.map_structure(json.loads, ['{'])\n")
    told_lines = lines_told(tmp_path, text)
    assert f'{os.sep}nest' in told_lines and 'JSONDecodeError' in told_lines


# ---- attributes ------------------------------------------------------------------------------

ATTRIBUTES = [
    ('numpy', lambda t: t.numpy(), 'sess.run({})'), ('T', lambda t: t.T, 'tf.transpose({})'),
    ('mean', lambda t: t.mean(), 'tf.reduce_mean({})'),
    ('reshape', lambda t: t.reshape(-1), 'tf.reshape({}, shape)'),
    ('astype', lambda t: t.astype('int32'), 'tf.cast({}, dtype)'),
]


@pytest.mark.parametrize('make', [floats, weights])
@pytest.mark.parametrize('name, use, mend', ATTRIBUTES)
def test_attributes_that_numpy_has(make, name, use, mend):
    value = make()
    text = told(AttributeError, lambda: use(value))
    has(text, f"{type(value).__name__!r} object has no attribute '{name}'", f"'{value.name}'",
        mend.format(value.op.name), 'test_messages.py:')


@pytest.mark.parametrize('make', [floats, weights])
def test_attributes_that_are_refused_are_not_there(make):
    value = make()
    for name in NUMPY_NAMES:
        assert not hasattr(value, name) and not hasattr(type(value), name)
        assert name not in dir(value)
    assert 'shape' in dir(value) and not hasattr(value, 'nonsense')


def test_what_a_variable_has_is_not_there_on_a_tensor():
    value = tf.add(weights(), 1.)
    for name in ('assign', 'assign_add', 'initializer', 'load', 'read_value'):
        text = told(AttributeError, lambda name=name: getattr(value, name))
        has(text, f"'Tensor' object has no attribute '{name}'", "the Variable '", 'Mend: ',
            'test_messages.py:')
        assert not hasattr(value, name) and not hasattr(tf.Tensor, name) and name not in dir(value)
        assert hasattr(weights(), name)
    has(told(AttributeError, lambda: floats().assign), 'is a node of the graph')
    assert not hasattr(value.op, 'eval') and 'eval' not in dir(value.op)
    has(told(AttributeError, lambda: value.op.eval), 'op.outputs[0].eval()')


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
def test_what_numbers_can(make, row):
    name, use, part = row
    value = make()
    kind = (tf.errors.OperatorNotAllowedInGraphError
            if name == '1 in v' and isinstance(value, tf.Tensor) else TypeError)
    has(told(kind, lambda: use(value)), part.format(value.op.name), f"'{value.name}'",
        'test_messages.py:')


def test_format_without_a_spec():
    value = floats()
    assert f'{value}' == str(value) and f'{weights()}'.startswith('<tf.Variable')
