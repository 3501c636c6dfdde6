"""DataFrameIterator: images whose names and labels are in a pandas DataFrame."""
from __future__ import annotations

import os
import warnings

import numpy as np

from keras_layer.preprocessing.image.file_iterator import FileIterator
from tinyflow.graph.support.errors import misuse

__all__ = ['DataFrameIterator']

_WITHOUT_CLASSES = ('input', 'multi_output', 'raw', None)


class DataFrameIterator(FileIterator):
    """Batches of the images named in column `x_col`, with the labels of `y_col`.

    The names are relative to `directory`, or absolute without one; rows without a file
    are skipped with a warning, unless `validate_filenames` is False.
    """

    allowed_class_modes = {'binary', 'categorical', 'input', 'multi_output', 'raw', 'sparse', None}

    def __init__(self, dataframe, directory=None, image_data_generator=None, x_col='filename',
                 y_col='class', weight_col=None, target_size=(256, 256), color_mode='rgb',
                 classes=None, class_mode='categorical', batch_size=32, shuffle=True, seed=None,
                 data_format='channels_last', save_to_dir=None, save_prefix='', save_format='png',
                 subset=None, interpolation='nearest', dtype='float32', validate_filenames=True):
        self._read_as(image_data_generator, target_size, color_mode, data_format, save_to_dir,
                      save_prefix, save_format, subset, interpolation, class_mode, dtype)
        self.directory = os.fspath(directory or '')
        table = dataframe.copy()
        self._check(table, x_col, y_col, weight_col, classes)
        if validate_filenames:
            table = self._with_files(table, x_col)
        if class_mode not in _WITHOUT_CLASSES:
            table, classes = _of_classes(table, y_col, classes)
            self.class_indices = {name: i for i, name in enumerate(classes)}
        if self.split:
            start, stop = (int(part * len(table)) for part in self.split)
            table = table.iloc[start:stop, :]
        if class_mode not in _WITHOUT_CLASSES:
            self.classes = [[self.class_indices[one] for one in label]
                            if isinstance(label, (list, tuple)) else self.class_indices[label]
                            for label in table[y_col]]
        self.filenames = table[x_col].tolist()
        self.samples = len(self.filenames)
        self._sample_weight = table[weight_col].to_numpy() if weight_col else None
        if class_mode == 'multi_output':
            self._targets = [np.array(table[column].tolist()) for column in y_col]
        elif class_mode == 'raw':
            self._targets = table[y_col].to_numpy()
        self._filepaths = [os.path.join(self.directory, name) for name in self.filenames]
        checked = 'validated' if validate_filenames else 'non-validated'
        print(f'Found {self.samples} {checked} image filenames'
              + ('.' if class_mode in _WITHOUT_CLASSES else
                 f' belonging to {len(self.class_indices)} classes.'))
        super().__init__(self.samples, batch_size, shuffle, seed)

    def _check(self, table, x_col, y_col, weight_col, classes):
        """An error for columns that do not fit the class mode."""
        mode = self.class_mode
        for column in [x_col, *([weight_col] if weight_col else ()),
                       *([] if mode in ('input', None) else
                         y_col if isinstance(y_col, list) else [y_col])]:
            if column not in table.columns:
                raise misuse(KeyError(f'The table has no column {column!r}; it has '
                                      f'{list(table.columns)}.'))
        if mode == 'multi_output' and not isinstance(y_col, list):
            raise misuse(TypeError(f'If class_mode="{mode}", y_col must be a list. Received '
                                   f'{type(y_col).__name__}.'))
        _all_are(table[x_col], str, f'All values in column x_col={x_col} must be strings.')
        if mode in ('binary', 'sparse'):
            _all_are(table[y_col], str, f'If class_mode="{mode}", y_col="{y_col}" column values '
                                        'must be strings.\n  Hint: table[y].astype(str).')
        if mode == 'categorical':
            _all_are(table[y_col], (str, list, tuple),
                     f'If class_mode="{mode}", y_col="{y_col}" column values must be type string, '
                     'list or tuple.\n  Hint: table[y].astype(str).')
        if mode == 'binary':
            count = len(set(classes)) if classes else table[y_col].nunique()
            if count != 2:
                raise misuse(ValueError('If class_mode="binary" there must be 2 classes. '
                                        + (f'{count} class/es were given.' if classes else
                                           f'Found {count} classes.')))
        if classes and mode in _WITHOUT_CLASSES:
            warnings.warn(f'`classes` will be ignored given the class_mode="{mode}"',
                          stacklevel=4)
        if weight_col and not np.issubdtype(table[weight_col].to_numpy().dtype, np.number):
            raise misuse(TypeError(f'Column weight_col={weight_col} must be numeric.'))

    def _with_files(self, table, x_col):
        there = np.array([name.lower().endswith(self.white_list_formats)
                          and os.path.isfile(os.path.join(self.directory, name))
                          for name in table[x_col]], bool)
        if not there.all():
            warnings.warn(f'Found {(~there).sum()} invalid image filename(s) in x_col="{x_col}". '
                          'These filename(s) will be ignored.', stacklevel=4)
        return table[there]

    @property
    def filepaths(self):
        """The paths of all images."""
        return self._filepaths

    @property
    def labels(self):
        """The label of each image: class indices, or values of the table."""
        return self._targets if self.class_mode in ('multi_output', 'raw') else self.classes

    @property
    def sample_weight(self):
        """The weight of each image, or None."""
        return self._sample_weight


def _all_are(column, kinds, message):
    if not all(isinstance(value, kinds) for value in column):
        raise misuse(TypeError(message))


def _of_classes(table, y_col, classes):
    """(rows of the wanted classes, their names in order)."""
    if not classes:
        found = set()
        for label in table[y_col]:
            found.update(label if isinstance(label, (list, tuple)) else [label])
        return table, sorted(found)
    wanted = set(classes)
    kept = [[one for one in label if one in wanted] or None if isinstance(label, (list, tuple))
            else label if label in wanted else None for label in table[y_col]]
    table = table.copy()
    column = np.empty(len(kept), object)
    column[:] = kept
    table[y_col] = column
    return table.dropna(subset=[y_col]), sorted(wanted)
