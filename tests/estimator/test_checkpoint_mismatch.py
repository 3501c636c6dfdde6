"""Errors for a model_dir with the checkpoint of a different model."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tests.estimator.models import classifier, halves


@pytest.mark.slow
@pytest.mark.parametrize('call', [
    lambda estimator: estimator.train(halves, steps=2),
    lambda estimator: estimator.evaluate(halves, steps=1),
    lambda estimator: next(estimator.predict(halves))], ids=['train', 'evaluate', 'predict'])
def test_different_shapes_in_the_checkpoint(tmp_path, call):
    classifier(tmp_path, [4]).train(halves, steps=1)
    with pytest.raises(tf.errors.InvalidArgumentError) as failed:
        call(classifier(tmp_path, [5]))
    message = str(failed.value)
    assert 'dnn/hiddenlayer_0/kernel' in message and 'in the checkpoint [1,4]' in message
    assert f'or delete {tmp_path}' in message and 'WarmStartSettings' in message
    assert 'sess.run' not in message


@pytest.mark.slow
def test_missing_variables_in_the_checkpoint(tmp_path):
    classifier(tmp_path, [4]).train(halves, steps=1)
    with pytest.raises(tf.errors.NotFoundError, match='use a new model_dir'):
        classifier(tmp_path, [4, 4]).evaluate(halves, steps=1)
