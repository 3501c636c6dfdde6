"""variable_scope and get_variable: names as in TensorFlow 1.15, sharing, and its refusals."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def names(graph):
    return [op.name for op in graph.get_operations()]


def zeros(name, shape=(1,), **settings):
    return tf.get_variable(name, list(shape), initializer=tf.zeros_initializer(), **settings)


# ---- names, recorded from TensorFlow 1.15.5 --------------------------------------------------

def test_nodes_of_get_variable_with_the_default_initializer(graph):
    with tf.variable_scope('s', regularizer=lambda v: v * 2.0):
        tf.get_variable('w', [2, 3])
    assert [(op.name, op.type) for op in graph.get_operations()] == [
        ('s/w/Initializer/random_uniform/shape', 'Const'),
        ('s/w/Initializer/random_uniform/min', 'Const'),
        ('s/w/Initializer/random_uniform/max', 'Const'),
        ('s/w/Initializer/random_uniform/RandomUniform', 'RandomUniform'),
        ('s/w/Initializer/random_uniform/sub', 'Sub'),
        ('s/w/Initializer/random_uniform/mul', 'Mul'),
        ('s/w/Initializer/random_uniform', 'Add'), ('s/w', 'VariableV2'),
        ('s/w/Assign', 'Assign'), ('s/w/read', 'Identity'), ('s/w/Regularizer/mul/y', 'Const'),
        ('s/w/Regularizer/mul', 'Mul')]


@pytest.mark.parametrize('nothing', [{}, False])
def test_no_regularizer(nothing):
    tf.get_variable('v', [2], regularizer=nothing)
    assert not tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)


def test_an_initial_value_with_a_dtype_is_converted_once_more(graph):
    tf.get_variable('b', initializer=3, dtype=tf.int32)
    assert names(graph) == ['Const', 'b/initial_value', 'b', 'b/Assign', 'b/read']


def test_re_entering_a_scope(graph):
    scope = tf.variable_scope('a')
    with scope as first:
        tf.constant(1.0)
    with scope as second:
        tf.constant(1.0)
    assert (second.name, second.original_name_scope) == ('a', 'a/')
    with tf.variable_scope(first) as third:
        tf.constant(1.0)
        zeros('v')
    assert third.original_name_scope == 'a/'
    assert names(graph) == ['a/Const', 'a_1/Const', 'a_2/Const', 'a/v/Initializer/zeros', 'a/v',
                            'a/v/Assign', 'a/v/read']


def test_default_names_are_made_unique():
    seen = []
    with tf.variable_scope('a') as a:
        pass
    for _ in range(2):
        with tf.variable_scope(None, 'd') as scope:
            seen.append((scope.name, scope.original_name_scope))
    with tf.variable_scope(a), tf.variable_scope(None, 'd') as scope:
        seen.append((scope.name, scope.original_name_scope))
    assert seen == [('d', 'd/'), ('d_1', 'd_1/'), ('a/d', 'a_1/d/')]


def test_closing_a_scope_forgets_the_default_names_inside():
    for _ in range(2):
        with tf.variable_scope('outer'), tf.variable_scope(None, 'd') as scope:
            assert scope.name == 'outer/d'


def test_without_an_auxiliary_name_scope(graph):
    with tf.variable_scope('q', auxiliary_name_scope=False) as q:
        tf.constant(3)
        zeros('z')
    with tf.name_scope('n'), tf.variable_scope('q2', auxiliary_name_scope=False) as q2:
        tf.constant(3)
    assert (q.name, q.original_name_scope) == ('q', '')
    assert (q2.name, q2.original_name_scope) == ('q2', 'n/')
    assert names(graph) == ['Const', 'q/z/Initializer/zeros', 'q/z', 'q/z/Assign', 'q/z/read',
                            'n/Const']


def test_name_scopes_do_not_name_shared_variables():
    with tf.name_scope('n'), tf.variable_scope('v'):
        w = zeros('w')
        x = tf.Variable(1.0, name='x')
        node = w + 1.0
    assert (w.name, x.name, node.name) == ('v/w:0', 'n/v/x:0', 'n/v/add:0')


def test_an_empty_scope_name(graph):
    with tf.variable_scope('a'), tf.variable_scope('') as scope:
        tf.constant(2)
    assert (scope.name, scope.original_name_scope) == ('a/', '')
    assert names(graph) == ['a/Const']


# ---- sharing ---------------------------------------------------------------------------------

def test_reuse_gives_the_same_variable():
    with tf.variable_scope('s') as scope:
        w = zeros('w')
    with tf.variable_scope('s', reuse=True):
        assert zeros('w') is w
        with tf.variable_scope('inner') as inner:
            assert inner.reuse is True
    with tf.variable_scope(scope):
        with pytest.raises(ValueError, match='already exists'):
            zeros('w')
        scope_now = tf.get_variable_scope()
        scope_now.reuse_variables()
        assert zeros('w') is w
    with tf.variable_scope(scope, reuse=tf.AUTO_REUSE):
        assert zeros('w') is w
        assert zeros('other') is zeros('other')
    assert tf.get_variable_scope().reuse is False


def test_stores_belong_to_graphs():
    w = zeros('w')
    with tf.Graph().as_default():
        assert zeros('w') is not w


def test_shared_shape_and_dtype_must_agree():
    zeros('w')
    with tf.variable_scope('', reuse=True):
        with pytest.raises(ValueError, match=r'specified shape \(2,\) and found shape \(1,\)'):
            zeros('w', (2,))
        with pytest.raises(ValueError, match='specified dtype int32 and found dtype float32'):
            zeros('w', dtype=tf.int32)


def test_nothing_to_reuse():
    zeros('weights')
    with tf.variable_scope('', reuse=True):
        with pytest.raises(ValueError, match=r"(?s)weigths does not exist.*'weights'"):
            zeros('weigths')


# ---- names that are taken, by cause ---------------------------------------------------------

def test_clash_of_two_lines():
    zeros('w')
    with pytest.raises(ValueError, match='(?s)already exists, disallowed') as caught:
        zeros('w', (1,))
    text = str(caught.value)
    assert 'made at test_variable_scope.py' in text and 'same line' in text


def test_clash_of_a_line_in_a_function():
    def layer():
        return tf.get_variable('w', [1])

    layer()
    with pytest.raises(ValueError, match=r'(?s)same line made it before: layer\(\).*AUTO_REUSE'):
        layer()


def test_clash_of_a_cell_run_again():
    cell = "w = tf.get_variable('w', [1])"
    exec(compile(cell, '<cell>', 'exec'), {'tf': tf})
    with pytest.raises(ValueError, match='(?s)line made it before.*reset_default_graph') as caught:
        exec(compile(cell, '<cell>', 'exec'), {'tf': tf})
    assert 'AUTO_REUSE in VarScope' in str(caught.value).splitlines()[0]


def test_clash_of_different_lines_suggests_sharing():
    tf.get_variable('w', [1])
    with pytest.raises(ValueError) as caught:
        tf.get_variable('w', [1])
    assert 'same line' not in str(caught.value)
    assert 'requested again at test_variable_scope.py' in str(caught.value)
    assert 'to share it' in str(caught.value)


# ---- what a scope hands down -----------------------------------------------------------------

def test_defaults_are_inherited_and_overridden():
    def square(v):
        return v * v

    with tf.variable_scope('a', initializer=tf.ones_initializer(), regularizer=square,
                           dtype=tf.float64, constraint=abs) as a:
        with tf.variable_scope('b', initializer=tf.constant_initializer(7.0)):
            w = tf.get_variable('w', [2])
        u = tf.get_variable('u', [], dtype=tf.float32, regularizer=tf.no_regularizer)
    assert w.dtype.base_dtype is tf.float64 and w.constraint is abs
    assert a.regularizer is square and a.dtype is tf.float64
    losses = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert [t.name for t in losses] == ['a/b/w/Regularizer/mul:0']
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(w), [7.0, 7.0])
        assert session.run(u) == 1.0


def test_settings_of_a_scope_can_be_set():
    with tf.variable_scope('a') as scope:
        scope.set_initializer(tf.ones_initializer())
        scope.set_dtype(tf.float64)
        assert scope.initializer is not None
        assert tf.get_variable('w', [1]).dtype.base_dtype is tf.float64


def test_custom_getters_are_chained():
    calls = []

    def outer(getter, name, *args, **kwargs):
        calls.append(('outer', name))
        return getter(name, *args, **kwargs)

    def inner(getter, name, *args, **kwargs):
        calls.append(('inner', name))
        return getter(name + '_renamed', *args, **kwargs) * 2.0

    with tf.variable_scope('a', custom_getter=outer), \
            tf.variable_scope('b', custom_getter=inner):
        doubled = zeros('w')
    assert calls == [('inner', 'a/b/w'), ('outer', 'a/b/w_renamed')]
    assert isinstance(doubled, tf.Tensor)
    assert tf.global_variables()[0].name == 'a/b/w_renamed:0'


def test_collections_of_a_scope():
    zeros('w')
    with tf.variable_scope('a') as scope:
        w = zeros('w')
        frozen = zeros('frozen', trainable=False)
        counter = tf.get_local_variable('counter', [], initializer=tf.zeros_initializer())
    assert scope.global_variables() == [w, frozen]
    assert scope.trainable_variables() == [w]
    assert scope.local_variables() == [counter] == tf.local_variables()


def test_variable_op_scope():
    with tf.variable_op_scope([tf.constant(1.0)], None, 'd') as scope:
        assert scope.name == 'd'


# ---- refusals --------------------------------------------------------------------------------

def improper_nesting():
    outer, inner = tf.variable_scope('a'), tf.variable_scope('b')
    outer.__enter__()
    inner.__enter__()
    outer.__exit__(None, None, None)


@pytest.mark.parametrize('build, error, message', [
    (lambda: tf.get_variable('a', [2], initializer=[1.0, 2.0]), ValueError, 'do not specify'),
    (lambda: tf.get_variable('a'), ValueError, 'initializer passed'),
    (lambda: tf.get_variable('a', [None]), ValueError, 'initializer passed'),
    (lambda: tf.get_variable('a', [1], tf.complex64), ValueError, 'initializer for variable a'),
    (lambda: tf.get_variable('a', initializer=1.0, dtype=tf.int32), ValueError, "don't match"),
    (lambda: tf.get_variable('a', [1], custom_getter=3), ValueError, 'not callable'),
    (lambda: tf.variable_scope(None), TypeError, 'name_or_scope is required'),
    (lambda: tf.variable_scope(3), TypeError, 'must be a string or VariableScope'),
    (lambda: tf.variable_scope('a', reuse='yes'), ValueError, 'must be True or False or None'),
    (lambda: tf.variable_scope(None, 'a', reuse=True), ValueError, 'without a name_or_scope'),
    (lambda: tf.variable_scope('a', auxiliary_name_scope=3), TypeError, 'auxiliary_name_scope'),
    (improper_nesting, RuntimeError, 'Improper nesting'),
])
def test_refusals(build, error, message):
    with pytest.raises(error, match=message):
        build()
