"""What a second look at the Estimator found: kept sessions, exporters, early stopping."""
from __future__ import annotations

import itertools
import os
import threading

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.small import KEYS, X, line, points


def restless_fn(features, labels, mode):
    """Draws a random number and counts its runs in a global Variable, in every mode."""
    x = features['x']
    weight = tf.get_variable('weight', [], initializer=tf.ones_initializer())
    runs = tf.get_variable('runs', [], initializer=tf.zeros_initializer(), trainable=False)
    noise = tf.random_normal([])
    if mode != KEYS.TRAIN:
        runs = tf.assign_add(runs, 1.)
    if mode == KEYS.PREDICT:
        rows = [tf.shape(x)[0]]
        return tf.estimator.EstimatorSpec(mode, predictions={
            'noise': tf.fill(rows, noise), 'runs': tf.fill(rows, runs)})
    loss = tf.reduce_mean(tf.square(labels - x * weight))
    train_op = tf.train.GradientDescentOptimizer(0.01).minimize(loss, tf.train.get_global_step())
    return tf.estimator.EstimatorSpec(
        mode, loss=loss, train_op=train_op, eval_metric_ops={
            'noise': tf.metrics.mean(noise), 'runs': tf.metrics.mean(runs)})


def test_b15_each_call_begins_with_the_checkpoint_and_the_first_random_numbers(tmp_path):
    """A kept session would go on with the random numbers and the counts of the call before."""
    estimator = tf.estimator.Estimator(restless_fn, str(tmp_path),
                                       tf.estimator.RunConfig(tf_random_seed=3))
    estimator.train(points(), steps=2)
    first, second = (estimator.evaluate(points(1)) for _ in range(2))
    assert first == second and first['runs'] == 3          # the mean of 1 to 5
    one, two = (next(estimator.predict(points(1))) for _ in range(2))
    assert one == two and one['runs'] == 1


def test_b15_dropout_that_is_off_lets_the_session_stay(tmp_path, told):
    estimator = tf.estimator.DNNClassifier(
        [4], [tf.feature_column.numeric_column('x')], str(tmp_path), dropout=0.5)
    estimator.train(lambda: tf.data.Dataset.from_tensors(({'x': X}, np.int32(X > 0))), steps=1)
    for _ in range(2):
        next(estimator.predict(points(1)))
    assert any('Graph and session stay' in line for line in told)


def test_b15_threads_that_read_two_checkpoints(tmp_path):
    """No thread restores its checkpoint while another is about to read from the same session."""
    estimator = line(tmp_path)
    for _ in range(2):
        estimator.train(points(), steps=10)
    paths = [str(tmp_path / f'model.ckpt-{step}') for step in (10, 20)]

    def answer(asked, path):
        return next(asked.predict(points(1), checkpoint_path=path))['y'][0]

    wanted = [answer(line(tmp_path), path) for path in paths]
    wrong = []

    def ask(number):
        for turn in range(25):
            which = (number + turn) % 2
            if answer(estimator, paths[which]) != wanted[which]:
                wrong.append(which)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_b15_the_checkpoint_of_another_thread_is_left_alone_before_it_is_read(tmp_path):
    """The same without chance: both have their model before either opens it."""
    from estimator_layer.session_cache.prediction import CachedPrediction
    estimator = line(tmp_path)
    for _ in range(2):
        estimator.train(points(), steps=10)
    paths = [str(tmp_path / f'model.ckpt-{step}') for step in (10, 20)]
    taken = [estimator._kept.of(estimator, points(1), path, CachedPrediction) for path in paths]
    assert taken[0].model is not taken[1].model
    for bound, path in zip(taken, paths):
        assert list(bound.run(path, None))
        assert not bound.model.users


@pytest.mark.parametrize('keep', [1, 2])
def test_exporters_leave_as_many_as_asked(tmp_path, keep):
    estimator = line(tmp_path / 'model')
    estimator.train(points(), steps=1)
    base = tmp_path / 'exports'
    for number in range(4):
        os.makedirs(base / str(1500000000 + number))
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': tf.placeholder(tf.float32, [None, 1])})
    exporter = tf.estimator.LatestExporter('latest', receiver, exports_to_keep=keep)
    newest = os.path.basename(exporter.export(estimator, str(base), None, {}, False).decode())
    assert sorted(os.listdir(base)) == ['1500000003', newest][2 - keep:]


def _stops_at(tmp_path, losses, **arguments):
    """Whether stop_if_no_decrease_hook wants to stop after {step: loss} have been evaluated."""
    estimator = line(tmp_path)
    writer = tf.summary.FileWriter(estimator.eval_dir())
    for step, loss in losses.items():
        writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag='loss', simple_value=loss)]),
                           step)
    writer.close()
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'loss', run_every_secs=None, run_every_steps=1, **arguments)
    return hook._should_stop()


@pytest.mark.parametrize('patience, stops', [(19, True), (20, True), (21, False)])
def test_b17_patience_ends_at_so_many_steps(tmp_path, patience, stops):
    losses = {10: 1., 20: 2., 30: 2.}
    assert _stops_at(tmp_path, losses, max_steps_without_decrease=patience) is stops


