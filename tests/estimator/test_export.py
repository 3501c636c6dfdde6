"""Exported models: signatures, receivers, calls from Python and the command line."""
from __future__ import annotations

import csv
import os

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.models import KEYS, X, line, points
from tinyflow.api import cli

EXPORT = tf.estimator.export


@pytest.fixture
def trained(tmp_path):
    return line(tmp_path / 'model').train(points(), steps=5)


def predicted(estimator, x=X):
    return [one['y'] for one in estimator.predict({'x': np.asarray(x, np.float32)})]


def test_receiver_from_the_training_input(trained, tmp_path, logged):
    directory = trained.export_saved_model(str(tmp_path / 'out'), input_fn=points())
    assert isinstance(directory, bytes) and os.path.isdir(directory)
    assert "Signature 'serving_default' takes x: float32[None, 1]" in logged
    assert "Signature 'serving_default' returns twice: float32[None, 1], y: float32[None, 1]" \
        in logged
    assert any("python -m tinyflow predict" in text and "x='[[0]]'" in text for text in logged)
    with tf.saved_model.load(directory) as model:
        np.testing.assert_allclose(model.signatures['serving_default'](x=X)['y'],
                                   predicted(trained))
    assert not [name for name in os.listdir(tmp_path / 'out') if name.startswith('temp')]


def test_failed_export_leaves_no_files(trained, tmp_path):
    with pytest.raises(ZeroDivisionError):
        trained.export_saved_model(str(tmp_path / 'out'), lambda: 1 / 0)
    assert not os.path.exists(tmp_path / 'out') or not os.listdir(tmp_path / 'out')


@pytest.mark.slow
def test_extra_assets_stay_in_their_folder(trained, tmp_path):
    (tmp_path / 'words').write_text('hello')
    extra = {'../words': str(tmp_path / 'words')}
    with pytest.raises(ValueError, match=r"The asset '../words' .*'assets.extra'"):
        trained.export_saved_model(str(tmp_path / 'out'), input_fn=points(), assets_extra=extra)
    assert not os.listdir(tmp_path / 'out')
    extra = {'sub/words': str(tmp_path / 'words')}
    directory = trained.export_saved_model(str(tmp_path / 'out'), input_fn=points(),
                                           assets_extra=extra)
    assert os.path.exists(os.path.join(directory, b'assets.extra', b'sub', b'words'))


@pytest.mark.slow
def test_serialized_examples(trained, tmp_path, capsys):
    receiver = EXPORT.build_parsing_serving_input_receiver_fn(
        {'x': tf.FixedLenFeature([1], tf.float32)})
    directory = trained.export_saved_model(str(tmp_path / 'out'), receiver)
    example = tf.train.Example()
    example.features.feature['x'].float_list.value.append(0.25)
    with tf.saved_model.load(directory) as model:
        found = model.signatures['serving_default'](examples=[example.SerializeToString()])['y']
    np.testing.assert_allclose(found, predicted(trained, [[0.25]]), rtol=1e-6)
    assert cli.main(['predict', str(tmp_path / 'out'), '--examples', '[{"x": 0.25}]']) == 0
    assert f'{found[0][0]:.5f}'.rstrip('0') in capsys.readouterr().out


@pytest.mark.slow
def test_export_outputs_become_signatures(tmp_path):
    def model_fn(features, labels, mode):
        logits = tf.layers.dense(features['x'], 3)
        scores = tf.nn.softmax(logits)
        classes = tf.tile(tf.constant([['a', 'b', 'c']]), [tf.shape(scores)[0], 1])
        if mode == KEYS.PREDICT:
            return tf.estimator.EstimatorSpec(mode, {'scores': scores}, export_outputs={
                'serving_default': EXPORT.ClassificationOutput(scores, classes),
                'regression': EXPORT.RegressionOutput(logits[:, 0]),
                'predict': EXPORT.PredictOutput({'scores': scores})})
        loss = tf.reduce_mean(logits)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=tf.train.AdamOptimizer(
            ).minimize(loss, tf.train.get_global_step()))

    estimator = tf.estimator.Estimator(model_fn, str(tmp_path / 'm')).train(points(), steps=1)

    def examples():
        serialized = tf.placeholder(tf.string, [None])
        features = tf.parse_example(serialized, {'x': tf.FixedLenFeature([1], tf.float32)})
        return EXPORT.ServingInputReceiver(features, {'inputs': serialized},
                                           {'raw': {'x': features['x']}})

    directory = estimator.export_saved_model(str(tmp_path / 'out'), examples)
    with tf.saved_model.load(directory) as model:
        names = set(model.signatures)
    assert names == {'serving_default', 'regression', 'predict', 'raw:predict'}


