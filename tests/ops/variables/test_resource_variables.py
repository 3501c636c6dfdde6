"""Variables with a handle: they compute what the others compute, in as few copies."""
import numpy as np
import pytest

import tinyflow as tf

KINDS = pytest.mark.parametrize('use_resource', [False, True], ids=['place', 'handle'])


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield
    tf.disable_resource_variables()


def train(use_resource, optimizer, steps=4):
    """The values of all variables after some steps on a small model, dense and sparse."""
    with tf.Graph().as_default(), tf.variable_scope('', use_resource=use_resource):
        tf.set_random_seed(3)
        w = tf.get_variable('w', initializer=np.float32([[1.0, -2.0], [0.5, 1.5]]))
        table = tf.get_variable('table', initializer=np.linspace(-1, 1, 10, dtype=np.float32)
                                .reshape(5, 2))
        rows = tf.nn.embedding_lookup(table, [1, 3, 1])
        loss = tf.reduce_sum(tf.square(tf.matmul(rows, w) - 1.0))
        step = tf.train.get_or_create_global_step()
        train_op = optimizer().minimize(loss, global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = [session.run([loss, train_op])[0] for _ in range(steps)]
            return losses, {v.name: session.run(v) for v in tf.global_variables()}


@pytest.mark.parametrize('optimizer', [
    lambda: tf.train.GradientDescentOptimizer(0.1),
    lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    lambda: tf.train.AdagradOptimizer(0.1),
    lambda: tf.train.AdamOptimizer(0.1),
    lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
    lambda: tf.train.AdadeltaOptimizer(0.5),
    lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
], ids=['descent', 'momentum', 'adagrad', 'adam', 'rmsprop', 'adadelta', 'ftrl'])
def test_both_kinds_train_alike(optimizer):
    losses, values = train(False, optimizer)
    other_losses, other_values = train(True, optimizer)
    np.testing.assert_allclose(losses, other_losses, rtol=1e-6)
    assert losses[-1] < losses[0]
    assert values.keys() == other_values.keys()
    for name, value in values.items():
        np.testing.assert_allclose(value, other_values[name], rtol=1e-6, err_msg=name)


def nodes():
    return [(op.name, op.type) for op in tf.get_default_graph().get_operations()]


def test_the_nodes_of_a_variable():
    v = tf.Variable(1.0, use_resource=True, name='v')
    assert nodes() == [
        ('v/Initializer/initial_value', 'Const'), ('v', 'VarHandleOp'),
        ('v/IsInitialized/VarIsInitializedOp', 'VarIsInitializedOp'),
        ('v/Assign', 'AssignVariableOp'), ('v/Read/ReadVariableOp', 'ReadVariableOp')]
    assert v.dtype is tf.float32 and v.handle.dtype is tf.resource and v.handle.shape == []
    assert v.op.get_attr('shared_name') == 'v' and v.shape == []
    assert isinstance(v, tf.Variable)


@pytest.mark.parametrize('make', [
    lambda: tf.get_variable('v', [2], use_resource=True),
    lambda: tf.Variable([1.0, 2.0], use_resource=True),
    lambda: [tf.layers.dense(tf.ones([2, 2]), 3), tf.global_variables()[0]][1],
])
def test_scopes_hand_the_kind_on(make):
    with tf.variable_scope('s', use_resource=True):
        assert make().op.type == 'VarHandleOp'
        assert tf.Variable(1.0, use_resource=False).op.type == 'VariableV2'
        assert tf.Variable(1.0).op.type == 'VarHandleOp'
    assert tf.Variable(1.0).op.type == 'VariableV2'


def test_a_program_chooses_the_kind():
    tf.enable_resource_variables()
    assert tf.resource_variables_enabled()
    assert tf.Variable(1.0).op.type == tf.get_variable('a', []).op.type == 'VarHandleOp'
    tf.disable_resource_variables()
    assert not tf.resource_variables_enabled()
    assert tf.Variable(1.0).op.type == 'VariableV2'


@KINDS
def test_reads_come_before_the_writes_that_they_do_not_follow(use_resource):
    v = tf.Variable([1.0, 2.0], use_resource=use_resource)
    before = v * 1.0
    add = v.assign_add([10.0, 10.0])
    with tf.control_dependencies([add]):
        after = v.read_value()
    with tf.Session() as session:
        session.run(v.initializer)
        old, new = session.run([before, after])
        assert old.tolist() == [1.0, 2.0] and new.tolist() == [11.0, 12.0]
        old, _, fetched = session.run([before, add, v])
        assert old.tolist() == [11.0, 12.0] and fetched.tolist() == [21.0, 22.0]


def test_a_reading_keeps_its_value_when_a_write_follows():
    v = tf.Variable([1.0], use_resource=True)
    old = v.read_value()
    with tf.control_dependencies([old]):
        add = v.assign_add([1.0])
    with tf.control_dependencies([add]):
        both = old + v.read_value()
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([old, both]) == [[1.0], [3.0]]


def test_the_result_of_an_assignment_is_read_after_it():
    v = tf.Variable([1.0], use_resource=True)
    first = v.assign([5.0])
    doubled = first * 2.0
    second = first.assign_add([1.0])
    assert first.op.type == 'AssignVariableOp' and second.op.type == 'AssignAddVariableOp'
    assert isinstance(v.assign([1.0], read_value=False), tf.Operation)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(doubled) == [10.0]
        assert session.run(v) == [5.0]
        assert session.run(first) == [5.0]
        assert session.run(second) == [6.0]


def test_waiting_for_a_variable_reads_nothing():
    v = tf.Variable([1.0], use_resource=True)
    add = v.assign_add([1.0])
    with tf.control_dependencies([add, v]):
        done = tf.no_op()
    assert {op.type for op in done.control_inputs} == {'AssignAddVariableOp', 'VarHandleOp'}


def test_a_read_of_a_variable_costs_no_copy():
    """A step on handles runs the same source as one on places, but for names."""
    sources = []
    for use_resource in (False, True):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [8, 4])
            w = tf.Variable(tf.ones([4, 2]), use_resource=use_resource)
            loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
            step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                session.run([loss, step], {x: np.ones([8, 4])})
                text = str(tf.explain([loss, step], {x: np.ones([8, 4])}))
                sources.append(text.count('np.array('))
    assert sources[0] == sources[1]


