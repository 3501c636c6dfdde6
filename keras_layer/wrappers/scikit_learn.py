"""KerasClassifier and KerasRegressor: models with scikit-learn's fit, predict, score, get_params.

They work with GridSearchCV, cross_val_score and Pipeline. scikit-learn itself is optional.
"""
from __future__ import annotations

import copy

import numpy as np

from keras_layer.engine.sequential import Sequential
from keras_layer.utils.generic import has_arg
from keras_layer.utils.np_utils import to_categorical
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing

__all__ = ['KerasClassifier', 'KerasRegressor']


class BaseWrapper:
    """Base: `build_fn` creates and compiles a model, `sk_params` are arguments of it or of fit.

    `build_fn` is a function, an object that can be called, or None: then a subclass has
    `__call__`. ValueError for a parameter that neither `build_fn` nor fit, predict or evaluate
    has.
    """

    def __init__(self, build_fn=None, **sk_params):
        self.build_fn = build_fn
        self.sk_params = sk_params
        self.check_params(sk_params)

    def _builder(self):
        return self.__call__ if self.build_fn is None else self.build_fn

    def check_params(self, params):
        """ValueError for a parameter that no function accepts."""
        callables = [Sequential.fit, Sequential.predict, Sequential.predict_classes,
                     Sequential.evaluate]
        if self.build_fn is not None or callable(self):
            callables.append(self._builder())
        for name in params:
            if name != 'nb_epoch' and not any(has_arg(candidate, name) for candidate in callables):
                raise misuse(ValueError(f'{name} is not a legal parameter: neither the function '
                                        'that builds the model nor fit, predict or evaluate '
                                        'takes it.'))

    def get_params(self, **params):
        """All parameters by name; scikit-learn clones estimators by them."""
        return {**self.sk_params, 'build_fn': self.build_fn}

    def set_params(self, **params):
        """Changes parameters; returns the estimator."""
        if 'build_fn' in params:
            self.build_fn = params.pop('build_fn')
        self.check_params(params)
        self.sk_params.update(params)
        return self

    def fit(self, x, y, **kwargs):
        """Builds and trains a new model; returns its History."""
        builder = self._builder()
        self.model = builder(**self.filter_sk_params(builder))
        y = np.asarray(y)
        if _is_categorical_crossentropy(self.model.loss) and y.ndim != 2:
            y = to_categorical(y)
        arguments = copy.deepcopy(self.filter_sk_params(Sequential.fit))
        if 'nb_epoch' in self.sk_params:
            arguments.setdefault('epochs', self.sk_params['nb_epoch'])
        return self.model.fit(x, y, **{**arguments, **kwargs})

    def filter_sk_params(self, fn, override=None):
        """Those of the parameters that `fn` takes, and `override`."""
        own = {name: value for name, value in self.sk_params.items() if has_arg(fn, name)}
        return {**own, **(override or {})}

    def _fitted(self):
        if not hasattr(self, 'model'):
            raise misuse(AttributeError(f'This {type(self).__name__} is not fitted yet; call '
                                        'fit(x, y) first.'))
        return self.model

    def __sklearn_is_fitted__(self):
        return hasattr(self, 'model')

    def _tags(self, kind):
        from sklearn.utils import Tags, TargetTags  # optional package
        return Tags(estimator_type=kind, target_tags=TargetTags(required=True))

    def __repr__(self):
        shown = ', '.join(f'{name}={value!r}' for name, value in self.get_params().items())
        return f'{type(self).__name__}({shown})'


class KerasClassifier(BaseWrapper):
    """A model with class probabilities as a scikit-learn classifier.

    `classes_` are the labels in the order of the outputs; they may be any values.
    """

    _estimator_type = 'classifier'          # used by scikit-learn until 1.5

    def __sklearn_tags__(self):
        from sklearn.utils import ClassifierTags  # optional package
        tags = self._tags('classifier')
        tags.classifier_tags = ClassifierTags()
        return tags

    def fit(self, x, y, **kwargs):
        """Builds and trains a new model on labels or one-hot rows; returns its History."""
        y = np.array(y)
        if y.ndim == 2 and y.shape[1] > 1:
            self.classes_ = np.arange(y.shape[1])
        elif y.ndim in (1, 2):
            self.classes_ = np.unique(y)
            y = np.searchsorted(self.classes_, y)
        else:
            raise misuse(ValueError(f'Invalid shape for y: {y.shape}'))
        self.n_classes_ = len(self.classes_)
        return super().fit(x, y, **kwargs)

    def _probabilities(self, x, kwargs):
        return self._fitted().predict(x, **self.filter_sk_params(Sequential.predict_proba, kwargs))

    def predict(self, x, **kwargs):
        """The most likely label of each example. Shapes: x [n, ...] -> [n].

        As in TF 1.15, a model with a single output gives [n, 1].
        """
        found = self._probabilities(x, kwargs)
        chosen = found.argmax(axis=-1) if found.shape[-1] > 1 else (found > 0.5).astype('int32')
        return self.classes_[chosen]

    def predict_proba(self, x, **kwargs):
        """The probability of each class. Shapes: x [n, ...] -> [n, classes]."""
        found = self._probabilities(x, kwargs)
        return np.hstack([1 - found, found]) if found.shape[1] == 1 else found

    def score(self, x, y, **kwargs):
        """The accuracy. ValueError if the model was compiled without metrics=['accuracy']."""
        model = self._fitted()
        y = np.searchsorted(self.classes_, y)
        if _is_categorical_crossentropy(model.loss) and y.ndim != 2:
            y = to_categorical(y, self.n_classes_)
        found = model.evaluate(x, y, **self.filter_sk_params(Sequential.evaluate, kwargs))
        for name, value in zip(model.metrics_names, np.atleast_1d(found).tolist()):
            if name in ('accuracy', 'acc'):
                return value
        raise misuse(ValueError('The model is not configured to compute accuracy. You should pass '
                                '`metrics=["accuracy"]` to the `model.compile()` method.'))


class KerasRegressor(BaseWrapper):
    """A model with numeric outputs as a scikit-learn regressor."""

    _estimator_type = 'regressor'

    def __sklearn_tags__(self):
        from sklearn.utils import RegressorTags  # optional package
        tags = self._tags('regressor')
        tags.regressor_tags = RegressorTags()
        return tags

    def predict(self, x, **kwargs):
        """The outputs, without axes of size one. Shapes: x [n, ...] -> [n] or [n, outputs]."""
        kwargs = self.filter_sk_params(Sequential.predict, kwargs)
        return np.squeeze(self._fitted().predict(x, **kwargs))

    def score(self, x, y, **kwargs):
        """The negative loss, so that higher is better."""
        kwargs = self.filter_sk_params(Sequential.evaluate, kwargs)
        found = self._fitted().evaluate(x, y, **kwargs)
        return -(found[0] if isinstance(found, list) else found)


def _is_categorical_crossentropy(loss):
    name = loss if isinstance(loss, str) else getattr(loss, '__name__', type(loss).__name__)
    return name in ('categorical_crossentropy', 'CategoricalCrossentropy')


__getattr__ = explain_missing('tf.keras.wrappers.scikit_learn', __all__)
