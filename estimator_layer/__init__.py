"""tf.estimator: train, evaluate and export a model given as a model_fn and an input_fn.

`tf.estimator`, `import tensorflow.estimator` and `from tensorflow import estimator` all mean this
package. An Estimator builds a new graph for each call, restores the latest checkpoint of its
model_dir and runs the graph in a monitored session. `estimator.py` is the place to start reading.
"""
from __future__ import annotations

from importlib import import_module

from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

_MODULES = ('experimental', 'export', 'inputs')

# Public names by the module that defines them; a module is imported on first use of a name.
_NAMES = _names_of({
    'estimator_layer.estimator': 'Estimator WarmStartSettings',
    'estimator_layer.model_fn': 'EstimatorSpec ModeKeys',
    'estimator_layer.run_config': 'RunConfig',
    'estimator_layer.train_eval_loop': 'EvalSpec TrainSpec train_and_evaluate',
    'estimator_layer.export.exporter': 'BestExporter Exporter FinalExporter LatestExporter',
    'estimator_layer.extenders': 'add_metrics',
    'estimator_layer.canned.baseline':
        'BaselineClassifier BaselineEstimator BaselineRegressor',
    'estimator_layer.canned.trees.estimators':
        'BoostedTreesClassifier BoostedTreesEstimator BoostedTreesRegressor',
    'estimator_layer.canned.dnn': 'DNNClassifier DNNEstimator DNNRegressor',
    'estimator_layer.canned.dnn_linear_combined':
        'DNNLinearCombinedClassifier DNNLinearCombinedEstimator DNNLinearCombinedRegressor',
    'estimator_layer.canned.linear': 'LinearClassifier LinearEstimator LinearRegressor',
    'estimator_layer.canned.parse_example_spec':
        'classifier_parse_example_spec regressor_parse_example_spec',
    'estimator_layer.heads':
        'BinaryClassHead Head LogisticRegressionHead MultiClassHead MultiHead MultiLabelHead '
        'PoissonRegressionHead RegressionHead',
    'tinyflow.train.sessions.session_run_hook':
        'SessionRunArgs SessionRunContext SessionRunHook SessionRunValues',
    'tinyflow.train':
        'CheckpointSaverHook CheckpointSaverListener FeedFnHook FinalOpsHook GlobalStepWaiterHook '
        'LoggingTensorHook NanLossDuringTrainingError NanTensorHook ProfilerHook '
        'SecondOrStepTimer StepCounterHook StopAtStepHook SummarySaverHook',
    'tinyflow.train.checkpoints.warm_start_vocab': 'VocabInfo',
})
__all__ = [*_NAMES, *_MODULES]

_find = _importing(globals(), _NAMES, _explain_missing('tf.estimator', __all__), _MODULES)


def __getattr__(name):
    return import_module(f'{__name__}.{name}') if name in _MODULES else _find(name)


def __dir__():
    return list(__all__)


_hide_modules(globals())
