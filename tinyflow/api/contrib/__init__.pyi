# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from estimator_layer import contrib as estimator, tpu
from estimator_layer.contrib import factorization
from tinyflow.api.contrib import (
    cluster_resolver, crf, data, distribute, distributions, eager, feature_column, framework,
    layers, learn, legacy_seq2seq, lookup, losses, metrics, nn, opt, predictor, rnn, seq2seq,
    signal, slim, summary, tensor_forest, tensorboard, training, util,
)
import keras_layer as keras

__all__ = [
    'cluster_resolver', 'crf', 'data', 'distribute', 'distributions', 'eager', 'estimator',
    'factorization', 'feature_column', 'framework', 'keras', 'layers', 'learn', 'legacy_seq2seq',
    'lookup', 'losses', 'metrics', 'nn', 'opt', 'predictor', 'rnn', 'seq2seq', 'signal', 'slim',
    'summary', 'tensor_forest', 'tensorboard', 'tpu', 'training', 'util',
]
