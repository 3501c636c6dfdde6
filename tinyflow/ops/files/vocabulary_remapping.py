"""Ops that load a matrix of a checkpoint for a changed vocabulary."""
from __future__ import annotations

import numpy as np

from tinyflow.formats.wire.bundle import BundleReader
from tinyflow.formats.wire.files import explained
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.files.saving import text_of

__all__: list[str] = []


def _words(path):
    with explained(path), open(path, 'rb') as file:
        return [line.rstrip(b'\r\n') for line in file]


class GenerateVocabRemapping(Op):
    """For words of a new vocabulary, their positions in an old one; -1 for new words.

    Shapes: two file names [] -> remapping [num_new_vocab], the number of words found in both [].
    """

    signature = 'new_vocab_file: string, old_vocab_file: string -> remapping: int64, '
    signature += 'num_present: int32'
    attrs = {'new_vocab_offset': REQUIRED, 'num_new_vocab': REQUIRED, 'old_vocab_size': -1}
    pure = False

    def shape(new_vocab_file, old_vocab_file, *, num_new_vocab):
        return [(num_new_vocab,), ()]

    def kernel(new_vocab_file, old_vocab_file, *, new_vocab_offset, num_new_vocab,
               old_vocab_size):
        path, old_path = text_of(new_vocab_file), text_of(old_vocab_file)
        new, old = _words(path), _words(old_path)
        end = new_vocab_offset + num_new_vocab
        if end > len(new):
            raise OpFailure("lookup table size must be larger than last new vocab entry's line: "
                            f'{path} has {len(new)} lines, but {end} are needed',
                            'new_vocab_size of VocabInfo must be the number of words in the file, '
                            'without buckets for other words.')
        if old_vocab_size > len(old):
            raise OpFailure(f'{old_path} has {len(old)} lines, fewer than old_vocab_size = '
                            f'{old_vocab_size}',
                            'old_vocab_size=-1 takes the whole file.')
        position = {word: i for i, word in
                    enumerate(old[:old_vocab_size] if old_vocab_size > 0 else old)}
        remapping = np.array([position.get(word, -1) for word in new[new_vocab_offset:end]],
                             np.int64)
        return remapping, np.array((remapping >= 0).sum(), np.int32)


class LoadAndRemapMatrix(Op):
    """Rows and columns of a matrix of a checkpoint in another order; -1 is a missing one.

    Missing elements take `initializing_values` in row-major order. An empty
    col_remapping leaves columns as they are.

    Shapes: row_remapping [num_rows], col_remapping [num_cols] or [0], initializing_values
    [missing] (or any shape) -> [num_rows, num_cols].
    """

    signature = ('ckpt_path: string, old_tensor_name: string, row_remapping: int64, '
                 'col_remapping: int64, initializing_values: float32 -> output_matrix: float32')
    attrs = {'num_rows': REQUIRED, 'num_cols': REQUIRED, 'max_rows_in_memory': -1}
    pure = False

    def shape(ckpt_path, old_tensor_name, row_remapping, col_remapping, initializing_values, *,
              num_rows, num_cols):
        return num_rows, num_cols

    def kernel(ckpt_path, old_tensor_name, row_remapping, col_remapping, initializing_values, *,
               num_rows, num_cols):
        path, name = text_of(ckpt_path), text_of(old_tensor_name)
        with BundleReader(path) as reader:
            old = reader.get(name)
        columns = col_remapping if len(col_remapping) else np.arange(num_cols)
        _check(old, name, row_remapping, columns, len(col_remapping), num_rows, num_cols)
        missing = (row_remapping < 0)[:, None] | (columns < 0)
        values = initializing_values.reshape(-1)
        if values.size != missing.sum():
            raise OpFailure(f'initializing_values contains {values.size} elements, but '
                            f'{missing.sum()} are missing',
                            'one value for each.')
        if not old.size:
            old = np.zeros((1, 1), np.float32)
        matrix = old[row_remapping.clip(0)[:, None], columns.clip(0)].astype(np.float32)
        matrix[missing] = values
        return matrix


def _check(old, name, rows, columns, remaps_columns, num_rows, num_cols):
    if old.ndim != 2:
        raise OpFailure(f'Tensor {name} has shape {list(old.shape)}, which is not a matrix',
                        'vocabularies remap the rows and columns of matrices.')
    if old.dtype != np.float32:
        raise errors.InvalidArgumentError(
            None, None, f'Tensor {name} has dtype {old.dtype}, expected float32')
    if len(rows) != num_rows or len(columns) != num_cols:
        raise ValueError(f'Size of row_remapping and col_remapping is {len(rows)} and '
                         f'{len(columns)} instead of num_rows={num_rows} and num_cols={num_cols}')
    if not remaps_columns and old.shape[1] != num_cols:
        raise OpFailure(f'Tensor {name} has shape {list(old.shape)}, where the size of its 2nd '
                        f'dimension is {old.shape[1]} instead of being equal to '
                        f'num_cols={num_cols}',
                        'the Variable must have as many columns as the one before.')
    for what, positions, size in (('row', rows, len(old)), ('col', columns, old.shape[1])):
        if len(positions) and positions.max() >= size:
            raise OpFailure(f'Max value in {what} remapping, {positions.max()}, must be smaller '
                            f'than that dimension of the old tensor, {size}',
                            'is the old vocabulary the one that the checkpoint was trained with?')
        taken = np.sort(positions[positions >= 0])
        if (taken[1:] == taken[:-1]).any():
            raise OpFailure(f'The {what} remapping has a position more than once',
                            'each word must be in the vocabulary only once.')
