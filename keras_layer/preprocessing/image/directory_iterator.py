"""DirectoryIterator: images in one folder per class."""
from __future__ import annotations

import os
import warnings

import numpy as np

from keras_layer.preprocessing.image.file_iterator import FileIterator
from tinyflow.graph.support.errors import misuse

__all__ = ['DirectoryIterator']


class DirectoryIterator(FileIterator):
    """Batches of the images in `directory`, whose folders are the classes.

    `class_indices` maps class names to indices (sorted by name, or in the order of `classes`);
    `filenames` and `classes` describe each sample.
    """

    allowed_class_modes = {'categorical', 'binary', 'sparse', 'input', None}

    def __init__(self, directory, image_data_generator, target_size=(256, 256), color_mode='rgb',
                 classes=None, class_mode='categorical', batch_size=32, shuffle=True, seed=None,
                 data_format=None, save_to_dir=None, save_prefix='', save_format='png',
                 follow_links=False, subset=None, interpolation='nearest', dtype=None):
        self._read_as(image_data_generator, target_size, color_mode, data_format, save_to_dir,
                      save_prefix, save_format, subset, interpolation, class_mode, dtype)
        self.directory = directory = os.fspath(directory)
        if not os.path.isdir(directory):
            raise misuse(FileNotFoundError(
                f'There is no folder {directory!r}.\n  Hint: a folder with a folder of images '
                'for each class: data/cats/1.jpg, data/dogs/1.jpg; then directory="data".'))
        if not classes:
            classes = [name for name in sorted(os.listdir(directory))
                       if os.path.isdir(os.path.join(directory, name))]
        self.num_classes = len(classes)
        self.class_indices = {name: i for i, name in enumerate(classes)}
        self.filenames, numbers = [], []
        for name, number in self.class_indices.items():
            own = self._names_in(name, follow_links)
            self.filenames += own
            numbers += [number] * len(own)
        self.classes = np.array(numbers, dtype='int32')
        self.samples = len(self.filenames)
        self._filepaths = [os.path.join(directory, name) for name in self.filenames]
        print(f'Found {self.samples} images belonging to {self.num_classes} classes.')
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _names_in(self, name, follow_links):
        """The names, relative to the directory, of a class's images of the wanted subset."""
        folder = os.path.join(self.directory, name)
        found = []
        for root, _, files in sorted(os.walk(folder, followlinks=follow_links)):
            for file in sorted(files):
                if file.lower().endswith('.tiff'):
                    warnings.warn('Using ".tiff" files with multiple bands will cause distortion. '
                                  'Please verify your output.', stacklevel=4)
                if file.lower().endswith(self.white_list_formats):
                    inner = os.path.relpath(os.path.join(root, file), folder)
                    found.append(os.path.join(os.path.basename(folder), inner))
        if self.split:
            start, stop = (int(part * len(found)) for part in self.split)
            found = found[start:stop]
        return found

    @property
    def filepaths(self):
        """The paths of all images."""
        return self._filepaths

    @property
    def labels(self):
        """The number of each image's class."""
        return self.classes
