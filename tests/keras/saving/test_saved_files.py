"""Loading files saved by tf.keras 1.15 and Keras 2.1.6: predictions, optimizers, damage."""
import pathlib
import shutil

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.eager.enabling import eager_execution

FOLDER = pathlib.Path(__file__).parents[2] / 'golden' / 'files' / 'keras'
load_model = tf.keras.models.load_model


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.slow
@pytest.mark.parametrize('kind', ['mlp', 'cnn', 'lstm'])
@pytest.mark.parametrize('writer', ['tf115', 'keras216'])
def test_a_whole_model(writer, kind):
    path = str(FOLDER / f'{writer}_{kind}.h5')
    model = load_model(path)
    data = np.load(FOLDER / f'{writer}.npz')
    x = {'mlp': data['x'], 'cnn': [data['xa'], data['xb']], 'lstm': data['w']}[kind]
    np.testing.assert_allclose(model.predict(x), data[kind], rtol=1e-5, atol=1e-6)
    y = np.zeros_like(data[kind])
    assert np.isfinite(model.train_on_batch(x, y)).all()        # training continues


def test_the_optimizer_state_is_restored():
    model = load_model(str(FOLDER / 'tf115_mlp.h5'))
    assert type(model.optimizer).__name__ == 'Adam'
    state = model.optimizer.get_weights()
    assert state[0] == 2 and any(np.abs(s).sum() > 0 for s in state[1:])


OF_KERAS_2 = np.load(FOLDER / 'keras216_optimizers.npz')


@pytest.mark.parametrize('name', [n for n in OF_KERAS_2.files if n not in 'xy'])
def test_the_optimizer_state_of_keras_2_is_restored(name):
    """The next losses are those that Keras 2.1.6 had after saving."""
    model = load_model(str(FOLDER / f'keras216_{name}.h5'))
    steps = tf.keras.backend.get_value(model.optimizer.iterations)
    assert steps == (0 if name in ('rmsprop', 'adagrad', 'adadelta') else 5)
    if name in ('adam', 'amsgrad', 'adamax', 'nadam'):
        # Keras 2 counts a step before it reads the count; tf.keras after that.
        tf.keras.backend.set_value(model.optimizer.iterations, steps + 1)
    found = [model.train_on_batch(OF_KERAS_2['x'], OF_KERAS_2['y']) for _ in range(5)]
    np.testing.assert_allclose(found, OF_KERAS_2[name], rtol=1e-4)


@pytest.mark.parametrize('writer', ['tf115', 'keras216'])
@pytest.mark.parametrize('by_name', [False, True])
def test_weights_only(writer, by_name):
    model = load_model(str(FOLDER / f'{writer}_cnn.h5'), compile=False)
    wanted = model.get_weights()
    model.set_weights([np.zeros_like(w) for w in wanted])
    model.load_weights(str(FOLDER / f'{writer}_cnn_weights.h5'), by_name=by_name)
    for found, want in zip(model.get_weights(), wanted):
        np.testing.assert_array_equal(found, want)


@pytest.mark.slow
@pytest.mark.parametrize('format', ['h5', 'tf', 'weights', 'checkpoint', 'json'])
def test_save_and_load(format, tmp_path):
    model = load_model(str(FOLDER / 'tf115_cnn.h5'))
    data = np.load(FOLDER / 'tf115.npz')
    x = [data['xa'], data['xb']]
    if format in ('h5', 'tf'):
        path = str(tmp_path / ('m.h5' if format == 'h5' else 'm'))
        model.save(path, save_format=format)
        again = load_model(path)
    else:
        again = tf.keras.models.model_from_json(model.to_json())
        path = str(tmp_path / ('w' if format == 'checkpoint' else 'w.h5'))
        model.save_weights(path)
        again.load_weights(path)
    np.testing.assert_allclose(again.predict(x), data['cnn'], rtol=1e-5, atol=1e-6)


