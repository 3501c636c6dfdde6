"""tf.contrib.estimator: heads for tf.train optimizers, recurrent estimators, extenders, exports."""
from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import explain_missing as _explain_missing

# A module is imported on first use of one of its names.
_NAMES = _names_of({
    'estimator_layer.canned.trees.train_in_memory':
        'boosted_trees_classifier_train_in_memory boosted_trees_regressor_train_in_memory',
    'estimator_layer.canned.dnn': 'dnn_logit_fn_builder',
    'estimator_layer.canned.linear': 'linear_logit_fn_builder',
    'estimator_layer.canned.logit_fns': 'call_logit_fn',
    'estimator_layer.canned.rnn.estimators': 'RNNClassifier RNNEstimator',
    'estimator_layer.contrib.saved_model_estimator': 'SavedModelEstimator',
    'estimator_layer.hooks.early_stopping':
        'make_early_stopping_hook read_eval_metrics stop_if_higher_hook stop_if_lower_hook '
        'stop_if_no_decrease_hook stop_if_no_increase_hook',
    'estimator_layer.export.receivers':
        'build_raw_supervised_input_receiver_fn build_supervised_input_receiver_fn_from_input_fn',
    'estimator_layer.extenders': 'add_metrics',
    'estimator_layer.contrib.export': 'export_all_saved_models export_saved_model_for_mode',
    'estimator_layer.contrib.extenders': 'clip_gradients_by_norm forward_features',
    'estimator_layer.heads.v1_functions':
        'binary_classification_head logistic_regression_head multi_class_head multi_head '
        'multi_label_head poisson_regression_head regression_head',
    'estimator_layer.hooks.in_memory_evaluator': 'InMemoryEvaluatorHook',
    'estimator_layer.hooks.stop_at_checkpoint': 'make_stop_at_checkpoint_step_hook',
})
__all__ = list(_NAMES)

__getattr__ = _importing(globals(), _NAMES, _explain_missing('tf.contrib.estimator', __all__))


def __dir__():
    return __all__
