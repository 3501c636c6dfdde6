"""What errors of building, feeding and running say: PAINS.md section A, by id, and TF's classes."""
from __future__ import annotations

import inspect
import os
import re
import warnings

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import load_errors
from tests.golden.error_cases import ERRORS
from tinyflow.graph.support.missing import MissingNameError

RECORDED = load_errors()
HERE = os.path.basename(__file__)

# What TF refuses and tinyflow does, with the warning that says so.
FORGIVEN = {'while_loop_shape_changes': r'\[loop-shape\]'}


pytestmark = pytest.mark.usefixtures('graph')


def line():
    """The number of the line that calls this."""
    return inspect.currentframe().f_back.f_lineno


def at(number):
    """How a message names a line of this file."""
    return f'{HERE}:{number}'


def message(kind, function, *args, **kwargs):
    """The text of the error, which must be of exactly this kind and of at most 8 lines or so."""
    with pytest.raises(kind) as caught:
        function(*args, **kwargs)
    assert type(caught.value) is kind
    text = str(caught.value)
    assert len(text.splitlines()) <= 9, text
    return text


def has(text, *parts):
    for part in parts:
        assert part in text, f'{part!r} is not in:\n{text}'


# ---- A1 ------------------------------------------------------------------------------------

def test_a1_unfed_placeholder(session):
    """A1: the way from the fetch to the placeholder, and the placeholder's line."""
    x = tf.placeholder(tf.float32, [None, 3], name='pixels'); made = line()        # noqa: E702
    y = tf.reduce_sum(tf.exp(x, name='growth'), name='total')
    text = message(tf.errors.InvalidArgumentError, session.run, y)
    has(text, "must feed a value for placeholder tensor 'pixels'", 'float', '[?, 3]', at(made),
        "'total' -> 'growth' -> 'pixels'", 'feed_dict')


def test_a1_the_other_copy_was_fed(session):
    """A1: a cell that ran twice made two placeholders, and the older one is fed."""
    old = tf.placeholder(tf.float32, [], name='x'); old_line = line()              # noqa: E702
    new = tf.placeholder(tf.float32, [], name='x'); new_line = line()              # noqa: E702
    text = message(tf.errors.InvalidArgumentError, session.run, new * 2.0, {old: 1.0})
    has(text, "'x_1'", "you fed 'x:0'", at(old_line), at(new_line), 'reset_default_graph')


# ---- A2 ------------------------------------------------------------------------------------

def test_a2_all_uninitialised_variables_are_named(session):
    """A2: every Variable that the run needs, and none that it does not need."""
    ready = tf.Variable(1.0, name='ready')
    session.run(tf.global_variables_initializer())
    a = tf.Variable(1.0, name='a'); made = line()                                  # noqa: E702
    b = tf.Variable(1.0, name='b')
    tf.Variable(1.0, name='unneeded')
    text = message(tf.errors.FailedPreconditionError, session.run, a * b + ready)
    has(text, "'a'", "'b'", at(made), 'global_variables_initializer')
    assert 'ready' not in text and 'unneeded' not in text


@pytest.mark.parametrize('optimizer', [tf.train.AdamOptimizer, tf.train.RMSPropOptimizer])
def test_a2_slots_made_after_the_initializer_are_named_as_such(session, optimizer):
    """An optimizer's step assigns, too, but is no initializer."""
    w = tf.get_variable('w', [3])
    session.run(tf.global_variables_initializer())
    train = optimizer(0.1).minimize(tf.reduce_sum(w * w))
    late = tf.Variable(1.0, name='late')
    for fetch, name in ((train, 'w/'), (late, 'late')):
        with pytest.raises(tf.errors.FailedPreconditionError) as caught:
            session.run(fetch)
        made = re.search(r"made after the initializer 'init'.*?: (.*)", str(caught.value))
        assert made and name in made[1]


