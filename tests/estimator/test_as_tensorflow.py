"""Details in which an Estimator follows TensorFlow 1.15: keys, metrics, receivers, exports."""
from __future__ import annotations

import os

import numpy as np
import pytest

import tinyflow as tf
from estimator_layer import private_names
from estimator_layer.export.receivers import build_supervised_input_receiver_fn_from_input_fn
from tests.estimator.models import KEYS, X, Y, line, points


def receiver():
    x = tf.placeholder(tf.float32, [None, 1])
    return tf.estimator.export.ServingInputReceiver({'x': x}, {'x': x})


def test_warm_start_from_bytes_and_export_without_training(tmp_path):
    trained = line(tmp_path / 'a').train(points(), steps=2)
    first = trained.export_saved_model(str(tmp_path / 'first'), receiver)
    assert isinstance(first, bytes)
    warm = tf.estimator.Estimator(trained._model_fn, str(tmp_path / 'b'), warm_start_from=first)
    assert warm.evaluate(points(1), steps=1)['mae'] == trained.evaluate(points(1), steps=1)['mae']
    from_folder = tf.estimator.Estimator(trained._model_fn, str(tmp_path / 'c'),
                                         warm_start_from=str(tmp_path / 'a'))
    second = from_folder.export_saved_model(str(tmp_path / 'second'), receiver)
    assert os.path.exists(os.path.join(second, b'variables', b'variables.index'))


def test_features_with_keys_of_both_kinds(tmp_path):
    def model_fn(features, labels, mode):
        w = tf.get_variable('w', [], initializer=tf.ones_initializer())
        y = w * features[1] + features['b']
        if mode == KEYS.PREDICT:
            return tf.estimator.EstimatorSpec(mode, {'y': y})
        loss = tf.reduce_mean(y)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(
            tf.train.get_global_step(), 1))

    def input_fn():
        return {1: tf.constant([1.]), 'b': tf.constant([2.])}, None

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(input_fn, steps=1)
    assert estimator.evaluate(input_fn, steps=1)['loss'] == 3.0
    assert next(estimator.predict(input_fn))['y'] == 3.0


def test_metrics_may_be_nested(tmp_path):
    def model_fn(features, labels, mode):
        one = tf.metrics.mean(tf.constant(2.))
        both = ((one[0], one[0] + 1.), (one[1], one[1]))
        return tf.estimator.EstimatorSpec(
            mode, loss=tf.constant(1.), eval_metric_ops={'both': both},
            train_op=tf.assign_add(tf.train.get_global_step(), 1))

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(points(1), steps=1)
    assert estimator.evaluate(points(1))['both'] == (2.0, 3.0)


def test_receivers_of_an_input_fn():
    def input_fn(rows):
        return {'x': tf.zeros([rows, 3])}, tf.zeros([rows], tf.int64)

    receive = build_supervised_input_receiver_fn_from_input_fn(input_fn, rows=4)
    with tf.Graph().as_default():
        found = receive()
        assert found.features['x'].shape.as_list() == [None, 3]
        assert found.labels.dtype == tf.int64 and found.labels.shape.as_list() == [None]
        assert sorted(found.receiver_tensors) == ['label', 'x']


def test_best_exporter_needs_no_global_step(tmp_path):
    estimator = line(tmp_path).train(points(), steps=1)
    exporter = tf.estimator.BestExporter(serving_input_receiver_fn=receiver)
    args = estimator, str(tmp_path / 'out'), estimator.latest_checkpoint()
    assert exporter.export(*args, {'loss': 2.0}, False)
    assert exporter.export(*args, {'loss': 3.0}, False) is None


@pytest.mark.parametrize('what, scaffold', [
    ('saver', lambda: tf.train.Scaffold(saver=tf.train.Saver())),
    ('init_fn', lambda: tf.train.Scaffold(init_fn=lambda scaffold, session: None))])
