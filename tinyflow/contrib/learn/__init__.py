"""tf.contrib.learn: its data sets and its text preprocessing; the estimators are tf.estimator."""
from tinyflow.absent import AbsentError as _AbsentError, absent as _absent
from tinyflow.contrib.learn import datasets, preprocessing
from tinyflow.errors import worded as _worded

__all__ = ['datasets', 'preprocessing']
_missing = _absent(__name__, __all__)
_ESTIMATORS = {'BaseEstimator', 'DNNClassifier', 'DNNEstimator', 'DNNLinearCombinedClassifier',
               'DNNLinearCombinedRegressor', 'DNNRegressor', 'Estimator', 'Experiment',
               'LinearClassifier', 'LinearRegressor', 'ModeKeys', 'ModelFnOps', 'RunConfig'}


def __getattr__(name):
    if name in _ESTIMATORS:
        raise _worded(_AbsentError(f'tf.contrib.learn.{name} is left out of tinyflow; '
                                   f'tf.estimator followed it in TensorFlow 1.3.'))
    return _missing(name)


def __dir__():
    return __all__
