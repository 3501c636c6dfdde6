"""tf.distribute: replicas in one process. Complete trainings are in tests/estimator."""
from __future__ import annotations

import copy

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.train.checkpoints import exact_resume

SUM, MEAN = tf.distribute.ReduceOp.SUM, tf.distribute.ReduceOp.MEAN

pytestmark = pytest.mark.usefixtures('graph')


def two():
    return tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:1'])


def run(fetches, setup=()):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        for op in setup:
            session.run(op)
        return session.run(fetches)


def test_without_a_strategy_there_is_one_replica():
    assert not tf.distribute.has_strategy() and not tf.distribute.in_cross_replica_context()
    assert tf.distribute.get_strategy().num_replicas_in_sync == 1
    replica = tf.distribute.get_replica_context()
    assert replica.replica_id_in_sync_group == 0
    assert replica.merge_call(lambda strategy, x: x + 1, args=(1,)) == 2


def test_contexts():
    strategy = two()
    seen = []
    with strategy.scope():
        assert tf.distribute.in_cross_replica_context()
        assert tf.distribute.get_replica_context() is None

        def replica():
            context = tf.distribute.get_replica_context()
            seen.append((context.replica_id_in_sync_group, context.num_replicas_in_sync,
                         context.devices, tf.distribute.in_cross_replica_context()))
        strategy.experimental_run_v2(replica)
    assert seen == [(number, 2, (f'/replica:0/task:0/device:CPU:{number}',), False)
                    for number in range(2)]
    assert copy.deepcopy(strategy) is strategy


def test_the_graph_is_that_of_tensorflow():
    """Names as TensorFlow 1.15.5 gives them, with gradients' own nodes left out."""
    strategy = two()
    with strategy.scope():
        v = tf.get_variable('v', [2], initializer=tf.ones_initializer())

        def step(x):
            w = tf.get_variable('w', [2], initializer=tf.zeros_initializer())
            loss = tf.reduce_sum((w + v) * x, name='loss')
            return loss, tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        loss, train = strategy.experimental_run_v2(step, args=(3.0,))
        total = strategy.reduce(SUM, loss)
    names = {op.name for op in tf.get_default_graph().get_operations()}
    assert {'v', 'v/replica_1', 'v/replica_1/Initializer/Identity', 'w', 'w/replica_1', 'loss',
            'replica_1/loss', 'AddN', 'Identity_1', 'AddN_2', 'GradientDescent/learning_rate',
            'GradientDescent/update_0/update_v/ResourceApplyGradientDescent',
            'GradientDescent/update_1/update_v/replica_1/ResourceApplyGradientDescent',
            'GradientDescent/update_1_1/update_w/replica_1/ResourceApplyGradientDescent',
            'GradientDescent'} <= names
    assert [x.name for x in tf.global_variables()] == ['v:0', 'w:0']
    assert total.name == 'Identity_4:0' and train.name == 'GradientDescent'
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(total) == 12.0
        session.run(train)
        for part in v.components:
            np.testing.assert_array_equal(session.run(part), [-2, -2])      # 1 - 0.5 * (3 + 3)