def test_a2_what_the_run_itself_initialises_is_not_named(session):
    """A2: a Variable that the run assigns to needs no value before."""
    a = tf.Variable(1.0, name='alpha')
    b = tf.Variable(1.0, name='beta')
    text = message(tf.errors.FailedPreconditionError, session.run, [b.initializer, a])
    has(text, 'alpha')
    assert 'beta' not in text


# ---- graphs that grow -----------------------------------------------------------------------

def test_a3_a_graph_that_grows_in_the_loop(session):
    """One warning, which names the line that keeps making nodes."""
    x = tf.placeholder(tf.float32, [])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        for _ in range(40):
            y = x + 1.0; made = line()                                             # noqa: E702
            session.run(y, {x: 1.0})
    texts = [str(w.message) for w in caught if '[graph-growth]' in str(w.message)]
    assert len(texts) == 1 and caught[0].category is tf.errors.TinyflowWarning
    has(texts[0], at(made), 'before the loop', 'finalize')


def test_a3_no_false_alarm(session):
    """A graph that is built, run, extended and run again is in order."""
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        x = tf.constant(1.0)
        session.run(x)
        a = x + 1.0
        session.run(a)
        b = x + 2.0
        for _ in range(30):
            session.run([a, b])


# ---- A4 ------------------------------------------------------------------------------------

def test_a4_shapes_that_do_not_fit_while_building():
    """A4: both operands by name, shape and line, before anything runs."""
    a = tf.ones([2, 3], name='left'); a_line = line()                              # noqa: E702
    b = tf.ones([4, 5], name='right'); b_line = line()                             # noqa: E702
    text = message(ValueError, tf.matmul, a, b)
    has(text, 'left', 'right', '[2, 3]', '[4, 5]', at(a_line), at(b_line), '3', '4')
    text = message(ValueError, tf.add, a, b)
    has(text, 'left', 'right', '[2, 3]', '[4, 5]', at(a_line), at(b_line))


def test_a4_shapes_that_do_not_fit_while_running(session):
    """A4: the shapes that the operands had in this run, and the node's line; never the data."""
    a = tf.placeholder(tf.float32, name='left')
    b = tf.placeholder(tf.float32, name='right')
    c = tf.matmul(a, b, name='product'); made = line()                             # noqa: E702
    fed = {a: np.full([2, 3], 77.25), b: np.full([4, 5], 88.25)}
    text = message(tf.errors.InvalidArgumentError, session.run, c, fed)
    has(text, "'product'", 'left', 'right', '[2, 3]', '[4, 5]', at(made))
    assert '77.25' not in text and '88.25' not in text
    d = tf.add(a, b, name='sum'); made = line()                                    # noqa: E702
    text = message(tf.errors.InvalidArgumentError, session.run, tf.exp(d), fed)
    has(text, "'sum'", '[2, 3]', '[4, 5]', at(made))


def test_a4_the_error_knows_its_operation(session):
    """A4: `error.op` and `error.message`, which TF1 programs look at."""
    x = tf.placeholder(tf.float32)
    y = tf.reshape(x, [7], name='seven')
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(y, {x: np.ones(3)})
    assert caught.value.op is y.op and 'seven' in caught.value.message
    assert caught.value.error_code == tf.errors.INVALID_ARGUMENT


# ---- A5 ------------------------------------------------------------------------------------

@pytest.mark.parametrize('given, mend', [
    ([5, 28, 28], 'np.reshape(value, (-1, 784))'), ([784], 'expand_dims(value, 0)'),
    ([784, 5], 'np.transpose(value)'), ([784 * 3], 'np.reshape(value, (-1, 784))'),
    ([5, 783], '[?, 784]')])
def test_a5_a_feed_of_another_shape(session, given, mend):
    """A5: both shapes, the placeholder's line, and the change that would make it fit."""
    x = tf.placeholder(tf.float32, [None, 784], name='images'); made = line()      # noqa: E702
    text = message(ValueError, session.run, x * 1.0, {x: np.zeros(given)})
    has(text, str(tuple(given)), '(?, 784)', "'images:0'", at(made), mend)


