"""keras.applications: layers, shapes and weight names of TF 1.15, preprocessing, weight files."""
import json

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.keras import application_cases as cases

RECORDED = read_recorded('keras.applications')
A = tf.keras.applications


@pytest.fixture(autouse=True)
def _own_graph():
    with tf.Graph().as_default():
        yield


@pytest.mark.slow
@pytest.mark.parametrize('case', cases.CASES)
def test_layers_configurations_and_weight_files_are_those_of_tensorflow(case, monkeypatch):
    asked = []

    def load_weights(model, weights, folder, file, served=None):
        asked.append([file, folder + (served or file)])
        return model
    monkeypatch.setattr(A.imagenet_utils, 'load_weights', load_weights)
    model = cases.make(A, case)
    if case in RECORDED['layers']:
        assert cases.layers(model) == RECORDED['layers'][case]
    assert cases.describe(model) == RECORDED['networks'][case]
    network, arguments = cases.CASES[case]
    if 'input_shape' not in arguments or network in ('InceptionV3', 'NASNetMobile'):
        top = 'top' if arguments.get('include_top', True) else 'notop'
        # Without a size, MobileNets ask for the file only when it is to be read.
        if not (network.startswith('MobileNet') and top == 'notop'):
            assert asked == [RECORDED['files'][f'{network} {top}']]


@pytest.mark.parametrize('module', RECORDED['preprocessing'])
def test_each_module_preprocesses_as_its_network_was_trained(module):
    found = getattr(A, module).preprocess_input(np.array(cases.PIXEL))
    np.testing.assert_allclose(found, RECORDED['preprocessing'][module], rtol=1e-15)


def test_every_network_is_public():
    assert {network for network, _ in cases.CASES.values()} == \
        {name for name in dir(A) if name[0].isupper()}


@pytest.mark.slow
def test_a_weight_file_loads(tmp_path):
    model = cases.make(A, 'MobileNetV2s')
    path = str(tmp_path / 'w.h5')
    model.save_weights(path)
    x = np.random.RandomState(0).uniform(-1, 1, (1, 96, 96, 3)).astype('float32')
    before = model.predict(x)
    with tf.Graph().as_default():
        again = A.MobileNetV2(weights=path, alpha=.35, input_shape=(96, 96, 3), classes=10)
        np.testing.assert_allclose(again.predict(x), before, rtol=1e-5)


@pytest.mark.parametrize('arguments, words', [
    ({'weights': '/no/such.h5'}, 'None'), ({'weights': 'imagenet', 'classes': 10}, '1000'),
    ({'weights': None, 'input_shape': (8, 8, 3)}, '32x32'),
])
def test_contradictory_arguments_raise(arguments, words):
    with pytest.raises(ValueError, match=words):
        A.VGG16(**arguments)


@pytest.mark.parametrize('mode', ['caffe', 'tf', 'torch'])
def test_preprocessing(mode):
    x = np.array([[[[0., 127.5, 255.]]]])
    found = A.imagenet_utils.preprocess_input(x, mode=mode)
    wanted = {'caffe': [255 - 103.939, 127.5 - 116.779, -123.68], 'tf': [-1, 0, 1],
              'torch': [-.485 / .229, (.5 - .456) / .224, (1 - .406) / .225]}[mode]
    np.testing.assert_allclose(found[0, 0, 0], wanted, rtol=1e-5)
    np.testing.assert_array_equal(x[..., ::-1] if mode == 'caffe' else x, found)   # overwritten
    integers = np.array([[[[0, 127, 255]]]])
    assert A.imagenet_utils.preprocess_input(integers, mode=mode).dtype == np.float32
    assert integers.max() == 255


def test_predictions_have_names(tmp_path):
    path = tmp_path / 'names.json'
    path.write_text(json.dumps({str(i): [f'n{i}', f'thing {i}'] for i in range(1000)}))
    row = np.zeros((1, 1000))
    row[0, [7, 9]] = .25, .75
    found = A.imagenet_utils.decode_predictions(row, top=2, path=str(path))
    assert found == [[('n9', 'thing 9', .75), ('n7', 'thing 7', .25)]]
    with pytest.raises(ValueError, match='2D'):
        A.imagenet_utils.decode_predictions(row[0])


@pytest.mark.slow
@pytest.mark.parametrize('arguments, shape, name', [
    ({'include_top': False}, (None, None, None, 3), 'mobilenetv2_0.35_None'),
    ({'include_top': False, 'input_shape': (100, 100, 3)}, (None, 100, 100, 3),
     'mobilenetv2_0.35_100')])
def test_mobilenet_without_its_top_takes_images_of_any_size(arguments, shape, name):
    model = A.MobileNetV2(weights=None, alpha=.35, **arguments)
    assert (model.input_shape, model.name) == (shape, name)


def test_mobilenet_of_an_unusual_size_uses_the_weights_of_224(monkeypatch):
    from keras_layer.applications import imagenet_utils
    asked = []

    def get_file(name, origin, **more):
        asked.append(name)
        raise OSError('no network')
    monkeypatch.setattr(imagenet_utils, 'get_file', get_file)
    with pytest.warns(UserWarning, match='224'), pytest.raises(OSError, match='no network'):
        A.MobileNetV2(input_shape=(100, 100, 3), include_top=False, alpha=.35)
    assert asked == ['mobilenet_v2_weights_tf_dim_ordering_tf_kernels_0.35_224_no_top.h5']
    with pytest.raises(ValueError, match='alpha'):
        A.MobileNetV2(include_top=False, alpha=.4)


@pytest.mark.parametrize('network', ['VGG16', 'VGG19', 'ResNet50', 'MobileNetV2'])
def test_a_misspelt_argument_raises(network):
    with pytest.raises(TypeError, match='weigths'):
        getattr(A, network)(weigths=None)


def test_preprocessing_of_tensors_and_unknown_settings():
    x = np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)
    preprocess = A.imagenet_utils.preprocess_input
    found = preprocess(tf.keras.backend.constant(x), data_format='channels_first')
    np.testing.assert_allclose(tf.keras.backend.eval(found),
                               preprocess(x, data_format='channels_first'), rtol=1e-6)
    for wrong in ({'mode': 'tensorflow'}, {'data_format': 'last'}):
        with pytest.raises(ValueError, match='Unknown'):
            preprocess(x, **wrong)
