"""Rows of the ops that carry a matrix over to another vocabulary."""
import os

import numpy as np

from tests.ops.files.rows import FOLDER
from tests.ops.rows import row
from tinyflow.formats.wire.bundle_writer import BundleWriter
from tinyflow.graph import dtypes
from tinyflow.ops.files.vocabulary_remapping import GenerateVocabRemapping, LoadAndRemapMatrix

OLD, NEW = ['a', 'b', 'c', 'd'], ['c', 'x', 'a', 'y']
MATRIX = np.arange(12, dtype=np.float32).reshape(4, 3)


def _file(name, words):
    os.makedirs(FOLDER, exist_ok=True)
    path = os.path.join(FOLDER, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write('\n'.join(words) + '\n')
    return path


def remapping(tf, offset=0, count=4, old_size=-1):
    return GenerateVocabRemapping.apply(
        _file('new.txt', NEW), _file('old.txt', OLD), new_vocab_offset=offset,
        num_new_vocab=count, old_vocab_size=old_size)


def matrix():
    prefix = os.path.join(FOLDER, 'matrix')
    if not os.path.exists(prefix + '.index'):
        with BundleWriter(prefix) as writer:
            writer.add('m', MATRIX, dtypes.float32)
            writer.add('v', MATRIX[0], dtypes.float32)
            writer.add('d', MATRIX.astype(np.float64), dtypes.float64)
    return prefix


def remapped(rows, columns, values, num_cols=3, name='m', num_rows=None):
    def build(tf):
        return LoadAndRemapMatrix.apply(
            matrix(), name, np.int64(rows), np.int64(columns), np.float32(values),
            num_rows=len(rows) if num_rows is None else num_rows, num_cols=num_cols)
    return build


ROWS = [
    row('GenerateVocabRemapping', remapping, ref=lambda: (np.int64([2, -1, 0, -1]), np.int32(2)),
        run_bad=[lambda tf: remapping(tf, 2, 3)[0], lambda tf: remapping(tf, old_size=9)[0]]),
    row('GenerateVocabRemapping', lambda tf: remapping(tf, 1, 2, 1), name='part',
        ref=lambda: (np.int64([-1, 0]), np.int32(1))),
    row('LoadAndRemapMatrix', remapped([2, -1, 0], [], [7, 8, 9]),
        ref=lambda: np.float32([[6, 7, 8], [7, 8, 9], [0, 1, 2]]),
        run_bad=[lambda tf: remapped([2, -1], [], [7])(tf),
                 lambda tf: remapped([2], [], [], num_cols=2)(tf),
                 lambda tf: remapped([4], [], [])(tf),
                 lambda tf: remapped([1, 1], [], [])(tf),
                 lambda tf: remapped([1], [], [], num_rows=2)(tf),
                 lambda tf: remapped([0], [], [], name='v')(tf),
                 lambda tf: remapped([0], [], [], name='d')(tf)]),
    row('LoadAndRemapMatrix', remapped([-1, 1], [2, -1], [1, 2, 3], 2), name='columns',
        ref=lambda: np.float32([[1, 2], [5, 3]])),
]
