"""keras.preprocessing.image: the same images as TF 1.15 for the same seeds."""
import pathlib
import pickle
import struct
import subprocess
import sys
import warnings
import zlib

import numpy as np
import pytest

import tinyflow as tf
from keras_layer.preprocessing.image.resampling import resampled
from tests.golden import read_recorded
from tests.golden.keras import image_cases

images = tf.keras.preprocessing.image
RECORDED = read_recorded('keras.images')


@pytest.fixture(scope='module')
def found(tmp_path_factory):
    with warnings.catch_warnings():
        return image_cases.run(tf.keras, str(tmp_path_factory.mktemp('pictures')))


def _compare(found, wanted, path=''):
    assert type(found) is type(wanted) or isinstance(found, (int, float)), path
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys(), path
        for key in wanted:
            _compare(found[key], wanted[key], f'{path}/{key}')
    elif isinstance(wanted, list) and any(isinstance(w, (list, dict, str)) for w in wanted):
        assert len(found) == len(wanted), path
        for i, (one, other) in enumerate(zip(found, wanted)):
            _compare(one, other, f'{path}/{i}')
    elif isinstance(wanted, (list, int, float)) and not isinstance(wanted, bool):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=2e-3, err_msg=path)
    else:
        assert found == wanted, path


@pytest.mark.parametrize('name', RECORDED)
def test_matches_tensorflow(found, name):
    _compare(found[name], RECORDED[name], name)


@pytest.mark.parametrize('mode', ['constant', 'nearest', 'reflect', 'wrap', 'mirror'])
@pytest.mark.parametrize('order', [0, 1])
@pytest.mark.parametrize('size', [(1, 4), (7, 5)])
def test_resampling_is_that_of_scipy(mode, order, size):
    from scipy import ndimage
    random = np.random.RandomState(0)
    x = random.uniform(-1, 1, (*size, 2))
    for _ in range(20):
        matrix, offset = random.uniform(-2, 2, (2, 2)), random.uniform(-9, 9, 2)
        wanted = np.stack([ndimage.affine_transform(x[..., c], matrix, offset, order=order,
                                                    mode=mode, cval=.5) for c in (0, 1)], -1)
        np.testing.assert_allclose(resampled(x, matrix, offset, order, mode, .5), wanted,
                                   atol=1e-12)


def test_higher_orders_use_scipy():
    x = np.random.RandomState(0).uniform(0, 9, (6, 5, 1))
    cubic = images.apply_affine_transform(x, theta=30, order=3)
    assert cubic.shape == x.shape
    assert not np.allclose(cubic, images.apply_affine_transform(x, theta=30), atol=1e-3)


@pytest.mark.slow
def test_scipy_and_pandas_are_not_imported():
    code = ('import sys, numpy as np, tinyflow as tf\n'
            'g = tf.keras.preprocessing.image.ImageDataGenerator(20, rotation_range=20, '
            'zca_whitening=True)\n'
            'g.fit(np.ones((3, 4, 4, 1)))\n'
            'next(g.flow(np.ones((3, 4, 4, 1))))\n'
            'print([m for m in ("scipy", "pandas", "PIL") if m in sys.modules])')
    done = subprocess.run([sys.executable, '-W', 'ignore', '-c', code], capture_output=True,
                          text=True, check=True, cwd=pathlib.Path(__file__).parents[3])
    assert done.stdout.strip() == '[]'


def _model():
    model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(6, 5, 3)),
                                 tf.keras.layers.Dense(1)])
    model.compile('sgd', 'mse')
    return model


@pytest.mark.parametrize('workers', [1, 3])
def test_fit_evaluate_and_predict_take_a_flow(workers):
    generator = images.ImageDataGenerator(rotation_range=20, rescale=1e-3)
    flow = generator.flow(image_cases.X, image_cases.Y, batch_size=2)
    model = _model()
    history = model.fit_generator(flow, steps_per_epoch=4, epochs=2, verbose=0, workers=workers,
                                  validation_data=flow)
    assert len(history.history['val_loss']) == 2 and np.isfinite(history.history['loss']).all()
    assert len(model.fit(flow, epochs=2, verbose=0, workers=workers).epoch) == 2
    assert np.isfinite(model.evaluate_generator(flow, workers=workers))
    plain = images.ImageDataGenerator().flow(image_cases.X, batch_size=2, shuffle=False)
    np.testing.assert_allclose(model.predict_generator(plain, workers=workers),
                               model.predict(image_cases.X), rtol=1e-5)


def test_an_iterator_can_be_pickled():
    """... for worker processes."""
    flow = images.ImageDataGenerator(rotation_range=9).flow(image_cases.X, image_cases.Y, seed=3)
    again = pickle.loads(pickle.dumps(flow))
    np.testing.assert_array_equal(next(again)[0], next(flow)[0])


def test_images_are_saved_to_a_folder(tmp_path):
    generator = images.ImageDataGenerator()
    next(generator.flow(image_cases.X, batch_size=3, save_to_dir=tmp_path, save_prefix='seen'))
    names = [p.name for p in tmp_path.iterdir()]
    assert len(names) == 3 and all(n.startswith('seen_') and n.endswith('.png') for n in names)
    again = images.load_img(tmp_path / names[0], target_size=(6, 5))
    assert images.img_to_array(again).shape == (6, 5, 3)
    assert sorted(images.list_pictures(tmp_path)) == sorted(str(p) for p in tmp_path.iterdir())