def test_in_memory_evaluator_refuses_custom(tmp_path, what, scaffold):
    def model_fn(features, labels, mode):
        w = tf.get_variable('w', [])
        return tf.estimator.EstimatorSpec(
            mode, loss=w, scaffold=scaffold() if mode == KEYS.EVAL else None,
            train_op=tf.assign_add(tf.train.get_global_step(), 1))

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    hook = tf.contrib.estimator.InMemoryEvaluatorHook(estimator, points(1), steps=1)
    with pytest.raises(ValueError, match=f'does not support custom {what}'):
        estimator.train(points(1), steps=1, hooks=[hook])


def test_heads_of_private_modules():
    """The loss is summed over the batch, unlike that of tf.contrib.estimator's heads."""
    head = private_names._regression_head(label_dimension=1)
    with tf.Graph().as_default():
        spec = head.create_loss({}, KEYS.TRAIN, tf.constant(X), tf.constant(Y))
        with tf.Session() as session:
            np.testing.assert_allclose(session.run(spec.training_loss), np.square(X - Y).sum(),
                                       rtol=1e-5)


def test_a_task_of_servers_or_evaluations_does_not_train(tmp_path):
    class Evaluator(tf.estimator.RunConfig):
        task_type = 'evaluator'

    estimator = tf.estimator.Estimator(line(tmp_path)._model_fn, str(tmp_path), Evaluator())
    with pytest.raises(ValueError, match='train_and_evaluate'):
        estimator.train(points(), steps=1)


def test_settings_of_a_session_by_default(tmp_path):
    estimator = tf.estimator.Estimator(line(tmp_path)._model_fn, model_dir='')
    assert os.path.isdir(estimator.model_dir)           # '' is none: a temporary folder
    config = estimator.config.session_config
    assert config.allow_soft_placement
    assert config.graph_options.rewrite_options.meta_optimizer_iterations == 1


def test_step_of_the_latest_checkpoint(tmp_path):
    assert private_names._load_global_step_from_checkpoint_dir(str(tmp_path)) == 0
    line(tmp_path).train(points(), steps=3)
    assert private_names._load_global_step_from_checkpoint_dir(str(tmp_path)) == 3


def test_heads_that_make_specs_for_tpus():
    class ForTPU(private_names._Head):
        def _create_tpu_estimator_spec(self, features, mode, logits, **settings):
            return private_names._TPUEstimatorSpec(mode, loss=tf.constant(features))

    with tf.Graph().as_default():
        spec = ForTPU().create_estimator_spec(features=2., mode=KEYS.EVAL, logits=None)
        assert type(spec) is tf.estimator.EstimatorSpec
    with pytest.raises(NotImplementedError, match='TPUEstimatorSpec not available'):
        private_names._regression_head()._create_tpu_estimator_spec({}, KEYS.EVAL, None)
    with pytest.raises(NotImplementedError, match='Subclasses of _Head must'):
        private_names._Head().create_estimator_spec(features={}, mode=KEYS.EVAL, logits=None)


def test_messages_of_heads():
    with pytest.raises(ValueError, match=r'thresholds must be in \(0, 1\) range. Given: 1.0'):
        tf.estimator.MultiLabelHead(3, thresholds=[0.5, 1.])
    with pytest.raises(ValueError, match='label_vocabulary must be a list or tuple'):
        tf.estimator.MultiLabelHead(2, label_vocabulary={'a': 0, 'b': 1})
    heads = [tf.estimator.RegressionHead(name='a'),
             tf.estimator.RegressionHead(name='b', loss_reduction='sum')]
    ones = dict.fromkeys('ab', np.ones([1, 1], np.float32))
    with tf.Graph().as_default(), pytest.raises(ValueError, match='must be the same'):
        tf.estimator.MultiHead(heads).create_estimator_spec({}, KEYS.TRAIN, ones, ones)
    with tf.Graph().as_default(), tf.Session() as session:
        loss = private_names._binary_logistic_head_with_sigmoid_cross_entropy_loss().create_loss(
            {}, KEYS.EVAL, tf.constant([[1.]]), tf.constant([[1.2]])).training_loss
        with pytest.raises(tf.errors.InvalidArgumentError, match='Labels must <= n_classes - 1'):
            session.run(loss)


