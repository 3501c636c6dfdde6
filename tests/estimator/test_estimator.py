"""Estimator: train, evaluate, predict, and errors of wrong calls."""
from __future__ import annotations

import logging

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.models import (
    RecordCalls,
    X,
    Y,
    classifier,
    halves,
    halves_dataset,
    line,
    line_fn,
    line_output,
    points,
)


@pytest.mark.slow
def test_steps_are_added_and_max_steps_is_absolute(tmp_path, logged):
    estimator = line(tmp_path)
    assert estimator.train(points(), steps=5) is estimator
    estimator.train(points(), steps=5)
    assert estimator.get_variable_value('global_step') == 10
    estimator.train(points(), max_steps=12)
    assert estimator.get_variable_value('global_step') == 12
    estimator.train(points(), max_steps=12)
    assert logged[-1] == 'Skipping training since max_steps has already saved.'


@pytest.mark.slow
def test_training_stops_at_the_end_of_the_input(tmp_path):
    estimator = line(tmp_path).train(points(repeat=2))
    assert estimator.get_variable_value('global_step') == 10


def test_empty_input_is_logged(tmp_path, logged):
    line(tmp_path).train(lambda: points(1)().take(0))
    text = 'Training with estimator made no steps. Perhaps input is empty or misspecified.'
    assert text in logged


@pytest.mark.slow
def test_hooks_are_called_in_order(tmp_path):
    hook = RecordCalls()
    line(tmp_path).train(points(), hooks=[hook], steps=2)
    assert hook.calls == ['begin', 'after_create_session', 'before_run', 'after_run', 'before_run',
                          'after_run', 'end']


@pytest.mark.slow
def test_error_in_a_step_skips_end_and_keeps_the_checkpoint(tmp_path):
    class Fail(RecordCalls):
        def after_run(self, run_context, run_values):
            super().after_run(run_context, run_values)
            if self.calls.count('after_run') == 4:
                raise ZeroDivisionError('in a hook')

    hook = Fail()
    estimator = line(tmp_path, save_checkpoints_steps=2)
    with pytest.raises(ZeroDivisionError, match='in a hook'):
        estimator.train(points(), hooks=[hook], steps=10)
    assert 'end' not in hook.calls
    saved = estimator.get_variable_value('global_step')
    assert saved in (2, 3, 4)
    estimator.train(points(), max_steps=10)
    assert estimator.get_variable_value('global_step') == 10


@pytest.mark.slow
def test_saving_listeners_are_called(tmp_path):
    events = []

    class Listener(tf.train.CheckpointSaverListener):
        def begin(self):
            events.append('begin')

        def after_save(self, session, global_step_value):
            events.append(int(global_step_value))

        def end(self, session, global_step_value):
            events.append('end')

    line(tmp_path, save_checkpoints_steps=4).train(points(), steps=9, saving_listeners=[Listener()])
    assert events[0] == 'begin' and events[-1] == 'end'
    assert events[1:-1][0] == 0 and events[1:-1][-1] == 9


@pytest.mark.slow
def test_no_checkpoints_if_both_intervals_are_none(tmp_path):
    config = {'save_checkpoints_steps': None, 'save_checkpoints_secs': None}
    estimator = line(tmp_path, **config).train(points(), steps=2)
    assert estimator.latest_checkpoint() is None
    with pytest.raises(ValueError, match='should be a CheckpointSaverHook to use saving_listeners'):
        estimator.train(points(), steps=1,
                        saving_listeners=[tf.train.CheckpointSaverListener()])


@pytest.mark.slow
def test_training_is_reproducible_with_a_seed(tmp_path):
    first = line(tmp_path / 'a').train(points(), steps=3).get_variable_value('line/kernel')
    again = line(tmp_path / 'b').train(points(), steps=3).get_variable_value('line/kernel')
    other = line(tmp_path / 'c', tf_random_seed=4).train(points(), steps=3)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other.get_variable_value('line/kernel'))


@pytest.mark.slow
def test_keep_checkpoint_max(tmp_path):
    line(tmp_path, save_checkpoints_steps=1, keep_checkpoint_max=2).train(points(), steps=5)
    assert sorted(p.name for p in tmp_path.glob('*.index')) == \
        ['model.ckpt-4.index', 'model.ckpt-5.index']
    assert len(list(tmp_path.glob('*.resume'))) <= 1


@pytest.fixture
def trained(tmp_path):
    return line(tmp_path).train(points(), steps=60)


