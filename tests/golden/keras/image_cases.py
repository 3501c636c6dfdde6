"""Seeded calls of keras.preprocessing.image whose results are compared. Python 3.7, too."""
import os
import random
import warnings

import numpy as np

from tests.golden.keras.preprocessing_cases import plain

X = np.random.RandomState(4).uniform(0, 255, (5, 6, 5, 3)).round(1).astype('f')
GREY = X[..., :1]
Y = np.arange(5)
GENERATORS = {
    'plain': {}, 'rotation': {'rotation_range': 40}, 'shift parts': {
        'width_shift_range': .3, 'height_shift_range': .2},
    'shift pixels': {'width_shift_range': 3, 'height_shift_range': [1, 2]},
    'shear': {'shear_range': 30}, 'zoom': {'zoom_range': .4}, 'zoom pair': {'zoom_range': (.5, 2)},
    'brightness': {'brightness_range': (.3, 1.5)}, 'channels': {'channel_shift_range': 60.},
    'flips': {'horizontal_flip': True, 'vertical_flip': True},
    'all': {'rotation_range': 30, 'width_shift_range': .2, 'height_shift_range': .2,
            'shear_range': 20, 'zoom_range': .3, 'channel_shift_range': 30.,
            'horizontal_flip': True, 'vertical_flip': True, 'brightness_range': (.5, 1.2)},
    'rescale': {'rescale': 1. / 255, 'preprocessing_function': lambda x: x - 3.},
    'samplewise': {'samplewise_center': True, 'samplewise_std_normalization': True},
    'featurewise': {'featurewise_center': True, 'featurewise_std_normalization': True},
    'whitening': {'zca_whitening': True, 'rescale': .01, 'zca_epsilon': 1e-2},
}
for _mode in ('constant', 'nearest', 'reflect', 'wrap'):
    GENERATORS['fill ' + _mode] = {'rotation_range': 50, 'width_shift_range': .5,
                                   'height_shift_range': .6, 'zoom_range': (1.5, 2.5),
                                   'shear_range': 40, 'fill_mode': _mode, 'cval': 7.}


def run(keras, folder):
    warnings.simplefilter('ignore')
    images = keras.preprocessing.image
    found = {}
    for name, settings in GENERATORS.items():
        generator = images.ImageDataGenerator(**settings)
        x = GREY if name == 'whitening' else X
        if 'feature' in name or name == 'whitening':
            generator.fit(x)
        found['flow ' + name] = _batches(generator.flow(x, Y, batch_size=2, seed=7), 4)
    arrays(images, found)
    files(images, found, folder)
    return plain(found)


def _batches(flow, count):
    return [[np.round(part, 3) for part in next(flow)] for _ in range(count)]


def arrays(images, found):
    generator = images.ImageDataGenerator(rotation_range=20, data_format='channels_first')
    first = X.transpose(0, 3, 1, 2)
    found['channels first'] = np.round(next(generator.flow(first, batch_size=1, seed=3)), 3)
    for part in ('training', 'validation'):
        flow = images.ImageDataGenerator(validation_split=.4).flow(
            X, np.zeros(5), subset=part, shuffle=False)
        found['subset ' + part] = [flow.n, next(flow)[0][:, 0]]
    flow = images.ImageDataGenerator().flow((X, [Y, Y * 2]), Y, batch_size=3, seed=1)
    found['more inputs'] = [next(flow)[0][1:], len(flow), flow[1][1]]
    generator = images.ImageDataGenerator(featurewise_center=True, rotation_range=10)
    generator.fit(X, augment=True, rounds=2, seed=5)
    found['fit augmented'] = np.round(generator.mean, 3)
    np.random.seed(11)
    plain_generator = images.ImageDataGenerator(rotation_range=90, zoom_range=.5)
    found['transform'] = plain_generator.get_random_transform((6, 5, 3), seed=2)
    found['transformed'] = np.round(plain_generator.random_transform(X[0], seed=2), 3)
    x = X[0]
    axes = {'row_axis': 0, 'col_axis': 1, 'channel_axis': 2}
    for name, call in [
            ('rotation', lambda: images.random_rotation(x, 30, **axes)),
            ('rotation first', lambda: images.random_rotation(x.transpose(2, 0, 1), 30)),
            ('shift', lambda: images.random_shift(x, .3, .4, fill_mode='wrap', **axes)),
            ('shear', lambda: images.random_shear(x, 30, fill_mode='reflect', **axes)),
            ('zoom', lambda: images.random_zoom(x, (.5, 1.5), fill_mode='constant', **axes)),
            ('channel', lambda: images.random_channel_shift(x, 50., 2)),
            ('brightness', lambda: images.random_brightness(x, (.2, 2.)))]:
        np.random.seed(9)
        found['random ' + name] = np.round(call(), 3)
    for mode in ('constant', 'nearest', 'reflect', 'wrap'):
        for order in (0, 1):
            found['affine %s %d' % (mode, order)] = np.round(images.apply_affine_transform(
                x, theta=33, tx=2.3, ty=-7.1, shear=12, zx=.7, zy=1.6, fill_mode=mode, cval=3.,
                order=order), 3)
    found['affine uint8'] = images.apply_affine_transform(x.astype('uint8'), theta=20)
    for name, picture in (('rgb', x), ('grey', x[..., :1]), ('deep', x[..., :1] * 9)):
        for scale in (True, False):
            img = images.array_to_img(picture, scale=scale)
            found['picture %s %s' % (name, scale)] = [img.mode, img.size,
                                                      images.img_to_array(img)]
    found['picture first'] = images.img_to_array(
        images.array_to_img(x.transpose(2, 0, 1), 'channels_first'), 'channels_first')


