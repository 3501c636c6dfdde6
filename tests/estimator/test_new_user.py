"""What somebody who is new to Estimators runs into."""
from __future__ import annotations

import logging

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.small import KEYS, X, Y, line, line_fn, points


def classifier(model_dir, units):
    columns = [tf.feature_column.numeric_column('x')]
    return tf.estimator.DNNClassifier(units, columns, str(model_dir), n_classes=2)


def halves():
    return {'x': X[:, 0]}, (Y[:, 0] > 1).astype(np.int32)


@pytest.mark.parametrize('call', [
    lambda estimator: estimator.train(halves, steps=2),
    lambda estimator: estimator.evaluate(halves, steps=1),
    lambda estimator: next(estimator.predict(halves))], ids=['train', 'evaluate', 'predict'])
def test_another_model_in_the_same_model_dir_says_what_an_estimator_can_do(tmp_path, call):
    classifier(tmp_path, [4]).train(halves, steps=1)
    with pytest.raises(tf.errors.InvalidArgumentError) as failed:
        call(classifier(tmp_path, [5]))
    told = str(failed.value)
    assert 'dnn/hiddenlayer_0/kernel' in told and 'in the checkpoint [1,4]' in told
    assert f'or delete {tmp_path}' in told and 'WarmStartSettings' in told
    assert 'sess.run' not in told


def test_a_model_with_more_layers_is_told_of_the_model_dir_too(tmp_path):
    classifier(tmp_path, [4]).train(halves, steps=1)
    with pytest.raises(tf.errors.NotFoundError, match='Take a new model_dir'):
        classifier(tmp_path, [4, 4]).evaluate(halves, steps=1)


def test_rows_to_predict_may_be_typed_in_as_lists(tmp_path):
    """Lists end as arrays do; in TensorFlow predict would go on for ever (PAINS B18)."""
    estimator = classifier(tmp_path, [4]).train(halves, steps=3)
    typed = list(estimator.predict(lambda: {'x': [-1.0, 0.5, 1.0]}))
    arrays = list(estimator.predict({'x': np.array([-1.0, 0.5, 1.0], np.float32)}))
    assert len(typed) == 3
    for one, other in zip(typed, arrays):
        np.testing.assert_array_equal(one['probabilities'], other['probabilities'])


def test_lists_of_words_and_of_labels(tmp_path):
    word = tf.feature_column.categorical_column_with_vocabulary_list('word', ['yes', 'no'])
    estimator = tf.estimator.LinearClassifier([word], str(tmp_path), n_classes=2)
    rows = {'word': ['yes', 'no', 'yes', 'no']}, [1, 0, 1, 0]
    estimator.train(lambda: rows, steps=30)
    assert estimator.evaluate(rows)['accuracy'] == 1.0
    assert [p['class_ids'][0] for p in estimator.predict({'word': ['no', 'yes']})] == [0, 1]


def test_tensors_in_lists_stay_what_the_input_fn_made_them(tmp_path):
    """A list of tensors is one feature of TensorFlow's, not an array."""
    def input_fn():
        return {'x': tf.stack([tf.constant([0.5]), tf.constant([1.0])])}, tf.constant([[2.], [3.]])
    assert np.isfinite(line(tmp_path).train(input_fn, steps=1).get_variable_value('line/bias'))


@pytest.mark.parametrize('call, kind, words', [
    (lambda d: classifier(d, 4).train(halves, steps=1), TypeError,
     r'hidden_units=\[4\], one number'),
    (lambda d: line(d).train(points(), hooks=[tf.train.StopAtStepHook], steps=1), TypeError,
     r'that is the class; StopAtStepHook\(...\) makes a hook'),
    (lambda d: classifier(d, [4]).train(
        lambda: tf.data.Dataset.from_tensor_slices(halves()), steps=1), ValueError,
     r'dataset.batch\(32\) in the input function'),
    (lambda d: line(d).train(points(), steps=1).get_variable_value('line/weights'),
     tf.errors.NotFoundError, r'get_variable_names\(\), such as line/'),
], ids=['units', 'hook class', 'no batch', 'variable'])
def test_a_slip_is_answered_with_what_was_meant(tmp_path, call, kind, words):
    with pytest.raises(kind, match=words):
        call(tmp_path)