def test_values_of_replicas_are_put_together():
    strategy = two()
    with strategy.scope():
        parts = strategy.experimental_run_v2(lambda: tf.cast(
            tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.0)
        found = run([strategy.reduce(SUM, parts), strategy.reduce(MEAN, parts)])
        assert [float(x) for x in found] == [3.0, 1.5]
        assert len(strategy.experimental_local_results(parts)) == 2
        both = strategy.experimental_run_v2(lambda part: tf.fill([3], part), args=(parts,))
        assert run(strategy.reduce('mean', both, axis=0)) == 1.5
        every = strategy.experimental_run_v2(
            lambda part: tf.distribute.get_replica_context().all_reduce(SUM, part), args=(parts,))
        assert run(list(every.values)) == [3.0, 3.0]


def test_each_replica_takes_its_own_batch():
    strategy = two()
    with strategy.scope():
        dataset = tf.data.Dataset.range(7).batch(1)
        iterator = strategy.make_input_fn_iterator(lambda context: dataset)
        taken = strategy.experimental_run(lambda batch: batch * 10, iterator)
        shared = strategy.make_dataset_iterator(tf.data.Dataset.range(8).batch(4))
        parts = shared.get_next()
    with tf.Session() as session:
        session.run([iterator.initialize(), shared.initializer])
        rounds = [[x.tolist() for x in session.run(list(taken.values))] for _ in range(3)]
        assert rounds == [[[0], [10]], [[20], [30]], [[40], [50]]]
        with pytest.raises(tf.errors.OutOfRangeError):      # the seventh has no partner
            session.run(list(taken.values))
        assert [x.tolist() for x in session.run(list(parts.values))] == [[0, 1], [2, 3]]


@pytest.mark.parametrize('aggregation, value', [
    (tf.VariableAggregation.SUM, 3.0), (tf.VariableAggregation.MEAN, 1.5),
    (tf.VariableAggregation.ONLY_FIRST_REPLICA, 1.0)])
def test_aggregation_of_values_that_replicas_assign(aggregation, value):
    strategy = two()
    with strategy.scope():
        v = tf.get_variable('v', initializer=10.0, aggregation=aggregation)

        def change():
            number = tf.distribute.get_replica_context().replica_id_in_sync_group
            return v.assign(float(number + 1))
        changed = strategy.experimental_run_v2(change)
    assert run([part.value() for part in v.components], [strategy.group(changed)]) == [value] * 2


def test_a_variable_without_aggregation_cannot_be_changed_by_a_replica():
    strategy = two()
    with strategy.scope():
        v = tf.get_variable('v', initializer=1.0)
        with pytest.raises(ValueError, match='You must specify an aggregation method'):
            strategy.experimental_run_v2(lambda: v.assign_add(1.0))
        whole = v.assign(5.0)
    assert run([part.value() for part in v.components], [whole]) == [5.0, 5.0]


def test_variables_that_are_put_together_when_read(tmp_path):
    strategy = two()
    settings = {'trainable': False, 'synchronization': tf.VariableSynchronization.ON_READ}
    with strategy.scope():
        total = tf.get_variable('total', initializer=0.0,
                                aggregation=tf.VariableAggregation.SUM, **settings)
        mean = tf.get_variable('mean', initializer=0.0,
                               aggregation=tf.VariableAggregation.MEAN, **settings)

        def count():
            number = tf.distribute.get_replica_context().replica_id_in_sync_group + 1.0
            return tf.group(total.assign_add(number).op, mean.assign_add(number).op)
        counted = strategy.experimental_run_v2(count)
        both = [total.read_value(), mean.read_value()]
        saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(strategy.group(counted))
        assert session.run(both) == [3.0, 1.5]
        path = saver.save(session, str(tmp_path / 'model'))
        session.run(strategy.group(counted))
        saver.restore(session, path)
        assert session.run(both) == [3.0, 1.5]
    assert tf.train.list_variables(path) == [('mean', []), ('total', [])]
    assert tf.train.load_variable(path, 'total') == 3.0


def test_a_checkpoint_of_replicas_restores_without_replicas(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        with two().scope():
            v = tf.get_variable('v', initializer=[1.0, 2.0])
            saver = tf.train.Saver()
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / 'model'))
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable('v', [2])
        tf.train.Saver().restore(session, path)
        assert session.run(v).tolist() == [1.0, 2.0]


@pytest.mark.parametrize('optimizer', [
    lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    lambda: tf.train.AdagradOptimizer(0.1), lambda: tf.train.FtrlOptimizer(0.1),
    lambda: tf.train.RMSPropOptimizer(0.1), lambda: tf.train.AdadeltaOptimizer(1.0)])
