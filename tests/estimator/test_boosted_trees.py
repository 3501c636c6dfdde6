"""Boosted trees: training, predictions, explanations, graphs and files equal TF 1.15."""
import json
import pathlib
import shutil

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.compare import functional_names
from tests.golden.estimator import trees_cases as table, trees_kernels as kernels
from tinyflow.graph.op import Op
from tinyflow.ops.support.registry_loading import load_every_op

GOLDEN = pathlib.Path(__file__).parents[1] / 'golden'
RECORDED = read_recorded('estimator.trees')
KERNELS = read_recorded('estimator.trees_kernels')
NAMES = list(table.cases(tf))
SAVED_CASE = 'classifier_in_memory_numeric'


def same(found, wanted, what):
    if isinstance(wanted, dict):
        assert set(found) == set(wanted), what
        for key in wanted:
            same(found[key], wanted[key], f'{what} {key}')
    elif isinstance(wanted, (list, tuple)):
        assert len(found) == len(wanted), what
        for index, (one, other) in enumerate(zip(found, wanted)):
            same(one, other, f'{what} {index}')
    elif isinstance(wanted, str):
        assert found == wanted, what
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=what)


@pytest.mark.slow
@pytest.mark.parametrize('name', NAMES)
def test_training_equals_tensorflow(name, tmp_path):
    """Losses of all steps, metrics, predictions, importances, contributions."""
    case, wanted = table.cases(tf)[name], RECORDED[name]
    estimator, losses = table.train(tf, case, str(tmp_path))
    same(losses, wanted['losses'], 'losses')
    for key, value in table.results(tf, case, estimator).items():
        same(value, wanted[key], key)


@pytest.mark.parametrize('name', NAMES)
def test_graphs_equal_tensorflow(name):
    case = table.cases(tf)[name]
    for mode, nodes in RECORDED[name]['nodes'].items():
        with functional_names():
            assert _rows(table.nodes(tf, case, mode)) == _rows(nodes), mode


def _rows(nodes):
    return [(name, 'If' if kind == 'StatelessIf' else kind) for name, kind in nodes]


def test_everything_recorded_is_compared():
    assert set(RECORDED) == set(NAMES)
    assert set(KERNELS) == set(kernels.CASES)


@pytest.mark.slow
@pytest.mark.parametrize('name', list(kernels.CASES))
def test_raw_ops_equal_tensorflow(name):
    """Sums, gains, serialized trees, pruning, sketches, boundaries, buckets."""
    load_every_op()
    program, settings = kernels.CASES[name]
    found = program(tf, lambda op, *inputs, **attrs: Op.registry[op].apply(*inputs, **attrs),
                    settings)
    _close(json.loads(json.dumps(found)), KERNELS[name], name)


def _close(found, wanted, what):
    if isinstance(wanted, list) and any(isinstance(part, (list, str)) for part in wanted):
        assert len(found) == len(wanted), what
        for index, (one, other) in enumerate(zip(found, wanted)):
            _close(one, other, f'{what} {index}')
    elif isinstance(wanted, str):
        assert found == wanted, what
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-7, err_msg=what)


# ---- files -------------------------------------------------------------------------------

@pytest.mark.slow
def test_predictions_from_a_checkpoint_of_tensorflow(tmp_path):
    """Trees and boundaries are restored; predictions and explanations equal TensorFlow."""
    for file in (GOLDEN / 'files' / 'trees' / 'checkpoint').iterdir():
        shutil.copy(file, tmp_path)
    (tmp_path / 'checkpoint').write_text('model_checkpoint_path: "model.ckpt-0"\n')
    case, wanted = table.cases(tf)[SAVED_CASE], RECORDED[SAVED_CASE]
    estimator = case.make(table.Columns(tf), model_dir=str(tmp_path))
    for key, value in table.results(tf, case, estimator).items():
        same(value, wanted[key], key)


def test_a_tree_whose_nodes_point_back_is_refused():
    """Predictions from it would not return."""
    from estimator_layer.canned.trees.ops.messages import restore
    from estimator_layer.canned.trees.ops.model import Ensemble
    from tinyflow.formats.protos.boosted_trees_pb2 import TreeEnsemble
    message = TreeEnsemble(tree_weights=[1])
    message.tree_metadata.add()
    nodes = message.trees.add().nodes
    nodes.add().bucketized_split.left_id = 1
    nodes[0].bucketized_split.right_id = 0
    nodes.add().leaf.scalar = 1
    with pytest.raises(ValueError, match='node 0 of a tree has the children 1 and 0'):
        restore(Ensemble(), 0, message.SerializeToString())


@pytest.mark.slow
def test_training_continues_from_a_checkpoint(tmp_path):
    """Stamp, growing layer and buckets are restored: the trees equal those of a single run."""
    case = table.cases(tf)['regressor']
    whole, losses = table.train(tf, case, str(tmp_path / 'whole'))
    _, first = table.train(tf, case, str(tmp_path / 'parts'), steps=15)
    parts, rest = table.train(tf, case, str(tmp_path / 'parts'))
    same(first + rest, losses, 'losses')
    assert whole.experimental_feature_importances() == parts.experimental_feature_importances()


@pytest.mark.slow
def test_exported_model(tmp_path):
    case = table.cases(tf)['classifier_numeric']
    estimator, _ = table.train(tf, case, str(tmp_path / 'model'))
    where = estimator.export_saved_model(str(tmp_path / 'saved'), table.serving_receiver(tf))
    _check_saved_model(where.decode())


def test_saved_model_of_tensorflow():
    _check_saved_model(str(GOLDEN / 'files' / 'trees' / 'saved_model'))


