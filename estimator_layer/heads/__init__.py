"""Heads: loss, predictions, metrics and training op of a model, computed from its logits.

`tasks.py` is shared by TF1's heads (`v1.py`, with tf.metrics) and the public heads of tf.estimator
(`base.py`, `classification.py`, `regression.py`, with Keras metrics).
"""
from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of

# Imported on first use: the public heads need Keras metrics, those of TF1 do not.
_NAMES = _names_of({
    'estimator_layer.heads.base': 'Head',
    'estimator_layer.heads.classification': 'BinaryClassHead MultiClassHead MultiLabelHead',
    'estimator_layer.heads.regression':
        'LogisticRegressionHead PoissonRegressionHead RegressionHead',
    'estimator_layer.heads.multi_head': 'MultiHead',
})
__all__ = list(_NAMES)


def _missing(name):
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__getattr__ = _importing(globals(), _NAMES, _missing)