def test_two_replicas_train_like_one_over_both_batches(optimizer):
    x = np.random.RandomState(0).rand(8, 3).astype(np.float32)

    def loss_of(batch, scale):
        w = tf.get_variable('w', [3, 2], initializer=tf.constant_initializer(0.5))
        table = tf.get_variable('table', [4, 2], initializer=tf.ones_initializer())
        rows = tf.nn.embedding_lookup(table, [1, 2, 1])
        return tf.reduce_sum(tf.square(tf.matmul(batch, w) - 1.0)) + \
            scale * tf.reduce_sum(tf.square(rows))

    def trained(build):
        with tf.Graph().as_default(), tf.Session() as session:
            step, variables = build()
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(step)
            return session.run(variables)

    def alone():
        loss = loss_of(tf.constant(x), 2.0)
        return optimizer().minimize(loss), tf.trainable_variables()

    def together():
        strategy = two()
        with strategy.scope():
            batch = strategy.experimental_run_v2(lambda: tf.constant(x)[
                4 * tf.distribute.get_replica_context().replica_id_in_sync_group:][:4])
            step = strategy.experimental_run_v2(
                lambda part: optimizer().minimize(loss_of(part, 1.0)), args=(batch,))
            return strategy.group(step), [v.components[1] for v in tf.trainable_variables()]

    for one, other in zip(trained(alone), trained(together)):
        np.testing.assert_allclose(one, other, rtol=2e-5)


def test_replicas_must_synchronize():
    strategy = two()
    with strategy.scope(), pytest.raises(RuntimeError, match='must build the same graph'):
        def uneven():
            replica = tf.distribute.get_replica_context()
            if replica.replica_id_in_sync_group:
                replica.merge_call(lambda strategy: None)
        strategy.experimental_run_v2(uneven)


def test_an_error_in_a_replica_comes_out():
    strategy = two()
    with strategy.scope(), pytest.raises(ZeroDivisionError):
        strategy.experimental_run_v2(lambda: 1 / (
            1 - tf.distribute.get_replica_context().replica_id_in_sync_group))
    assert tf.get_default_graph().get_name_scope() == ''


def test_one_device():
    strategy = tf.distribute.OneDeviceStrategy('/cpu:0')
    with strategy.scope():
        v = tf.get_variable('v', initializer=1.0)
        loss = strategy.experimental_run_v2(lambda: v * 2.0)
        assert strategy.extended.variable_created_in_scope(v)
    assert run(loss) == 2.0 and strategy.num_replicas_in_sync == 1


