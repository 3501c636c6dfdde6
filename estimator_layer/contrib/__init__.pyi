# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from estimator_layer.canned.dnn import dnn_logit_fn_builder
from estimator_layer.canned.linear import linear_logit_fn_builder
from estimator_layer.canned.logit_fns import call_logit_fn
from estimator_layer.canned.rnn.estimators import RNNClassifier, RNNEstimator
from estimator_layer.canned.trees.train_in_memory import (
    boosted_trees_classifier_train_in_memory, boosted_trees_regressor_train_in_memory,
)
from estimator_layer.contrib.export import export_all_saved_models, export_saved_model_for_mode
from estimator_layer.contrib.extenders import clip_gradients_by_norm, forward_features
from estimator_layer.contrib.saved_model_estimator import SavedModelEstimator
from estimator_layer.export.receivers import (
    build_raw_supervised_input_receiver_fn, build_supervised_input_receiver_fn_from_input_fn,
)
from estimator_layer.extenders import add_metrics
from estimator_layer.heads.v1_functions import (
    binary_classification_head, logistic_regression_head, multi_class_head, multi_head,
    multi_label_head, poisson_regression_head, regression_head,
)
from estimator_layer.hooks.early_stopping import (
    make_early_stopping_hook, read_eval_metrics, stop_if_higher_hook, stop_if_lower_hook,
    stop_if_no_decrease_hook, stop_if_no_increase_hook,
)
from estimator_layer.hooks.in_memory_evaluator import InMemoryEvaluatorHook
from estimator_layer.hooks.stop_at_checkpoint import make_stop_at_checkpoint_step_hook

__all__ = [
    'InMemoryEvaluatorHook', 'RNNClassifier', 'RNNEstimator', 'SavedModelEstimator', 'add_metrics',
    'binary_classification_head', 'boosted_trees_classifier_train_in_memory',
    'boosted_trees_regressor_train_in_memory', 'build_raw_supervised_input_receiver_fn',
    'build_supervised_input_receiver_fn_from_input_fn', 'call_logit_fn', 'clip_gradients_by_norm',
    'dnn_logit_fn_builder', 'export_all_saved_models', 'export_saved_model_for_mode',
    'forward_features', 'linear_logit_fn_builder', 'logistic_regression_head',
    'make_early_stopping_hook', 'make_stop_at_checkpoint_step_hook', 'multi_class_head',
    'multi_head', 'multi_label_head', 'poisson_regression_head', 'read_eval_metrics',
    'regression_head', 'stop_if_higher_hook', 'stop_if_lower_hook', 'stop_if_no_decrease_hook',
    'stop_if_no_increase_hook',
]