def test_missing_files_and_files_of_weights_raise(tmp_path):
    with pytest.raises(OSError, match='no model at'):
        load_model(str(tmp_path / 'none.h5'))
    shutil.copy(FOLDER / 'tf115_cnn_weights.h5', tmp_path / 'w.h5')
    with pytest.raises(ValueError, match='only weights'):
        load_model(str(tmp_path / 'w.h5'))


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    model = load_model(str(FOLDER / 'tf115_mlp.h5'))
    path = tmp_path / 'm.h5'
    model.save(str(path))
    before = path.read_bytes()
    monkeypatch.setattr(type(model.optimizer), 'get_config', lambda self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.save(str(path))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ['m.h5']


def test_a_saved_model_is_loaded_without_compile_and_saved_without_the_optimizer(tmp_path):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile('sgd', 'mse')
    model.save(tmp_path / 'whole', save_format='tf')
    assert tf.keras.models.load_model(tmp_path / 'whole').optimizer is not None
    assert tf.keras.models.load_model(tmp_path / 'whole', compile=False).optimizer is None
    model.save(tmp_path / 'bare', save_format='tf', include_optimizer=False)
    assert tf.keras.models.load_model(tmp_path / 'bare').optimizer is None
    with pytest.raises(NotImplementedError, match='signatures'):
        model.save(tmp_path / 'other', save_format='tf', signatures={})


def test_a_saved_model_of_a_model_with_eager_variables(tmp_path):
    x, y = np.ones((4, 3), 'f'), np.ones((4, 2), 'f')
    with eager_execution():
        made = tf.keras.Sequential([tf.keras.layers.Dense(3, input_shape=(3,), activation='relu'),
                                    tf.keras.layers.BatchNormalization(),
                                    tf.keras.layers.Dense(2)])
        made.compile('adam', 'mse')
        made.fit(x, y, verbose=0)
        made.save(tmp_path / 'm', save_format='tf')
        wanted = made.predict(x)
        np.testing.assert_array_equal(
            tf.keras.models.load_model(tmp_path / 'm').predict(x), wanted)
    np.testing.assert_array_equal(tf.saved_model.load(str(tmp_path / 'm')).signatures[
        'serving_default'](dense_input=x)['dense_1'], wanted)


@pytest.fixture
def trained(tmp_path):
    """The folder of a model that was trained for a step."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile('adam', 'mse')
    model.train_on_batch(np.ones((2, 2)), np.ones((2, 1)))
    model.save(tmp_path / 'm', save_format='tf')
    return tmp_path / 'm'


DAMAGES = {                     # file -> (its content, the error, what it says)
    'saved_model.pb': [(None, OSError, 'saved_model.pb'), (b'', OSError, 'no graph'),
                       (b'\xff' * 9, OSError, 'saved_model.pb')],
    'assets/saved_model.json': [
        (b'{"config":', tf.errors.DataLossError, 'saved_model.json'),
        (b'{"class_name": "Sequential", "config": 5}', tf.errors.DataLossError, 'configuration')],
    'variables/variables.index': [(None, tf.errors.NotFoundError, 'variables')]}


@pytest.mark.parametrize('name', DAMAGES)
def test_a_saved_model_with_a_damaged_file_is_refused(name, trained):
    for content, error, text in DAMAGES[name]:
        file = trained / name
        if content is None:
            file.rename(file.with_suffix('.away'))
        else:
            file.write_bytes(content)
        with pytest.raises(error, match=text) as raised:
            load_model(trained)
        assert str(trained) in str(raised.value)
        if content is None:
            file.with_suffix('.away').rename(file)


@pytest.mark.slow
def test_the_lost_state_of_an_optimizer_is_said(trained, caplog):
    """TensorFlow 1.15 does not restore it from a SavedModel either, and says so at exit."""
    load_model(trained, compile=False)
    assert not caplog.text
    load_model(trained)
    assert 'the optimizer starts without its slots' in caplog.text
    caplog.clear()
    model = load_model(FOLDER / 'tf115_mlp.h5')
    model.compile('adam', 'mse')
    model.save(trained, save_format='tf')               # it has no state yet
    load_model(trained)
    assert not caplog.text
