"""tf.contrib.predictor: predictions from exported models."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.estimator.models import X, classifier, halves_dataset


@pytest.fixture
def exported(tmp_path):
    estimator = classifier(tmp_path / 'model', [4]).train(halves_dataset, steps=3)
    receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
        {'x': np.zeros([1], np.float32)})
    return estimator, receiver, estimator.export_savedmodel(str(tmp_path / 'out'), receiver)


def test_loader_accepts_the_path_of_export(exported):
    with tf.Session(graph=tf.Graph()) as session:
        proto = tf.saved_model.loader.load(session, ['serve'], exported[2])
    assert 'predict' in proto.signature_def
    assert tf.saved_model.loader.maybe_saved_model_directory(exported[2])


@pytest.mark.slow
def test_predictors_equal_predict(exported):
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


@pytest.mark.slow
def test_predictor_errors(exported):
    estimator, receiver, directory = exported
    load = tf.contrib.predictor.from_saved_model
    with pytest.raises(ValueError, match="'predict'.*\n.*signature_def_key='predict'"):
        load(directory)
    with pytest.raises(ValueError, match='at most one'):
        load(directory, 'predict', input_names={}, output_names={})
    with pytest.raises(ValueError, match='both'):
        load(directory, input_names={})
    with pytest.raises(ValueError, match='with tags a'):
        load(directory, 'predict', tags='a')
    with pytest.raises(ValueError, match=r"unexpected keys in input_dict: \{'y'\}"):
        load(directory, 'predict')({'y': [1.0]})
    with pytest.raises(ValueError, match=r"Hint: predictor\(\{'x': ...\}\)"):
        load(directory, 'predict')(X)
    with pytest.raises(KeyError, match='output_key must be one of'):
        tf.contrib.predictor.from_estimator(estimator, receiver, 'no')
    with pytest.raises(NotImplementedError, match='from_estimator'):
        tf.contrib.predictor.from_contrib_estimator(estimator, receiver)