def test_values_of_an_untrained_model_are_not_given_in_silence(tmp_path, told):
    estimator = classifier(tmp_path, [4])
    told.clear()
    logger = logging.getLogger('tensorflow')
    logger.setLevel(logging.WARNING)            # what is heard unless one asks for more
    estimator.evaluate(halves)
    next(estimator.predict({'x': [0.5]}))
    assert [text.split(', ')[-1] for text in told] == [
        'running initialization to evaluate.', 'running initialization to predict.']


def test_the_log_shows_values_as_numpy_does(tmp_path, told):
    line(tmp_path).train(points(), steps=1, hooks=[
        tf.train.LoggingTensorHook(['mean_squared_error/value'], every_n_iter=1)])
    logged = next(text for text in told if text.startswith('mean_squared_error/value = '))
    value = logged.split(' = ')[1]
    assert value == str(np.float32(value)) and len(value) < 12


def test_early_stopping_says_nothing_before_there_can_be_an_evaluation(tmp_path, told):
    estimator = line(tmp_path, save_checkpoints_steps=5)
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'loss', 50, run_every_secs=None, run_every_steps=5, restore_best=True)
    tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(points(), max_steps=20, hooks=[hook]),
        tf.estimator.EvalSpec(points(1), steps=None, start_delay_secs=0, throttle_secs=0))
    assert not any('no evaluation' in text for text in told)


def scored_fn(features, labels, mode):
    """line_fn with a score of the global step: 3, then 2, then worse, and best from step 13 on."""
    spec = line_fn(features, labels, mode, {})
    if mode != KEYS.EVAL:
        return spec
    score = tf.gather([3.0] + 4 * [2.0] + 8 * [2.5] + 20 * [1.0], tf.train.get_global_step())
    return spec._replace(eval_metric_ops={'score': tf.metrics.mean(score)})


def test_the_best_checkpoint_may_be_the_one_that_is_saved_when_it_stops(tmp_path):
    estimator = tf.estimator.Estimator(
        scored_fn, str(tmp_path), tf.estimator.RunConfig(save_checkpoints_steps=4))
    hook = tf.estimator.experimental.stop_if_no_decrease_hook(
        estimator, 'score', 8, run_every_secs=None, run_every_steps=3, restore_best=True)
    tf.estimator.train_and_evaluate(
        estimator, tf.estimator.TrainSpec(points(), max_steps=400, hooks=[hook]),
        tf.estimator.EvalSpec(points(1), steps=None, start_delay_secs=0, throttle_secs=0))
    found = {step: metrics['score'] for step, metrics in
             tf.contrib.estimator.read_eval_metrics(estimator.eval_dir()).items()}
    assert max(found) == min(found, key=found.get) < 20
    assert estimator.evaluate(points(1))['global_step'] == max(found)


# ---- pictures ----------------------------------------------------------------------------------

def test_an_estimator_is_drawn_as_the_graph_that_it_trained(tmp_path):
    estimator = classifier(tmp_path, [4]).train(points_of_halves, steps=1)
    model = tf.viz.draw(estimator).model
    shown = {node.name for node in model.nodes}
    assert {'kernel', 'bias', 'MatMul', 'Relu', 'IteratorGetNext'} <= shown
    assert model.node('dnn/hiddenlayer_0/kernel').kind == 'variable'    # one part, one node
    assert not any('part_0' in node.name for node in model.nodes)
    assert [node.name for node in model.nodes if node.fetched] == ['Sum']
    assert 'assert_range' in shown and not any(box.path[-1].startswith('assert_')
                                               for box in model.boxes)


def points_of_halves():
    return tf.data.Dataset.from_tensor_slices(halves()).batch(8)


def test_an_estimator_of_ones_own_is_drawn_with_its_loss(tmp_path):
    estimator = line(tmp_path).train(points(), steps=1)
    picture = tf.viz.draw(estimator)
    assert any('mean_squared_error' in node.name or node.fetched for node in picture.model.nodes)
    assert picture.model.node('line/kernel').kind == 'variable'