def test_uninitialized_variables_are_named():
    v = tf.Variable(1.0, use_resource=True, name='weights')
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match='weights'):
            session.run(v + 1.0)
        assert session.run(tf.report_uninitialized_variables()).tolist() == [b'weights']
        assert session.run(tf.initialize_missing_variables(session)) == [1.0]
        assert session.run(v.is_initialized())


def test_initial_values_from_other_variables():
    a = tf.Variable([1.0, 2.0], use_resource=True)
    b = tf.Variable(a.initialized_value() * 2.0, use_resource=True)
    c = tf.Variable(a + 1.0, use_resource=True)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(b).tolist() == [2.0, 4.0] and session.run(c).tolist() == [2.0, 3.0]


@KINDS
def test_weights_made_after_an_initialized_value_keep_their_seeds(use_resource):
    tf.set_random_seed(1)
    a = tf.Variable([1.0], use_resource=use_resource)
    count = tf.get_seed(None)[1]
    a.initialized_value()
    assert tf.get_seed(None)[1] - count == (10 if use_resource else 9)


def test_saved_restored_and_imported(tmp_path):
    path = str(tmp_path / 'model')
    tf.Variable([1.0, 2.0], use_resource=True, name='w')
    tf.Variable([3.0], name='place')
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([v.assign_add(np.ones(v.shape.as_list())) for v in tf.global_variables()])
        saver.save(session, path)
    assert tf.train.list_variables(path) == [('place', [1]), ('w', [2])]
    with tf.Graph().as_default() as graph:
        saver = tf.train.import_meta_graph(path + '.meta')
        w, place = tf.global_variables()
        assert w.op.type == 'VarHandleOp' and place.op.type == 'VariableV2'
        assert tf.trainable_variables() == [w, place]
        with tf.Session(graph=graph) as session:
            saver.restore(session, path)
            assert session.run(w).tolist() == [2.0, 3.0] and session.run(place) == [4.0]
            w.load([7.0, 8.0], session)
            assert w.eval(session).tolist() == [7.0, 8.0]


