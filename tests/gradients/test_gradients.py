"""gradients(): which nodes it visits, what it adds up, what it refuses; hessians; own gradients."""
from __future__ import annotations

import gc
import time

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api.testing import check_gradient, compute_gradient_error
from tinyflow.gradients.diagnose import why_no_gradient
from tinyflow.graph.elementwise import Unary
from tinyflow.graph.op import Op
from tinyflow.ops.math.unary import sin

pytestmark = pytest.mark.usefixtures('graph')


@pytest.fixture
def private_ops():
    """Ops declared inside the test are forgotten after it."""
    before = dict(Op.registry)
    yield
    Op.registry.clear()
    Op.registry.update(before)


@pytest.fixture
def private_rules():
    """Gradients registered inside the test are forgotten after it."""
    from tinyflow.gradients.registry import _registered
    before = dict(_registered)
    yield
    _registered.clear()
    _registered.update(before)


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run([v.initializer for v in tf.get_collection('variables')])
        return session.run(fetches, feed)


def types_under(graph, scope):
    return [op.type for op in graph.get_operations() if op.name.startswith(scope)]


# ---- names ---------------------------------------------------------------------------------

def test_names_are_those_of_tf(graph):
    x = tf.placeholder(tf.float32, [3], name='x')
    y = tf.square(x)
    g, = tf.gradients(y, x)
    names = [op.name for op in graph.get_operations() if op.name.startswith('gradients/')]
    assert names[:3] == ['gradients/Shape', 'gradients/grad_ys_0', 'gradients/Fill']
    assert all(n.startswith('gradients/Square_grad/') for n in names[3:])
    assert g.op.name.startswith('gradients/Square_grad/')
    again, = tf.gradients(y, x)
    assert again.op.name.startswith('gradients_1/Square_grad/')
    assert tf.gradients(y, x, name='mine')[0].op.name.startswith('mine/Square_grad/')


def test_shape_of_unknown_y_is_computed_at_run_time(graph):
    x = tf.placeholder(tf.float32, [None], name='x')
    g, = tf.gradients(tf.square(x), x)
    assert graph.get_operation_by_name('gradients/Shape').type == 'Shape'
    np.testing.assert_array_equal(run(g, {x: [1.0, 2.0]}), [2.0, 4.0])


def test_the_users_line_is_on_gradient_nodes():
    x = tf.placeholder(tf.float32, [3], name='x')
    g, = tf.gradients(tf.square(x), x)
    assert 'tf.gradients(tf.square(x), x)' in str(g.op.site)


# ---- values --------------------------------------------------------------------------------

def test_several_consumers_are_added_by_one_node(graph):
    x = tf.placeholder(tf.float64, [2], name='x')
    y = tf.square(x) + tf.exp(x) + x
    g, = tf.gradients(y, x)
    assert g.op.type == 'AddN' and len(g.op.inputs) == 3
    assert g.op.name == 'gradients/AddN'
    value = np.array([0.5, -1.0])
    np.testing.assert_allclose(run(g, {x: value}), 2 * value + np.exp(value) + 1)


def test_skip_connection_through_a_deep_branch():
    """Reverse topological order: the short branch must wait for the long one."""
    x = tf.placeholder(tf.float64, [], name='x')
    h = tf.square(x)
    deep = h
    for _ in range(5):
        deep = tf.sin(deep)
    check_gradient(h * deep + x, [x], {x: 0.7})


def test_several_ys_and_xs():
    a = tf.placeholder(tf.float64, [2], name='a')
    b = tf.placeholder(tf.float64, [2], name='b')
    c = a * b
    da, db, dc = tf.gradients([c, tf.square(c), a], [a, b, c])
    feed = {a: np.array([1.0, 2.0]), b: np.array([3.0, 5.0])}
    va, vb = feed[a], feed[b]
    got = run([da, db, dc], feed)
    np.testing.assert_allclose(got[2], 1 + 2 * va * vb)
    np.testing.assert_allclose(got[0], (1 + 2 * va * vb) * vb + 1)
    np.testing.assert_allclose(got[1], (1 + 2 * va * vb) * va)