@pytest.mark.slow
def test_evaluate_returns_metrics_loss_and_step(trained, tmp_path):
    found = trained.evaluate(points(1))
    error = np.abs(line_output(trained) - Y)
    np.testing.assert_allclose(found['mae'], error.mean(), rtol=1e-5)
    np.testing.assert_allclose(found['loss'], (error ** 2).mean(), rtol=1e-5)
    assert found['global_step'] == 60
    two = trained.evaluate(points(), steps=2, name='two')
    np.testing.assert_allclose(two['mae'], error[:16].mean(), rtol=1e-5)
    assert list((tmp_path / 'eval_two').glob('events*'))


def test_predict_yields_examples_or_batches(trained):
    found = list(trained.predict(points(1)))
    assert len(found) == 40 and set(found[0]) == {'y', 'twice'}
    np.testing.assert_allclose([one['y'] for one in found], line_output(trained), rtol=1e-5)
    batches = list(trained.predict(points(1), predict_keys='y', yield_single_examples=False))
    assert [set(batch) for batch in batches] == [{'y'}] * 5
    assert batches[0]['y'].shape == (8, 1)


@pytest.mark.slow
def test_checkpoint_path_selects_a_checkpoint(tmp_path):
    estimator = line(tmp_path, save_checkpoints_steps=2).train(points(), steps=4)
    early = str(tmp_path / 'model.ckpt-2')
    assert estimator.evaluate(points(1), checkpoint_path=early)['global_step'] == 2
    assert estimator.evaluate(points(1))['global_step'] == 4
    assert estimator.evaluate(points(1), checkpoint_path=early)['global_step'] == 2
    first = next(estimator.predict(points(1), checkpoint_path=early))['y']
    assert not np.array_equal(first, next(estimator.predict(points(1)))['y'])


@pytest.mark.slow
def test_without_a_checkpoint_the_variables_are_initialized(tmp_path, logged):
    estimator = line(tmp_path)
    assert estimator.evaluate(points(1))['global_step'] == 0
    assert any('running initialization to evaluate' in text for text in logged)
    assert len(list(estimator.predict(points(1)))) == 40
    with pytest.raises(ValueError, match='Could not find trained model in model_dir'):
        estimator.get_variable_names()


@pytest.mark.slow
def test_predictions_of_an_untrained_model_cause_a_warning(tmp_path, logged):
    estimator = classifier(tmp_path, [4])
    logged.clear()
    logger = logging.getLogger('tensorflow')
    logger.setLevel(logging.WARNING)            # the usual level
    estimator.evaluate(halves, steps=1)
    next(estimator.predict({'x': [0.5]}))
    assert [text.split(', ')[-1] for text in logged] == [
        'running initialization to evaluate.', 'running initialization to predict.']


def test_logged_values_are_formatted_like_numpy(tmp_path, logged):
    line(tmp_path).train(points(), steps=1, hooks=[
        tf.train.LoggingTensorHook(['mean_squared_error/value'], every_n_iter=1)])
    logged = next(text for text in logged if text.startswith('mean_squared_error/value = '))
    value = logged.split(' = ')[1]
    assert value == str(np.float32(value)) and len(value) < 12


@pytest.mark.slow
def test_evaluation_progress_is_logged_only_if_steps_are_given(tmp_path, caplog):
    estimator = classifier(tmp_path, [4]).train(halves_dataset, steps=1)
    with caplog.at_level('INFO', logger='tensorflow'):
        found = estimator.evaluate(halves_dataset)
        assert not any('Evaluation [' in text for text in caplog.messages)
        assert any(f"loss = {found['loss']!s}" in text for text in caplog.messages)
        estimator.evaluate(halves_dataset, steps=1)
    assert any('Evaluation [1/1]' in text for text in caplog.messages)


@pytest.mark.slow
def test_add_metrics(tmp_path):
    def largest(predictions, labels, features):
        return {'mean label': tf.metrics.mean(labels), 'mae': tf.metrics.mean(features['x'])}

    def with_predictions(features, labels, mode):
        spec = line_fn(features, labels, mode, {})
        return spec

    estimator = tf.estimator.Estimator(with_predictions, str(tmp_path))
    estimator.train(points(), steps=1)
    found = tf.estimator.add_metrics(estimator, largest).evaluate(points(1))
    np.testing.assert_allclose(found['mean label'], 1, atol=1e-5)
    np.testing.assert_allclose(found['mae'], 0, atol=1e-5)
    with pytest.raises(ValueError, match='following not expected args'):
        tf.estimator.add_metrics(estimator, lambda rate: {})


