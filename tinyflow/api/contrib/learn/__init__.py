"""tf.contrib.learn: its data sets and its text preprocessing; the estimators are tf.estimator."""
from importlib import import_module as _import_module

from tinyflow.api.contrib.learn import datasets, preprocessing
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import (
    MissingNameError as _MissingNameError,
    explain_missing as _explain_missing,
)

__all__ = ['ModeKeys', 'RunConfig', 'datasets', 'preprocessing']
_missing = _explain_missing(__name__, __all__)

class ModeKeys:
    """The modes of contrib.learn's estimators; tf.estimator.ModeKeys calls INFER PREDICT."""

    TRAIN, EVAL, INFER = 'train', 'eval', 'infer'


# The replacement of each name, with changed arguments.
_TRAINED = ('; fit(...) became train(input_fn, steps=...), and input_fn for arrays is '
            "tf.estimator.inputs.numpy_input_fn({'x': x}, y, num_epochs=None, shuffle=True)")
_INSTEAD = {
    **{name: f'tf.estimator.{name}, over columns of tf.feature_column, e.g. '
             f"numeric_column('x', shape=[4]){_TRAINED}" for name in (
                 'DNNClassifier', 'DNNLinearCombinedClassifier', 'DNNLinearCombinedRegressor',
                 'DNNRegressor', 'LinearClassifier', 'LinearRegressor')},
    **dict.fromkeys(['BaseEstimator', 'DNNEstimator', 'Estimator', 'Evaluable', 'SKCompat',
                     'Trainable'], f'tf.estimator.Estimator(model_fn, model_dir){_TRAINED}'),
    'KMeansClustering': 'tf.contrib.factorization.KMeansClustering',
    'ModelFnOps': 'tf.estimator.EstimatorSpec(mode, predictions, loss, train_op)',
    'Experiment': 'tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)',
    'learn_runner': 'tf.estimator.train_and_evaluate(estimator, train_spec, eval_spec)',
    'infer_real_valued_columns_from_input':
        "[tf.feature_column.numeric_column('x', shape=[number of features])], with features "
        "{'x': array}",
    'infer_real_valued_columns_from_input_fn':
        "[tf.feature_column.numeric_column('x', shape=[number of features])], with features "
        "{'x': array}",
    'MetricSpec': "eval_metric_ops={'accuracy': tf.metrics.accuracy(labels, classes)} in the "
                  'EstimatorSpec, or tf.contrib.estimator.add_metrics',
    'monitors': 'tf.train.SessionRunHook and its subclasses, as hooks=[...] of train',
    'make_export_strategy': 'tf.estimator.LatestExporter(name, serving_input_receiver_fn)',
    'estimators': 'tf.estimator',
    'run_config': 'tf.estimator.RunConfig',
}


def __getattr__(name):
    if name == 'RunConfig':
        found = globals()[name] = _import_module('estimator_layer.contrib.learn').RunConfig
        return found
    if name in _INSTEAD:
        raise _misuse(_MissingNameError(
            f'tf.contrib.learn.{name} is not part of tinyflow; TensorFlow 1.3 replaced it by '
            f'tf.estimator.\n  Hint: {_INSTEAD[name]}.'))
    return _missing(name)


def __dir__():
    return __all__
