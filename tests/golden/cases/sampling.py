"""Sparse segments, sparse_to_dense and accidental hits."""
import numpy as np

from .. import op_inputs as given
from ..op_cases import case, f32, i32, i64, table

SEGMENTS = 'sparse_segment_sum sparse_segment_mean sparse_segment_sqrt_n'
table(SEGMENTS, 'gap', given.matrix(4, 3), i32([0, 3, 3, 1]), i32([0, 0, 2, 2]))
table(SEGMENTS, 'five segments', given.matrix(4, 3), i32([0, 3, 3, 1]), i32([0, 0, 2, 2]),
      num_segments=5)
table(SEGMENTS, 'index out of range', given.matrix(4, 3), i32([4]), i32([0]))
case('sparse_to_dense', 'matrix', i64([[0, 1], [2, 3]]), [3, 4], f32([1.5, 2.5]))
case('sparse_to_dense', 'vector and one value', i32([1, 3]), [4], f32(2), f32(-1))
case('sparse_to_dense', 'scalar', i32(1), [4], i32(2), i32(-1))
case('sparse_to_dense', 'repeats', i64([[0, 1], [0, 1]]), [3, 4], f32([1.5, 2.5]))
case('sparse_to_dense', 'repeats allowed', i64([[0, 1], [0, 1]]), [3, 4], f32([1.5, 2.5]),
     validate_indices=False)
case('nn.compute_accidental_hits', 'drawn twice', i64([[1, 2], [3, 4], [0, 1]]),
     i64([3, 1, 9, 1]), 2)
case('nn.compute_accidental_hits', 'nothing drawn', i64([[1, 2]]), np.zeros([0], np.int64), 2)
