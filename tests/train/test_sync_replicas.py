"""SyncReplicasOptimizer in one process: threads are the workers. The graph is compared with
TensorFlow's in tests/golden/programs/sync_replicas.py."""
from __future__ import annotations

import threading

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')

ROWS = np.random.RandomState(0).randn(12, 3).astype(np.float32)


def model(optimizer, aggregate, workers, **settings):
    """(the optimizer, the fed rows and words, the train op, the Variables)."""
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 3])
    words = tf.placeholder(tf.int32, [None])
    w = tf.get_variable('w', [3, 2], initializer=tf.ones_initializer())
    table = tf.get_variable('table', [4, 2], initializer=tf.zeros_initializer())
    loss = tf.reduce_sum(tf.square(
        tf.matmul(x, w) + tf.nn.embedding_lookup(table, words) - 1.)) / 4
    opt = tf.train.SyncReplicasOptimizer(optimizer, aggregate, workers, **settings)
    return opt, (x, words), opt.minimize(loss, global_step=step), [w, table, step]


def batch(feeds, number):
    return dict(zip(feeds, (ROWS[2 * number:2 * number + 2], [number % 4, (number + 1) % 4])))


def trained(optimizer, aggregate, steps):
    """The Variables after `steps` gradients of one worker."""
    with tf.Graph().as_default():
        opt, feeds, train_op, variables = model(optimizer, aggregate, 1)
        hook = opt.make_session_run_hook(True, num_tokens=aggregate - 1)
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            for number in range(steps):
                session.run(train_op, batch(feeds, number))
            return session._tf_sess().run(variables)


@pytest.mark.parametrize('make', [lambda: tf.train.GradientDescentOptimizer(0.1),
                                  lambda: tf.train.AdamOptimizer(0.1)])
def test_one_gradient_an_update_is_the_optimizer_itself(make):
    got = trained(make(), 1, 6)
    with tf.Graph().as_default():
        opt, feeds, _, variables = model(make(), 1, 1)
        x, words = feeds
        loss = tf.get_default_graph().get_tensor_by_name('truediv:0')
        train_op = make().minimize(loss, global_step=variables[2])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for number in range(6):
                session.run(train_op, batch(feeds, number))
            wanted = session.run(variables)
    for value, other in zip(got, wanted):
        np.testing.assert_allclose(value, other, rtol=1e-6, atol=1e-7)


def test_two_workers_are_one_with_the_mean_of_both():
    """And bit for bit the same each time, since every update waits for both."""
    def together():
        with tf.Graph().as_default():
            opt, feeds, train_op, variables = model(tf.train.GradientDescentOptimizer(0.1), 2, 2)
            w = variables[0]
            with tf.Session() as session:
                session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
                session.run(opt.chief_init_op)
                coord = tf.train.Coordinator()
                threads = opt.get_chief_queue_runner().create_threads(
                    session, coord, daemon=True, start=True)

                def work(number):
                    for step in range(2):
                        session.run(train_op, batch(feeds, 2 * step + number))
                workers = [threading.Thread(target=work, args=(i,)) for i in range(2)]
                for worker in workers:
                    worker.start()
                for worker in workers:
                    worker.join(30)
                assert not any(worker.is_alive() for worker in workers)
                values = session.run([w, variables[2]])
                coord.request_stop()
                coord.join(threads)
                return values
    first, again = together(), together()
    assert first[1] == 2
    np.testing.assert_array_equal(first[0], again[0])


def test_the_hook_needs_the_train_op():
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.), 1)
    for call in (opt.get_chief_queue_runner, opt.get_init_tokens_op,
                 opt.make_session_run_hook(True).begin):
        with pytest.raises(ValueError, match='appl'):
            call()
    with pytest.raises(ValueError, match='at least one variable'):
        opt.apply_gradients([])
    w = tf.Variable(1.)
    with pytest.raises(ValueError, match='Global step is required(.|\n)*global_step='):
        opt.minimize(tf.square(w))


def test_too_few_tokens():
    opt, _, _, _ = model(tf.train.GradientDescentOptimizer(1.), 4, 2)
    with pytest.raises(ValueError, match='Too few tokens to finish the first step: 1 .* vs 2'):
        opt.get_init_tokens_op(1)
    assert opt.get_init_tokens_op(2).type == 'QueueEnqueueManyV2'


def test_what_is_not_its_own_is_the_optimizers():
    opt, _, _, (w, table, _) = model(tf.train.MomentumOptimizer(0.1, 0.9), 1, 1)
    assert opt.get_slot_names() == ['momentum']
    assert {v.name for v in opt.variables()} == {'w/Momentum:0', 'table/Momentum:0'}
    assert opt.get_slot(w, 'momentum').name == 'w/Momentum:0'


def test_moving_averages_follow_each_update():
    w = tf.Variable([4.], name='w')
    step = tf.train.get_or_create_global_step()
    average = tf.train.ExponentialMovingAverage(0.5)
    opt = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(1.), 1,
                                         variable_averages=average, variables_to_average=[w])
    train_op = opt.apply_gradients([(tf.constant([1.]), w)], global_step=step)
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        session.run(opt.chief_init_op)
        session.run(opt.get_init_tokens_op())
        session.run(train_op)
        session.run(opt.get_chief_queue_runner().enqueue_ops)
        assert session.run([w, average.average(w)]) == [[3.], [3.5]]


def test_nodes_of_one_shared_name_share_an_accumulator():
    """As the graphs of two workers do on their server."""
    first = tf.ConditionalAccumulator(tf.float32, [2], shared_name='sums')
    other = tf.ConditionalAccumulator(tf.float32, [2], shared_name='sums')
    apart = tf.ConditionalAccumulator(tf.float32, [2])
    wrong = tf.ConditionalAccumulator(tf.float32, [3], shared_name='sums')
    with tf.Session() as session:
        session.run(first.apply_grad([1., 2.]))
        session.run(other.apply_grad([3., 4.]))
        assert session.run(apart.num_accumulated()) == 0
        np.testing.assert_array_equal(session.run(other.take_grad(2)), [2., 3.])
        with pytest.raises(tf.errors.InvalidArgumentError, match="'sums' has shape"):
            session.run(wrong.num_accumulated())
