"""tf.estimator.experimental: recurrent estimators made of layers of Keras."""
from __future__ import annotations

from estimator_layer.canned.rnn.estimators_v2 import RNNClassifier, RNNEstimator

__all__ = ['RNNClassifier', 'RNNEstimator']
