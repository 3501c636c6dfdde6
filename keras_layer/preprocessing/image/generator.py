"""ImageDataGenerator: random augmentation and normalization of images."""
from __future__ import annotations

import warnings

import numpy as np

from keras_layer import backend as K
from keras_layer.preprocessing.image.affine import apply_affine_transform
from keras_layer.preprocessing.image.colors import apply_brightness_shift, apply_channel_shift
from keras_layer.preprocessing.image.dataframe_iterator import DataFrameIterator
from keras_layer.preprocessing.image.directory_iterator import DirectoryIterator
from keras_layer.preprocessing.image.iterator import NumpyArrayIterator
from tinyflow.graph.support.errors import misuse

__all__ = ['ImageDataGenerator']


class ImageDataGenerator:
    """Batches of randomly augmented images for `fit`.

    rotation_range: degrees. width_shift_range, height_shift_range: a fraction of the size (< 1), a
    number of pixels, or a list of pixels to choose from. brightness_range: (lowest, highest)
    factor. shear_range: degrees. zoom_range: (lowest, highest), or z for (1 - z, 1 + z).
    channel_shift_range: of the values. horizontal_flip, vertical_flip: half of the images.
    fill_mode, cval: how points outside the image are filled.

    Then `preprocessing_function`, `rescale` (a factor), and normalization to mean 0 and standard
    deviation 1: of each image (samplewise_...), or by the data passed to `fit` (featurewise_...,
    zca_whitening). `validation_split` is the fraction of subset='validation'.
    """

    def __init__(self, featurewise_center=False, samplewise_center=False,
                 featurewise_std_normalization=False, samplewise_std_normalization=False,
                 zca_whitening=False, zca_epsilon=1e-6, rotation_range=0, width_shift_range=0.,
                 height_shift_range=0., brightness_range=None, shear_range=0., zoom_range=0.,
                 channel_shift_range=0., fill_mode='nearest', cval=0., horizontal_flip=False,
                 vertical_flip=False, rescale=None, preprocessing_function=None, data_format=None,
                 validation_split=0.0, dtype=None, interpolation_order=1):
        self.featurewise_center, self.samplewise_center = featurewise_center, samplewise_center
        self.featurewise_std_normalization = featurewise_std_normalization
        self.samplewise_std_normalization = samplewise_std_normalization
        self.zca_whitening, self.zca_epsilon = zca_whitening, zca_epsilon
        self.rotation_range, self.shear_range = rotation_range, shear_range
        self.width_shift_range, self.height_shift_range = width_shift_range, height_shift_range
        self.channel_shift_range = channel_shift_range
        self.fill_mode, self.cval = fill_mode, cval
        self.horizontal_flip, self.vertical_flip = horizontal_flip, vertical_flip
        self.rescale, self.preprocessing_function = rescale, preprocessing_function
        self.dtype, self.interpolation_order = dtype or K.floatx(), interpolation_order
        self.data_format = data_format or K.image_data_format()
        if self.data_format not in ('channels_last', 'channels_first'):
            raise misuse(ValueError('`data_format` should be `"channels_last"` (channel after row '
                                    'and column) or `"channels_first"` (channel before row and '
                                    f'column). Received: {data_format}'))
        self.channel_axis, self.row_axis, self.col_axis = \
            (1, 2, 3) if self.data_format == 'channels_first' else (3, 1, 2)
        if validation_split and not 0 < validation_split < 1:
            raise misuse(ValueError('`validation_split` must be strictly between 0 and 1.  '
                                    f'Received: {validation_split}'))
        self._validation_split = validation_split
        self.zoom_range = _zoom(zoom_range)
        if brightness_range is not None and (not isinstance(brightness_range, (tuple, list))
                                             or len(brightness_range) != 2):
            raise misuse(ValueError('`brightness_range should be tuple or list of two floats. '
                                    f'Received: {brightness_range}'))
        self.brightness_range = brightness_range
        self.mean = self.std = self.principal_components = None
        self._check_statistics()

    def _check_statistics(self):
        """Resolves dependencies: standard deviation implies the mean, whitening replaces both."""
        if self.zca_whitening:
            self._override('zca_whitening', 'featurewise_center', True)
            self._override('zca_whitening', 'featurewise_std_normalization', False)
        if self.featurewise_std_normalization:
            self._override('featurewise_std_normalization', 'featurewise_center', True)
        if self.samplewise_std_normalization:
            self._override('samplewise_std_normalization', 'samplewise_center', True)

    def _override(self, setting, other, value):
        if getattr(self, other) != value:
            setattr(self, other, value)
            warnings.warn(f'This ImageDataGenerator specifies `{setting}`, which overrides '
                          f'setting of `{other}`.', stacklevel=4)

    # ---- sources of images ---------------------------------------------------------------

    def flow(self, x, y=None, batch_size=32, shuffle=True, sample_weight=None, seed=None,
             save_to_dir=None, save_prefix='', save_format='png', subset=None):
        """Batches of augmented images of the array `x`, with their labels `y`."""
        return NumpyArrayIterator(x, y, self, batch_size, shuffle, sample_weight, seed,
                                  self.data_format, save_to_dir, save_prefix, save_format, subset,
                                  self.dtype)

    def flow_from_directory(self, directory, target_size=(256, 256), color_mode='rgb',
                            classes=None, class_mode='categorical', batch_size=32, shuffle=True,
                            seed=None, save_to_dir=None, save_prefix='', save_format='png',
                            follow_links=False, subset=None, interpolation='nearest'):
        """Batches of augmented images from a directory with one folder per class.

        `class_mode` is the kind of labels: 'categorical' rows, 'binary' or 'sparse' numbers,
        'input' the images themselves, None no labels.
        """
        return DirectoryIterator(directory, self, target_size, color_mode, classes, class_mode,
                                 batch_size, shuffle, seed, self.data_format, save_to_dir,
                                 save_prefix, save_format, follow_links, subset, interpolation,
                                 self.dtype)

    def flow_from_dataframe(self, dataframe, directory=None, x_col='filename', y_col='class',
                            weight_col=None, target_size=(256, 256), color_mode='rgb',
                            classes=None, class_mode='categorical', batch_size=32, shuffle=True,
                            seed=None, save_to_dir=None, save_prefix='', save_format='png',
                            subset=None, interpolation='nearest', validate_filenames=True,
                            **kwargs):
        """Batches of augmented images whose names and labels are in a pandas DataFrame."""
        for old, today in _OLD_ARGUMENTS.items():
            if kwargs.pop(old, None) is not None:
                warnings.warn(f'{old} is deprecated, {today}', DeprecationWarning, stacklevel=2)
        if kwargs:
            raise misuse(TypeError(f'Unexpected keyword arguments: {sorted(kwargs)}'))
        if class_mode == 'other':
            warnings.warn('`class_mode` "other" is deprecated, please use `class_mode` "raw".',
                          DeprecationWarning, stacklevel=2)
            class_mode = 'raw'
        return DataFrameIterator(dataframe, directory, self, x_col, y_col, weight_col, target_size,
                                 color_mode, classes, class_mode, batch_size, shuffle, seed,
                                 self.data_format, save_to_dir, save_prefix, save_format, subset,
                                 interpolation, self.dtype, validate_filenames)

    # ---- normalization ---------------------------------------------------------------------

    def fit(self, x, augment=False, rounds=1, seed=None):
        """Computes mean, standard deviation and principal components of the images `x`.

        `augment` uses `rounds` augmented versions of each. Shapes: x [n, height, width,
        channels], or with channels first.
        """
        x = np.array(x, dtype=self.dtype)
        if x.ndim != 4:
            raise misuse(ValueError('Input to `.fit()` should have rank 4. Got array with shape: '
                                    f'{x.shape}'))
        if x.shape[self.channel_axis] not in (1, 3, 4):
            warnings.warn(
                'Expected input to be images (as Numpy array) following the data format '
                f'convention "{self.data_format}" (channels on axis {self.channel_axis}), i.e. '
                f'expected either 1, 3 or 4 channels on axis {self.channel_axis}. However, it was '
                f'passed an array with shape {x.shape} ({x.shape[self.channel_axis]} channels).',
                stacklevel=2)
        if seed is not None:
            np.random.seed(seed)
        if self.rescale:
            x *= self.rescale
        if augment:
            x = np.stack([self.random_transform(one) for _ in range(rounds) for one in x])
        spatial = (0, self.row_axis, self.col_axis)
        if self.featurewise_center:
            self.mean = np.mean(x, axis=spatial, keepdims=True)[0]
            x -= self.mean
        if self.featurewise_std_normalization:
            self.std = np.std(x, axis=spatial, keepdims=True)[0]
            x /= self.std + 1e-6
        if self.zca_whitening:
            flat = x.reshape(len(x), -1)
            u, s, _ = np.linalg.svd(flat.T.dot(flat) / len(flat))
            self.principal_components = (u * (1. / np.sqrt(s[None] + self.zca_epsilon))).dot(u.T)

    def standardize(self, x):
        """Normalizes an image or a batch in place.

        Warns if `fit` should have been called.
        """
        if self.preprocessing_function:
            x = self.preprocessing_function(x)
        if self.rescale:
            x *= self.rescale
        if self.samplewise_center:
            x -= np.mean(x, keepdims=True)
        if self.samplewise_std_normalization:
            x /= np.std(x, keepdims=True) + 1e-6
        if self.featurewise_center and self._fitted('featurewise_center', self.mean):
            x -= self.mean
        if self.featurewise_std_normalization and \
                self._fitted('featurewise_std_normalization', self.std):
            x /= self.std + 1e-6
        if self.zca_whitening and self._fitted('zca_whitening', self.principal_components):
            flat = x.reshape(-1, np.prod(x.shape[-3:]))
            x = flat.dot(self.principal_components).reshape(x.shape)
        return x

    def _fitted(self, setting, found):
        if found is None:
            warnings.warn(f"This ImageDataGenerator specifies `{setting}`, but it hasn't been fit "
                          'on any training data. Fit it first by calling `.fit(numpy_data)`.',
                          stacklevel=3)
        return found is not None

    # ---- random transforms -----------------------------------------------------------------

    def get_random_transform(self, img_shape, seed=None):
        """Random parameters of a transform for an image of this shape, by NumPy's random numbers.

        The draws and their order are those of TF 1.15: equal seeds, equal images.
        """
        if seed is not None:
            np.random.seed(seed)
        uniform = np.random.uniform
        theta = uniform(-self.rotation_range, self.rotation_range) if self.rotation_range else 0
        tx = _random_shift(self.height_shift_range, img_shape[self.row_axis - 1])
        ty = _random_shift(self.width_shift_range, img_shape[self.col_axis - 1])
        shear = uniform(-self.shear_range, self.shear_range) if self.shear_range else 0
        zx, zy = (1, 1) if self.zoom_range == [1, 1] else uniform(*self.zoom_range, 2)
        flip_horizontal = (np.random.random() < 0.5) * self.horizontal_flip
        flip_vertical = (np.random.random() < 0.5) * self.vertical_flip
        channels = uniform(-self.channel_shift_range, self.channel_shift_range) \
            if self.channel_shift_range != 0 else None
        brightness = None if self.brightness_range is None else uniform(*self.brightness_range)
        return {'theta': theta, 'tx': tx, 'ty': ty, 'shear': shear, 'zx': zx, 'zy': zy,
                'flip_horizontal': flip_horizontal, 'flip_vertical': flip_vertical,
                'channel_shift_intensity': channels, 'brightness': brightness}

    def apply_transform(self, x, transform_parameters):
        """The image transformed by the parameters of `get_random_transform`.

        Shapes: x [height, width, channels], or with channels first -> the same.
        """
        wanted = transform_parameters.get
        row, column, channel = self.row_axis - 1, self.col_axis - 1, self.channel_axis - 1
        x = apply_affine_transform(
            x, wanted('theta', 0), wanted('tx', 0), wanted('ty', 0), wanted('shear', 0),
            wanted('zx', 1), wanted('zy', 1), row, column, channel, self.fill_mode, self.cval,
            self.interpolation_order)
        if wanted('channel_shift_intensity') is not None:
            x = apply_channel_shift(x, wanted('channel_shift_intensity'), channel)
        if wanted('flip_horizontal', False):
            x = np.flip(x, column)
        if wanted('flip_vertical', False):
            x = np.flip(x, row)
        if wanted('brightness') is not None:
            x = apply_brightness_shift(x, wanted('brightness'), self.data_format)
        return x

    def random_transform(self, x, seed=None):
        """The image with a random transform."""
        return self.apply_transform(x, self.get_random_transform(x.shape, seed))


_OLD_ARGUMENTS = {
    'has_ext': 'filenames in the dataframe have to match the exact filenames in disk.',
    'sort': 'batches will be created in the same order than the filenames provided if shuffle is '
            'set to False.',
    'drop_duplicates': 'you can drop duplicates by using the pandas.DataFrame.drop_duplicates '
                       'method.',
}


def _zoom(zoom_range):
    if isinstance(zoom_range, (float, int)):
        return [1 - zoom_range, 1 + zoom_range]
    if len(zoom_range) == 2 and all(isinstance(value, (float, int)) for value in zoom_range):
        return list(zoom_range)
    raise misuse(ValueError('`zoom_range` should be a float or a tuple or list of two floats. '
                            f'Received: {zoom_range}'))


def _random_shift(given, size):
    """A random number of pixels: from a list, below an integer, or up to a fraction of the size."""
    if not np.any(given):
        return 0
    if np.ndim(given) == 1 or isinstance(given, (int, np.integer)):
        shift = np.random.choice(given) * np.random.choice([-1, 1])
    else:
        shift = np.random.uniform(-given, given)
    return shift * size if np.max(given) < 1 else shift
