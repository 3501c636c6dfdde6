"""tf.record: what it keeps of runs of Sessions, Keras and Estimators, and within which limit."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.inspect.recorder.pool import Pool
from tinyflow.session import observed

X = np.array([[1, 2, 3], [4, 5, 6]], np.float32)


def _net():
    tf.set_random_seed(3)
    x = tf.placeholder(tf.float32, [None, 3], 'x')
    y = tf.layers.dense(tf.layers.dense(x, 4, tf.nn.relu, name='hidden'), 1, name='out')
    loss = tf.reduce_mean(tf.square(y), name='loss')
    return x, loss, tf.train.GradientDescentOptimizer(0.01).minimize(loss)


def test_steps_have_the_values_of_each_run(session):
    x, loss, train = _net()
    session.run(tf.global_variables_initializer())
    kernel = session.graph.get_tensor_by_name('hidden/kernel:0')
    before = session.run(kernel)
    with tf.record(session) as r:
        losses = [session.run([loss, train], {x: X + i})[0] for i in range(3)]
        now = session.run(kernel)
    session.run(train, {x: X})
    assert len(r) == 4 and [step.number for step in r] == [0, 1, 2, 3]
    assert [value for _, value in r.series('loss')] == losses
    np.testing.assert_array_equal(r[0]['hidden/kernel'], before)
    np.testing.assert_array_equal(r[3][kernel], now)
    np.testing.assert_array_equal(r[1]['x:0'], X + 1)
    assert r.of(loss)[0] is r[0] and len(r.of(loss)) == 3
    gradient = r[0]['gradients/hidden/MatMul_grad/MatMul_1']
    updated = r[0]['GradientDescent/update_hidden/kernel/ApplyGradientDescent']
    np.testing.assert_allclose(updated, before - 0.01 * gradient, rtol=1e-6)
    assert r[0].names.index('hidden/MatMul') < r[0].names.index('out/MatMul')
    assert '4 of 4 runs' in repr(r)


def test_what_later_runs_and_the_caller_change_is_kept_as_it_was(session):
    x, loss, _ = _net()
    kernel = session.graph.get_tensor_by_name('hidden/kernel:0')
    same = tf.check_numerics(kernel, 'finite', name='same')     # the Variable's own array
    middle = session.graph.get_tensor_by_name('hidden/Relu:0')
    with tf.control_dependencies([same]):
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
    looped = tf.while_loop(lambda i, v: i < 3, lambda i, v: (i + 1, tf.nn.relu(v * 2.)),
                           [0, kernel])[1]
    session.run(tf.global_variables_initializer())
    fed, between = X.copy(), np.ones((2, 4), np.float32)

    def run():
        session.run([train, same, looped], {x: fed})
        session.run([train, same], {x: fed, middle: between})
    with tf.record(session) as r:
        run()
        before = [[None if k is None else k.array.copy() for k in entry.kept]
                  for step in r for entry in step.entries]
        run()
        fed[:], between[:] = 7, 8
        run()
    after = [[k and k.array for k in entry.kept] for step in r.steps[:2] for entry in step.entries]
    for one, two in zip(before, after):
        for a, b in zip(one, two):
            np.testing.assert_array_equal(a, b)
    assert r[1]['hidden/Relu'].tolist() == np.ones((2, 4)).tolist()


def test_kept_arrays_do_not_change_later(session):
    v = tf.Variable([1., 2.], name='v')
    same = tf.identity(v, name='same')
    with tf.control_dependencies([same]):
        later = tf.assign_add(v, [1., 1.], name='later')
    fed = tf.placeholder(tf.float32, [2], 'fed')
    through = tf.reshape(fed, [1, 2], name='through')
    session.run(v.initializer)
    array = np.array([5., 6.], np.float32)
    with tf.record(session) as r:
        session.run([later, through], {fed: array})
        array[:] = 0
        session.run([later, through], {fed: array})
    assert r[0]['v'].tolist() == r[0]['same'].tolist() == [1, 2]
    assert r[0]['later'].tolist() == r[1]['same'].tolist() == [2, 3]
    assert r[0]['through'].tolist() == [[5, 6]] and r[0]['fed'].tolist() == [5, 6]
    assert r[1]['v'] is r[0]['later']           # kept once


@pytest.mark.parametrize('nodes, names', [
    ('hidden/Relu', ['hidden/Relu']),
    (['hidden/ker*', 'loss:0'], ['hidden/kernel', 'hidden/kernel/read', 'loss']),
])
def test_chosen_nodes_and_every_second_run(session, nodes, names):
    x, loss, _ = _net()
    session.run(tf.global_variables_initializer())
    with tf.record(session, nodes, every=2) as r:
        for _ in range(5):
            session.run(loss, {x: X})
    assert r[0].names == names and [step.number for step in r] == [0, 2, 4]


def test_nodes_may_be_tensors_and_variables(session):
    x, loss, _ = _net()
    kernel = tf.trainable_variables()[0]
    session.run(tf.global_variables_initializer())
    with tf.record(session, [loss, kernel]) as r:
        session.run(loss, {x: X})
    assert r[0].names == ['hidden/kernel', 'loss'] and kernel in r[0] and x not in r[0]


def test_loops_have_a_value_for_each_iteration(session):
    y = tf.while_loop(lambda i: i < 6, lambda i: tf.add(i, 2, name='step'), [0], name='loop')
    with tf.record(session) as r:
        session.run(y)
    assert [int(v) for v in r[0].all('loop/body/step')] == [2, 4, 6]
    assert r[0]['loop/body/step'] == 6
    assert [e.iteration for e in r[0].entries if e.name == 'loop/body/step'] == [(0,), (1,), (2,)]


def test_limit_spreads_the_steps_over_the_training_or_keeps_the_latest(session):
    x = tf.placeholder(tf.float32, [1000], 'x')
    y = tf.negative(x, name='y')
    for keep, numbers in (('spread', [0, 8, 16, 24, 32]), ('latest', list(range(30, 39)))):
        with tf.record(session, 'y', limit=40_000, keep=keep) as r:
            for i in range(39):
                session.run(y, {x: np.full(1000, i)})
        found = [step.number for step in r]
        assert found == numbers, (keep, found)
        assert [-step['y'][0] for step in r] == found and r.nbytes <= 40_000


def test_dropped_memory_is_used_again_unless_someone_holds_it():
    pool = Pool()
    arrays = [np.full((100, 200), i, np.float32) for i in range(6)]
    first, second = pool.copy(arrays[0]), pool.copy(arrays[1])
    held, address = first[3:5, ::2], second.ctypes.data
    del first, second
    third, fourth = pool.copy(arrays[2]), pool.copy(arrays[3])
    assert third.ctypes.data == address and (held == 0).all() and (fourth == 3).all()
    assert pool.copy(arrays[4].T).tolist() == arrays[4].T.tolist()
    assert pool.copy(np.array(['a'], object)).tolist() == ['a']


def test_a_big_array_is_reduced_to_statistics(session):
    y = tf.range(10000., name='y') * 2
    with tf.record(session, limit='100 KB') as r:
        session.run(y)
    with pytest.raises(ValueError, match='too big'):
        r[0]['y']
    statistics = r[0].statistics('y')
    assert (statistics.min, statistics.max, statistics.zeros) == (0, 9999, 1)
    assert sum(statistics.counts) == 10000 and 'as statistics only' in repr(r)


def test_origin_of_a_nan(session):
    x = tf.placeholder(tf.float32, [2], 'x')
    masked = tf.where(x > 1e9, tf.fill([2], -np.inf), x, name='masked')
    y = tf.reduce_sum(tf.exp(tf.log(masked, name='log')), name='y')
    with tf.record(session) as r:
        session.run(y, {x: [1, 2]})
        assert r.origin is None
        session.run(y, {x: [1, -2]})
    step, origin = r.origin
    assert (step.number, origin.name) == (1, 'log')
    assert str(origin).startswith("1 NaN of 2 elements first in 'log:0', made at ")


def test_two_steps_compared(session):
    x, loss, train = _net()
    session.run(tf.global_variables_initializer())
    with tf.record(session) as r:
        session.run([loss, train], {x: X})
        session.run([loss, train], {x: X})
    found = {d.name: d.largest for d in r[0].compare(r[1])}
    assert found['x'] == 0 and found['loss'] == pytest.approx(abs(r[0]['loss'] - r[1]['loss']))
    assert list(found.values()) == sorted(found.values(), reverse=True)


def test_a_failed_run_is_kept_up_to_its_error(session):
    x = tf.placeholder(tf.float32, [2], 'x')
    y = tf.check_numerics(tf.log(x, name='log'), 'bad', name='check')
    with tf.record(session) as r, pytest.raises(tf.errors.InvalidArgumentError):
        session.run(y, {x: [0, 1]})
    assert r[0].names[-1] == 'log' and 'bad' in r[0].error


def test_without_a_session_those_of_keras_are_recorded(graph):
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, name='layer', input_shape=(3,))])
    model.compile('sgd', 'mse')
    with tf.record(nodes='layer/*') as r:
        model.fit(X, np.zeros((2, 2)), epochs=3, verbose=0)
    fits = [step for step in r if 'layer/MatMul' in step]
    assert len(fits) == 3
    assert not np.array_equal(fits[0]['layer/kernel'], fits[2]['layer/kernel'])
    count = len(r)
    model.fit(X, np.zeros((2, 2)), verbose=0)
    assert len(r) == count and not observed._opened


def test_without_a_session_those_of_an_estimator_are_recorded(tmp_path):
    def model_fn(features, labels, mode):
        loss = tf.reduce_mean(tf.square(tf.layers.dense(features, 1, name='layer') - labels))
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    with tf.record(nodes=['layer/BiasAdd', 'layer/kernel']) as r:
        estimator.train(lambda: tf.data.Dataset.from_tensors((X, X[:, :1])).repeat(), steps=3)
    assert len([step for step in r if 'layer/BiasAdd' in step]) == 3


def test_wrong_arguments_and_names_are_refused(session):
    for wrong in ({'limit': '3 cows'}, {'every': 0}, {'keep': 'some'}, {'limit': 0}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            tf.record(session, **wrong)
    with pytest.raises(TypeError, match='nodes'):
        tf.record(session, [3])
    y = tf.constant(1., name='some_name')
    with tf.record(session) as r:
        session.run(y)
    with pytest.raises(KeyError, match="mean 'some_name'"):
        r[0]['some_nmae']
