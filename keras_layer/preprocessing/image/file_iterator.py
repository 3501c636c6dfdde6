"""FileIterator: base of iterators over image files."""
from __future__ import annotations

import numpy as np

from keras_layer import backend as K
from keras_layer.preprocessing.image.image_io import img_to_array, load_img
from keras_layer.preprocessing.image.iterator import Iterator, save_pictures
from tinyflow.graph.support.errors import misuse

__all__ = ['FileIterator']

_CHANNELS = {'rgba': 4, 'rgb': 3, 'grayscale': 1}


class FileIterator(Iterator):
    """Base: a subclass has `filepaths`, `labels`, `class_mode` and `class_indices`."""

    allowed_class_modes: set = set()
    sample_weight = None

    def _read_as(self, image_data_generator, target_size, color_mode, data_format, save_to_dir,
                 save_prefix, save_format, subset, interpolation, class_mode, dtype):
        """Stores the settings of reading and the subset of images."""
        if color_mode not in _CHANNELS:
            raise misuse(ValueError(f'Invalid color mode: {color_mode}; expected "rgb", "rgba", '
                                    'or "grayscale".'))
        if class_mode not in self.allowed_class_modes:
            known = sorted(map(str, self.allowed_class_modes))
            raise misuse(ValueError(f'Invalid class_mode: {class_mode}; expected one of: '
                                    f'{", ".join(known)}'))
        self.image_data_generator = image_data_generator
        self.target_size, self.color_mode = tuple(target_size), color_mode
        self.data_format = data_format or K.image_data_format()
        channels = (_CHANNELS[color_mode],)
        self.image_shape = (*self.target_size, *channels) if self.data_format == 'channels_last' \
            else (*channels, *self.target_size)
        self.save_to_dir, self.save_prefix = save_to_dir, save_prefix
        self.save_format, self.interpolation = save_format, interpolation
        self.class_mode, self.dtype = class_mode, dtype or K.floatx()
        self.subset, self.split = subset, None
        if subset is not None:
            if subset not in ('training', 'validation'):
                raise misuse(ValueError(f'Invalid subset name: {subset};expected "training" or '
                                        '"validation"'))
            at = image_data_generator._validation_split
            self.split = (0, at) if subset == 'validation' else (at, 1)

    def _get_batches_of_transformed_samples(self, index_array):
        paths = self.filepaths
        batch = np.zeros((len(index_array), *self.image_shape), dtype=self.dtype)
        for i, j in enumerate(index_array):
            batch[i] = self._picture(paths[j])
        if self.save_to_dir:
            save_pictures(self, batch, index_array, 10 ** 7)
        if self.class_mode is None:
            return batch
        targets = self._targets_of(batch, index_array)
        if self.sample_weight is None:
            return batch, targets
        return batch, targets, self.sample_weight[index_array]

    def _picture(self, path):
        img = load_img(path, color_mode=self.color_mode, target_size=self.target_size,
                       interpolation=self.interpolation)
        x = img_to_array(img, self.data_format)
        img.close()
        generator = self.image_data_generator
        if generator is None:
            return x
        x = generator.apply_transform(x, generator.get_random_transform(x.shape))
        return generator.standardize(x)

    def _targets_of(self, batch, index_array):
        if self.class_mode == 'input':
            return batch.copy()
        if self.class_mode == 'multi_output':
            return [output[index_array] for output in self.labels]
        if self.class_mode == 'raw':
            return self.labels[index_array]
        classes = [self.classes[j] for j in index_array]
        if self.class_mode in ('binary', 'sparse'):
            return np.array(classes, dtype=self.dtype)
        targets = np.zeros((len(batch), len(self.class_indices)), dtype=self.dtype)
        for row, own in zip(targets, classes):          # an image may have several classes
            row[own] = 1.
        return targets
