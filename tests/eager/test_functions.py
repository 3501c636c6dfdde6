"""tf.function: lambdas, arguments of many sizes, gradients of one's own, values in a model's call.
"""
from __future__ import annotations

import numpy as np
import pytest

import keras_layer as keras
import tinyflow as tf
from tinyflow.api.v2.replaced.functions import function as function_of_v2


def absolute(x):
    if x > 0:
        return x
    return -x


# ---- lambdas -------------------------------------------------------------------------------------

def test_a_lambda_is_converted():
    both = [tf.function(lambda x: x if x > 0 else -x), tf.function(lambda x: x * 3 if x > 0 else x)]
    assert [[int(f(tf.constant(v))) for v in (2, -2)] for f in both] == [[2, 2], [6, -2]]


def test_a_lambda_over_several_lines_with_outer_names_and_defaults():
    limit = tf.constant(3.)
    f = tf.function(
        lambda x, more=2., *, factor=1.: (
            x if x > limit
            else limit) * factor + more)
    assert [float(f(tf.constant(v))) for v in (1., 9.)] == [5., 11.]
    assert float(f(tf.constant(9.), more=0., factor=2.)) == 18.


def test_what_a_lambda_calls_and_lambdas_inside_are_converted_without_a_warning(caplog):
    f = tf.function(lambda x: (lambda y: y if y > 0 else -y)(x) + absolute(x))
    assert float(f(tf.constant(-2.))) == 4.
    data = tf.data.Dataset.range(5).map(lambda x: x if x > 2 else x * 10)
    assert [int(v) for v in data] == [0, 10, 20, 3, 4]
    assert not caplog.records


def test_lambdas_in_lambdas_and_with_any_arguments():
    def absolute_later(x):
        return (lambda: (lambda: x if x > 0 else -x))()
    assert float(tf.function(absolute_later(tf.constant(-3.)))()) == 3.
    f = (lambda: tf.function(lambda *xs, **more: xs[0] if xs[0] > xs[1] else more['z']))()
    assert float(f(tf.constant(1.), tf.constant(2.), z=tf.constant(9.))) == 9.


def test_the_source_of_a_lambda():
    assert 'if_exp(v > 0' in tf.autograph.to_code(lambda v: v if v > 0 else -v)


# ---- sizes ---------------------------------------------------------------------------------------

def shapes_of_traces(make, calls):
    seen = []

    def f(x, scale):
        seen.append((x.shape.as_list(), scale))
        return tf.reduce_sum(x) * scale
    f = make(f)
    for size, scale in calls:
        assert float(f(tf.ones([size, 2]), scale)) == 2. * size * scale
    assert f.experimental_get_tracing_count() == len(seen)
    return seen


def test_relaxed_shapes():
    calls = [(1, 1.), (2, 1.), (3, 1.), (4, 1.), (3, 1.)]
    assert shapes_of_traces(tf.function(experimental_relax_shapes=True), calls) == [
        ([1, 2], 1.), ([2, 2], 1.), ([None, 2], 1.)]
    assert shapes_of_traces(function_of_v2(reduce_retracing=True), calls) == [
        ([1, 2], 1.), ([None, 2], 1.)]
    assert len(shapes_of_traces(tf.function, calls)) == 4


def test_relaxed_shapes_are_of_one_rank_and_of_the_same_python_values():
    f = function_of_v2(reduce_retracing=True)
    assert shapes_of_traces(f, [(1, 1.), (2, 2.), (2, 1.), (5, 2.), (7, 2.)]) == [
        ([1, 2], 1.), ([2, 2], 2.), ([None, 2], 1.), ([None, 2], 2.)]
    traced = []
    g = f(lambda x: traced.append(x.shape.as_list()) or tf.reduce_sum(x))
    for shape in ([2], [2, 2], [3], [3, 3], [4], [3, 4]):
        assert int(g(tf.ones(shape, tf.int32))) == np.prod(shape)
    assert traced == [[2], [2, 2], [None], [None, None]]


def test_calls_with_tensors_alone_find_their_graphs():
    default, traced = tf.constant(10.), []

    @tf.function
    def f(x, more=default):
        traced.append(x.shape.as_list())
        return tf.reduce_sum(x) + more
    for _ in range(2):
        assert float(f(tf.ones([2]))) == 12. and float(f(tf.ones([3]))) == 13.
        assert float(f(tf.ones([2]), tf.constant(1.))) == 3.
    assert traced == [[2], [3]]


# ---- gradients of one's own ----------------------------------------------------------------------

def with_variable(v):
    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return 3. * dy, [5. * dy for _ in variables]
        return x * v, grad
    return f


def test_a_variable_in_a_custom_gradient_in_a_function():
    v, x = tf.Variable([1., 2.]), tf.constant([2., 3.])
    f = with_variable(v)

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, [x, v])
    outside = tf.function(f)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = outside(x)
    for found in (inside(x), tape.gradient(y, [x, v])):
        assert [g.numpy().tolist() for g in found] == [[3., 3.], [5., 5.]]