@pytest.mark.parametrize('min_steps, stops', [(0, True), (20, False)])
def test_b17_evaluations_before_min_steps_do_not_count(tmp_path, min_steps, stops):
    losses = {10: 1., 20: 3., 30: 2.}
    assert _stops_at(tmp_path, losses, max_steps_without_decrease=15,
                     min_steps=min_steps) is stops


def test_the_key_of_a_cross_chooses_other_buckets():
    features = {'a': [[str(n)] for n in range(20)], 'b': [['x']] * 20}

    def buckets(key):
        with tf.Graph().as_default(), tf.Session() as session:
            column = tf.feature_column.crossed_column(['a', 'b'], 1000, hash_key=key)
            return session.run(tf.feature_column.input_layer(
                features, tf.feature_column.indicator_column(column))).argmax(1)

    for one, other in itertools.combinations([buckets(key) for key in (None, 1, 2)], 2):
        assert not np.array_equal(one, other)


def test_b15_metrics_that_check_their_inputs_let_the_session_stay(tmp_path, told):
    """An If node writes what its branches write: those of tf.metrics.auc write nothing."""
    estimator = tf.estimator.LinearClassifier([tf.feature_column.numeric_column('x')],
                                              str(tmp_path))

    def input_fn():
        return tf.data.Dataset.from_tensor_slices(({'x': X}, np.int32(X > 0))).batch(8)

    estimator.train(input_fn, steps=1)
    assert estimator.evaluate(input_fn) == estimator.evaluate(input_fn)
    assert any('Graph and session stay' in line for line in told)


class FirstValues(tf.train.SessionRunHook):
    """Keeps the values before the first step, of each replica's Variables."""

    def after_create_session(self, session, coord):
        self.kernels = [session.run(v) for variable in tf.trainable_variables()
                        if 'kernel' in variable.op.name
                        for v in getattr(variable, 'components', (variable,))]


def test_b24_a_warm_start_reaches_every_replica(tmp_path):
    first = line(tmp_path / 'first').train(points(), steps=5)
    strategy = tf.distribute.MirroredStrategy(['/cpu:0', '/cpu:1'])
    second = tf.estimator.Estimator(
        first._model_fn, str(tmp_path / 'second'), params={},
        config=tf.estimator.RunConfig(train_distribute=strategy), warm_start_from=first.model_dir)
    values = FirstValues()
    second.train(points(), steps=1, hooks=[values])
    assert len(values.kernels) == 2
    for kernel in values.kernels:
        np.testing.assert_array_equal(kernel, first.get_variable_value('line/kernel'))


def test_positions_of_another_step_are_not_taken(tmp_path):
    from tinyflow.train.checkpoints.exact_resume import restore_positions, save_positions
    prefix = str(tmp_path / 'model.ckpt-5')
    with tf.Graph().as_default(), tf.Session() as session:
        number = tf.random_uniform([], seed=1)
        session.run(number)
        save_positions(session, prefix, 5)
        wanted = session.run(number)
        assert not restore_positions(session, prefix, 6)
        assert session.run(number) != wanted
        assert restore_positions(session, prefix, 5)
        assert session.run(number) == wanted


def test_final_ops_are_fed():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        hook = tf.train.FinalOpsHook(x * 2, {x: 4.})
        with tf.train.MonitoredSession(hooks=[hook]):
            pass
    assert hook.final_ops_values == 8


def test_each_place_of_a_bucketized_column_has_weights_of_its_own():
    """ids are place * buckets + bucket: 2 places of 3 intervals make 6 of them."""
    column = tf.feature_column.bucketized_column(
        tf.feature_column.numeric_column('x', [2]), [0., 1.])
    with tf.Graph().as_default(), tf.Session() as session:
        logits = tf.feature_column.linear_model({'x': [[-1., 2.], [.5, -1.], [2., .5]]}, [column])
        session.run(tf.global_variables_initializer())
        weights, = [v for v in tf.trainable_variables() if 'bucketized' in v.op.name]
        session.run(tf.assign(weights, [[1.], [10.], [100.], [1e3], [1e4], [1e5]]))
        assert session.run(logits).ravel().tolist() == [100001., 1010., 10100.]


def test_dense_weights_of_zero_belong_to_padding():
    """'' and 0 fill up a dense batch: both are dropped, and the rest still stand side by side."""
    column = tf.feature_column.weighted_categorical_column(
        tf.feature_column.categorical_column_with_vocabulary_list('word', ['a', 'b']), 'weight')
    features = {'word': [['a', ''], ['b', 'a']], 'weight': [[2., 0.], [3., 4.]]}
    with tf.Graph().as_default(), tf.Session() as session:
        counts = tf.feature_column.input_layer(features, tf.feature_column.indicator_column(column))
        session.run(tf.tables_initializer())
        assert session.run(counts).tolist() == [[2., 0.], [4., 3.]]