def test_checkpoints_are_converted_between_both_kinds(tmp_path):
    path = str(tmp_path / 'model')
    for use_resource, start in ((False, [1.0, 2.0]), (True, [0.0, 0.0]), (False, [9.0, 9.0])):
        with tf.Graph().as_default():
            v = tf.Variable(start, use_resource=use_resource, name='v')
            saver = tf.train.Saver([v])
            with tf.Session() as session:
                if start == [1.0, 2.0]:
                    session.run(v.initializer)
                else:
                    saver.restore(session, path)
                assert session.run(v).tolist() == [1.0, 2.0]
                saver.save(session, path)


def test_protocol_buffers():
    v = tf.Variable([1.0], use_resource=True, name='v', trainable=False)
    proto = v.to_proto()
    assert proto.is_resource and proto.variable_name == 'v:0'
    assert proto.initializer_name == 'v/Assign'
    assert proto.snapshot_name == 'v/Read/ReadVariableOp:0'
    again = tf.Variable.from_proto(proto)
    assert again.handle is v.handle and not again.trainable and again.shape == [1]


@KINDS
def test_gradients_add_up_all_readings(use_resource):
    v = tf.Variable([1.0, 2.0], use_resource=use_resource)
    y = tf.reduce_sum(v * v) + tf.reduce_sum(3.0 * v)
    rows, = tf.gradients(tf.gather(v, [1, 1]), v)
    assert isinstance(rows, tf.IndexedSlices)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(tf.gradients(y, v)[0]).tolist() == [5.0, 7.0]
        assert session.run(tf.convert_to_tensor(rows)).tolist() == [0.0, 2.0]


def test_variables_inside_functions():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    p = tf.placeholder(tf.bool, [])
    chosen = tf.cond(p, lambda: v * 2.0, lambda: v.assign_add([1.0, 1.0]) * 1.0)
    looped = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [0, tf.ones([2])])[1]
    by_choice, by_loop = tf.gradients(chosen, v)[0], tf.gradients(looped, v)[0]
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(chosen, {p: True}).tolist() == [2.0, 4.0]
        assert session.run(chosen, {p: False}).tolist() == [2.0, 3.0]
        assert session.run(looped).tolist() == [8.0, 27.0]
        assert session.run(by_loop).tolist() == [12.0, 27.0]
        assert session.run(by_choice, {p: True}).tolist() == [2.0, 2.0]


@pytest.mark.parametrize('build, error, message', [
    (lambda v: v.assign([1.0]), ValueError, 'incompatible'),
    (lambda v: v.set_shape([2]), NotImplementedError, 'set_shape'),
    (lambda v: v.numpy(), NotImplementedError, 'eager'),
    (lambda v: v.scatter_add(1.0), TypeError, 'not IndexedSlices'),
    (lambda v: tf.convert_to_tensor(v, tf.int32), ValueError, 'Incompatible type'),
    (lambda v: tf.assign_add(v, [1.0, 2.0, 3.0]), ValueError, 'not compatible'),
    (lambda v: list(v), TypeError, 'not iterable'),
])
def test_refusals(build, error, message):
    with pytest.raises(error, match=message):
        build(tf.Variable([1.0, 2.0], use_resource=True))
