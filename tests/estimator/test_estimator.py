"""Estimator: what train, evaluate and predict do, and what they say to wrong calls."""
from __future__ import annotations

import functools
import threading

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.small import KEYS, X, Y, line, line_fn, points


class Seen(tf.train.SessionRunHook):
    """Notes the order of its calls."""

    def __init__(self):
        self.calls = []

    def begin(self):
        self.calls.append('begin')

    def after_create_session(self, session, coord):
        self.calls.append('after_create_session')

    def before_run(self, run_context):
        self.calls.append('before_run')

    def after_run(self, run_context, run_values):
        self.calls.append('after_run')

    def end(self, session):
        self.calls.append('end')


# ---- train -------------------------------------------------------------------------------------


def test_steps_add_up_and_max_steps_is_the_last_one(tmp_path, told):
    estimator = line(tmp_path)
    assert estimator.train(points(), steps=5) is estimator
    estimator.train(points(), steps=5)
    assert estimator.get_variable_value('global_step') == 10
    estimator.train(points(), max_steps=12)
    assert estimator.get_variable_value('global_step') == 12
    estimator.train(points(), max_steps=12)
    assert told[-1] == 'Skipping training since max_steps has already saved.'


def test_training_ends_where_the_input_ends(tmp_path):
    estimator = line(tmp_path).train(points(repeat=2))
    assert estimator.get_variable_value('global_step') == 10


def test_an_empty_input_is_told(tmp_path, told):
    line(tmp_path).train(lambda: points(1)().take(0))
    assert 'Training with estimator made no steps. Perhaps input is empty or misspecified.' in told


def test_hooks_are_called_in_order(tmp_path):
    """B25."""
    hook = Seen()
    line(tmp_path).train(points(), hooks=[hook], steps=2)
    assert hook.calls == ['begin', 'after_create_session', 'before_run', 'after_run', 'before_run',
                          'after_run', 'end']


def test_an_error_in_a_step_runs_no_end_and_leaves_the_checkpoint(tmp_path):
    class Fail(Seen):
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


def test_listeners_hear_of_checkpoints(tmp_path):
    heard = []

    class Listener(tf.train.CheckpointSaverListener):
        def begin(self):
            heard.append('begin')

        def after_save(self, session, global_step_value):
            heard.append(int(global_step_value))

        def end(self, session, global_step_value):
            heard.append('end')

    line(tmp_path, save_checkpoints_steps=4).train(points(), steps=9, saving_listeners=[Listener()])
    assert heard[0] == 'begin' and heard[-1] == 'end'
    assert heard[1:-1][0] == 0 and heard[1:-1][-1] == 9


def test_no_checkpoints_if_both_intervals_are_none(tmp_path):
    config = {'save_checkpoints_steps': None, 'save_checkpoints_secs': None}
    estimator = line(tmp_path, **config).train(points(), steps=2)
    assert estimator.latest_checkpoint() is None
    with pytest.raises(ValueError, match='should be a CheckpointSaverHook to use saving_listeners'):
        estimator.train(points(), steps=1,
                        saving_listeners=[tf.train.CheckpointSaverListener()])


def test_the_seed_settles_a_training(tmp_path):
    first = line(tmp_path / 'a').train(points(), steps=3).get_variable_value('line/kernel')
    again = line(tmp_path / 'b').train(points(), steps=3).get_variable_value('line/kernel')
    other = line(tmp_path / 'c', tf_random_seed=4).train(points(), steps=3)
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other.get_variable_value('line/kernel'))


# ---- evaluate and predict ----------------------------------------------------------------------


@pytest.fixture
def trained(tmp_path):
    return line(tmp_path).train(points(), steps=60)


def expected(estimator, x=X):
    return x @ estimator.get_variable_value('line/kernel') + \
        estimator.get_variable_value('line/bias')


def test_evaluate_gives_metrics_loss_and_step(trained, tmp_path):
    found = trained.evaluate(points(1))
    error = np.abs(expected(trained) - Y)
    np.testing.assert_allclose(found['mae'], error.mean(), rtol=1e-5)
    np.testing.assert_allclose(found['loss'], (error ** 2).mean(), rtol=1e-5)
    assert found['global_step'] == 60
    two = trained.evaluate(points(), steps=2, name='two')
    np.testing.assert_allclose(two['mae'], error[:16].mean(), rtol=1e-5)
    assert list((tmp_path / 'eval_two').glob('events*'))