@pytest.mark.parametrize('call, kind, words', [
    (lambda: tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:0']), ValueError, 'Duplicates'),
    (lambda: tf.distribute.MirroredStrategy([0]), TypeError, 'must be a string'),
    (lambda: tf.distribute.MirroredStrategy(cross_device_ops='x'), TypeError, 'CrossDeviceOps'),
    (lambda: two().make_input_fn_iterator(lambda context: [1]), ValueError,
     'must be a tf.data.Dataset'),
    (lambda: two().make_dataset_iterator(tf.data.Dataset.range(9).batch(3, True)), ValueError,
     'cannot be divided among 2'),
    (lambda: two().reduce('max', tf.zeros([])), ValueError, 'must be tf.distribute.ReduceOp'),
    (lambda: tf.distribute.ReduceOp.from_variable_aggregation(tf.VariableAggregation.NONE),
     ValueError, 'Could not convert'),
    (lambda: tf.distribute.InputContext(1, 0, 2).get_per_replica_batch_size(3), ValueError,
     'not divisible'),
])
def test_wrong_calls(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_creators_of_variables():
    def doubled(next_creator, **settings):
        initial = settings.pop('initial_value')
        return next_creator(initial_value=lambda: 2.0 * (initial() if callable(initial)
                                                         else initial), **settings)

    with tf.variable_creator_scope(doubled):
        a = tf.get_variable('a', initializer=3.0)
        with tf.variable_creator_scope(doubled):
            b = tf.Variable(1.0, name='b')
    c = tf.Variable(1.0)
    assert run([a, b, c]) == [6.0, 4.0, 1.0]


def own_sum(value):
    return tf.Variable(value, synchronization=tf.VariableSynchronization.ON_READ,
                       aggregation=tf.VariableAggregation.SUM, trainable=False)


def test_a_sum_over_replicas_is_shared_out_when_it_is_set(tmp_path):
    """An assigned, loaded or restored value is what the next reading gives (TF 1.15: 6.0)."""
    strategy = two()
    with strategy.scope():
        total, count = own_sum(1.), own_sum(1)
        assigned = total.assign(6.)
        counted = strategy.experimental_run_v2(lambda: count.assign_add(
            tf.distribute.get_replica_context().replica_id_in_sync_group))
        reading, saver = [total.read_value(), count.read_value()], tf.train.Saver()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([assigned.op, strategy.group(counted)])
            assert session.run(reading) == [6., 3]
            assert session.run([total, count]) == [6., 3]
            saver.restore(session, saver.save(session, str(tmp_path / 'model')))
            assert session.run(reading) == [6., 3]
            count.load(-5, session)
            assert session.run(reading) == [6., -5]
        with pytest.raises(ValueError, match='assign_sub'):
            total.assign_sub(1.)
        with pytest.raises(NotImplementedError, match='belong to replicas'):
            tf.scatter_add(total, 0, 1.)


def test_rows_of_a_mirrored_variable_change_in_all_components():
    strategy = two()
    with strategy.scope():
        rows, number = tf.Variable([1., 2.]), tf.Variable(1)
        scattered = tf.scatter_add(rows, [0], [5.])
        before = number.count_up_to(9)
        with pytest.raises(NotImplementedError, match='a replica cannot change a part'):
            strategy.experimental_run_v2(lambda: tf.scatter_add(rows, [0], [5.]))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        _, was = session.run([scattered, before])
        assert was == 1 and session.run(list(number.values)) == [2, 2]
        np.testing.assert_equal(session.run(list(rows.values)), [[6., 2.]] * 2)
        rows.load([3., 4.], session)
        np.testing.assert_equal(session.run(list(rows.values)), [[3., 4.]] * 2)


def test_an_object_based_checkpoint_has_one_value_of_all_replicas(tmp_path):
    strategy = two()
    with strategy.scope():
        mirrored, total = tf.Variable([1., 2.]), own_sum(4.)
        checkpoint = tf.train.Checkpoint(v=mirrored, total=total)
        changed = [mirrored.assign([7., 8.]).op, total.assign(0.).op]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            path = checkpoint.save(str(tmp_path / 'objects'), session=session)
            session.run(changed)
            checkpoint.restore(path).assert_consumed().run_restore_ops(session)
            np.testing.assert_equal(session.run(list(mirrored.values)), [[1., 2.]] * 2)
            assert session.run(total.read_value()) == 8.    # 4 of each replica
    stored = tf.train.load_checkpoint(path)
    assert stored.get_tensor('total/.ATTRIBUTES/VARIABLE_VALUE') == 8.


def test_a_saver_made_of_a_checkpoint_restores_all_components(tmp_path):
    with two().scope():
        v = tf.Variable([1., 2.])
        changed = v.assign([7., 8.]).op
        scaffold = tf.train.Scaffold(saver=tf.train.Checkpoint(v=v)).finalize()
    with tf.Session() as session:
        session.run(scaffold.init_op)
        session.run(changed)
        path = scaffold.saver.save(session, str(tmp_path / 'model'))
        session.run(scaffold.init_op)
        scaffold.saver.restore(session, path)
        np.testing.assert_equal(session.run(list(v.values)), [[7., 8.]] * 2)


def test_a_mean_over_rows_weighs_all_rows_alike():
    """Also where one replica has fewer of them; TF 1.15 gives 3."""
    strategy = two()
    with strategy.scope():
        batches = strategy.experimental_run_v2(lambda: tf.constant(
            [[1., 2.], [6.]][tf.distribute.get_replica_context().replica_id_in_sync_group]))
        reduced = [strategy.reduce(op, batches, axis=axis)
                   for op, axis in ((MEAN, 0), (SUM, 0), (MEAN, -1))]
    assert run(reduced) == [3., 9., 3.]


def test_a_component_knows_the_variable_that_it_is_part_of():
    strategy = two()
    with strategy.scope():
        found = [tf.Variable(1.), own_sum(1.), tf.Variable(1., collections=['local_variables'])]
    for variable in found:
        assert strategy.extended.value_container(variable.values[1]) is variable


def test_replicas_values_are_added_by_a_function_of_the_program():
    strategy = tf.distribute.MirroredStrategy(
        ['/cpu:0', '/cpu:1'], cross_device_ops=tf.distribute.ReductionToOneDevice(
            reduce_to_device='/cpu:1', accumulation_fn=lambda values: values[0] * 100.))
    with strategy.scope():
        value = strategy.experimental_run_v2(lambda: tf.constant(2.))
        total = strategy.reduce(SUM, value, axis=None)
    assert run(total) == 200.
    assert any(op.type == 'Mul' and op.device == '/device:CPU:1'
               for op in total.graph.get_operations())


def test_an_optimizer_belongs_into_the_replicas():
    """In cross-replica context it would change the first component only."""
    with two().scope():
        v = tf.Variable(3.)
        with pytest.raises(RuntimeError, match='in a cross-replica context.*\n.*Hint'):
            tf.train.GradientDescentOptimizer(.1).minimize(v * v)


@pytest.mark.parametrize('before, after', [(2, 2), (2, 1), (4, 2), (1, 2)])
def test_an_exact_resume_on_another_number_of_replicas(tmp_path, before, after):
    """Replicas' own values go on where their number is the same; else the sum is shared out."""
    def build(count):
        strategy = tf.distribute.MirroredStrategy([f'/cpu:{i}' for i in range(count)])
        with strategy.scope():
            total = own_sum(0.)
            steps = strategy.experimental_run_v2(lambda: total.assign_add(
                1. + tf.distribute.get_replica_context().replica_id_in_sync_group,
                read_value=False))
            return total, strategy.group(steps), total.read_value(), tf.train.Saver()

    prefix = str(tmp_path / 'model')
    with tf.Graph().as_default(), tf.Session() as session:
        _, step, reading, saver = build(before)
        session.run(tf.global_variables_initializer())
        session.run(step)
        expected = session.run(reading)
        exact_resume.save_positions(session, f'{prefix}-1', 1)
        saver.save(session, prefix, global_step=1)
    with tf.Graph().as_default(), tf.Session() as session:
        total, _, reading, saver = build(after)
        saver.restore(session, f'{prefix}-1')
        assert exact_resume.restore_positions(session, f'{prefix}-1', 1)
        assert session.run(reading) == expected
        if before == after:
            assert session.run(list(total.values)) == [1., 2.]


def test_a_distributed_dataset_is_begun_by_its_initializer():
    strategy = two()
    with strategy.scope():
        dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4))
        iterator = dataset.make_initializable_iterator()
        batches = strategy.experimental_local_results(iterator.get_next())
        with pytest.raises(ValueError, match='Cannot create a one shot iterator'):
            dataset.make_one_shot_iterator()
    with tf.Session() as session:
        session.run(iterator.initializer)
        assert [part.tolist() for part in session.run(list(batches))] == [[0, 1], [2, 3]]