def test_grad_ys_are_weights():
    x = tf.placeholder(tf.float64, [2], name='x')
    g, = tf.gradients([tf.square(x), x], x, grad_ys=[tf.constant([10.0, 100.0], tf.float64), None])
    np.testing.assert_allclose(run(g, {x: [1.0, 2.0]}), [21.0, 401.0])


def test_stop_gradients_makes_partial_derivatives():
    a = tf.placeholder(tf.float64, [], name='a')
    b = 2.0 * a
    total = tf.gradients(a + b, [a, b])
    partial = tf.gradients(a + b, [a, b], stop_gradients=[a, b])
    assert run([*total, *partial], {a: 1.0}) == [3.0, 1.0, 1.0, 1.0]


def test_unconnected_gives_none_or_zeros():
    x, other = tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [3])
    assert tf.gradients(tf.square(x), [other]) == [None]
    for choice in (tf.UnconnectedGradients.ZERO, 'zero'):
        g, = tf.gradients(tf.square(x), [other], unconnected_gradients=choice)
        np.testing.assert_array_equal(run(g, {other: [1.0, 2.0, 3.0]}), [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'foo'"):
        tf.gradients(x, x, unconnected_gradients='foo')


def test_gradient_of_a_tensor_by_itself_is_ones():
    x = tf.constant([1.0, 2.0])
    np.testing.assert_array_equal(run(tf.gradients(x, x)[0]), [1.0, 1.0])


def test_empty_lists():
    x = tf.constant([1.0, 2.0])
    assert tf.gradients(x, []) == []
    assert tf.gradients([], [x]) == [None]


def test_an_op_with_an_unused_output():
    x = tf.placeholder(tf.float64, [2, 3], name='x')
    first, _ = tf.unstack(x, axis=0)
    check_gradient(tf.square(first), [x], {x: np.arange(6.0).reshape(2, 3)})


def test_integers_carry_no_gradient():
    x = tf.placeholder(tf.float32, [3], name='x')
    through = tf.cast(tf.cast(x, tf.int32), tf.float32)
    i = tf.constant([1, 2])
    assert tf.gradients(through, x) == [None]
    assert tf.gradients(i * i, i) == [None]


def test_only_nodes_between_xs_and_ys_are_visited(graph):
    x = tf.placeholder(tf.float32, [], name='x')
    unrelated = tf.exp(tf.placeholder(tf.float32, [], name='p'))
    y = tf.square(x) * unrelated
    tf.log(y)
    tf.gradients(y, x)
    scopes = {op.name.split('/')[1] for op in graph.get_operations()
              if op.name.startswith('gradients/')}
    assert scopes == {'Shape', 'grad_ys_0', 'Fill', 'mul_grad', 'Square_grad'}


def test_gradient_inside_another_graph_than_the_default():
    graph = tf.get_default_graph()
    x = tf.placeholder(tf.float32, [], name='x')
    y = tf.square(x)
    with tf.Graph().as_default():
        g, = tf.gradients(y, x)
    assert g.graph is graph


# ---- Variables -----------------------------------------------------------------------------

def test_a_variable_represents_all_of_its_reads():
    v = tf.Variable(np.array([1.0, 2.0]), name='v')
    y = tf.square(v) + v.read_value() * 3.0
    g, = tf.gradients(y, v)
    np.testing.assert_allclose(run(g), [5.0, 7.0])
    assert tf.gradients(y, [v])[0] is not None


def test_gradient_of_the_variable_by_itself():
    v = tf.Variable([1.0, 2.0], name='v')
    np.testing.assert_array_equal(run(tf.gradients(v, v)[0]), [1.0, 1.0])


# ---- broadcasting --------------------------------------------------------------------------

BROADCASTS = [((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), ()), ((2, 3), (2, 1)), ((2, 3), (1, 3)),
              ((2, 1), (1, 3)), ((4, 2, 3), (1, 3)), ((4, 1, 3), (2, 1)), ((1,), (2, 3)),
              ((), ()), ((1, 1), (1,)), ((0, 3), (3,)), ((0, 3), (1, 3))]


@pytest.mark.parametrize('left, right', BROADCASTS)
@pytest.mark.parametrize('known', ['static', 'sizes unknown', 'rank unknown', 'left unknown'])
def test_broadcasting_is_undone(left, right, known):
    shapes = {'static': (left, right), 'sizes unknown': ((None,) * len(left), (None,) * len(right)),
              'rank unknown': (None, None), 'left unknown': (None, right)}[known]
    rng = np.random.default_rng(0)
    a = tf.placeholder(tf.float64, shapes[0], name='a')
    b = tf.placeholder(tf.float64, shapes[1], name='b')
    feed = {a: rng.normal(size=left), b: rng.normal(size=right)}
    for order in (a, b), (b, a):
        check_gradient(order[0] * order[1], [a, b], feed)
    da, db = run(tf.gradients(a + b, [a, b]), feed)
    assert da.shape == left and db.shape == right


def test_no_helper_nodes_where_nothing_was_broadcast(graph):
    a = tf.placeholder(tf.float32, [2, 3], name='a')
    b = tf.placeholder(tf.float32, [2, 3], name='b')
    tf.gradients(a * b + b, [a, b])
    helpers = {'Sum', 'Reshape', 'BroadcastGradientArgs'}
    assert not helpers & set(types_under(graph, 'gradients'))


def test_a_bias_on_a_batch_of_unknown_size_needs_one_sum(graph):
    x = tf.placeholder(tf.float32, [None, 3], name='x')
    b = tf.placeholder(tf.float32, [3], name='b')
    tf.gradients(tf.square(x + b), [x, b])
    types = types_under(graph, 'gradients')
    assert types.count('Sum') == 1 and 'BroadcastGradientArgs' not in types


def test_shapes_that_are_unknown_but_certainly_equal_need_nothing(graph):
    x = tf.placeholder(tf.float32, [None, None], name='x')
    h = tf.exp(x)
    y = h * tf.sin(h) * 2.0 + x
    for _ in range(3):
        y, = tf.gradients(y * x, x)
    assert 'BroadcastGradientArgs' not in types_under(graph, 'gradients')


def test_shapes_that_may_differ_are_left_to_the_run(graph):
    a = tf.placeholder(tf.float32, [None], name='a')
    b = tf.placeholder(tf.float32, [None], name='b')
    da, db = tf.gradients(a * b, [a, b])
    assert 'BroadcastGradientArgs' in types_under(graph, 'gradients')
    da, db = run([da, db], {a: [1.0, 2.0, 3.0], b: [10.0]})
    np.testing.assert_array_equal(da, [10.0, 10.0, 10.0])
    np.testing.assert_array_equal(db, [6.0])


# ---- IndexedSlices -------------------------------------------------------------------------

def table_and_rows():
    table = tf.Variable(np.arange(10.0).reshape(5, 2), name='table')
    return table, tf.gather(table, [1, 3, 1])


def test_gather_of_a_variable_keeps_its_rows():
    table, rows = table_and_rows()
    g, = tf.gradients(tf.square(rows), table)
    assert isinstance(g, tf.IndexedSlices)
    assert g.dtype is tf.float64 and g.graph is table.graph and 'IndexedSlices(' in str(g)
    values, indices = run([g.values, g.indices])
    np.testing.assert_array_equal(indices, [1, 3, 1])
    np.testing.assert_array_equal(values, [[4.0, 6.0], [12.0, 14.0], [4.0, 6.0]])
    dense = run(tf.convert_to_tensor(g))
    np.testing.assert_array_equal(dense, [[0, 0], [8, 12], [0, 0], [12, 14], [0, 0]])


def test_rows_of_two_gathers_are_chained():
    table, rows = table_and_rows()
    g, = tf.gradients([rows, tf.gather(table, [4])], table)
    assert isinstance(g, tf.IndexedSlices)
    assert run(g.indices).tolist() in ([1, 3, 1, 4], [4, 1, 3, 1])
    np.testing.assert_array_equal(run(tf.convert_to_tensor(g))[:, 0], [0, 2, 0, 1, 1])


def test_rows_and_a_dense_gradient_become_dense():
    table, rows = table_and_rows()
    g, = tf.gradients([rows, tf.square(table)], table)
    assert isinstance(g, tf.Tensor)
    want = 2 * np.arange(10.0).reshape(5, 2) + np.array([[0], [2], [0], [1], [0]])
    np.testing.assert_array_equal(run(g), want)


def test_rows_with_an_op_for_dense_tensors_only():
    x = tf.placeholder(tf.float64, [5, 2], name='x')
    check_gradient(tf.square(tf.gather(tf.exp(x), [1, 3, 1])), [x],
                   {x: np.linspace(-1, 1, 10).reshape(5, 2)})


def test_slices_without_dense_shape_cannot_become_dense():
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]))
    with pytest.raises(ValueError, match='without dense_shape'):
        tf.convert_to_tensor(slices)
    assert slices.dense_shape is None and slices.shape.as_list() == [None, 1]


