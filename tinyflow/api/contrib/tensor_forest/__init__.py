"""tf.contrib.tensor_forest: random forests that learn from batches of examples."""
from tinyflow.api.contrib.tensor_forest import tensor_forest
from tinyflow.api.contrib.tensor_forest.tensor_forest import ForestHParams, RandomForestGraphs
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

__all__ = ['ForestHParams', 'RandomForestGraphs', 'tensor_forest']

_hide_modules(globals(), ('tensor_forest',))
__getattr__ = _explain_missing('tinyflow.contrib.tensor_forest', __all__)