@pytest.mark.parametrize('metric, updates, value', [
    (lambda p, l: tf.metrics.mean(9 * p), [3.5, 5.5], 4.5),
    (lambda p, l: tf.metrics.accuracy(l, tf.cast(p > .5, tf.int32)), [.5, .75], .625),
    (lambda p, l: tf.metrics.root_mean_squared_error(tf.cast(l, tf.float32), p), [.5611, .4194],
     .4953),
    (lambda p, l: tf.metrics.auc(l, p, num_thresholds=20), [.5, .6667], .6667),
    (lambda p, l: tf.metrics.precision(l, p > .5), [.5, 1.], .75),
    (lambda p, l: tf.metrics.recall(l, p > .5), [.5, .6667], .6),
    (lambda p, l: tf.metrics.true_positives(l, p > .5), [1., 2.], 3.),
    (lambda p, l: tf.metrics.mean_iou(l, tf.cast(p > .5, tf.int32), 2),
     [[[1., 1.], [1., 1.]], [[1., 0.], [1., 2.]]], .45),
    (lambda p, l: tf.metrics.mean_per_class_accuracy(l, tf.cast(p > .5, tf.int32), 2),
     [[.5, .5], [1., .6667]], .6333),
    (lambda p, l: tf.metrics.recall_at_thresholds(l, p, [.3, .6]),
     [[.5, 0.], [1., .6667]], [.8, .4]),
    (lambda p, l: tf.metrics.sensitivity_at_specificity(l, p, .5, num_thresholds=10),
     [1., .6667], 1.),
    (lambda p, l: tf.metrics.false_negatives_at_thresholds(l, p, [.3]), [[1.], [0.]], [1.]),
    (lambda p, l: tf.metrics.recall_at_k(
        tf.cast(l, tf.int64)[:, None], tf.stack([9 * p, 5 - 9 * p], 1), 1), [.5, .25], .375),
])
def test_a_metric_of_replicas_is_one_value_of_all_they_counted(metric, updates, value):
    """The update is each replica's own. Values of TensorFlow; recall_at_k fails there."""
    p, labels = np.arange(1, 9, dtype=np.float32) / 9, np.int32([0, 1, 1, 0, 1, 0, 1, 1])
    strategy = two()
    with strategy.scope():
        iterator = strategy.make_dataset_iterator(
            tf.data.Dataset.from_tensor_slices((p, labels)).batch(4))
        of_all, own = strategy.experimental_run(lambda batch: metric(*batch), iterator)
        assert isinstance(of_all, tf.Tensor)
        own = list(strategy.experimental_local_results(own))
    with tf.Session() as session:
        session.run([iterator.initializer, tf.local_variables_initializer()])
        session.run(own)
        np.testing.assert_allclose(np.stack(session.run(own)), updates, atol=1e-4)
        np.testing.assert_allclose(session.run(of_all), value, atol=1e-4)