def test_a5_a_feed_of_labels_without_a_column(session):
    y = tf.placeholder(tf.float32, [None, 1], name='labels')
    text = message(ValueError, session.run, y * 1.0, {y: np.zeros(5)})
    has(text, 'expand_dims(value, 1)', '(5,)')


def test_a5_a_feed_of_another_kind(session):
    """A5: text where numbers are wanted, rows of different lengths, a tensor, too large an int."""
    x = tf.placeholder(tf.float32, name='numbers'); made = line()                  # noqa: E702
    has(message(ValueError, session.run, x, {x: 'three'}), 'numbers', at(made), 'float32')
    has(message(ValueError, session.run, x, {x: [[1.0], [1.0, 2.0]]}), 'same length', at(made))
    has(message(ValueError, session.run, x, {x: None}), 'None', at(made))
    has(message(TypeError, session.run, x, {x: tf.constant(1.0)}), 'cannot be a tf.Tensor',
        'sess.run', at(made))
    n = tf.placeholder(tf.int32, [], name='n')
    has(message(TypeError, session.run, n, {n: 2 ** 40}), 'int64')


# ---- A6 ------------------------------------------------------------------------------------

class Optimizer:
    def minimize(self):
        """As the real ones."""

    apply_gradients = compute_gradients = minimize


@pytest.mark.parametrize('fetch, parts', [
    (None, ['None', 'forgotten its return', 'tf.gradients']),
    (np.float32(0.25), ['overwritten', 'loss = sess.run(loss)']),
    (3.5, ['overwritten']),
    (Optimizer(), ['optimizer', 'minimize']),
    (len, ['function', 'call it'])], ids=['none', 'value', 'float', 'optimizer', 'function'])
def test_a6_a_fetch_that_is_no_node(session, fetch, parts):
    """A6: the likely cause, by what it was."""
    tf.constant(1.0)
    has(message(TypeError, session.run, [fetch]), 'Fetch argument', 'Mend:', *parts)


def test_a6_a_misspelt_name(session):
    tf.constant(1.0, name='accuracy')
    has(message(ValueError, session.run, 'acuracy:0'), 'acuracy:0', 'accuracy')


# ---- A7 ------------------------------------------------------------------------------------

def test_a7_tensors_of_two_graphs():
    """A7: both graphs and both lines."""
    a = tf.constant(1.0, name='a'); a_line = line()                                # noqa: E702
    other = tf.Graph(); born = line()                                              # noqa: E702
    with other.as_default():
        b = tf.constant(2.0, name='b'); b_line = line()                            # noqa: E702
        text = message(ValueError, tf.add, a, b)
    has(text, 'same graph', "'a:0'", "'b:0'", at(a_line), at(b_line), at(born),
        f'graph {a.graph.key}', f'graph {other.key}')


def test_a7_fetch_and_feed_of_another_graph(session):
    with tf.Graph().as_default() as other:
        a = tf.constant(1.0, name='stranger'); made = line()                       # noqa: E702
    tf.constant(2.0)
    text = message(ValueError, session.run, a)
    has(text, 'stranger', at(made), 'not an element of this graph', f'graph {other.key}')
    text = message(TypeError, session.run, tf.constant(1.0), {a: 1.0})
    has(text, 'feed_dict key', 'stranger', 'not an element of this graph')


# ---- A17 -----------------------------------------------------------------------------------

def test_a17_a_run_does_not_get_slower_as_the_graph_grows(session):
    """What one run executes depends on its fetches only."""
    x = tf.placeholder(tf.float32, [])
    y = x + 1.0
    program = session._compiler.entry((y,), (x,)).program
    for _ in range(2000):
        tf.constant(1.0)
    z = x + 2.0
    assert len(session._compiler.entry((z,), (x,)).program.instructions) == \
        len(program.instructions)


# ---- A24 -----------------------------------------------------------------------------------