@pytest.mark.parametrize('make, words', [
    (lambda: EXPORT.ServingInputReceiver({}, None), 'receiver_tensors must be defined'),
    (lambda: EXPORT.ServingInputReceiver({'a': 1}, tf.zeros([1])), 'must be a Tensor'),
    (lambda: EXPORT.ServingInputReceiver({1.5: tf.zeros([1])}, tf.zeros([1])), 'keys must be'),
    (lambda: EXPORT.TensorServingInputReceiver({'a': tf.zeros([1])}, tf.zeros([1])),
     'must be a Tensor'),
    (lambda: EXPORT.ServingInputReceiver(tf.zeros([1]), tf.zeros([1]), [1]), 'must be a dict'),
    (lambda: tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
        {'a': tf.zeros([1])}, {'a': tf.zeros([1])}), 'must have distinct keys'),
])
def test_wrong_receivers(make, words):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=words):
        make()


def test_several_outputs_need_a_default(tmp_path):
    def model_fn(features, labels, mode):
        y = tf.layers.dense(features['x'], 1)
        return tf.estimator.EstimatorSpec(mode, {'y': y}, loss=tf.reduce_mean(y), export_outputs={
            'a': EXPORT.PredictOutput(y), 'b': EXPORT.PredictOutput(y)})

    with pytest.raises(ValueError, match='none of them is specified as the default'):
        next(tf.estimator.Estimator(model_fn, str(tmp_path)).predict(points(1)))


@pytest.mark.slow
def test_export_of_all_modes(trained, tmp_path):
    supervised = tf.estimator.experimental.build_raw_supervised_input_receiver_fn(
        {'x': tf.TensorSpec([None, 1], tf.float32)}, tf.TensorSpec([None, 1], tf.float32))
    raw = EXPORT.build_raw_serving_input_receiver_fn({'x': tf.TensorSpec([None, 1], tf.float32)})
    directory = trained.experimental_export_all_saved_models(
        str(tmp_path / 'out'), {KEYS.TRAIN: supervised, KEYS.EVAL: supervised, KEYS.PREDICT: raw})
    for tags, name in ((['serve'], 'serving_default'), (['train'], 'train'), (['eval'], 'eval')):
        with tf.saved_model.load(directory, tags) as model:
            assert name in model.signatures
    with pytest.raises(ValueError, match='No valid modes for exporting found'):
        trained.experimental_export_all_saved_models(str(tmp_path / 'out2'), {})


@pytest.mark.slow
@pytest.mark.parametrize('strip', [False, True])
def test_export_savedmodel_strip_default_attrs(trained, tmp_path, strip):
    from tinyflow.formats.protos.saved_model_pb2 import SavedModel
    receive = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': np.zeros([1, 1], np.float32)})
    directory = trained.export_savedmodel(str(tmp_path / 'old'), receive,
                                          strip_default_attrs=strip)
    with open(os.path.join(os.fsdecode(directory), 'saved_model.pb'), 'rb') as file:
        model = SavedModel.FromString(file.read())
    assert model.meta_graphs[0].meta_info_def.stripped_default_attrs == strip


@pytest.fixture
def exported(trained, tmp_path):
    trained.export_saved_model(str(tmp_path / 'out'), input_fn=points())
    return str(tmp_path / 'out')


@pytest.mark.slow
def test_command_line(exported, trained, tmp_path, capsys):
    assert cli.main(['predict', exported]) == 0
    assert 'serving_default(x: float32 (?, 1))' in capsys.readouterr().out
    np.save(tmp_path / 'x.npy', X)
    with open(tmp_path / 'x.csv', 'w', newline='') as file:
        writer = csv.writer(file)
        writer.writerow(['x'])
        writer.writerows(X.tolist())
    answers = []
    for given in ('x=' + str(X.tolist()), f'x={tmp_path / "x.npy"}', str(tmp_path / 'x.csv')):
        assert cli.main(['predict', exported, '--all', '--inputs', given]) == 0
        answers.append(capsys.readouterr().out)
    assert answers[0] == answers[1] == answers[2]
    lines = answers[0].splitlines()
    assert lines[0].split() == ['twice', 'y'] and len(lines) == 41
    assert cli.main(['predict', exported, '--inputs', str(tmp_path / 'x.csv')]) == 0
    assert '... 20 more rows: --all' in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.parametrize('arguments, words', [
    (['--inputs', 'z=[[1]]'], "there is no input 'z'"),
    (['--inputs', 'x=?'], 'neither JSON nor a file'),
    (['--inputs', 'x=[[1, 2]]'], "has shape '(?, 1)'"),
    (['--inputs', 'x=[[1]]', '--signature', 'other'], "there is no signature 'other'"),
    (['--examples', '3'], '--examples takes rows'),
])
def test_wrong_commands(exported, capsys, arguments, words):
    assert cli.main(['predict', exported, *arguments]) == 2
    assert words in capsys.readouterr().err
    assert cli.main(['predict', '/nowhere']) == 2
    assert 'there is no directory' in capsys.readouterr().err
