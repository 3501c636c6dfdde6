"""tf.contrib.estimator: heads for tf.train optimizers, and what else stood there."""
from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import absent as _absent

# Imported when first asked for.
_NAMES = _names_of({
    'estimator_layer.canned.boosted_trees_in_memory':
        'boosted_trees_classifier_train_in_memory boosted_trees_regressor_train_in_memory',
    'estimator_layer.canned.dnn': 'dnn_logit_fn_builder',
    'estimator_layer.canned.linear': 'linear_logit_fn_builder',
    'estimator_layer.canned.logit_fns': 'call_logit_fn',
    'estimator_layer.early_stopping':
        'make_early_stopping_hook read_eval_metrics stop_if_higher_hook stop_if_lower_hook '
        'stop_if_no_decrease_hook stop_if_no_increase_hook',
    'estimator_layer.extenders': 'add_metrics',
    'estimator_layer.forwarding': 'clip_gradients_by_norm forward_features',
    'estimator_layer.heads.functions':
        'binary_classification_head logistic_regression_head multi_class_head multi_head '
        'multi_label_head poisson_regression_head regression_head',
    'estimator_layer.in_memory_evaluation': 'InMemoryEvaluatorHook',
    'estimator_layer.stopping_together': 'make_stop_at_checkpoint_step_hook',
})
__all__ = list(_NAMES)

__getattr__ = _importing(globals(), _NAMES, _absent('tf.contrib.estimator', __all__))


def __dir__():
    return __all__