def test_slices_have_one_dtype():
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([0]), tf.constant([3, 1]))
    with pytest.raises(ValueError, match='requested dtype float64'):
        tf.convert_to_tensor(slices, tf.float64)
    assert tf.convert_to_tensor(slices).shape.as_list() == [3, 1]


# ---- refusals ------------------------------------------------------------------------------

def test_an_op_without_a_gradient_is_named(private_ops):
    class Opaque(Unary):
        kernel = np.square

    x = tf.placeholder(tf.float32, [2], name='x')
    y = Opaque.apply(x, name='mystery')
    with pytest.raises(LookupError) as caught:
        tf.gradients(y, x)
    text = str(caught.value)
    assert "No gradient defined for operation 'mystery' (op type: Opaque)" in text
    assert 'test_gradients.py:' in text and 'Opaque.apply(x' in text
    assert tf.gradients(y, y)[0] is not None            # nothing needs to go through it


def test_complex_ys_need_grad_ys():
    z = tf.constant(1j)
    with pytest.raises(TypeError, match='Gradients of complex tensors must set grad_ys'):
        tf.gradients(z, z)
    with pytest.raises(TypeError, match='complex-valued'):
        tf.gradients(z, z, grad_ys=tf.constant(1.0))


def test_ys_without_numbers_are_refused():
    flag = tf.constant(True)
    with pytest.raises(TypeError, match='bool'):
        tf.gradients(flag, flag)
    with pytest.raises(TypeError, match='real or integer-valued'):
        tf.gradients(tf.constant(1.0), [], grad_ys=[flag])