@pytest.mark.parametrize('resource', [False, True])
def test_a_variable_in_a_custom_gradient_in_a_graph(resource):
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable('v', initializer=[1., 2.], use_resource=resource)
        x = tf.constant([2., 3.])
        y = with_variable(v)(x)
        session.run(v.initializer)
        assert [g.tolist() for g in session.run([y, *tf.gradients(y, [x, v])])] == [
            [2., 6.], [3., 3.], [5., 5.]]


def test_mistakes_with_variables_in_custom_gradients():
    with tf.Graph().as_default():
        v, x = tf.get_variable('v', initializer=1.), tf.constant(2.)
        with pytest.raises(TypeError, match="accept a keyword argument 'variables'"):
            tf.custom_gradient(lambda x: (x * v, lambda dy: dy))(x)
        y = tf.custom_gradient(lambda x: (x * v, lambda dy, variables: (dy, [])))(x)
        with pytest.raises(ValueError, match='Must return gradient for each variable'):
            tf.gradients(y, x)
        with pytest.raises(TypeError, match='must be `ResourceVariable`s'):
            tf.custom_gradient(lambda x: (x * tf.get_variable('w', initializer=1.), None))(x)


def test_the_variables_behind_a_gradient_that_passes_through_have_none():
    with tf.Graph().as_default():
        v, x = tf.get_variable('v', initializer=1.), tf.constant(2.)
        y = tf.grad_pass_through(lambda x: x * v)(x)
        assert [g is None for g in tf.gradients(y, [x, v])] == [False, True]


# ---- values in a model's call --------------------------------------------------------------------

class UsesValues(keras.Model):
    def __init__(self):
        super().__init__()
        self.out = keras.layers.Dense(1, kernel_initializer='ones')
        self.seen = set()

    def call(self, x, training=None):
        self.seen.add((x.numpy().shape[1:], training))
        return self.out(x * 2. if float(tf.reduce_sum(x)) > 3. else x)


def test_a_model_whose_call_needs_values_runs_eagerly():
    model, x, y = UsesValues(), np.ones([4, 2], np.float32), np.ones([4, 1], np.float32)
    model.compile('sgd', 'mse', run_eagerly=True)
    assert model.fit(x, y, batch_size=2, verbose=0, shuffle=False).history['loss'][0] > 4.
    assert model.predict(x).shape == (4, 1)
    assert model.seen == {((2,), True), ((2,), False)}


def test_what_fails_in_such_a_call_is_raised():
    class Wrong(UsesValues):
        def call(self, x, training=None):
            return self.out(x.numpy().nothing)
    model = Wrong()
    model.compile('sgd', 'mse', run_eagerly=True)
    with pytest.raises(AttributeError, match='nothing'):
        model.fit(np.ones([4, 2]), np.ones([4, 1]), verbose=0)


# ---- checkpoints ---------------------------------------------------------------------------------

def test_a_checkpoint_of_another_shape(tmp_path):
    path = tf.train.Checkpoint(v=tf.Variable([1., 2.])).save(str(tmp_path / 'c'))
    with pytest.raises(ValueError, match=r"'v/.*float32 \[2\].*float32 \[3\]"):
        tf.train.Checkpoint(v=tf.Variable([1., 2., 3.])).restore(path)


def test_sparse_and_ragged_arguments_share_a_graph():
    traced = []

    @tf.function
    def dense(sparse, ragged):
        traced.append(sparse)
        return tf.sparse.to_dense(sparse) * 2., ragged.to_tensor()

    for count in (1, 2):
        sparse = tf.SparseTensor([[0, i] for i in range(count)], [3.] * count, [1, 2])
        result = dense(sparse, tf.ragged.constant([[1] * count, [2]]))
        assert result[0].numpy().tolist() == [[6., 6. * (count - 1)]]
        assert result[1].numpy().tolist() == [[1], [2]] if count == 1 else [[1, 1], [2, 0]]
    assert len(traced) == 1 and isinstance(traced[0], tf.SparseTensor)
    names = dense.get_concrete_function(sparse, tf.ragged.constant([[1], [2]]))
    assert [type(a) for a in names.structured_input_signature[0]] == [tuple, tuple]


def test_the_order_of_keys_does_not_matter():
    first = tf.function(lambda both: both['a'] - both['b'])
    one, two = tf.constant(1.), tf.constant(2.)
    assert first({'a': one, 'b': two}).numpy() == first({'b': two, 'a': one}).numpy() == -1.
    assert first.experimental_get_tracing_count() == 1


def test_keywords_that_a_concrete_function_does_not_have():
    concrete = tf.function(lambda x: x + 1.).get_concrete_function(tf.TensorSpec([], tf.float32))
    with pytest.raises(TypeError, match=r"has no arguments \['y'\]"):
        concrete(tf.constant(1.), y=2.)
