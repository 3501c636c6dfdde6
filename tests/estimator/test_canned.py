"""Canned estimators: training, metrics and predictions equal TF 1.15, from the same seed."""
import re

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.compare import functional_names
from tests.golden.estimator import canned_cases as table

RECORDED = read_recorded('estimator.canned')
NAMES = list(table.cases(tf))


def _check(found, wanted, what):
    if isinstance(wanted, dict):
        assert set(found) == set(wanted), what
        for key in wanted:
            _check(found[key], wanted[key], f'{what} {key}')
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        for index, (one, other) in enumerate(zip(found, wanted)):
            _check(one, other, f'{what} {index}')
    elif np.ravel(wanted).size and isinstance(np.ravel(wanted)[0], str):
        np.testing.assert_array_equal(found, wanted, err_msg=what)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=what)


def _nodes(rows):
    return [(name, 'If' if kind == 'StatelessIf' else kind) for name, kind in rows]


@pytest.mark.slow
@pytest.mark.parametrize('name', NAMES)
def test_training_equals_tensorflow(name, tmp_path):
    """Initial values, 50 losses, metrics, predictions, names in the checkpoint, nodes."""
    case, wanted = table.cases(tf)[name], RECORDED[name]
    estimator, hook = table.train(tf, case, str(tmp_path))
    _check(hook.initial, wanted['initial'], 'initial')
    _check(hook.losses, wanted['losses'], 'losses')
    found = table.results(tf, case, estimator)
    for key, value in found.items():
        _check(value, wanted[key], key)
    for mode, nodes in wanted['nodes'].items():
        with functional_names():
            assert _nodes(table.nodes(tf, estimator, case.labels, mode)) == _nodes(nodes), mode


def test_every_recorded_estimator_is_compared():
    assert set(RECORDED) == set(NAMES)


@pytest.mark.slow
@pytest.mark.parametrize('name', ['dnn_classifier_3', 'combined_classifier'])
def test_training_continues_from_a_checkpoint_of_tensorflow(name, tmp_path):
    """The checkpoint has whole values, the model partitioned ones; the seed differs."""
    case, wanted = table.cases(tf)[name], RECORDED[name]
    with tf.Graph().as_default(), tf.Session() as session:
        for full, value in wanted['initial'].items():
            tf.get_variable(_in_checkpoint(full), initializer=np.array(
                value, np.int64 if full == 'global_step' else np.float32))
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, str(tmp_path / 'model.ckpt'), global_step=0)
    _, hook = table.train(tf, case, str(tmp_path), seed=77)
    _check(hook.initial, wanted['initial'], 'initial')
    _check(hook.losses, wanted['losses'], 'losses')


def _in_checkpoint(name):
    """The name in the checkpoint: parts are saved under the name of the whole Variable."""
    twice = re.fullmatch(r'(dnn|linear)/(\1/.*/part_0)/\w+', name)
    whole = re.sub('/part_0(/|$)', r'\1', name)
    if not twice:
        return whole
    primary = twice.group(2)
    return primary[:-len('/part_0')] + '/' + name[len(primary) + 1:]


# ---- errors --------------------------------------------------------------------------------

X = tf.feature_column.numeric_column('x')


def _rows(labels):
    def input_fn():
        return tf.data.Dataset.from_tensors(({'x': np.zeros([2, 1], 'float32')}, labels))
    return input_fn


@pytest.mark.slow
def test_error_for_a_label_out_of_range(tmp_path):
    model = tf.estimator.DNNClassifier([2], [X], n_classes=3, model_dir=str(tmp_path))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'in \[0, 3\), got 7') as error:
        model.train(_rows(np.array([0, 7])), steps=1)
    assert '[7]' in str(error.value)


@pytest.mark.slow
def test_optimizers_by_name_function_or_object(tmp_path):
    rows = _rows(np.array([0., 1.], 'float32'))
    for optimizer in ('Adam', 'SGD', 'RMSProp', lambda: tf.train.MomentumOptimizer(.1, .9),
                      tf.train.AdadeltaOptimizer()):
        tf.estimator.LinearRegressor([X], optimizer=optimizer).train(rows, steps=1)
    for optimizer, says in (('Adamm', 'Unsupported optimizer name: Adamm'),
                            (tf.keras.optimizers.Adam(), 'tf.train.AdamOptimizer'),
                            (3, "a name such as 'Adam'")):
        with pytest.raises(ValueError, match=says):
            tf.estimator.LinearRegressor([X], optimizer=optimizer).train(rows, steps=1)


def test_features_must_be_a_dict():
    def input_fn():
        return tf.data.Dataset.from_tensors((np.zeros([2, 1], 'float32'), np.zeros([2], 'f4')))
    for model in (tf.estimator.LinearRegressor([X]), tf.estimator.DNNRegressor([2], [X]),
                  tf.estimator.BaselineRegressor(),
                  tf.estimator.DNNLinearCombinedRegressor(linear_feature_columns=[X])):
        with pytest.raises(ValueError, match=r"returns \({'x': x}, labels\)"):
            model.train(input_fn, steps=1)


def test_wide_and_deep_need_columns_and_layers():
    with pytest.raises(ValueError, match='Either linear_feature_columns or'):
        tf.estimator.DNNLinearCombinedClassifier()
    with pytest.raises(ValueError, match='dnn_hidden_units must be defined'):
        tf.estimator.DNNLinearCombinedClassifier(dnn_feature_columns=[X])


