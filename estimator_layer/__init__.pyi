# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from estimator_layer import experimental, export, inputs
from estimator_layer.canned.baseline import (
    BaselineClassifier, BaselineEstimator, BaselineRegressor,
)
from estimator_layer.canned.dnn import DNNClassifier, DNNEstimator, DNNRegressor
from estimator_layer.canned.dnn_linear_combined import (
    DNNLinearCombinedClassifier, DNNLinearCombinedEstimator, DNNLinearCombinedRegressor,
)
from estimator_layer.canned.linear import LinearClassifier, LinearEstimator, LinearRegressor
from estimator_layer.canned.trees.estimators import (
    BoostedTreesClassifier, BoostedTreesEstimator, BoostedTreesRegressor,
)
from estimator_layer.estimator import Estimator, WarmStartSettings
from estimator_layer.export.exporter import BestExporter, Exporter, FinalExporter, LatestExporter
from estimator_layer.extenders import add_metrics
from estimator_layer.heads.base import Head
from estimator_layer.heads.classification import BinaryClassHead, MultiClassHead, MultiLabelHead
from estimator_layer.heads.multi_head import MultiHead
from estimator_layer.heads.regression import (
    LogisticRegressionHead, PoissonRegressionHead, RegressionHead,
)
from estimator_layer.model_fn import EstimatorSpec, ModeKeys
from estimator_layer.run_config import RunConfig
from estimator_layer.train_eval_loop import EvalSpec, TrainSpec, train_and_evaluate
from tinyflow.layers.feature_column.parse_spec import (
    classifier_parse_example_spec, regressor_parse_example_spec,
)
from tinyflow.train.checkpoints.warm_start_vocab import VocabInfo
from tinyflow.train.hooks.checkpoints import CheckpointSaverHook, CheckpointSaverListener
from tinyflow.train.hooks.feeding import FeedFnHook
from tinyflow.train.hooks.final_ops import FinalOpsHook
from tinyflow.train.hooks.logging_tensors import LoggingTensorHook
from tinyflow.train.hooks.nan import NanLossDuringTrainingError, NanTensorHook
from tinyflow.train.hooks.profiling import ProfilerHook
from tinyflow.train.hooks.stopping import GlobalStepWaiterHook, StopAtStepHook
from tinyflow.train.hooks.summaries import StepCounterHook, SummarySaverHook
from tinyflow.train.hooks.timers import SecondOrStepTimer
from tinyflow.train.sessions.session_run_hook import (
    SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues,
)

__all__ = [
    'BaselineClassifier', 'BaselineEstimator', 'BaselineRegressor', 'BestExporter',
    'BinaryClassHead', 'BoostedTreesClassifier', 'BoostedTreesEstimator', 'BoostedTreesRegressor',
    'CheckpointSaverHook', 'CheckpointSaverListener', 'DNNClassifier', 'DNNEstimator',
    'DNNLinearCombinedClassifier', 'DNNLinearCombinedEstimator', 'DNNLinearCombinedRegressor',
    'DNNRegressor', 'Estimator', 'EstimatorSpec', 'EvalSpec', 'Exporter', 'FeedFnHook',
    'FinalExporter', 'FinalOpsHook', 'GlobalStepWaiterHook', 'Head', 'LatestExporter',
    'LinearClassifier', 'LinearEstimator', 'LinearRegressor', 'LoggingTensorHook',
    'LogisticRegressionHead', 'ModeKeys', 'MultiClassHead', 'MultiHead', 'MultiLabelHead',
    'NanLossDuringTrainingError', 'NanTensorHook', 'PoissonRegressionHead', 'ProfilerHook',
    'RegressionHead', 'RunConfig', 'SecondOrStepTimer', 'SessionRunArgs', 'SessionRunContext',
    'SessionRunHook', 'SessionRunValues', 'StepCounterHook', 'StopAtStepHook', 'SummarySaverHook',
    'TrainSpec', 'VocabInfo', 'WarmStartSettings', 'add_metrics', 'classifier_parse_example_spec',
    'experimental', 'export', 'inputs', 'regressor_parse_example_spec', 'train_and_evaluate',
]
