"""Files that Keras of TensorFlow 2.15 saved: what they have in addition, what is refused."""
import io
import json
import pathlib
import zipfile

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.saving import keras_metadata

FOLDER = pathlib.Path(__file__).parents[2] / 'golden' / 'files' / 'keras'
DATA = np.load(FOLDER / 'tf215.npz')
keras, layers = tf.keras, tf.keras.layers


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


def test_a_whole_model_predicts_and_is_trained():
    model = keras.models.load_model(str(FOLDER / 'tf215_cnn.h5'))
    np.testing.assert_allclose(model.predict(DATA['image']), DATA['cnn'], rtol=1e-5, atol=1e-6)
    assert model.metrics_names == ['loss', 'accuracy', 'auc']
    assert np.isfinite(model.train_on_batch(DATA['image'], np.eye(2)[[0, 1, 0, 1]])).all()


@pytest.mark.parametrize('name', ['adadelta', 'adagrad', 'adam', 'adamax', 'ftrl', 'rmsprop',
                                  'sgd'])
def test_training_continues_with_the_optimizers_state(name):
    model = keras.models.load_model(str(FOLDER / f'tf215_{name}.h5'))
    found = [model.train_on_batch(DATA['vector'], DATA['vector'][:, ::-1]) for _ in range(3)]
    np.testing.assert_allclose(found, DATA[name], rtol=1e-5)


def test_a_saved_model():
    model = keras.models.load_model(str(FOLDER / 'tf215_saved'))
    loss = model.test_on_batch(DATA['vector'], DATA['vector'][:, ::-1])
    np.testing.assert_allclose(loss, DATA['sgd'][0], rtol=1e-5)


@pytest.mark.parametrize('layer, argument, default, other', [
    (lambda: layers.Conv2D(2, 1), 'groups', 1, 2),
    (lambda: layers.GlobalMaxPooling1D(), 'keepdims', False, True),
    (lambda: layers.Attention(), 'score_mode', 'dot', 'concat'),
    (lambda: layers.Attention(), 'dropout', 0.0, 0.5),
    (lambda: layers.BatchNormalization(), 'synchronized', False, True),
    (lambda: layers.LSTM(2), 'zero_output_for_mask', False, True)])
def test_newer_arguments_of_layers(layer, argument, default, other):
    described = layers.serialize(layer())
    described['config'][argument] = default
    assert layers.deserialize(described).get_config().keys() == layer().get_config().keys()
    described['config'][argument] = other
    with pytest.raises(ValueError, match=f'{argument}={other!r} is not supported'):
        layers.deserialize(described)


def test_an_unknown_argument_is_still_an_error():
    described = layers.serialize(layers.Dense(2))
    described['config']['unit'] = 3
    with pytest.raises(TypeError, match="not understood: 'unit'"):
        layers.deserialize(described)


class Grouped(keras.layers.Conv2D):
    """A user's own layer that knows an argument which Conv2D does not."""

    def __init__(self, filters, groups=1, **kwargs):
        self.groups = groups
        super().__init__(filters, **kwargs)


def test_a_users_own_class_gets_its_arguments():
    config = {**layers.Conv2D(2, 1).get_config(), 'groups': 2}
    made = layers.deserialize({'class_name': 'Grouped', 'config': config}, {'Grouped': Grouped})
    assert made.groups == 2


@pytest.mark.parametrize('config, text', [
    ({'use_ema': True}, 'use_ema=True is not supported'),
    ({'weight_decay': 0.1}, 'weight_decay=0.1 is not supported')])
def test_newer_arguments_of_optimizers(config, text):
    config = {'learning_rate': 0.5, 'jit_compile': True, **config}
    with pytest.raises(ValueError, match=text):
        keras.optimizers.deserialize({'class_name': 'Custom>SGD', 'config': config})


@pytest.mark.parametrize('name, text', [
    ('Rescaling', 'a layer of a newer Keras'), ('RandomFlip', 'a layer of a newer Keras'),
    ('TFOpLambda', 'an operation on tensors outside a layer')])
def test_newer_layers_are_errors_that_say_so(name, text):
    with pytest.raises(ValueError, match=f'Unknown layer: {name}. It is {text}'):
        layers.deserialize({'class_name': name, 'config': {}})


def test_a_zip_archive_is_an_error_that_says_so(tmp_path):
    content = io.BytesIO()
    with zipfile.ZipFile(content, 'w') as archive:
        archive.writestr('config.json', '{}')
    (tmp_path / 'model.keras').write_bytes(content.getvalue())
    with pytest.raises(ValueError, match='is a zip archive'):
        keras.models.load_model(str(tmp_path / 'model.keras'))


def test_metadata_are_read_as_they_are_written(tmp_path):
    path = str(tmp_path / 'keras_metadata.pb')
    objects = [keras_metadata.KerasObject(i, f'root.layer-{i}', '_tf_keras_layer', {'n': 'é' * 99})
               for i in range(300)]
    (tmp_path / 'keras_metadata.pb').write_bytes(keras_metadata.as_bytes(objects))
    assert keras_metadata.read(path) == objects


@pytest.mark.slow
def test_damaged_metadata_are_errors_that_name_the_file(tmp_path):
    path = tmp_path / 'keras_metadata.pb'
    whole = (FOLDER / 'tf215_saved' / 'keras_metadata.pb').read_bytes()
    refused = 0
    for cut in range(0, len(whole), 97):
        for data in (whole[:cut], whole[:cut] + b'\xff' + whole[cut + 1:]):
            path.write_bytes(data)
            try:
                keras_metadata.read(str(path))
            except tf.errors.DataLossError as error:
                assert 'keras_metadata.pb' in str(error)
                refused += 1
    assert refused > 10


def test_tuples_in_metadata_are_lists(tmp_path):
    path = tmp_path / 'keras_metadata.pb'
    text = {'shape': {'class_name': '__tuple__', 'items': [None, 4]}}
    path.write_bytes(keras_metadata.as_bytes([keras_metadata.KerasObject(0, 'root', '', text)]))
    assert json.dumps(keras_metadata.read(str(path))[0].metadata) == '{"shape": [null, 4]}'


def test_yaml_of_tensorflow_has_tuples_and_wrapped_lists():
    """TensorFlow 1.15 writes objects of Python for them; other objects are refused."""
    pytest.importorskip('yaml')
    made = keras.Sequential([layers.Dense(2, input_shape=(3,), name='d'),
                             layers.BatchNormalization()])
    text = made.to_yaml()
    shape = 'batch_input_shape:\n      - null\n      - 3\n'
    assert shape in text
    text = text.replace('batch_input_shape:\n', 'batch_input_shape: !!python/tuple\n')
    axis = '      axis:\n      - 1\n'
    assert axis in text
    text = text.replace(axis, '      axis: !!python/object/apply:tensorflow.python.training.'
                              'tracking.data_structures.ListWrapper\n      - - 1\n')
    again = keras.models.model_from_yaml(text)
    assert again.input_shape == (None, 3) and again.layers[1].get_config()['axis'] == [1]
    with pytest.raises(Exception, match='could not determine a constructor'):
        keras.models.model_from_yaml('!!python/object/apply:os.getcwd []')