def test_waiting_for_a_checkpoint(tmp_path, monkeypatch):
    waits = []
    monkeypatch.setattr('time.sleep', waits.append)
    with tf.Graph().as_default():
        step = tf.train.create_global_step()
        to_ten = step.assign(10)
        with tf.Session() as session:
            session.run(step.assign(9))
            tf.train.Saver().save(session, str(tmp_path / 'model.ckpt'))
        hook = private_names._StopAtCheckpointStepHook(model_dir=str(tmp_path), last_step=10)
        with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
            session.raw_session().run(to_ten)
            session.run(step)
            assert waits == [30] and not session.should_stop()


def tags_and_step(estimator):
    """The names of the summaries of one training, and the global step after it."""
    estimator.train(lambda: ({'x': np.ones([4, 1], np.float32)}, np.ones([4, 1], np.float32)),
                    steps=2)
    events = [event for name in os.listdir(estimator.model_dir) if 'tfevents' in name
              for event in tf.train.summary_iterator(os.path.join(estimator.model_dir, name))]
    return ({value.tag for event in events for value in event.summary.value},
            estimator.get_variable_value('global_step'))


@pytest.mark.slow
def test_summaries_of_version_2_are_named_from_the_root(tmp_path):
    """As in TensorFlow: dnn/hiddenlayer_0, where version 1 has dnn/dnn/hiddenlayer_0."""
    columns = [tf.feature_column.numeric_column('x')]
    v2 = tf.compat.v2.estimator
    ftrl = tf.keras.optimizers.Ftrl(.1)
    both = v2.DNNLinearCombinedRegressor(str(tmp_path / 'both'), columns, ftrl,
                                         dnn_feature_columns=columns, dnn_hidden_units=[2])
    tags, step = tags_and_step(both)
    assert {'dnn/hiddenlayer_0/activation', 'dnn/logits/fraction_of_zero_values', 'bias',
            'fraction_of_zero_weights', 'linear/activation'} <= tags
    assert step == 2                            # two optimizers, of which one counts
    assert ftrl.iterations.op.name == 'training/Ftrl/iter'
    assert both.get_variable_value('training/Ftrl/iter') == 2
    tags, _ = tags_and_step(tf.estimator.DNNRegressor([2], columns, str(tmp_path / 'dnn')))
    assert 'dnn/dnn/hiddenlayer_0/activation' in tags


def test_batch_normalization_of_a_wide_and_deep_model_of_version_2(tmp_path):
    """Its moving averages move in training."""
    columns = [tf.feature_column.numeric_column('x')]
    estimator = tf.compat.v2.estimator.DNNLinearCombinedRegressor(
        str(tmp_path), columns, dnn_feature_columns=columns, dnn_hidden_units=[2],
        batch_norm=True)
    tags_and_step(estimator)
    variance = estimator.get_variable_value('dnn/hiddenlayer_0/batchnorm_0/moving_variance')
    assert (variance < 1).all()


def test_model_functions_for_programs_that_change_the_spec(tmp_path):
    """`_dnn_model_fn` and its like, as a model_fn of one's own calls them."""
    from estimator_layer.private import model_fns
    columns = [tf.feature_column.numeric_column('x')]
    head = tf.contrib.estimator.regression_head()

    def model_fn(features, labels, mode, config):
        spec = model_fns._dnn_model_fn(features, labels, mode, head, [2], columns, config=config)
        return spec._replace(eval_metric_ops={'ones': tf.metrics.mean(tf.ones([3]))})
    own = tf.estimator.Estimator(model_fn, str(tmp_path / 'own'))
    _, step = tags_and_step(own)
    assert step == 2
    assert own.evaluate(lambda: ({'x': np.ones([4, 1], np.float32)},
                                 np.ones([4, 1], np.float32)), steps=1)['ones'] == 1
    with pytest.raises(NotImplementedError, match='no TPU'):
        model_fns.dnn_model_fn_v2({}, None, KEYS.TRAIN, head, [2], columns, use_tpu=True)
    with pytest.raises(ValueError, match='must be defined'):
        model_fns._dnn_linear_combined_model_fn_v2({}, None, KEYS.TRAIN, head)