def test_as_many_grad_ys_as_ys():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match='Passed 2 grad_ys for 1 ys'):
        tf.gradients(x, x, grad_ys=[None, None])


def test_unknown_aggregation_method():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match='Invalid aggregation_method specified 7'):
        tf.gradients(x, x, aggregation_method=7)
    for method in (tf.AggregationMethod.ADD_N, tf.AggregationMethod.EXPERIMENTAL_TREE):
        assert tf.gradients(x, x, aggregation_method=method)[0] is not None


def test_a_rule_that_gives_the_wrong_number_shape_or_dtype(private_rules):
    def squared_with(name, rule):
        tf.RegisterGradient(name)(rule)
        with tf.get_default_graph().gradient_override_map({'Square': name}):
            return tf.square(x)

    x = tf.placeholder(tf.float32, [2], name='x')
    with pytest.raises(ValueError, match='Num gradients 2 generated for op .*num inputs 1'):
        tf.gradients(squared_with('Two', lambda op, dy: (dy, dy)), x)
    with pytest.raises(ValueError, match='Incompatible shapes between op input and calculated'):
        tf.gradients(squared_with('Scalar', lambda op, dy: tf.constant(1.0)), x)
    with pytest.raises(TypeError, match='float64, but that input is float32'):
        tf.gradients(squared_with('Wide', lambda op, dy: tf.cast(dy, tf.float64)), x)


# ---- own gradients -------------------------------------------------------------------------