def test_predict_gives_examples_or_batches(trained):
    found = list(trained.predict(points(1)))
    assert len(found) == 40 and set(found[0]) == {'y', 'twice'}
    np.testing.assert_allclose([one['y'] for one in found], expected(trained), rtol=1e-5)
    batches = list(trained.predict(points(1), predict_keys='y', yield_single_examples=False))
    assert [set(batch) for batch in batches] == [{'y'}] * 5
    assert batches[0]['y'].shape == (8, 1)


def test_a_checkpoint_of_choice(tmp_path):
    estimator = line(tmp_path, save_checkpoints_steps=2).train(points(), steps=4)
    early = str(tmp_path / 'model.ckpt-2')
    assert estimator.evaluate(points(1), checkpoint_path=early)['global_step'] == 2
    assert estimator.evaluate(points(1))['global_step'] == 4
    assert estimator.evaluate(points(1), checkpoint_path=early)['global_step'] == 2
    first = next(estimator.predict(points(1), checkpoint_path=early))['y']
    assert not np.array_equal(first, next(estimator.predict(points(1)))['y'])


def test_without_a_checkpoint_the_variables_begin_anew(tmp_path, told):
    estimator = line(tmp_path)
    assert estimator.evaluate(points(1))['global_step'] == 0
    assert any('running initialization to evaluate' in text for text in told)
    assert len(list(estimator.predict(points(1)))) == 40
    with pytest.raises(ValueError, match='Could not find trained model in model_dir'):
        estimator.get_variable_names()


# ---- what an input_fn may be -------------------------------------------------------------------


@pytest.mark.parametrize('given', [
    points(1), ({'x': X}, Y), (X, Y), lambda: ({'x': X}, Y),
    tf.estimator.inputs.numpy_input_fn({'x': X}, Y, batch_size=16, shuffle=False)])
def test_data_in_many_forms(tmp_path, given):
    """B18: arrays and pairs do without an input_fn."""
    estimator = line(tmp_path).train(given, steps=3)
    np.testing.assert_allclose(
        estimator.evaluate(given)['mae'],
        np.abs(expected(estimator) - Y).mean(), rtol=1e-5)
    found = np.array([one['y'] for one in estimator.predict(given)])
    np.testing.assert_allclose(found, expected(estimator), rtol=1e-5)


def test_a_data_frame(tmp_path):
    """B18."""
    pandas = pytest.importorskip('pandas')
    frame = pandas.DataFrame({'a': X[:, 0], 'b': X[:, 0] ** 2})

    def model_fn(features, labels, mode):
        y = tf.layers.dense(tf.stack([features['a'], features['b']], 1), 1)[:, 0]
        if mode == KEYS.PREDICT:
            return tf.estimator.EstimatorSpec(mode, predictions=y)
        loss = tf.losses.mean_squared_error(labels, y)
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, train_op=tf.train.AdamOptimizer().minimize(
                loss, tf.train.get_global_step()))

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    labels = pandas.Series(Y[:, 0])
    estimator.train((frame, labels), steps=2)
    assert estimator.evaluate((frame, labels))['global_step'] == 2
    assert len(list(estimator.predict(frame))) == 40
    in_order = tf.estimator.inputs.pandas_input_fn(frame, labels, batch_size=30, shuffle=False)
    assert len(list(estimator.predict(in_order, yield_single_examples=False))) == 2


def test_an_input_fn_may_ask_for_mode_params_and_config(tmp_path):
    asked = {}

    def input_fn(mode, params, config):
        asked.update(mode=mode, params=params, seed=config.tf_random_seed)
        return points()()

    line(tmp_path, {'rate': 0.2}).train(input_fn, steps=1)
    assert asked == {'mode': 'train', 'params': {'rate': 0.2}, 'seed': 3}