def test_an_estimator_without_a_checkpoint_says_how_it_is_drawn(tmp_path):
    with pytest.raises(ValueError, match='no checkpoint.*\n.*train.*first'):
        tf.viz.draw(line(tmp_path))
    graph = tf.explain(tf.estimator.Estimator(line_fn, str(tmp_path), params={})).graph(
        'train', points())
    assert tf.viz.draw(graph.spec.loss).model.nodes


# ---- what programs of 2017 to 2019 do ------------------------------------------------------------

def test_weights_over_numpy_input_fn_are_tensorflows():
    """TF1's queue is counted: the seed gives the first weights that it gives there."""
    def first_weights(graph):
        tf.set_random_seed(4)
        tf.estimator.inputs.numpy_input_fn({'x': X}, Y, shuffle=False)()
        w = tf.get_variable('w', [3])
        with tf.Session(graph=graph) as session:
            session.run(w.initializer)
            return session.run(w)
    with tf.Graph().as_default() as graph:
        np.testing.assert_allclose(first_weights(graph), NUMPY_INPUT_WEIGHTS, rtol=1e-6)
    for threads, columns, nodes in ((1, 2, 19), (2, 2, 23), (1, 4, 21)):
        with tf.Graph().as_default() as graph:
            tf.estimator.inputs.numpy_input_fn(
                {f'x{i}': X for i in range(columns - 1)}, Y, shuffle=True, num_threads=threads)()
            assert graph._count.nodes == nodes


# Recorded from TensorFlow 1.15.5.
NUMPY_INPUT_WEIGHTS = [0.18496131896972656, -0.7721171379089355, -0.47280240058898926]


def test_kmeans_keeps_the_centers_of_an_input_of_one_batch(tmp_path):
    """The first batch gives the centers and ends the input: no step, and yet a model."""
    rows = np.random.RandomState(0).rand(30, 2).astype(np.float32)

    def input_fn():
        return tf.train.limit_epochs(tf.convert_to_tensor(rows), num_epochs=1)
    kmeans = tf.contrib.factorization.KMeansClustering(
        3, str(tmp_path), use_mini_batch=False, config=tf.estimator.RunConfig(tf_random_seed=1))
    scores = []
    for _ in range(4):
        kmeans.train(input_fn)
        assert kmeans.cluster_centers().shape == (3, 2)
        scores.append(kmeans.score(input_fn))
    assert scores == sorted(scores, reverse=True) and scores[-1] < scores[0]


def test_an_evaluation_tells_how_far_it_is_only_if_that_is_known(tmp_path, caplog):
    estimator = classifier(tmp_path, [4]).train(points_of_halves, steps=1)
    with caplog.at_level('INFO', logger='tensorflow'):
        found = estimator.evaluate(points_of_halves)
        assert not any('Evaluation [' in text for text in caplog.messages)
        assert any(f"loss = {found['loss']!s}" in text for text in caplog.messages)
        estimator.evaluate(points_of_halves, steps=1)
    assert any('Evaluation [1/1]' in text for text in caplog.messages)


@pytest.fixture
def exported(tmp_path):
    estimator = classifier(tmp_path / 'model', [4]).train(points_of_halves, steps=3)
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': np.zeros([1], np.float32)})
    return estimator, receiver, estimator.export_savedmodel(str(tmp_path / 'out'), receiver)


def test_what_export_returns_is_loaded_as_it_is(exported):
    with tf.Session(graph=tf.Graph()) as session:
        proto = tf.saved_model.loader.load(session, ['serve'], exported[2])
    assert 'predict' in proto.signature_def
    assert tf.saved_model.loader.maybe_saved_model_directory(exported[2])


