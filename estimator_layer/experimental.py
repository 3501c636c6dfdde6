"""tf.estimator.experimental: early stopping, evaluation in memory, logit functions, KMeans."""
from __future__ import annotations

from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import explain_missing as _explain_missing

_NAMES = _names_of({
    'estimator_layer.hooks.early_stopping':
        'make_early_stopping_hook stop_if_higher_hook stop_if_lower_hook stop_if_no_decrease_hook '
        'stop_if_no_increase_hook',
    'estimator_layer.hooks.in_memory_evaluator': 'InMemoryEvaluatorHook',
    'estimator_layer.export.receivers': 'build_raw_supervised_input_receiver_fn',
    'estimator_layer.hooks.stop_at_checkpoint': 'make_stop_at_checkpoint_step_hook',
    'estimator_layer.canned.kmeans.estimators': 'KMeans',
    'estimator_layer.canned.dnn': 'dnn_logit_fn_builder',
    'estimator_layer.canned.linear': 'linear_logit_fn_builder',
    'estimator_layer.canned.sdca': 'LinearSDCA',
    'estimator_layer.canned.logit_fns': 'call_logit_fn',
})
__all__ = list(_NAMES)

__getattr__ = _importing(globals(), _NAMES, _explain_missing('tf.estimator.experimental', __all__))


def __dir__():
    return list(__all__)