def files(images, found, folder):
    for i in range(10):
        own = os.path.join(folder, ('cats', 'dogs', 'owls')[i % 3], *(['in'] if i > 6 else []))
        if not os.path.isdir(own):
            os.makedirs(own)
        images.save_img(os.path.join(own, 'p%d.png' % i), np.roll(X[i % 5], i), scale=False)
    path = os.path.join(folder, 'cats', 'p0.png')
    for mode in ('rgb', 'rgba', 'grayscale'):
        img = images.load_img(path, color_mode=mode, target_size=(3, 4))
        found['load ' + mode] = [img.mode, images.img_to_array(img)]
    for way in ('bilinear', 'bicubic', 'lanczos', 'box', 'hamming'):
        found['load ' + way] = images.img_to_array(images.load_img(path, target_size=(9, 4),
                                                                   interpolation=way))
    generator = images.ImageDataGenerator(horizontal_flip=True, rescale=.5, validation_split=.3)
    for name, settings in [
            ('rows', {}), ('sparse', {'class_mode': 'sparse', 'color_mode': 'grayscale'}),
            ('input', {'class_mode': 'input'}), ('nothing', {'class_mode': None}),
            ('training', {'subset': 'training'}), ('validation', {'subset': 'validation'}),
            ('chosen', {'classes': ['owls', 'cats'], 'class_mode': 'binary'}),
            ('ordered', {'shuffle': False})]:
        flow = generator.flow_from_directory(folder, target_size=(2, 2), batch_size=3, seed=5,
                                             **settings)
        found['directory ' + name] = [flow.filenames, flow.class_indices, flow.classes,
                                      flow.samples, len(flow), next(flow),
                                      flow[len(flow) - 1]]
    random.seed(3)
    try:
        import pandas
    except ImportError:
        return
    table = pandas.DataFrame({
        'filename': ['cats/p0.png', 'dogs/p1.png', 'owls/p2.png', 'cats/gone.png', 'cats/p3.png'],
        'class': ['a', 'b', 'b', 'a', 'b'], 'number': [1., 2., 3., 4., 5.],
        'more': [5., 4., 3., 2., 1.], 'several': [['a', 'b'], ['c'], 'a', 'b', ['c', 'b']]})
    for name, settings in [
            ('rows', {}), ('binary', {'class_mode': 'binary', 'weight_col': 'number'}),
            ('several', {'y_col': 'several'}), ('raw', {'class_mode': 'raw', 'y_col': 'number'}),
            ('raw two', {'class_mode': 'raw', 'y_col': ['number', 'more']}),
            ('multi', {'class_mode': 'multi_output', 'y_col': ['number', 'more']}),
            ('chosen', {'y_col': 'several', 'classes': ['c', 'b']}),
            ('nothing', {'class_mode': None, 'shuffle': False}),
            ('validation', {'subset': 'validation'})]:
        flow = generator.flow_from_dataframe(table, folder, target_size=(2, 2), batch_size=3,
                                             seed=5, **settings)
        found['table ' + name] = [flow.filenames, getattr(flow, 'class_indices', None),
                                  flow.samples, next(flow)]
