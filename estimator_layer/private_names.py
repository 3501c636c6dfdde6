"""Names of tensorflow.python.estimator that are not public, but that programs import.

They are found under `tensorflow.python.estimator` and `tensorflow_estimator.python.estimator` only;
tinyflow/api/private_modules.py lists the modules.
"""
from __future__ import annotations

from estimator_layer.canned.dnn import dnn_logit_fn_builder
from estimator_layer.canned.linear import _fraction_of_zero, linear_logit_fn_builder
from estimator_layer.canned.logit_fns import call_logit_fn
from estimator_layer.canned.optimizers import get_optimizer as get_optimizer_instance
from estimator_layer.canned.trees.estimators import (
    classification_head as _create_classification_head_and_closed_form,
    regression_head as _create_regression_head,
)
from estimator_layer.checkpoint_step import (
    step_of_latest_checkpoint as _load_global_step_from_checkpoint_dir,
)
from estimator_layer.estimator import Estimator as EstimatorV2
from estimator_layer.eval_summaries import write_eval_summaries
from estimator_layer.export.receivers import (
    SupervisedInputReceiver,
    UnsupervisedInputReceiver,
    build_raw_supervised_input_receiver_fn,
    build_supervised_input_receiver_fn_from_input_fn,
)
from estimator_layer.heads.checks import call_loss_fn
from estimator_layer.heads.keys import MetricKeys, PredictionKeys
from estimator_layer.heads.tpu_spec import HeadWithTPUSpec as _Head
from estimator_layer.heads.v1 import (
    BinaryHeadV1 as _binary_logistic_head_with_sigmoid_cross_entropy_loss,
    MultiClassHeadV1 as _multi_class_head_with_softmax_cross_entropy_loss,
    RegressionHeadV1 as _regression_head,
    binary_or_multi_class_head as _binary_logistic_or_multi_class_head,
)
from estimator_layer.hooks.stop_at_checkpoint import (
    _StopAtCheckpoint as _StopAtCheckpointStepHook,
)
from estimator_layer.model_fn import ModeKeys
from estimator_layer.tf_config import TaskType
from estimator_layer.tpu.spec import TPUEstimatorSpec as _TPUEstimatorSpec
from tinyflow.graph.support import nest

__all__ = ['EXPORT_TAG_MAP', 'EstimatorV2', 'LOSS_METRIC_KEY', 'MetricKeys', 'ModeKeys',
           'PredictionKeys', 'SupervisedInputReceiver', 'TaskType', 'UnsupervisedInputReceiver',
           '_Head', '_TPUEstimatorSpec', '_compute_fraction_of_zero', '_create_classification_head',
           '_create_classification_head_and_closed_form', '_create_regression_head',
           '_StopAtCheckpointStepHook', '_load_global_step_from_checkpoint_dir',
           '_write_dict_to_summary',
           '_binary_logistic_head_with_sigmoid_cross_entropy_loss',
           '_binary_logistic_or_multi_class_head',
           '_multi_class_head_with_softmax_cross_entropy_loss', '_regression_head',
           'build_raw_supervised_input_receiver_fn',
           'build_supervised_input_receiver_fn_from_input_fn', 'call_logit_fn', 'call_loss_fn',
           'dnn_logit_fn_builder', 'linear_logit_fn_builder',
           'get_optimizer_instance']

LOSS_METRIC_KEY = 'loss'
EXPORT_TAG_MAP = {ModeKeys.TRAIN: ['train'], ModeKeys.EVAL: ['eval'], ModeKeys.PREDICT: ['serve']}


def _write_dict_to_summary(output_dir, dictionary, current_global_step):
    """Adds a dict of results to the events in `output_dir`."""
    write_eval_summaries(output_dir, {'global_step': current_global_step, **dictionary}, None)


def _compute_fraction_of_zero(variables):
    """The fraction of all weights that is zero; lists inside the list are of parts."""
    return _fraction_of_zero(nest.flatten(variables))


def _create_classification_head(n_classes, weight_column=None, label_vocabulary=None):
    """The head of boosted trees that predict classes: losses are means over the batch."""
    return _create_classification_head_and_closed_form(
        n_classes, weight_column, label_vocabulary)[0]