def test_predictors_give_what_predict_gives(exported):
    estimator, receiver, directory = exported
    rows = {'x': np.array([-1., 0.5, 1.], np.float32)}
    wanted = [row['probabilities'] for row in estimator.predict(rows)]
    for predictor in (tf.contrib.predictor.from_saved_model(directory, 'predict'),
                      tf.contrib.predictor.from_estimator(estimator, receiver, 'predict')):
        assert set(predictor.feed_tensors) == {'x'}
        assert 'probabilities' in predictor.fetch_tensors
        np.testing.assert_allclose(predictor(rows)['probabilities'], wanted, rtol=1e-6)
    tensors = tf.contrib.predictor.from_saved_model(
        directory, input_names={'a': predictor.feed_tensors['x'].name},
        output_names={'b': predictor.fetch_tensors['logits'].name})
    assert tensors({'a': rows['x']})['b'].shape == (3, 1)


def test_mistakes_with_a_predictor_are_told(exported):
    estimator, receiver, directory = exported
    of = tf.contrib.predictor.from_saved_model
    with pytest.raises(ValueError, match="'predict'.*\n.*signature_def_key='predict'"):
        of(directory)
    with pytest.raises(ValueError, match='at most one'):
        of(directory, 'predict', input_names={}, output_names={})
    with pytest.raises(ValueError, match='both'):
        of(directory, input_names={})
    with pytest.raises(ValueError, match='with tags a'):
        of(directory, 'predict', tags='a')
    with pytest.raises(ValueError, match=r"unexpected keys in input_dict: \{'y'\}"):
        of(directory, 'predict')({'y': [1.0]})
    with pytest.raises(ValueError, match=r"Mend: predictor\(\{'x': ...\}\)"):
        of(directory, 'predict')(X)
    with pytest.raises(KeyError, match='output_key must be one of'):
        tf.contrib.predictor.from_estimator(estimator, receiver, 'no')
    with pytest.raises(NotImplementedError, match='from_estimator'):
        tf.contrib.predictor.from_contrib_estimator(estimator, receiver)