@pytest.mark.slow
def test_nan_loss_is_reported_with_its_source(tmp_path):
    def model_fn(features, labels, mode):
        y = tf.layers.dense(features['x'], 1, name='line')
        loss = tf.reduce_mean(tf.log(y - 100.0, name='logarithm'))
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=tf.train.GradientDescentOptimizer(0.1).minimize(
                loss, tf.train.get_global_step()))

    with pytest.raises(tf.train.NanLossDuringTrainingError) as caught:
        tf.estimator.Estimator(model_fn, str(tmp_path)).train(points(), steps=3)
    assert 'NaN loss during training' in str(caught.value)
    assert 'logarithm' in str(caught.value)


@pytest.mark.parametrize('call, kind, words', [
    (lambda e: e.train(points(), steps=1, max_steps=2), ValueError,
     'Can not provide both steps and max_steps'),
    (lambda e: e.train(points(), steps=0), ValueError, 'Must specify steps > 0, given: 0'),
    (lambda e: e.train(points(), max_steps=-1), ValueError, 'Must specify max_steps > 0'),
    (lambda e: e.train(points(), hooks=['h'], steps=1), TypeError,
     'Hooks must be a SessionRunHook, given: h'),
    (lambda e: e.train(points(), steps=1, saving_listeners=[1]), TypeError,
     'saving_listeners must be a list of CheckpointSaverListener'),
    (lambda e: e.train(points()().batch(2), steps=1), ValueError, 'another graph'),
    (lambda e: e.train(None, steps=1), TypeError, 'input_fn must be a function'),
    (lambda e: e.train(lambda: (1, 2, 3), steps=1), ValueError,
     'return \\(features, labels\\) as a len 2 tuple'),
    (lambda e: e.evaluate(points(), steps=0), ValueError, 'Must specify steps > 0'),
    (lambda e: next(e.predict(points(1), predict_keys=['z'])), ValueError,
     'Expected to run at least one output'),
    (lambda e: e.export_saved_model('x'), ValueError, 'An input_receiver_fn must be defined'),
    (lambda e: e.export_saved_model('x', input_fn=points()), ValueError,
     "Couldn't find trained model at"),
])
def test_wrong_calls(tmp_path, call, kind, words):
    with pytest.raises(kind, match=words):
        call(line(tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize('call, kind, words', [
    (lambda d: classifier(d, 4).train(halves, steps=1), TypeError,
     r'hidden_units=\[4\], one number'),
    (lambda d: line(d).train(points(), hooks=[tf.train.StopAtStepHook], steps=1), TypeError,
     r'that is the class; StopAtStepHook\(...\) creates a hook'),
    (lambda d: classifier(d, [4]).train(
        lambda: tf.data.Dataset.from_tensor_slices(halves()), steps=1), ValueError,
     r'dataset.batch\(32\) in the input function'),
    (lambda d: line(d).train(points(), steps=1).get_variable_value('line/weights'),
     tf.errors.NotFoundError, r'get_variable_names\(\), such as line/'),
], ids=['units', 'hook class', 'no batch', 'variable'])
def test_hints_for_common_mistakes_in_calls(tmp_path, call, kind, words):
    with pytest.raises(kind, match=words):
        call(tmp_path)


def _receiver_returning_a_dict():
    return {'x': tf.placeholder(tf.float32, [None])}


def _spec_with_loss(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, features['x'])
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(
        tf.train.get_global_step(), 1))


@pytest.mark.slow
@pytest.mark.parametrize('call, kind, words', [
    (lambda e: e.train(X, Y), TypeError,
     r"input_fn returns the labels.*train\(lambda: \(\{'x': x\}, y\)\)"),
    (lambda e: e.fit(X, Y), AttributeError, 'no attribute .fit.\n  Hint: train.*numpy_input_fn'),
    (lambda e: e.predict_proba(X), AttributeError, "yields dicts with 'probabilities'"),
    (lambda e: e.nothing, AttributeError, "no attribute 'nothing'$"),
    (lambda e: e.export_savedmodel('out', _receiver_returning_a_dict), AttributeError,
     'returned a dict.*\n  Hint: return tf.estimator.export.ServingInputReceiver'),
    (lambda e: e.export_savedmodel('out', {'x': X}), TypeError, 'not a function: dict'),
    (lambda e: tf.estimator.export.build_parsing_serving_input_receiver_fn(
        [tf.feature_column.numeric_column('x')]), ValueError, 'make_parse_example_spec'),
    (lambda e: tf.estimator.DNNClassifier([tf.feature_column.numeric_column('x')], [4]).train(
        halves, steps=1), ValueError, 'numbers are hidden_units, which come before'),
    (lambda e: tf.estimator.DNNClassifier([4], [], config=tf.ConfigProto()), ValueError,
     r'RunConfig\(session_config=config\)'),
    (lambda e: tf.estimator.DNNClassifier([4], [], config={'model_dir': 'a'}), ValueError,
     r'RunConfig\(\*\*config\)'),
    (lambda e: next(tf.estimator.Estimator(_spec_with_loss).predict(halves)), ValueError,
     'labels must not be None.\n  Hint: in mode PREDICT'),
    (lambda e: tf.train.SummarySaverHook(1, output_dir='out'), ValueError, 'merge_all'),
    (lambda e: tf.train.CheckpointSaverHook('out'), ValueError, 'save_steps=100')])
def test_hints_for_calls_of_other_libraries(tmp_path, monkeypatch, call, kind, words):
    monkeypatch.chdir(tmp_path)
    estimator = classifier(tmp_path / 'model', [4]).train(halves_dataset, steps=1)
    with pytest.raises(kind, match=words):
        call(estimator)


def test_conflicting_model_dirs_and_wrong_configs():
    config = tf.estimator.RunConfig('a')
    with pytest.raises(ValueError, match='set both in constructor and `RunConfig`'):
        tf.estimator.Estimator(line_fn, 'b', config, params={})
    with pytest.raises(ValueError, match='must be an instance of `RunConfig`'):
        tf.estimator.Estimator(line_fn, config={'a': 1}, params={})


def test_members_cannot_be_overridden():
    class Own(tf.estimator.Estimator):
        def train(self, input_fn):
            pass

    with pytest.raises(ValueError, match='cannot override members of Estimator'):
        Own(line_fn, params={})


def test_params_and_config_are_copies(tmp_path):
    estimator = line(tmp_path, {'rate': [0.1]})
    estimator.params['rate'].append(2)
    assert estimator.params == {'rate': [0.1]}
    assert estimator.config is not estimator.config


@pytest.mark.parametrize('call, words', [
    (lambda: tf.estimator.DNNClassifier([4], [], n_class=3),
     r"DNNClassifier.__init__\(\) got an unexpected keyword argument 'n_class'\n.*'n_classes'\?"),
    (lambda: tf.estimator.Estimator(line_fn, model_directory='d'),
     "'model_directory'.*\n.*'model_dir'"),
    (lambda: tf.estimator.RunConfig(save_checkpoint_steps=1),
     "did you mean 'save_checkpoints_steps'"),
    (lambda: tf.contrib.learn.RunConfig(cores=1), "did you mean 'num_cores'"),
    (lambda: tf.estimator.LinearRegressor([], zebra=1), "unexpected keyword argument 'zebra'$"),
])
def test_unknown_keyword_arguments_are_answered_with_the_nearest_name(call, words):
    with pytest.raises(TypeError, match=words):
        call()


def test_subclasses_may_take_any_keyword_argument(tmp_path):
    class Custom(tf.estimator.Estimator):
        def __init__(self, **settings):
            super().__init__(line_fn, str(tmp_path), params=settings)

    assert Custom(rate=0.2).params == {'rate': 0.2}


def test_reprs_are_short(tmp_path):
    estimator = line(tmp_path)
    assert repr(estimator) == f'<Estimator model_dir={str(tmp_path)!r} not trained>'
    estimator.train(points(), steps=2)
    assert repr(estimator) == f"<Estimator model_dir={str(tmp_path)!r} checkpoint='model.ckpt-2'>"
    assert repr(tf.estimator.RunConfig()) == 'RunConfig()'
    config = tf.estimator.RunConfig(tf_random_seed=3, save_checkpoints_steps=5)
    assert repr(config) == ('RunConfig(tf_random_seed=3, save_checkpoints_steps=5, '
                            'save_checkpoints_secs=None)')
    with tf.Graph().as_default():
        tf.train.create_global_step()
        spec = tf.estimator.EstimatorSpec('eval', loss=tf.constant(1.0, name='cost'))
        assert repr(spec) == "EstimatorSpec(mode='eval', loss=cost:0)"