def test_gradient_override_map(private_rules):
    @tf.RegisterGradient('Doubled')
    def doubled(op, dy):
        return 2.0 * dy

    x = tf.constant([1.0, 2.0])
    with tf.get_default_graph().gradient_override_map({'Square': 'Doubled', 'Exp': 'Sin'}):
        mine, borrowed = tf.square(x), tf.exp(x)
    assert run(tf.gradients(mine, x)[0]).tolist() == [2.0, 2.0]
    np.testing.assert_allclose(run(tf.gradients(borrowed, x)[0]), np.cos([1.0, 2.0]), rtol=1e-6)
    assert run(tf.gradients(tf.square(x), x)[0]).tolist() == [2.0, 4.0]


def test_override_by_an_unknown_name_is_an_error():
    x = tf.constant([1.0])
    with tf.get_default_graph().gradient_override_map({'Square': 'Nowhere'}):
        y = tf.square(x)
    with pytest.raises(LookupError, match="No gradient defined for operation 'Square'.*'Nowhere'"):
        tf.gradients(y, x)


def test_a_registered_gradient_is_not_replaced(private_rules):
    with pytest.raises(KeyError, match="Registering two gradient with name 'Mul'"):
        tf.RegisterGradient('Mul')(lambda op, dy: None)
    tf.NotDifferentiable('Mine')
    with pytest.raises(KeyError, match="Registering two gradient with name 'Mine'"):
        tf.NoGradient('Mine')
    with pytest.raises(TypeError, match='op_type must be a string'):
        tf.RegisterGradient(3)


def test_registering_for_an_op_that_has_none(private_ops, private_rules):
    class Cubed(Unary):
        def kernel(x):
            return x ** 3

    x = tf.placeholder(tf.float64, [2], name='x')
    tf.RegisterGradient('Cubed')(lambda op, dy: 3.0 * tf.square(op.inputs[0]) * dy)
    check_gradient(Cubed.apply(x), [x], {x: [1.0, -2.0]})


def test_not_differentiable_gives_none(private_rules):
    tf.NotDifferentiable('Silent')
    x = tf.constant([1.0])
    with tf.get_default_graph().gradient_override_map({'Square': 'Silent'}):
        y = tf.square(x)
    assert tf.gradients(y, x) == [None]


def test_custom_gradient(graph):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)
        return tf.log(1.0 + e), lambda dy: dy * (1.0 - 1.0 / (1.0 + e))

    x = tf.placeholder(tf.float64, [], name='x')
    y = log1pexp(x)
    assert y.op.type == 'IdentityN'
    check_gradient(y, [x], {x: 0.3})


def test_custom_gradient_of_several_inputs_and_outputs():
    @tf.custom_gradient
    def swap(a, b):
        return [b, a], lambda db, da: (100.0 * da, 1000.0 * db)

    a, b = tf.constant(1.0), tf.constant(2.0)
    first, second = swap(a, b)
    assert run([first, second]) == [2.0, 1.0]
    assert run(tf.gradients(first + 3.0 * second, [a, b])) == [300.0, 1000.0]
    assert run(tf.gradients(second, [a, b])) == [100.0, 0.0]
    with pytest.raises(ValueError, match='positional'):
        swap(a, b=b)


# ---- second order --------------------------------------------------------------------------

def test_third_derivative():
    x = tf.placeholder(tf.float64, [], name='x')
    y = tf.sin(x) * tf.square(x)
    for _ in range(3):
        y, = tf.gradients(y, x)
    v = 0.8
    want = 6 * np.cos(v) - 6 * v * np.sin(v) - v * v * np.cos(v)
    np.testing.assert_allclose(run(y, {x: v}), want)


def test_zero_gradients_of_resource_variables():
    """They have the shape and dtype of the value, not of the handle."""
    v, w = [tf.get_variable(name, [3], initializer=tf.ones_initializer(), use_resource=True)
            for name in 'vw']
    gradients = tf.gradients(tf.reduce_sum(w * 2), [v, w],
                             unconnected_gradients=tf.UnconnectedGradients.ZERO)
    hessian = tf.hessians(tf.reduce_sum(w * 3), w)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(gradients), [[0, 0, 0], [2, 2, 2]])
        np.testing.assert_array_equal(session.run(hessian), [np.zeros([3, 3])])