def test_arguments_are_checked_by_the_constructor():
    with pytest.raises(ValueError, match='n_classes must be > 2'):
        tf.estimator.DNNClassifier([2], [X], n_classes=1)
    with pytest.raises(ValueError, match='Invalid loss_reduction'):
        tf.estimator.LinearRegressor([X], loss_reduction='none')
    with pytest.raises(ValueError, match='units must be an int'):
        tf.estimator.experimental.dnn_logit_fn_builder(2., [], [X], None, None, None, False)


def test_linear_sdca_is_not_implemented():
    with pytest.raises(NotImplementedError, match='not implemented in tinyflow.\n  Hint: '):
        tf.estimator.experimental.LinearSDCA('id')


# ---- parts of models -----------------------------------------------------------------------

@pytest.mark.slow
def test_custom_model_of_logit_functions(tmp_path):
    """A model_fn of the linear logit function equals LinearRegressor."""
    def model_fn(features, labels, mode, config):
        with tf.variable_scope('linear'):
            build = tf.estimator.experimental.linear_logit_fn_builder(1, [X])
            logits = tf.estimator.experimental.call_logit_fn(build, features, mode, {}, config)
        return tf.contrib.estimator.regression_head().create_estimator_spec(
            features=features, mode=mode, logits=logits, labels=labels,
            optimizer=tf.train.FtrlOptimizer(.2))
    rows = _rows(np.array([1., 2.], 'float32'))
    custom = tf.estimator.Estimator(model_fn, str(tmp_path / 'custom')).train(rows, steps=1)
    canned = tf.estimator.LinearRegressor(
        [X], str(tmp_path / 'canned'), loss_reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE)
    canned.train(rows, steps=1)
    name = 'linear/linear_model/bias_weights'
    assert custom.get_variable_value(name) == canned.get_variable_value(name) != 0.
    with pytest.raises(ValueError, match='should return a Tensor or a dictionary'):
        tf.estimator.experimental.call_logit_fn(lambda features: 3, {}, 'train', None, None)


@pytest.mark.slow
def test_canned_model_with_a_public_head(tmp_path):
    """Unlike TF 1.15, whose DNNEstimator refuses the heads of tf.estimator."""
    model = tf.estimator.DNNEstimator(tf.estimator.MultiLabelHead(2), [3], [X], str(tmp_path))
    rows = _rows(np.array([[0, 1], [1, 1]]))
    model.train(rows, steps=3)
    assert set(model.evaluate(rows)) == {'average_loss', 'auc', 'auc_precision_recall', 'loss',
                                         'global_step'}
    assert next(model.predict(rows))['probabilities'].shape == (2,)


@pytest.mark.slow
def test_warm_start_of_partitioned_variables(tmp_path):
    rows = _rows(np.array([1., 2.], 'float32'))
    first = tf.estimator.DNNRegressor([3], [X], str(tmp_path / 'a')).train(rows, steps=2)
    second = tf.estimator.DNNRegressor(
        [3], [X], str(tmp_path / 'b'), warm_start_from=str(tmp_path / 'a'),
        optimizer=tf.train.GradientDescentOptimizer(0.)).train(rows, steps=1)
    for name in ('dnn/hiddenlayer_0/kernel', 'dnn/logits/bias'):
        np.testing.assert_array_equal(first.get_variable_value(name),
                                      second.get_variable_value(name))


# ---- tf.contrib.estimator ------------------------------------------------------------------

@pytest.mark.slow
def test_forward_features(tmp_path):
    def rows():
        features = {'x': np.array([[1.], [2.]], 'float32'), 'id': np.array([7, 8]),
                    'tags': tf.SparseTensor([[0, 0]], [3], [2, 1])}
        return tf.data.Dataset.from_tensors((features, np.array([1., 2.], 'float32')))
    model = tf.estimator.LinearRegressor([X], str(tmp_path)).train(rows, steps=1)
    forward = tf.contrib.estimator.forward_features
    first, second = forward(model, 'id').predict(rows)
    assert (first['id'], second['id'], set(first)) == (7, 8, {'id', 'predictions'})
    row = next(forward(model, ['id', 'tags'], {'tags': -1}).predict(rows))
    assert row['tags'].tolist() == [3]
    for keys, fill, says in (('y', None, 'Key "y" is not in features'),
                             (None, None, 'should be a Tensor'),
                             ('id', {'id': 0}, 'expected to be a `SparseTensor`')):
        with pytest.raises(ValueError, match=says):
            next(forward(model, keys, fill).predict(rows))
    with pytest.raises(TypeError, match='keys should be either'):
        forward(model, 3)


def test_clip_gradients_by_norm(tmp_path):
    rows = _rows(np.array([30., 40.], 'float32'))
    model = tf.estimator.LinearRegressor(
        [X], str(tmp_path), optimizer=lambda: tf.contrib.estimator.clip_gradients_by_norm(
            tf.train.GradientDescentOptimizer(1.), 5.)).train(rows, steps=1)
    assert model.get_variable_value('linear/linear_model/bias_weights') == pytest.approx(5.)


def test_export_keeps_attributes_without_defaults(tmp_path):
    """strip_default_attrs removes only attributes that TF's readers add again."""
    from tinyflow.train.saved_model.loader import read_saved_model
    rows = _rows(np.array([1., 2.], 'float32'))
    model = tf.estimator.LinearRegressor([X], str(tmp_path / 'model')).train(rows, steps=1)
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': tf.placeholder(tf.float32, [None, 1])})
    where = model.export_saved_model(str(tmp_path / 'saved'), receiver)
    graph = read_saved_model(where.decode()).meta_graphs[0].graph_def
    slices = [node for node in graph.node if node.op == 'StridedSlice']
    assert slices and all('Index' in node.attr for node in slices)