def test_tables_of_contrib_learn(tmp_path):
    path = tmp_path / 'table.csv'
    path.write_text('2,3,a,b\n1,2,3,0\n4,5,6,1\n')
    base = tf.contrib.learn.datasets.base
    table = base.load_csv_with_header(str(path), np.int64, np.float32)
    np.testing.assert_array_equal(table.data, [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(table.target, [0, 1])
    assert (table.data.dtype, table.target.dtype) == (np.float32, np.int64)
    with pytest.raises(ValueError, match='table.csv, line 1: '):
        base.load_csv_without_header(str(path), np.int64, np.float32)
    path.write_text('1,2,3\n4,5,6\n')
    plain = base.load_csv_without_header(str(path), np.int32, np.float64, target_column=0)
    np.testing.assert_array_equal(plain.target, [1, 4])
    path.write_text('7,2\n1,2,3\n')
    with pytest.raises(ValueError, match='tells of 7 rows of 2 features.*there are 1 of 2'):
        base.load_csv_with_header(str(path), np.int64, np.float32)
    path.write_text('1,2,3\n4,5\n')
    with pytest.raises(ValueError, match='line 2: 2 columns, where the first row has 3'):
        base.load_csv_without_header(str(path), np.int64, np.float32)
    iris = tf.contrib.learn.datasets.load_dataset('iris')
    assert iris.data.shape == (150, 4) and np.bincount(iris.target).tolist() == [50, 50, 50]
    with pytest.raises(ValueError, match='not found: wine'):
        tf.contrib.learn.datasets.load_dataset('wine')


def test_run_config_of_contrib_learn(tmp_path):
    config = tf.contrib.learn.RunConfig(tf_random_seed=3, save_checkpoints_steps=5, num_cores=1)
    assert isinstance(config, tf.estimator.RunConfig)
    assert (config.tf_random_seed, config.save_checkpoints_steps) == (3, 5)
    assert config.save_checkpoints_secs is None
    assert config.session_config.inter_op_parallelism_threads == 1
    assert tf.contrib.learn.RunConfig().save_checkpoints_secs == 600
    estimator = tf.estimator.Estimator(line_fn, str(tmp_path), config, params={})
    assert estimator.train(points(), steps=1).config.tf_random_seed == 3


@pytest.mark.parametrize('name, mend', [
    ('DNNClassifier', 'numpy_input_fn'), ('SKCompat', 'train'), ('Experiment', 'train_and_eval'),
    ('infer_real_valued_columns_from_input', 'numeric_column')])
def test_contrib_learn_says_what_followed_it(name, mend):
    with pytest.raises(AttributeError, match=f'Mend: .*{mend}'):
        getattr(tf.contrib.learn, name)


# ---- mistakes ------------------------------------------------------------------------------------

def _receiver_of_a_dict():
    return {'x': tf.placeholder(tf.float32, [None])}


def _spec_with_loss(features, labels, mode):
    loss = tf.losses.mean_squared_error(labels, features['x'])
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(
        tf.train.get_global_step(), 1))


@pytest.mark.parametrize('call, kind, told', [
    (lambda e: e.train(X, Y), TypeError, r"labels come.*\n?.*train\(lambda: \(\{'x': x\}, y\)\)"),
    (lambda e: e.fit(X, Y), AttributeError, 'no attribute .fit.\n  Mend: train.*numpy_input_fn'),
    (lambda e: e.predict_proba(X), AttributeError, "yields dicts with 'probabilities'"),
    (lambda e: e.nothing, AttributeError, "no attribute 'nothing'$"),
    (lambda e: e.export_savedmodel('out', _receiver_of_a_dict), AttributeError,
     'returned a dict.*\n  Mend: return tf.estimator.export.ServingInputReceiver'),
    (lambda e: e.export_savedmodel('out', {'x': X}), TypeError, 'no function: dict'),
    (lambda e: tf.estimator.export.build_parsing_serving_input_receiver_fn(
        [tf.feature_column.numeric_column('x')]), ValueError, 'make_parse_example_spec'),
    (lambda e: tf.estimator.DNNClassifier([tf.feature_column.numeric_column('x')], [4]).train(
        halves, steps=1), ValueError, 'numbers are hidden_units, which come before'),
    (lambda e: tf.estimator.DNNClassifier([4], [], config=tf.ConfigProto()), ValueError,
     r'RunConfig\(session_config=config\)'),
    (lambda e: tf.estimator.DNNClassifier([4], [], config={'model_dir': 'a'}), ValueError,
     r'RunConfig\(\*\*config\)'),
    (lambda e: next(tf.estimator.Estimator(_spec_with_loss).predict(halves)), ValueError,
     'labels must not be None.\n  Mend: in mode PREDICT'),
    (lambda e: tf.train.SummarySaverHook(1, output_dir='out'), ValueError, 'merge_all'),
    (lambda e: tf.train.CheckpointSaverHook('out'), ValueError, 'save_steps=100')])
def test_the_mend_of_a_mistake(tmp_path, monkeypatch, call, kind, told):
    monkeypatch.chdir(tmp_path)
    estimator = classifier(tmp_path / 'model', [4]).train(points_of_halves, steps=1)
    with pytest.raises(kind, match=told):
        call(estimator)


def test_a_label_that_the_vocabulary_lacks_is_explained(tmp_path):
    columns = [tf.feature_column.numeric_column('x')]
    estimator = tf.estimator.DNNClassifier([4], columns, str(tmp_path), label_vocabulary=['a', 'c'])
    names = np.array(['a', 'b'] * (len(X) // 2))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'-1 is a label that is not in'):
        estimator.train(({'x': X[:len(names), 0]}, names), steps=1)


def test_a_loss_for_each_example_is_warned_of(tmp_path, caplog):
    def model_fn(features, labels, mode):
        loss = tf.square(features['x'] - tf.to_float(labels))
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.assign_add(
            tf.train.get_global_step(), 1))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.estimator.Estimator(model_fn, str(tmp_path)).train(points_of_halves, steps=1)
    assert any('tf.reduce_mean(loss)' in text for text in caplog.messages)


def test_running_after_the_end_says_how_the_loop_is_written():
    with tf.Graph().as_default():
        counted = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        hooks = [tf.train.StopAtStepHook(last_step=2)]
        with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
            session.run(counted)
            session.run(counted)
            with pytest.raises(RuntimeError, match='while not session.should_stop'):
                session.run(counted)