def test_brightness_of_channels_first():
    generator = images.ImageDataGenerator(brightness_range=(.5, .5), data_format='channels_first')
    last = images.ImageDataGenerator(brightness_range=(.5, .5))
    x = image_cases.X
    np.testing.assert_array_equal(
        next(generator.flow(x.transpose(0, 3, 1, 2), shuffle=False)).transpose(0, 2, 3, 1),
        next(last.flow(x, shuffle=False)))


def test_sample_weights_of_a_subset():
    """In TF 1.15 the training subset gets the weights of other images."""
    generator = images.ImageDataGenerator(validation_split=.4)
    for part, own in (('validation', [0, 1]), ('training', [2, 3, 4])):
        x, _, weight = next(generator.flow(image_cases.X, np.zeros(5), subset=part,
                                           sample_weight=np.arange(5.), shuffle=False))
        assert weight.tolist() == own
        np.testing.assert_array_equal(x, image_cases.X[own])


@pytest.mark.parametrize('call, words', [
    (lambda: images.ImageDataGenerator(zoom_range=(1, 2, 3)), '`zoom_range` should be a float'),
    (lambda: images.ImageDataGenerator(brightness_range=2), '`brightness_range should be tuple'),
    (lambda: images.ImageDataGenerator(validation_split=2.), 'strictly between 0 and 1'),
    (lambda: images.ImageDataGenerator(data_format='last'), '`data_format` should be'),
    (lambda: images.ImageDataGenerator().flow(np.ones((3, 4, 4))), r'rank 4.*x\[\.\.\., None\]'),
    (lambda: images.ImageDataGenerator().flow(image_cases.X, [1]), 'should have the same length'),
    (lambda: images.ImageDataGenerator().fit(np.ones((3, 4))), 'should have rank 4'),
    (lambda: images.ImageDataGenerator(validation_split=.4).flow(
        image_cases.X, [0, 0, 1, 1, 1], subset='training'), 'different number of classes'),
    (lambda: images.ImageDataGenerator().flow(image_cases.X)[9], 'Asked to retrieve element 9'),
    (lambda: images.array_to_img(np.ones((3, 3))), 'rank 3'),
    (lambda: images.array_to_img(np.ones((3, 3, 2))), 'Unsupported channel number: 2'),
    (lambda: images.img_to_array(np.ones(3)), 'Unsupported image shape'),
    (lambda: images.random_zoom(np.ones((3, 3, 3)), (1,)), '`zoom_range` should be a tuple'),
])
def test_invalid_arguments_raise(call, words):
    import re
    with pytest.raises(ValueError) as caught:
        call()
    assert re.search(words, str(caught.value), re.S)


def test_a_missing_folder():
    with pytest.raises(FileNotFoundError, match='a folder of images for each class'):
        images.ImageDataGenerator().flow_from_directory('/no/such/folder')


@pytest.mark.parametrize('settings, error, words', [
    ({'class_mode': 'classes'}, ValueError, 'Invalid class_mode'),
    ({'x_col': 'file'}, KeyError, "no column 'file'; it has"),
    ({'class_mode': 'multi_output'}, TypeError, 'y_col must be a list'),
    ({'class_mode': 'binary'}, ValueError, 'Found 3 classes'),
    ({'class_mode': 'sparse', 'y_col': 'number'}, TypeError, 'must be strings'),
    ({'weight_col': 'class'}, TypeError, 'must be numeric'),
    ({'color_mode': 'cmyk'}, ValueError, 'Invalid color mode'),
])
def test_invalid_tables_raise(settings, error, words):
    import pandas
    table = pandas.DataFrame({'filename': ['a.png', 'b.png', 'c.png'], 'class': ['x', 'y', 'z'],
                              'number': [1, 2, 3]})
    with pytest.raises(error, match=words):
        images.ImageDataGenerator().flow_from_dataframe(table, **settings)


def test_missing_files_are_skipped_with_a_warning(tmp_path):
    import pandas
    table = pandas.DataFrame({'filename': ['a.png'], 'class': ['x']})
    with pytest.warns(UserWarning, match='Found 1 invalid image filename'):
        flow = images.ImageDataGenerator().flow_from_dataframe(table, tmp_path)
    assert flow.samples == 0


def test_missing_statistics_warn():
    with pytest.warns(UserWarning, match='overrides setting of `featurewise_center`'):
        generator = images.ImageDataGenerator(featurewise_std_normalization=True)
    with pytest.warns(UserWarning, match="hasn't been fit on any training data"):
        generator.standardize(np.ones((2, 2, 1)))


def test_errors_of_load_img_name_the_file(tmp_path):
    path = tmp_path / 'picture.png'
    images.save_img(str(path), np.arange(27, dtype=np.float32).reshape(3, 3, 3))
    whole = path.read_bytes()
    header = b'IHDR' + struct.pack('>IIBBBBB', 60000, 60000, 8, 2, 0, 0, 0)
    for data, kind, text in (
            (b'no picture', OSError, 'is no image'), (whole[:50], OSError, 'is damaged'),
            (whole[:12] + header + struct.pack('>I', zlib.crc32(header)) + whole[33:], ValueError,
             'MAX_IMAGE_PIXELS')):
        path.write_bytes(data)
        with pytest.raises(kind, match=text) as caught:
            images.load_img(str(path))
        assert str(path) in str(caught.value)