def test_a24_a_finalized_graph(graph):
    """A24: which node, who finalized the graph and where, and what to do instead."""
    a = tf.constant(1.0)
    graph.finalize(); sealed = line()                                              # noqa: E702
    text = message(RuntimeError, tf.exp, a, name='late')
    has(text, 'finalized', "'late'", at(sealed), 'before')
    with tf.Session() as session:
        assert session.run(a) == 1.0


# ---- A25 -----------------------------------------------------------------------------------

def test_a25_float64_meets_float32():
    """A25: both sources with their lines, and the one cast that mends it."""
    a = tf.constant([1.0], name='single'); a_line = line()                         # noqa: E702
    b = tf.constant(np.array([1.0]), name='double'); b_line = line()               # noqa: E702
    text = message(TypeError, tf.add, a, b)
    has(text, 'float32', 'float64', 'single', 'double', at(a_line), at(b_line), 'tf.cast')
    text = message(TypeError, lambda: a + b)
    has(text, 'float32', 'float64', at(a_line), at(b_line), 'tf.cast')
    text = message(TypeError, tf.matmul, tf.ones([1, 1]), tf.ones([1, 1], tf.float64))
    has(text, 'float32', 'float64', 'tf.cast')


# ---- A28 -----------------------------------------------------------------------------------

def test_a28_looking_at_a_tensor():
    """A28: a tensor says what it is; it is no truth value, no list, no number."""
    x = tf.placeholder(tf.float32, [None, 2], name='x'); made = line()             # noqa: E702
    has(repr(x), "'x:0'", 'float32', '(?, 2)')
    has(str(x), 'x:0', 'float32')
    refused = tf.errors.OperatorNotAllowedInGraphError
    assert issubclass(refused, TypeError)
    has(message(refused, bool, x), "'x:0'", 'truth value', 'sess.run', 'tf.where', at(made))
    has(message(refused, bool, x > 1.0), 'truth value')
    has(message(refused, iter, x), 'iterated', 'x[i]', at(made))
    has(message(TypeError, len, x), 'len()', 'shape[0]', at(made))
    has(message(TypeError, float, x), 'not a number', 'sess.run')
    assert not isinstance(x, (list, tuple)) and x is not None


# ---- the classes that TF raises ------------------------------------------------------------

def provoke(name):
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        ERRORS[name](tf, np)


@pytest.mark.parametrize('name', [n for n in RECORDED if n not in FORGIVEN])
def test_same_class_as_tensorflow(name):
    """The class by name, so that `except` clauses of TF1 programs catch what they did."""
    with pytest.raises(Exception) as caught:                # noqa: B017, PT011 - compared below
        provoke(name)
    assert type(caught.value).__name__ == RECORDED[name], caught.value
    assert not isinstance(caught.value, MissingNameError), caught.value
    assert not re.search(r'0x[0-9a-f]{6}', str(caught.value)), 'an address helps nobody'


@pytest.mark.parametrize('name', FORGIVEN)
def test_mistakes_that_are_none_here(name):
    with pytest.warns(tf.errors.TinyflowWarning, match=FORGIVEN[name]):
        ERRORS[name](tf, np)


def test_every_recorded_mistake_is_known():
    assert set(RECORDED) == set(ERRORS)


def test_an_error_knows_its_nodes_definition(session):
    x = tf.placeholder(tf.float32, [None], name='x')
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(tf.reshape(x, [3], name='r'), {x: [1.0]})
    assert caught.value.op.name == caught.value.node_def.name == 'r'
    assert caught.value.node_def.op == 'Reshape'
    element = tf.data.Dataset.range(0).make_one_shot_iterator().get_next()
    with pytest.raises(tf.errors.OutOfRangeError) as caught:
        session.run(element)
    assert caught.value.node_def.op == 'IteratorGetNext'
    given = tf.NodeDef(name='n')
    assert tf.errors.NotFoundError(given, None, 'x').node_def is given
    assert tf.errors.NotFoundError(None, None, 'x').node_def is None
