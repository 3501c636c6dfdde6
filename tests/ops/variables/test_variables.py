"""Variables: their nodes, as TensorFlow 1.15 makes them, their values, and how they go wrong."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def nodes(graph):
    return [(op.name, op.type) for op in graph.get_operations()]


def inputs(graph, name):
    op = graph.get_operation_by_name(name)
    return [t.name for t in op.inputs] + ['^' + c.name for c in op.control_inputs]


def run_after_init(*fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(list(fetches))


# ---- nodes, recorded from TensorFlow 1.15.5 --------------------------------------------------

def test_a_variable_is_four_nodes(graph):
    tf.Variable(0.3)
    tf.global_variables_initializer()
    assert nodes(graph) == [
        ('Variable/initial_value', 'Const'), ('Variable', 'VariableV2'),
        ('Variable/Assign', 'Assign'), ('Variable/read', 'Identity'), ('init', 'NoOp')]
    assert inputs(graph, 'Variable/Assign') == ['Variable:0', 'Variable/initial_value:0']
    assert inputs(graph, 'init') == ['^Variable/Assign']


def test_nodes_of_a_callable_initial_value_and_assignments(graph):
    v = tf.Variable(lambda: tf.constant([1.0, 2.0]), name='w')
    v.assign(v + 1)
    v.assign_add([1, 2.0])
    tf.assign(v, [3, 4.0])
    assert nodes(graph) == [
        ('w/Initializer/Const', 'Const'), ('w', 'VariableV2'), ('w/Assign', 'Assign'),
        ('w/read', 'Identity'), ('add/y', 'Const'), ('add', 'AddV2'), ('Assign', 'Assign'),
        ('AssignAdd/value', 'Const'), ('AssignAdd', 'AssignAdd'), ('Assign_1/value', 'Const'),
        ('Assign_1', 'Assign')]


def test_nodes_of_questions_and_scatters(graph):
    v = tf.Variable([1.0], name='v')
    made = len(nodes(graph))
    tf.is_variable_initialized(v)
    tf.assert_variables_initialized()
    tf.scatter_add(v, [0], [2.0])
    v.read_value()
    assert nodes(graph)[made:] == [
        ('IsVariableInitialized', 'IsVariableInitialized'), ('Rank', 'Rank'),
        ('ScatterAdd/indices', 'Const'), ('ScatterAdd/updates', 'Const'),
        ('ScatterAdd', 'ScatterAdd'), ('read', 'Identity')]


def test_nodes_of_report_uninitialized_variables(graph):
    tf.Variable([1.0])
    tf.Variable(3)
    made = len(nodes(graph))
    tf.report_uninitialized_variables()
    found = [(name.removeprefix('report_uninitialized_variables/'), kind)
             for name, kind in nodes(graph)[made:]]
    assert found[:5] == [
        ('IsVariableInitialized', 'IsVariableInitialized'),
        ('IsVariableInitialized_1', 'IsVariableInitialized'), ('stack', 'Pack'),
        ('LogicalNot', 'LogicalNot'), ('Const', 'Const')]
    assert found[5] == ('boolean_mask/Shape', 'Const')
    assert found[-1] == ('boolean_mask/GatherV2', 'GatherV2')


def test_nodes_of_group_and_tuple(graph):
    x = tf.Variable(1.0, name='x')
    made = len(nodes(graph))
    tf.group(x.initializer)
    tf.tuple([x, x.initializer])
    tf.group()
    assert nodes(graph)[made:] == [
        ('group_deps', 'NoOp'), ('tuple/group_deps', 'NoOp'),
        ('tuple/control_dependency', 'Identity'), ('tuple/group_deps_1', 'NoOp'),
        ('group_deps_1', 'NoOp')]
    assert inputs(graph, 'tuple/group_deps') == ['^x', '^x/Assign']
    assert inputs(graph, 'tuple/control_dependency') == ['x/read:0', '^tuple/group_deps']


def test_group_has_one_node_for_each_device(graph):
    with tf.device('/cpu:0'):
        a = tf.constant(1.0, name='a')
    b = tf.constant(2.0, name='b')
    tf.group(a, [b], name='both')
    assert nodes(graph)[2:] == [('both/NoOp', 'NoOp'), ('both/NoOp_1', 'NoOp'), ('both', 'NoOp')]
    assert inputs(graph, 'both') == ['^both/NoOp', '^both/NoOp_1']
    assert graph.get_operation_by_name('both/NoOp_1').device == '/device:CPU:0'


def test_control_dependencies_do_not_reach_the_variable(graph):
    with tf.control_dependencies([tf.constant(1, name='c')]):
        v = tf.Variable(1.0)
        read = v.read_value()
    for op in (v.op, v.initializer, v.initial_value.op, v.value().op):
        assert op.control_inputs == ()
    assert inputs(graph, read.op.name) == ['Variable:0', '^c']


# ---- what a Variable says of itself ----------------------------------------------------------

def test_attributes():
    v = tf.Variable([[1.0, 2.0]], name='v', trainable=False)
    assert v.name == 'v:0' and v.op.name == 'v' and v.op.type == 'VariableV2'
    assert v.dtype.name == 'float32_ref' and v.dtype.base_dtype is tf.float32
    assert v.shape.as_list() == v.get_shape().as_list() == [1, 2]
    assert v.initializer.name == 'v/Assign' and v.initial_value.name == 'v/initial_value:0'
    assert v.value().name == 'v/read:0' and v.trainable is False and v.constraint is None
    assert v.graph is tf.get_default_graph() and v.device == ''
    assert repr(v) == str(v) == "<tf.Variable 'v:0' shape=(1, 2) dtype=float32_ref>"
    assert tf.get_default_graph().as_graph_element(v) is v._variable
    assert tf.convert_to_tensor(v) is v.value()


def test_collections():
    a = tf.Variable(1.0)
    b = tf.Variable(1.0, trainable=False)
    c = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES], trainable=False)
    d = tf.Variable(1.0, collections=[tf.GraphKeys.MODEL_VARIABLES], name='d')
    tf.add_to_collection(tf.GraphKeys.MOVING_AVERAGE_VARIABLES, a)
    assert tf.global_variables() == tf.all_variables() == [a, b]
    assert tf.trainable_variables() == [a, d]
    assert tf.local_variables() == [c]
    assert tf.model_variables() == [d] and tf.trainable_variables('d') == [d]
    assert tf.moving_average_variables() == [a]


def test_expressions_use_the_value():
    v = tf.Variable([1.0, -2.0, 3.0])
    results = run_after_init(v + 1, 1 - v, v * v, v / 2.0, -v, abs(v), v ** 2, v[1:], v < 0.0,
                             np.float32(2) * v, v % 2.0, v // 2.0)
    x = np.array([1.0, -2.0, 3.0], np.float32)
    expected = [x + 1, 1 - x, x * x, x / 2, -x, abs(x), x ** 2, x[1:], x < 0, 2 * x, x % 2, x // 2]
    for got, want in zip(results, expected, strict=True):
        np.testing.assert_array_equal(got, want)


def test_truth_and_iteration_are_those_of_tf():
    v = tf.Variable([0.0])
    assert v                                    # an object like any other, as in TF1
    with pytest.raises(TypeError, match='not iterable'):
        iter(v)


# ---- values ----------------------------------------------------------------------------------

def test_assignments_and_what_they_give():
    v = tf.Variable(1.0)
    five, add, sub = tf.assign(v, 5.0), v.assign_add(2.0), v.assign_sub(1.0, read_value=False)
    assert isinstance(sub, tf.Operation)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(five) == 5.0
        assert session.run(add) == 7.0
        assert session.run(sub) is None
        assert session.run(v) == v.eval() == 6.0


def test_two_sessions_have_two_values():
    v = tf.Variable(1.0)
    grow = v.assign_add(1.0)
    with tf.Session() as one, tf.Session() as two:
        one.run(v.initializer)
        two.run(v.initializer)
        one.run(grow)
        assert one.run(v) == 2.0 and two.run(v) == 1.0


def test_assigned_values_are_copied():
    v = tf.Variable(np.zeros(3))
    given = np.ones(3)
    x = tf.placeholder(tf.float64, [3])
    assign, grow = tf.assign(v, x), tf.assign_add(v, x)
    with tf.Session() as session:
        session.run(assign, {x: given})
        got = session.run(v)
        session.run(grow, {x: given})
        np.testing.assert_array_equal(given, np.ones(3))
        np.testing.assert_array_equal(got, np.ones(3))
        session.run(v.initializer)
        session.run(grow, {x: given})
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(v), np.zeros(3))


def test_load_and_eval():
    v = tf.Variable([1.0, 2.0])
    before = len(v.graph.get_operations())
    with tf.Session():
        v.load([3.0, 4.0])
        np.testing.assert_array_equal(v.eval(), [3.0, 4.0])
    assert len(v.graph.get_operations()) == before
    with pytest.raises(ValueError, match='no default session'):
        v.load([1.0, 1.0])


def test_a_shape_may_change_only_with_validate_shape_off():
    v = tf.Variable([1.0], validate_shape=False)
    assert v.shape.ndims is None
    x = tf.placeholder(tf.float32)
    change, keep = tf.assign(v, x, validate_shape=False), tf.assign(v, x)
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r'\[1\].*\[2\]'):
            session.run(keep, {x: [1.0, 2.0]})
        session.run(change, {x: [1.0, 2.0]})
        np.testing.assert_array_equal(session.run(v), [1.0, 2.0])


def test_initialized_value_is_the_value_or_the_initial_one():
    a = tf.Variable(3.0)
    value = a.initialized_value()
    with tf.Session() as session:
        assert session.run(value) == 3.0
        a.load(5.0)
        assert session.run(value) == 5.0


def test_a_variable_may_start_from_another_in_the_same_run():
    a = tf.Variable(tf.random_normal([3]), name='a')
    b = tf.Variable(a * 2.0, name='b')
    c = tf.Variable(tf.stack([b, b]), name='c')
    va, vb, vc = run_after_init(a, b, c)
    np.testing.assert_array_equal(vb, va * 2)
    np.testing.assert_array_equal(vc, [vb, vb])


def test_count_up_to_ends():
    v = tf.Variable(0)
    step = v.count_up_to(2)
    with tf.Session() as session:
        session.run(v.initializer)
        assert [session.run(step), session.run(step)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError, match='limit of 2'):
            session.run(step)
        assert session.run(v) == 2


def test_scatter_methods_take_indexed_slices():
    v = tf.Variable([1.0, 2.0, 3.0])
    change = v.scatter_sub(tf.IndexedSlices(tf.constant([1.0, 1.0]), tf.constant([0, 0])))
    np.testing.assert_array_equal(run_after_init(change)[0], [-1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match='not IndexedSlices'):
        v.scatter_add(3)


def test_gather_nd_and_sparse_read():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    element, rows = run_after_init(v.gather_nd([[1, 0]]), v.sparse_read([1]))
    assert element == [3.0]
    np.testing.assert_array_equal(rows, [[3.0, 4.0]])


# ---- initialising ----------------------------------------------------------------------------

def test_all_uninitialized_variables_are_named():
    a, b = tf.Variable(1.0, name='a'), tf.Variable(2.0, name='b')
    total = a + b
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match=r"(?s)'a'.*'b'"):
            session.run(total)


def test_report_of_what_is_missing():
    a, b = tf.Variable(1.0, name='a'), tf.Variable(2.0, name='b')
    report = tf.report_uninitialized_variables()
    with tf.Session() as session:
        assert session.run(report).tolist() == [b'a', b'b']
        session.run(a.initializer)
        assert session.run(report).tolist() == [b'b']
        session.run(tf.variables_initializer([b]))
        assert session.run(report).tolist() == []


def test_report_without_variables():
    with tf.Session() as session:
        assert session.run(tf.report_uninitialized_variables()).tolist() == []


def test_initialize_missing_variables_keeps_the_others(graph):
    a = tf.Variable(1.0, name='a')
    with tf.Session() as session:
        assert tf.initialize_missing_variables(session) == [a]
        session.run(a.assign(5.0))
        b = tf.Variable(a + 1.0, name='b')
        assert tf.initialize_missing_variables() == [b]
        assert session.run([a, b]) == [5.0, 6.0]
        size = len(graph.get_operations())
        assert tf.initialize_missing_variables(session) == []
        assert len(graph.get_operations()) == size


def test_local_variables_have_their_own_initializer():
    v = tf.Variable(1.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert not session.run(tf.is_variable_initialized(v))
        session.run(tf.local_variables_initializer())
        assert session.run(v) == 1.0


# ---- how Variables are made ------------------------------------------------------------------

def test_the_kind_is_chosen_by_use_resource_scope_and_position():
    kinds = [tf.Variable(1.0), tf.Variable(1.0, use_resource=True),
             tf.Variable(1.0, None, None, True, None, None, None, None, None, None, None, True)]
    with tf.variable_scope('s', use_resource=True):
        kinds.append(tf.Variable(1.0))
    assert [type(v).__name__ for v in kinds] == [
        'RefVariable', 'ResourceVariable', 'ResourceVariable', 'ResourceVariable']
    assert all(isinstance(v, tf.Variable) for v in kinds)


def test_a_subclass_has_its_own_constructor(session):
    class Named(tf.Variable):
        def __init__(self, value, label):
            super().__init__(value, name=label)
            self.label = label

    v = Named(2.0, 'mine')
    assert (v.name, v.label, v.dtype.is_ref) == ('mine:0', 'mine', True)
    session.run(v.initializer)
    assert session.run(v + 1.0) == 3.0


def test_the_variable_of_a_creator_is_not_initialized_again(graph):
    calls = []

    class Counted(tf.Variable):
        def __init__(self, value, label):
            calls.append(label)
            super().__init__(value, name=label)

    def creator(next_creator, **settings):
        assert settings['trainable'] is False and settings['initial_value'] == 3.0
        return Counted(settings['initial_value'], 'counted')

    with tf.variable_creator_scope(creator):
        v = tf.Variable(3.0, False)
    assert type(v) is Counted and calls == ['counted']
    assert [op.name for op in graph.get_operations()] == [
        'counted/initial_value', 'counted', 'counted/Assign', 'counted/read']
    with tf.variable_creator_scope(lambda next_creator, **settings: None):
        assert tf.Variable(1.0) is None


# ---- refusals --------------------------------------------------------------------------------

@pytest.mark.parametrize('build, error, message', [
    (lambda: tf.Variable(), ValueError, 'initial_value must be specified'),
    (lambda: tf.Variable(1.0, collections='x'), ValueError, 'must be a list, tuple, or set'),
    (lambda: tf.Variable(tf.placeholder(tf.float32, [None])), ValueError, 'must have a shape'),
    (lambda: tf.Variable(1.0, constraint=3), ValueError, 'must be a callable'),
    (lambda: tf.Variable(3, dtype=tf.string), TypeError, 'Expected string'),
    (lambda: tf.assign(tf.Variable([1.0, 2.0]), [1.0]), ValueError, 'not compatible'),
    (lambda: tf.convert_to_tensor(tf.Variable(1.0), tf.int32), ValueError, 'Incompatible type'),
    (lambda: tf.Variable(variable_def=object()), NotImplementedError, 'protocol buffers'),
    (lambda: tf.group(None), TypeError, 'None'),
    (lambda: tf.group(a=3), ValueError, 'Unknown keyword arguments: a'),
    (lambda: tf.tuple([None]), ValueError, 'Must have at least one Tensor'),
    (lambda: tf.tuple([1.0], control_inputs=[3]), TypeError, 'must be Operation or Tensor'),
])
def test_refusals(build, error, message):
    with pytest.raises(error, match=message):
        build()
