"""Warm start of matrices whose rows or columns belong to the words of a vocabulary.

The words of the new vocabulary take their rows from the checkpoint, regardless of their position
in the old one; new words and the out-of-vocabulary buckets start from another initializer.
"""
from __future__ import annotations

from collections import namedtuple

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, joining
from tinyflow.ops.files.vocabulary_remapping import GenerateVocabRemapping, LoadAndRemapMatrix
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.initializers import zeros_initializer
from tinyflow.ops.variables.partitioned_variable import _PartitionInfo
from tinyflow.train.checkpoints.inspection import checkpoint_filename

__all__ = ['VocabInfo', 'initialize_by_words']


class VocabInfo(namedtuple('VocabInfo', (
        'new_vocab', 'new_vocab_size', 'num_oov_buckets', 'old_vocab', 'old_vocab_size',
        'backup_initializer', 'axis'))):
    """The vocabulary of a warm-started Variable, and its vocabulary in the checkpoint.

    Args:
      new_vocab, old_vocab: files with one word on each line.
      new_vocab_size: how many words of new_vocab are used.
      num_oov_buckets: rows after those of the words, for unknown words; they are initialised.
      old_vocab_size: how many words of old_vocab count; -1: all.
      backup_initializer: for rows that are new; None: zeros.
      axis: 0 if rows belong to words (embeddings), 1 if columns do (logits of classes).

    ValueError for another axis.
    """

    __slots__ = ()

    def __new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab, old_vocab_size=-1,
                backup_initializer=None, axis=0):
        if axis not in (0, 1):
            raise misuse(ValueError('The only supported values for the axis argument are 0 and 1. '
                                    f' Provided axis: {axis}'))
        return super().__new__(cls, new_vocab, new_vocab_size, num_oov_buckets, old_vocab,
                               old_vocab_size, backup_initializer, axis)


def initialize_by_words(parts, info, checkpoint, name):
    """Initializes a Variable, given by its parts, with rows of `name` in the checkpoint."""
    if not (info.new_vocab and info.new_vocab_size and checkpoint and info.old_vocab):
        raise misuse(ValueError('Invalid args: Must provide all of [current_vocab_path, '
                                'current_vocab_size, prev_ckpt, prev_vocab_path}.'))
    path = checkpoint_filename(checkpoint)
    rows = sum(part.shape.as_list()[0] for part in parts)
    for part in parts:
        matrix = _Matrix(part, info, rows)
        value = convert_to_tensor(matrix.value(path, name))
        part._initializer_op = variable_ops.assign(part, value).op
        part._initial_value = value


class _Matrix:
    """The numbers of rows and columns of one part."""

    def __init__(self, part, info, rows):
        self.info, self.shape = info, part.shape.as_list()
        if part.dtype.base_dtype is not dtypes.float32:
            raise misuse(TypeError('Currently, only float32 is supported. Received dtype: '
                                   f'{part.dtype.base_dtype!r}'))
        if len(self.shape) != 2:
            raise misuse(ValueError(report(
                f"Expected 2-dim shape, but received: {self.shape} of '{part.op.name}': VocabInfo "
                'is for matrices.', hint='leave a vector of biases out of '
                'vars_to_warm_start; it is initialised again unless its words are the same.')))
        backup = info.backup_initializer
        if backup is not None and not callable(backup):
            raise misuse(TypeError(f'initializer must be callable, instead of being {backup} of '
                                   f'type {type(backup)}.'))
        self.backup = backup or zeros_initializer()
        of_rows = info.axis == 0
        self.words = info.new_vocab_size if of_rows else rows
        self.row_buckets = info.num_oov_buckets if of_rows else 0
        self.column_buckets = 0 if of_rows else info.num_oov_buckets
        self.columns = self.shape[1] if of_rows else info.new_vocab_size
        slice_info = part._get_save_slice_info()
        self.offset = 0 if slice_info is None else _offset(
            _PartitionInfo(slice_info.full_shape, slice_info.var_offset), self.shape)
        self._check()

    def _check(self):
        wanted = self.columns + self.column_buckets
        if self.shape[1] != wanted:
            raise misuse(ValueError(
                f'Expected 2nd dim of shape to be new_col_vocab_size ({self.columns}) + '
                f'num_col_oov_buckets ({self.column_buckets}) = {wanted}, but received shape: '
                f'{self.shape}'))
        if self.offset + self.shape[0] > self.words + self.row_buckets:
            raise misuse(ValueError(
                f'Trying to initialize {self.shape[0]} additional rows after {self.offset} rows '
                'have already been initialized, which would exceed expected total row count of '
                f'new_row_vocab_size ({self.words}) + num_row_oov_buckets ({self.row_buckets}) = '
                f'{self.words + self.row_buckets}.'))

    def value(self, path, name):
        """The initial value of the part."""
        if self.offset > self.words:
            return self.backup(self.shape)              # buckets only
        buckets = min(self.shape[0], max(0, self.offset + self.shape[0] - self.words))
        value = self._loaded(path, name, self.shape[0] - buckets)
        if buckets:
            value = joining.concat([value, self.backup([buckets, self.columns])], 0)
        if self.column_buckets:
            value = joining.concat([value, self.backup([self.shape[0], self.column_buckets])], 1)
        return value

    def _loaded(self, path, name, rows):
        info = self.info
        if info.axis == 0:
            row_places, row_count = GenerateVocabRemapping.apply(
                info.new_vocab, info.old_vocab, new_vocab_offset=self.offset, num_new_vocab=rows,
                old_vocab_size=info.old_vocab_size)
            column_places, column_count = [], self.columns
        else:
            row_places = constants.range(self.offset, self.offset + rows, dtype=dtypes.int64)
            row_count = rows
            # TensorFlow ignores old_vocab_size here.
            column_places, column_count = GenerateVocabRemapping.apply(
                info.new_vocab, info.old_vocab, new_vocab_offset=0, num_new_vocab=self.columns)
        missing = self._missing(rows * self.columns - row_count * column_count)
        return LoadAndRemapMatrix.apply(path, name, row_places, column_places, missing,
                                        num_rows=rows, num_cols=self.columns)

    def _missing(self, count):
        """Values for words missing in the old vocabulary; the files determine their number."""
        try:
            return self.backup([count, 1])
        except TypeError as error:
            raise misuse(TypeError(report(
                f'backup_initializer {type(self.backup).__name__} needs a shape that is known '
                f'while the graph is built: {error}',
                hint='take zeros, ones, or one that draws random numbers, or a function: '
                     'lambda shape: tf.fill(shape, 7.0)'))) from error


def _offset(partition, shape):
    """The first row of a part; only rows may be partitioned."""
    if list(partition.full_shape[1:]) != list(shape[1:]):
        raise misuse(ValueError(f'only rows may be partitioned: a part of shape {shape} of '
                                f'{list(partition.full_shape)}'))
    return partition.var_offset[0]
