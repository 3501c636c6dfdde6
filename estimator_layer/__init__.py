"""tf.estimator on tinyflow: a model_fn and an input_fn, the level that hides the Session.

`tf.estimator`, `import tensorflow.estimator` and `from tensorflow import estimator` all mean this
package. An Estimator builds a graph for each mode, runs it in a monitored session, and lives from
the checkpoints in its model_dir.
"""
from __future__ import annotations

from importlib import import_module

from tinyflow.graph.support.lazy import importing as _importing, names_of as _names_of
from tinyflow.graph.support.missing import absent as _absent, hide_modules as _hide_modules

_MODULES = ('experimental', 'export', 'inputs')

# Every public name and the module that defines it, imported when it is first asked for.
_NAMES = _names_of({
    'estimator_layer.estimator': 'Estimator WarmStartSettings',
    'estimator_layer.model_fn': 'EstimatorSpec ModeKeys',
    'estimator_layer.run_config': 'RunConfig',
    'estimator_layer.training': 'EvalSpec TrainSpec train_and_evaluate',
    'estimator_layer.exporter': 'BestExporter Exporter FinalExporter LatestExporter',
    'estimator_layer.extenders': 'add_metrics',
    'estimator_layer.canned.baseline':
        'BaselineClassifier BaselineEstimator BaselineRegressor',
    'estimator_layer.canned.boosted_trees':
        'BoostedTreesClassifier BoostedTreesEstimator BoostedTreesRegressor',
    'estimator_layer.canned.dnn': 'DNNClassifier DNNEstimator DNNRegressor',
    'estimator_layer.canned.dnn_linear_combined':
        'DNNLinearCombinedClassifier DNNLinearCombinedEstimator DNNLinearCombinedRegressor',
    'estimator_layer.canned.linear': 'LinearClassifier LinearEstimator LinearRegressor',
    'estimator_layer.canned.parsing':
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

_find = _importing(globals(), _NAMES, _absent('tf.estimator', __all__), _MODULES)


def __getattr__(name):
    return import_module(f'{__name__}.{name}') if name in _MODULES else _find(name)


def __dir__():
    return list(__all__)


_hide_modules(globals())