def test_layers_and_metrics_in_one_function_of_the_replicas():
    """The other replicas find the layers by name, and the metrics' Variables by their order."""
    strategy = two()
    x = np.arange(8, dtype=np.float32)[:, None]
    with strategy.scope():
        iterator = strategy.make_dataset_iterator(tf.data.Dataset.from_tensor_slices(x).batch(4))

        def step(batch):
            y = tf.layers.dense(batch, 1, kernel_initializer=tf.ones_initializer())
            own = tf.Variable(2.0, name='own', aggregation=tf.VariableAggregation.MEAN)
            mean = tf.metrics.mean(own * y)
            return (*mean, tf.metrics.accuracy(batch > 1, y > 2)[1])

        value, update, right = strategy.experimental_run(step, iterator)
        fetches = list(strategy.experimental_local_results(update) +
                       strategy.experimental_local_results(right))
    names = ['dense/kernel:0', 'dense/bias:0', 'own:0']
    assert [v.name for v in tf.trainable_variables()] == names
    assert [v.name for v in tf.local_variables()] == [
        'mean/total:0', 'mean/count:0', 'accuracy/total:0', 'accuracy/count:0']
    with tf.Session() as session:
        session.run([iterator.initializer, tf.global_variables_initializer(),
                     tf.local_variables_initializer()])
        assert session.run(fetches) == [1., 5., 1., .5]
        assert session.run(value) == 3.


def test_a_replica_that_makes_more_variables_is_an_error():
    def step():
        number = tf.distribute.get_replica_context().replica_id_in_sync_group
        return [tf.Variable(0.) for _ in range(1 + number)]

    with two().scope(), pytest.raises(RuntimeError, match='Replica 1 creates a Variable'):
        tf.distribute.get_strategy().experimental_run_v2(step)


def test_summaries_of_replicas_are_those_of_the_first():
    def step():
        context = tf.distribute.get_replica_context()
        tf.summary.histogram('own', [1., 2.])
        return tf.summary.scalar('loss', 1. + context.replica_id_in_sync_group)

    strategy = two()
    with strategy.scope():
        made = list(strategy.experimental_local_results(strategy.experimental_run_v2(step)))
    merged = tf.summary.merge_all()
    assert [node.name for node in tf.get_collection(tf.GraphKeys.SUMMARIES)] == ['own:0', 'loss:0']
    first, second, both = run([*made, merged])
    assert second == b'' and first
    values = tf.Summary.FromString(both).value
    assert [value.tag for value in values] == ['own', 'loss'] and values[1].simple_value == 1.


def test_all_reduce_of_a_nest():
    def step():
        context = tf.distribute.get_replica_context()
        number = tf.constant(1.) + context.replica_id_in_sync_group
        total, pair = context.all_reduce(SUM, (number, {'a': [number, 2 * number]}))
        return total, pair['a'], context.all_reduce(MEAN, number)

    strategy = two()
    with strategy.scope():
        total, pair, mean = strategy.experimental_run_v2(step)
        parts = [list(strategy.experimental_local_results(part)) for part in (total, *pair, mean)]
    assert run(parts) == [[3., 3.], [3., 3.], [6., 6.], [1.5, 1.5]]
