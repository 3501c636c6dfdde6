"""Heads: what stands on the logits of a model and says what it is for."""
from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of

# Imported when first asked for: the public heads need Keras metrics, TF1's do not.
_NAMES = _names_of({
    'estimator_layer.heads.base': 'Head',
    'estimator_layer.heads.classes': 'BinaryClassHead MultiClassHead MultiLabelHead',
    'estimator_layer.heads.regression':
        'LogisticRegressionHead PoissonRegressionHead RegressionHead',
    'estimator_layer.heads.multi': 'MultiHead',
})
__all__ = list(_NAMES)


def _missing(name):
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


__getattr__ = _importing(globals(), _NAMES, _missing)