def test_an_input_fn_keeps_what_a_partial_has_filled(trained):
    def input_fn(params, **more):
        return tf.data.Dataset.from_tensors({'x': np.zeros([params['rows'], 1], np.float32)})

    rows = trained.predict(functools.partial(input_fn, params={'rows': 5}))
    assert len(list(rows)) == 5


# ---- kept sessions -----------------------------------------------------------------------------


def test_b15_the_graph_stays_while_the_checkpoint_is_the_same(trained, told):
    trained.evaluate(points(1))
    list(trained.predict(points(1)))
    told.clear()
    first = trained.evaluate(points(1))
    list(trained.predict(points(1)))
    assert not any('Calling model_fn' in text for text in told)
    assert sum('the checkpoint is still' in text for text in told) == 2
    trained.train(points(), steps=5)
    told.clear()
    second = trained.evaluate(points(1))
    assert not any('Calling model_fn' in text for text in told)
    assert any('the checkpoint is a new one' in text for text in told)
    assert second['global_step'] == 65 and second['loss'] < first['loss']
    fresh = line(trained.model_dir, keep_sessions=False)
    assert fresh.evaluate(points(1)) == second
    told.clear()
    fresh.evaluate(points(1))
    assert any('Calling model_fn' in text for text in told)
    trained.close()
    assert trained.evaluate(points(1)) == second


def test_b15_each_call_reads_its_own_input(trained):
    def at(value):
        return tf.estimator.inputs.numpy_input_fn(
            {'x': np.float32([[value]])}, shuffle=False)
    for value in (0.5, -2.0, 3.0):
        found, = trained.predict(at(value))
        np.testing.assert_allclose(found['y'], expected(trained, np.float32([[value]]))[0],
                                   rtol=1e-5)


def test_b15_two_generators_do_not_disturb_each_other(tmp_path):
    estimator = line(tmp_path).train(points(), steps=1)
    old = estimator.predict(points(1, batch=4))
    first = next(old)['y']
    estimator.train(points(), steps=30)
    new = list(estimator.predict(points(1, batch=4)))
    assert not np.array_equal(first, new[0]['y'])
    rest = [first, *(one['y'] for one in old)]
    slope = (rest[-1] - rest[0]) / 2
    assert np.allclose(np.diff(np.array(rest)[:, 0]), slope * 2 / 39, atol=1e-5)


def test_b15_predictions_from_eight_threads(trained):
    wanted, found = expected(trained), {}

    def ask(number):
        found[number] = np.array([one['y'] for one in trained.predict(points(1))])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for values in found.values():
        np.testing.assert_allclose(values, wanted, rtol=1e-5)
    assert len(found) == 8


def test_b15_models_with_hooks_are_built_each_time(tmp_path):
    hook = Seen()

    def model_fn(features, labels, mode):
        spec = line_fn(features, labels, mode, {})
        return spec._replace(evaluation_hooks=[hook])

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path)).train(points(), steps=1)
    estimator.evaluate(points(1))
    estimator.evaluate(points(1))
    assert hook.calls.count('begin') == 2 and hook.calls.count('end') == 2


# ---- wrong calls -------------------------------------------------------------------------------


def spec_fn(**parts):
    def model_fn(features, labels, mode):
        loss = tf.reduce_mean(tf.layers.dense(features['x'], 1))
        made = {name: make(loss) for name, make in parts.items()}
        return tf.estimator.EstimatorSpec(mode, **{'loss': loss, **made})
    return model_fn


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


@pytest.mark.parametrize('model_fn, words', [
    (lambda mode: None, 'must include features argument'),
    (lambda features, labels, rate: None, "following not expected args: \\['rate'\\]"),
])
def test_wrong_parameters_of_a_model_fn(model_fn, words):
    with pytest.raises(ValueError, match=words):
        tf.estimator.Estimator(model_fn)


def test_a_model_fn_may_be_partial_and_take_anything(tmp_path):
    def model_fn(features, labels, mode, factor, **more):
        assert not more
        return tf.estimator.EstimatorSpec(mode, predictions=features['x'] * factor)

    estimator = tf.estimator.Estimator(functools.partial(model_fn, factor=3.0), str(tmp_path))
    assert list(estimator.predict({'x': np.ones(2, np.float32)})) == [3.0, 3.0]


