"""tf.contrib: the parts of it that programs use."""
import importlib as _importlib

from tinyflow.graph.support.missing import explain_missing as _explain_missing

# Imported on first use.
_LAZY = {
    'data': 'tinyflow.contrib.data',
    'feature_column': 'tinyflow.contrib.feature_column',
    'estimator': 'estimator_layer.contrib',
    'factorization': 'estimator_layer.contrib.factorization',
    'framework': 'tinyflow.contrib.framework',
    'layers': 'tinyflow.contrib.layers',
    'learn': 'tinyflow.contrib.learn',
    'legacy_seq2seq': 'tinyflow.contrib.legacy_seq2seq',
    'lookup': 'tinyflow.contrib.lookup',
    'losses': 'tinyflow.contrib.losses',
    'metrics': 'tinyflow.contrib.metrics',
    'nn': 'tinyflow.contrib.nn',
    'predictor': 'tinyflow.contrib.predictor',
    'rnn': 'tinyflow.contrib.rnn',
    'seq2seq': 'tinyflow.contrib.seq2seq',
    'slim': 'tinyflow.contrib.slim',
    'tensorboard': 'tinyflow.contrib.tensorboard',
    'training': 'tinyflow.contrib.training',
    'util': 'tinyflow.contrib.util',
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