def _check_saved_model(where):
    wanted = [row['probabilities'] for row in RECORDED['classifier_numeric']['predictions']]
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.load(session, ['serve'], where).signature_def['predict']
        feed = {signature.inputs[key].name: value[:12] for key, value in table.FEATURES.items()}
        found = session.run(signature.outputs['probabilities'].name, feed)
    same(found.tolist(), wanted, 'probabilities')


# ---- tf.contrib.estimator ------------------------------------------------------------------

@pytest.mark.slow
def test_classifier_train_in_memory(tmp_path):
    case, wanted = table.cases(tf)['classifier_in_memory'], RECORDED['classifier_in_memory']
    model = tf.contrib.estimator.boosted_trees_classifier_train_in_memory(
        table.input_fn(tf, case, False), table.Columns(tf).both, model_dir=str(tmp_path),
        n_trees=6, max_depth=3)
    same(table.results(tf, case, model)['metrics'], wanted['metrics'], 'metrics')


@pytest.mark.slow
def test_regressor_train_in_memory(tmp_path):
    case, wanted = table.cases(tf)['regressor_post'], RECORDED['regressor_post']
    model = tf.contrib.estimator.boosted_trees_regressor_train_in_memory(
        table.input_fn(tf, case, False), table.Columns(tf).both, model_dir=str(tmp_path),
        n_trees=6, max_depth=3, pruning_mode='post', tree_complexity=.1, center_bias=True)
    same(table.results(tf, case, model)['explained'], wanted['explained'], 'explained')


# ---- errors --------------------------------------------------------------------------------

def _train(tmp_path, columns, batches=1, **settings):
    case = table.cases(tf)['classifier']
    tf.estimator.BoostedTreesClassifier(columns, batches, str(tmp_path), **settings).train(
        table.input_fn(tf, case, True), max_steps=1)


def test_wrong_arguments(tmp_path):
    columns = table.Columns(tf)
    town = tf.feature_column.categorical_column_with_vocabulary_list('sex', ['male'])
    for settings, says in (
            ({'n_classes': 3}, 'not supported with multi class'),
            ({'n_classes': 3, 'pruning_mode': None}, 'only binary classification'),
            ({'pruning_mode': 'pre'}, 'tree_complexity must be positive'),
            ({'tree_complexity': .1}, 'unless pruning mode is chosen'),
            ({'pruning_mode': 'late', 'tree_complexity': .1}, 'must be one of: none, post, pre'),
            ({'batches': 2, 'train_in_memory': True}, 'a single batch')):
        with pytest.raises(ValueError, match=says):
            _train(tmp_path, columns.buckets, **settings)
    with pytest.raises(ValueError, match='wrapped by IndicatorColumn'):
        _train(tmp_path, [town])
    with pytest.raises(ValueError, match='embeddings are for deep models'):
        _train(tmp_path, [tf.feature_column.embedding_column(town, 2)])
    with pytest.raises(ValueError, match='rank of 1'):
        _train(tmp_path, [tf.feature_column.numeric_column('pair', shape=(2, 1))])
    with pytest.raises(ValueError, match='only 1 dimension regression'):
        tf.estimator.BoostedTreesRegressor(columns.buckets, 1, label_dimension=2,
                                           pruning_mode=None)


def test_explanations_need_a_centered_bias(tmp_path):
    case = table.cases(tf)['classifier']
    model = tf.estimator.BoostedTreesClassifier(table.Columns(tf).both, 1, str(tmp_path))
    with pytest.raises(ValueError, match='center_bias must be enabled'):
        next(model.experimental_predict_with_explanations(table.input_fn(tf, case, False)))


@pytest.mark.slow
def test_importances_need_splits(tmp_path):
    case = table.cases(tf)['classifier']
    model = tf.estimator.BoostedTreesClassifier(table.Columns(tf).both, 9, str(tmp_path))
    model.train(table.input_fn(tf, case, True), max_steps=1)
    with pytest.raises(ValueError, match='after training'):
        model.experimental_feature_importances()


@pytest.mark.slow
@pytest.mark.parametrize('keys', ['predictions', ['predictions']])
def test_contributions_add_up_to_the_prediction(tmp_path, keys):
    case = table.cases(tf)['regressor_numeric']
    model, _ = table.train(tf, case, str(tmp_path))
    rows = model.experimental_predict_with_explanations(table.input_fn(tf, case, False),
                                                        predict_keys=keys)
    for row in rows:
        assert set(row) == {'predictions', 'bias', 'dfc'}
        assert row['bias'] + sum(row['dfc'].values()) == pytest.approx(row['predictions'][0],
                                                                       abs=1e-4)


@pytest.mark.slow
def test_explanations_with_a_public_head(tmp_path):
    """Unlike TF 1.15, whose estimator accepts only the heads of tf.contrib.estimator."""
    case = table.cases(tf)['classifier']
    model = tf.estimator.BoostedTreesEstimator(
        table.Columns(tf).both, 3, tf.estimator.BinaryClassHead(), str(tmp_path), n_trees=3,
        max_depth=2, center_bias=True)
    model.train(table.input_fn(tf, case, True))
    row = next(model.experimental_predict_with_explanations(table.input_fn(tf, case, False)))
    assert row['bias'] + sum(row['dfc'].values()) == pytest.approx(row['probabilities'][1],
                                                                   abs=1e-5)


def test_error_for_uninitialized_trees():
    handle = Op.registry['BoostedTreesEnsembleResourceHandleOp'].apply()
    states = Op.registry['BoostedTreesGetEnsembleStates'].apply(handle)
    with tf.Session() as session, \
            pytest.raises(tf.errors.FailedPreconditionError, match='Scaffold'):
        session.run(states)
