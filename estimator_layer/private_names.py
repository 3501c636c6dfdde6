"""Names of tensorflow.python.estimator that are not public, but that programs import.

They are found under `tensorflow.python.estimator` and `tensorflow_estimator.python.estimator` only;
tinyflow/api/private_modules.py lists the modules.
"""
from __future__ import annotations

from estimator_layer.canned.logit_fns import call_logit_fn
from estimator_layer.canned.optimizers import get_optimizer as get_optimizer_instance
from estimator_layer.export.receivers import (
    SupervisedInputReceiver,
    UnsupervisedInputReceiver,
    build_raw_supervised_input_receiver_fn,
    build_supervised_input_receiver_fn_from_input_fn,
)
from estimator_layer.heads.keys import MetricKeys, PredictionKeys
from estimator_layer.heads.v1 import (
    BinaryHeadV1 as _binary_logistic_head_with_sigmoid_cross_entropy_loss,
    HeadV1 as _Head,
    MultiClassHeadV1 as _multi_class_head_with_softmax_cross_entropy_loss,
    RegressionHeadV1 as _regression_head,
    binary_or_multi_class_head as _binary_logistic_or_multi_class_head,
)
from estimator_layer.model_fn import ModeKeys
from estimator_layer.tf_config import TaskType

__all__ = ['EXPORT_TAG_MAP', 'LOSS_METRIC_KEY', 'MetricKeys', 'ModeKeys', 'PredictionKeys',
           'SupervisedInputReceiver', 'TaskType', 'UnsupervisedInputReceiver', '_Head',
           '_binary_logistic_head_with_sigmoid_cross_entropy_loss',
           '_binary_logistic_or_multi_class_head',
           '_multi_class_head_with_softmax_cross_entropy_loss', '_regression_head',
           'build_raw_supervised_input_receiver_fn',
           'build_supervised_input_receiver_fn_from_input_fn', 'call_logit_fn',
           'get_optimizer_instance']

LOSS_METRIC_KEY = 'loss'
EXPORT_TAG_MAP = {ModeKeys.TRAIN: ['train'], ModeKeys.EVAL: ['eval'], ModeKeys.PREDICT: ['serve']}
