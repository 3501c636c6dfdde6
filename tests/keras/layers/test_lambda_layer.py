"""Lambda: saved by name or as code, arguments, cloning."""
import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api.old_numpy import meaning
from tinyflow.api.old_numpy.rewrite import rewritten

keras = tf.keras
layers = keras.layers


pytestmark = pytest.mark.usefixtures('new_graph')


def doubled(x):
    return x * 2.


def test_a_named_function_is_saved_by_name(tmp_path):
    pytest.importorskip('h5py')
    path = str(tmp_path / 'm.h5')
    keras.Sequential([layers.Lambda(doubled, input_shape=(2,))]).save(path)
    loaded = keras.models.load_model(path, custom_objects={'doubled': doubled}, compile=False)
    np.testing.assert_allclose(loaded.predict(np.ones((1, 2))), [[2., 2.]])
    with pytest.raises(ValueError, match="Unknown function 'doubled'.*\n.*m.h5'\n.*custom_objects"):
        keras.models.load_model(path)


def test_a_lambda_saved_as_code_is_not_run(tmp_path):
    pytest.importorskip('h5py')
    path = str(tmp_path / 'm.h5')
    keras.Sequential([layers.Lambda(lambda x: x * 3., input_shape=(2,), name='triple')]).save(path)
    with pytest.raises(ValueError, match="'triple' was saved as Python.*\n.*m.h5'\n.*allow_code"):
        keras.models.load_model(path)
    loaded = keras.models.load_model(path, custom_objects={'triple': lambda x: x * 3.},
                                     compile=False)
    np.testing.assert_allclose(loaded.predict(np.ones((1, 2))), [[3., 3.]])


def test_a_lambda_saved_as_code_runs_if_allowed(tmp_path, monkeypatch):
    pytest.importorskip('h5py')
    path = str(tmp_path / 'm.h5')
    keras.Sequential([layers.Lambda(lambda x: x * 3., input_shape=(2,))]).save(path)
    monkeypatch.setattr(layers.Lambda, 'allow_code', True)
    loaded = keras.models.load_model(path, compile=False)
    np.testing.assert_allclose(loaded.predict(np.ones((1, 2))), [[3., 3.]])


def test_a_lambda_of_a_program_with_the_numpy_of_its_time(tmp_path, monkeypatch):
    pytest.importorskip('h5py')
    path, program = str(tmp_path / 'm.h5'), {'__numpy_of_the_time__': meaning, 'keras': keras}
    exec(compile(rewritten('model = keras.Sequential([keras.layers.Lambda('
                           'lambda x: x + x, input_shape=(2,))])', 'program.py'),
                 'program.py', 'exec'), program)
    program['model'].save(path)
    monkeypatch.setattr(layers.Lambda, 'allow_code', True)
    loaded = keras.models.load_model(path, compile=False)
    np.testing.assert_allclose(loaded.predict(np.ones((1, 2))), [[2., 2.]])


def test_arguments_and_output_shape():
    x = keras.Input((3,))
    out = layers.Lambda(lambda x, factor: x * factor, arguments={'factor': 5.})(x)
    np.testing.assert_allclose(keras.Model(x, out).predict(np.ones((1, 3))), [[5., 5., 5.]])
    assert layers.Lambda(lambda x: x[:, :2]).compute_output_shape((None, 3)).as_list() == [None, 2]


def test_a_clone_has_the_same_function():
    factors = [2., 3.]
    x = keras.Input((2,))
    hidden = [layers.Lambda(lambda t, by=by: t * by + len(factors))(x) for by in factors]
    model = keras.Model(x, [*hidden, layers.TimeDistributed(layers.Lambda(lambda t: t - 1.))(
        layers.Reshape((2, 1))(x))])
    copy = keras.models.clone_model(model)
    found = copy.predict(np.ones((1, 2)))
    assert [part.ravel().tolist() for part in found] == [[4., 4.], [5., 5.], [0., 0.]]