@pytest.mark.parametrize('model_fn, mode, words', [
    (spec_fn(), 'train', 'Missing train_op'),
    (spec_fn(loss=lambda _: None), 'evaluate', 'Missing loss'),
    (spec_fn(loss=lambda _: None), 'predict', 'Missing predictions'),
    (spec_fn(loss=lambda loss: tf.stack([loss, loss])), 'evaluate', 'Loss must be scalar'),
    (spec_fn(loss=lambda _: 1.0), 'evaluate', 'loss must be Tensor'),
    (spec_fn(eval_metric_ops=lambda loss: {'m': loss}), 'evaluate',
     'Values of eval_metric_ops must be \\(metric_value, update_op\\)'),
    (spec_fn(eval_metric_ops=lambda loss: {'loss': tf.metrics.mean(loss)}), 'evaluate',
     'Metric with name `loss` is not allowed'),
    (spec_fn(train_op=lambda _: 1), 'train', 'train_op must be Operation or Tensor'),
    (spec_fn(scaffold=lambda _: 1), 'evaluate', 'scaffold must be tf.train.Scaffold'),
    (spec_fn(training_hooks=lambda _: [1]), 'evaluate', 'All hooks must be SessionRunHook'),
    (lambda features, labels, mode: 3, 'evaluate', 'should return an EstimatorSpec'),
    (lambda features, mode: 3, 'evaluate', 'does not take labels, but input_fn returns labels'),
])
def test_wrong_results_of_a_model_fn(tmp_path, model_fn, mode, words):
    estimator = tf.estimator.Estimator(model_fn, str(tmp_path))
    calls = {'train': lambda: estimator.train(points(), steps=1),
             'evaluate': lambda: estimator.evaluate(points(1)),
             'predict': lambda: next(estimator.predict(points(1)))}
    with pytest.raises((ValueError, TypeError), match=words):
        calls[mode]()


def test_a_tensor_of_another_graph_is_named(tmp_path):
    """B18."""
    outside = tf.constant(Y)
    with pytest.raises(ValueError, match='made outside of input_fn') as caught:
        line(tmp_path).train(lambda: ({'x': tf.constant(X)}, outside), steps=1)
    assert 'test_estimator.py' in str(caught.value)


def test_two_directories_or_a_wrong_config():
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


# ---- RunConfig ---------------------------------------------------------------------------------


@pytest.mark.parametrize('settings, words', [
    ({'save_checkpoints_steps': 1, 'save_checkpoints_secs': 1}, 'cannot be both set'),
    ({'save_summary_steps': -1}, 'save_summary_steps should be >= 0'),
    ({'keep_checkpoint_max': -1}, 'keep_checkpoint_max should be >= 0'),
    ({'log_step_count_steps': 0}, 'log_step_count_steps should be > 0'),
    ({'tf_random_seed': 1.5}, 'tf_random_seed must be integer'),
    ({'session_config': {}}, 'session_config must be instance of ConfigProto'),
    ({'model_dir': ''}, 'model_dir should be non-empty'),
    ({'device_fn': 'cpu'}, 'device_fn must be callable'),
])
def test_wrong_settings(settings, words):
    with pytest.raises(ValueError, match=words):
        tf.estimator.RunConfig(**settings)


def test_replace_changes_a_copy():
    config = tf.estimator.RunConfig(save_checkpoints_steps=3)
    other = config.replace(save_checkpoints_secs=5, model_dir='d')
    assert (config.save_checkpoints_steps, config.save_checkpoints_secs) == (3, None)
    assert (other.save_checkpoints_steps, other.save_checkpoints_secs) == (None, 5)
    assert other.model_dir == 'd' and config.model_dir is None
    with pytest.raises(ValueError, match='Replacing task_type is not supported'):
        config.replace(task_type='ps')


def test_keep_checkpoint_max(tmp_path):
    line(tmp_path, save_checkpoints_steps=1, keep_checkpoint_max=2).train(points(), steps=5)
    assert sorted(p.name for p in tmp_path.glob('*.index')) == \
        ['model.ckpt-4.index', 'model.ckpt-5.index']
    assert len(list(tmp_path.glob('*.resume'))) <= 1
