"""tensorflow_estimator.python.estimator.canned.rnn: TensorFlow 2's recurrent estimators."""
from __future__ import annotations

from estimator_layer.canned.rnn.estimators import USE_DEFAULT
from estimator_layer.canned.rnn.estimators_v2 import (
    RNNClassifier,
    RNNEstimator,
    make_rnn_layer as _make_rnn_layer,
)
from estimator_layer.canned.rnn.model import RNNModel

__all__ = ['RNNClassifier', 'RNNEstimator', 'RNNModel', 'USE_DEFAULT', '_make_rnn_layer']
