# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from estimator_layer.canned.dnn import dnn_logit_fn_builder
from estimator_layer.canned.kmeans.estimators import KMeans
from estimator_layer.canned.linear import linear_logit_fn_builder
from estimator_layer.canned.logit_fns import call_logit_fn
from estimator_layer.canned.sdca import LinearSDCA
from estimator_layer.export.receivers import build_raw_supervised_input_receiver_fn
from estimator_layer.hooks.early_stopping import (
    make_early_stopping_hook, stop_if_higher_hook, stop_if_lower_hook, stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from estimator_layer.hooks.in_memory_evaluator import InMemoryEvaluatorHook
from estimator_layer.hooks.stop_at_checkpoint import make_stop_at_checkpoint_step_hook

__all__ = [
    'InMemoryEvaluatorHook', 'KMeans', 'LinearSDCA', 'build_raw_supervised_input_receiver_fn',
    'call_logit_fn', 'dnn_logit_fn_builder', 'linear_logit_fn_builder', 'make_early_stopping_hook',
    'make_stop_at_checkpoint_step_hook', 'stop_if_higher_hook', 'stop_if_lower_hook',
    'stop_if_no_decrease_hook', 'stop_if_no_increase_hook',
]
