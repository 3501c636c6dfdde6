"""Models as scikit-learn estimators: GridSearchCV, cross validation, pipelines."""
import numpy as np
import pytest
from sklearn import base, model_selection, pipeline, preprocessing

import tinyflow as tf
from keras_layer.wrappers.scikit_learn import KerasClassifier, KerasRegressor

keras = tf.keras
RANDOM = np.random.RandomState(0)
X = RANDOM.normal(size=(60, 4)).astype('float32')
LABELS = np.array(['a', 'b', 'c'])[np.argmax(X[:, :3], axis=1)]
VALUES = X.sum(1)


def classifier(units=8, optimizer='adam', loss='sparse_categorical_crossentropy', outputs=3):
    tf.set_random_seed(1)
    made = keras.Sequential([
        keras.layers.Dense(units, activation='relu', input_shape=(4,)),
        keras.layers.Dense(outputs, activation='softmax' if outputs > 1 else 'sigmoid')])
    made.compile(optimizer, loss, metrics=['accuracy'])
    return made


def regressor(units=8, lr=.05):
    made = keras.Sequential([keras.layers.Dense(units, input_shape=(4,)), keras.layers.Dense(1)])
    made.compile(keras.optimizers.Adam(lr), 'mse')
    return made


class Builder:
    def __call__(self, units=3):
        return classifier(units)


class Own(KerasClassifier):
    def __call__(self, units=3):
        return classifier(units)


@pytest.mark.slow
def test_grid_search_finds_the_better_setting():
    search = model_selection.GridSearchCV(
        KerasClassifier(classifier, epochs=30, verbose=0, batch_size=10,
                        optimizer=keras.optimizers.Adam(.05)),
        {'units': [1, 16], 'epochs': [1, 30]}, cv=3)
    with tf.Graph().as_default():
        np.random.seed(0)
        search.fit(X, LABELS)
    assert search.best_params_ == {'units': 16, 'epochs': 30}
    assert search.best_score_ > .6
    assert set(search.predict(X)) <= set('abc')
    assert search.best_estimator_.score(X, LABELS) == pytest.approx(
        np.mean(search.predict(X) == LABELS))


@pytest.mark.slow
def test_grid_search_of_a_regressor_with_optimizers_and_scores():
    search = model_selection.GridSearchCV(
        KerasRegressor(regressor, epochs=20, verbose=0), {'lr': [1e-6, .05]}, cv=2)
    search.fit(X, VALUES)
    assert search.best_params_ == {'lr': .05}
    scores = model_selection.cross_val_score(
        KerasRegressor(regressor, epochs=20, verbose=0), X, VALUES, cv=3, scoring='r2')
    assert scores.min() > .5


@pytest.mark.parametrize('estimator', [KerasClassifier(classifier, epochs=5, verbose=0),
                                       KerasRegressor(regressor, epochs=5, verbose=0)])
def test_in_a_pipeline(estimator):
    target = LABELS if isinstance(estimator, KerasClassifier) else VALUES
    made = pipeline.make_pipeline(preprocessing.StandardScaler(), estimator)
    made.fit(X, target)
    assert len(made.predict(X)) == 60 and np.isfinite(made.score(X, target))


def test_scikit_learn_recognises_classifiers_and_regressors():
    assert base.is_classifier(KerasClassifier(classifier))
    assert base.is_regressor(KerasRegressor(regressor))
    assert not base.is_regressor(KerasClassifier(classifier))


def test_clones_have_the_same_parameters():
    own = KerasClassifier(classifier, units=[3], epochs=2)
    clone = base.clone(own)
    assert clone.get_params() == own.get_params() and clone is not own
    assert own.get_params()['build_fn'] is classifier
    assert own.set_params(epochs=7, units=4) is own
    assert own.sk_params == {'units': 4, 'epochs': 7}
    assert 'units=4' in repr(own)


@pytest.mark.parametrize('make', [lambda: KerasClassifier(Builder(), units=5),
                                  lambda: Own(units=5)])
def test_other_ways_to_build(make):
    made = make()
    history = made.fit(X, LABELS, epochs=2, verbose=0)
    assert len(history.epoch) == 2 and made.model.layers[0].units == 5


@pytest.mark.slow
@pytest.mark.parametrize('loss, outputs, labels', [
    ('categorical_crossentropy', 3, LABELS), ('categorical_crossentropy', 3, np.eye(3)[
        np.argmax(X[:, :3], axis=1)]), ('binary_crossentropy', 1, LABELS == 'a'),
    ('sparse_categorical_crossentropy', 3, LABELS[:, None])])
def test_losses_and_shapes_of_labels(loss, outputs, labels):
    made = KerasClassifier(classifier, loss=loss, outputs=outputs, epochs=3, verbose=0)
    made.fit(X, labels)
    probabilities = made.predict_proba(X)
    assert probabilities.shape == (60, max(outputs, 2))
    np.testing.assert_allclose(probabilities.sum(1), 1, atol=1e-5)
    assert len(made.predict(X)) == 60 and made.n_classes_ == max(outputs, 2)
    if labels.ndim == 1:
        right = np.mean(made.predict(X).ravel() == labels)
        assert made.score(X, labels) == pytest.approx(right)


def test_parameters_are_passed_to_the_right_function():
    """Parameters are passed to build_fn, fit or predict; nb_epoch means epochs."""
    made = KerasClassifier(classifier, units=6, nb_epoch=3, batch_size=20, verbose=0)
    assert len(made.fit(X, LABELS).epoch) == 3
    assert made.model.layers[0].units == 6 and made.model.history.params['batch_size'] == 20


@pytest.mark.parametrize('call, error, words', [
    (lambda: KerasClassifier(classifier, unit=3), ValueError, 'unit is not a legal parameter'),
    (lambda: KerasClassifier(classifier).predict(X), AttributeError, 'not fitted yet'),
    (lambda: KerasClassifier(classifier).fit(X, np.ones((2, 2, 2))), ValueError,
     'Invalid shape for y'),
])
def test_invalid_parameters_and_labels(call, error, words):
    with pytest.raises(error, match=words):
        call()


def test_a_score_needs_the_accuracy():
    def build():
        made = keras.Sequential([keras.layers.Dense(3, activation='softmax', input_shape=(4,))])
        made.compile('sgd', 'sparse_categorical_crossentropy')
        return made
    made = KerasClassifier(build)
    made.fit(X, LABELS, verbose=0)
    with pytest.raises(ValueError, match=r'metrics=\["accuracy"\]'):
        made.score(X, LABELS, verbose=0)
