"""Imports of estimator_layer: Keras is loaded by the modules that need it only."""
from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import structure

ROOT = Path(__file__).resolve().parents[2]

# The modules that need Keras: model_to_estimator, TensorFlow 2's estimators and the public heads,
# whose metrics are Keras metrics. Users import them through lazy names only.
NEED_KERAS = {
    'estimator_layer.canned.rnn.estimators_v2', 'estimator_layer.canned.rnn.model',
    'estimator_layer.canned.version_2', 'estimator_layer.model_to_estimator',
    'estimator_layer.heads.base',
    'estimator_layer.heads.classification', 'estimator_layer.heads.regression',
    'estimator_layer.heads.multi_head'}


@pytest.mark.slow
def test_only_the_modules_that_need_keras_import_it():
    imports = structure.read_imports(ROOT, 'estimator_layer')
    users = {name for name, found in imports.items()
             if any(other.startswith('keras_layer') for other, _ in found.all)}
    assert users == NEED_KERAS


@pytest.mark.slow
def test_canned_estimators_do_not_load_keras():
    program = ('import sys, tinyflow as tf\n'
               'tf.estimator.DNNClassifier, tf.estimator.LinearRegressor\n'
               'tf.estimator.BoostedTreesClassifier, tf.estimator.train_and_evaluate\n'
               'print([name for name in sys.modules if name.startswith("keras_layer")])')
    process = subprocess.run([sys.executable, '-c', program], cwd=ROOT, capture_output=True,
                             text=True, check=True)
    assert process.stdout.strip() == '[]'