def test_hessians():
    a = tf.placeholder(tf.float64, [2, 2], name='a')
    b = tf.placeholder(tf.float64, [], name='b')
    first, second = tf.hessians(a * a * a * b, [a, b])
    assert first.shape.as_list() == [2, 2, 2, 2] and second.shape.as_list() == []
    value = np.array([[1.0, 2.0], [3.0, 4.0]])
    got, zero = run([first, second], {a: value, b: 2.0})
    np.testing.assert_allclose(got.reshape(4, 4), np.diag(12.0 * value.ravel()))
    assert zero == 0.0


def test_hessians_of_an_unknown_shape_are_refused():
    x = tf.placeholder(tf.float32, [None], name='x')
    with pytest.raises(ValueError, match=r"static shape of 'x:0' is \[\?\]"):
        tf.hessians(tf.square(x), x)


# ---- size ----------------------------------------------------------------------------------

@pytest.mark.slow
def test_a_chain_of_20_000_ops():
    x = tf.placeholder(tf.float32, [], name='x')
    h = x
    for _ in range(20_000):
        h = sin(h)
    began = time.process_time()
    g, = tf.gradients(h, x)
    seconds = time.process_time() - began
    assert g is not None
    assert seconds < 10.0, f'{seconds:.1f} s; it should be about 1.5'


def test_the_collector_is_left_as_it_was(private_ops):
    class Opaque(Unary):
        kernel = np.square

    x = tf.constant(1.0)
    tf.gradients(tf.square(x), x)
    assert gc.isenabled()
    with pytest.raises(LookupError):
        tf.gradients(Opaque.apply(x), x)
    assert gc.isenabled()
    gc.disable()
    try:
        tf.gradients(tf.square(x), x)
        assert not gc.isenabled()
    finally:
        gc.enable()


# ---- the tester ----------------------------------------------------------------------------

def test_compute_gradient_error():
    x = tf.placeholder(tf.float64, [3], name='x')
    feed = {x: [0.1, 0.2, 0.3]}
    assert compute_gradient_error(tf.sin(x), [x], feed, order=2) < 1e-8
    assert compute_gradient_error(tf.stop_gradient(tf.sin(x)), [x], feed) > 0.01
    assert compute_gradient_error(tf.log(x - 1.0), [x], feed) == float('inf')


# ---- why there is none ---------------------------------------------------------------------

def test_why_argmax():
    logits = tf.placeholder(tf.float32, [4, 3], name='logits')
    loss = tf.cast(tf.argmax(logits, 1), tf.float32) * 2.0
    assert tf.gradients(loss, logits) == [None]
    why = why_no_gradient(loss, logits)
    assert why.startswith("ArgMax 'ArgMax', built at test_gradients.py:")
    assert 'did you mean the logits' in why and "'logits:0'" in why


def test_why_stop_gradient_and_others():
    x = tf.placeholder(tf.float32, [4], name='x')
    assert 'on purpose' in why_no_gradient(tf.stop_gradient(tf.square(x)) + 1.0, x)
    assert "Round 'Round'" in why_no_gradient(tf.round(x) * 2.0, x)
    assert 'comparison is a step' in why_no_gradient(tf.cast(x > 0.0, tf.float32), x)
    integers = tf.cast(tf.cast(x, tf.int32, name='cut'), tf.float32)
    assert "Cast 'cut'" in why_no_gradient(integers, x)
    assert 'is int64' in why_no_gradient(tf.argmax(x, 0), x)


def test_why_when_there_is_no_path_or_nothing_wrong():
    x, other = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.float32, [4], name='other')
    assert "does not depend on 'other:0'" in why_no_gradient(tf.square(x), other)
    assert 'no op blocks the path' in why_no_gradient(tf.square(x), x)


def test_why_for_a_variable():
    v = tf.Variable([1.0, 2.0], name='v')
    assert "Floor 'Floor'" in why_no_gradient(tf.floor(v), v)