def test_workers_stop_when_the_chief_has_stopped(tmp_path, monkeypatch):
    monkeypatch.setenv('TF_CONFIG', '{"cluster": {"chief": ["a:1"], "worker": ["b:1"], '
                       '"ps": ["c:1"]}, "task": {"type": "worker", "index": 0}}')
    worker = line(tmp_path)
    hook = tf.estimator.experimental.make_early_stopping_hook(worker, lambda: 1 / 0)
    with tf.Graph().as_default():
        tf.train.create_global_step()
        hook.begin()
        stop = tf.global_variables()[-1]
        assert stop.op.name == 'signal_early_stopping/STOP'
        request = tf.assign(stop, True)
        with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
            session.run(stop)
            assert not session.should_stop()
            session.raw_session().run(request)
            session.run(stop)
            assert session.should_stop()


def test_steps_per_run_is_one_local_variable(graph, session):
    from tinyflow.api.private.steps_per_run import get_or_create_steps_per_run_variable
    variable = get_or_create_steps_per_run_variable()
    assert get_or_create_steps_per_run_variable() is variable
    assert tf.local_variables() == [variable] and not tf.global_variables()
    session.run(tf.local_variables_initializer())
    assert session.run(variable) == 1


def test_empty_arrays_and_no_epochs():
    with pytest.raises(ValueError, match='x cannot be an empty array'):
        tf.estimator.inputs.numpy_input_fn(np.zeros([0, 2]), shuffle=False)
    for shuffle in (False, True):
        batch = tf.estimator.inputs.numpy_input_fn({'x': X}, num_epochs=0, shuffle=shuffle)()
        with tf.Session() as session, pytest.raises(tf.errors.OutOfRangeError):
            session.run(batch)


def test_export_for_training_names_the_train_op(tmp_path):
    """In the collection in which TensorFlow keeps it."""
    estimator = line(tmp_path / 'a').train(points(), steps=1)
    directory = estimator.experimental_export_all_saved_models(
        str(tmp_path / 'b'),
        {KEYS.TRAIN: build_supervised_input_receiver_fn_from_input_fn(points())})
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ['train'], directory)
        assert len(tf.get_collection('saved_model_train_op')) == 1


@pytest.mark.slow
@pytest.mark.parametrize('kind, weights', [('LinearClassifier', [-0.29144, 0.29144]),
                                           ('LinearRegressor', [-0.15614, 0.30013])])
def test_partitioner_of_a_linear_model(kind, weights, tmp_path):
    """Variables in parts, saved as one; the weights of TensorFlow 1.15.5."""
    columns = [tf.feature_column.categorical_column_with_identity('c', 8)]
    estimator = getattr(tf.estimator, kind)(
        columns, str(tmp_path), partitioner=tf.fixed_size_partitioner(2))
    names = []

    class Names(tf.train.SessionRunHook):
        def begin(self):
            names.extend(v.op.name for v in tf.trainable_variables())
    estimator.train(lambda: ({'c': tf.constant([[1], [7]])}, tf.constant([[0], [1]])), steps=2,
                    hooks=[Names()])
    assert {'linear/linear_model/c/weights/part_0', 'linear/linear_model/c/weights/part_1'} <= \
        set(names)
    found = estimator.get_variable_value('linear/linear_model/c/weights')
    np.testing.assert_allclose(found[[1, 7], 0], weights, atol=1e-5)
