"""Summaries that are refused."""
import numpy as np

from ..op_cases import case, f32, i32

case('summary.scalar', 'more than one', 'a', f32([1, 2]))
case('summary.scalar', 'text', 'a', np.array('x', object))
case('summary.scalar', 'truth', 'a', np.array(True))
case('summary.histogram', 'nan', 'a', f32([1, np.nan, np.inf]))
case('summary.histogram', 'infinite', 'a', f32([1, np.inf, np.nan]))
case('summary.image', 'a matrix', 'a', f32([[1, 2]]))
case('summary.image', 'two channels', 'a', np.zeros([1, 2, 2, 2], np.float32))
case('summary.image', 'no pixels', 'a', np.zeros([1, 0, 2, 1], np.float32))
case('summary.image', 'ints', 'a', i32(np.zeros([1, 2, 2, 1])))
case('summary.image', 'none wanted', 'a', np.zeros([1, 2, 2, 1], np.float32), 0)
case('summary.audio', 'a vector', 'a', f32([1, 2]), 44100)
case('summary.audio', 'no samples', 'a', np.zeros([1, 0], np.float32), 44100)
case('summary.audio', 'no channels', 'a', np.zeros([1, 2, 0], np.float32), 44100)
case('summary.audio', 'no rate', 'a', f32([[1, 2]]), 0)
case('summary.text', 'numbers', 'a', f32(1))
case('summary.merge', 'nothing', [])
case('summary.merge', 'no summaries', [np.array('ab', object)])
