"""tf.contrib: the parts of it that programs use."""
import importlib as _importlib

from tinyflow.graph.support.missing import explain_missing as _explain_missing

# Imported on first use.
_LAZY = {
    'cluster_resolver': 'tinyflow.api.contrib.cluster_resolver',
    'crf': 'tinyflow.api.contrib.crf',
    'data': 'tinyflow.api.contrib.data',
    'distribute': 'tinyflow.api.contrib.distribute',
    'distributions': 'tinyflow.api.contrib.distributions',
    'eager': 'tinyflow.api.contrib.eager',
    'feature_column': 'tinyflow.api.contrib.feature_column',
    'estimator': 'estimator_layer.contrib',
    'factorization': 'estimator_layer.contrib.factorization',
    'framework': 'tinyflow.api.contrib.framework',
    'keras': 'keras_layer',
    'layers': 'tinyflow.api.contrib.layers',
    'learn': 'tinyflow.api.contrib.learn',
    'legacy_seq2seq': 'tinyflow.api.contrib.legacy_seq2seq',
    'lookup': 'tinyflow.api.contrib.lookup',
    'losses': 'tinyflow.api.contrib.losses',
    'metrics': 'tinyflow.api.contrib.metrics',
    'nn': 'tinyflow.api.contrib.nn',
    'opt': 'tinyflow.api.contrib.opt',
    'predictor': 'tinyflow.api.contrib.predictor',
    'rnn': 'tinyflow.api.contrib.rnn',
    'seq2seq': 'tinyflow.api.contrib.seq2seq',
    'signal': 'tinyflow.api.contrib.signal',
    'slim': 'tinyflow.api.contrib.slim',
    'summary': 'tinyflow.api.contrib.summary',
    'tensor_forest': 'tinyflow.api.contrib.tensor_forest',
    'tensorboard': 'tinyflow.api.contrib.tensorboard',
    'tpu': 'estimator_layer.tpu',
    'training': 'tinyflow.api.contrib.training',
    'util': 'tinyflow.api.contrib.util',
}

__all__ = list(_LAZY)
_missing = _explain_missing(__name__, __all__)


def __getattr__(name):
    if name in _LAZY:
        module = globals()[name] = _importlib.import_module(_LAZY[name])
        return module
    return _missing(name)


def __dir__():
    return __all__
