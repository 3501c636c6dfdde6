"""What is no fit argument is refused in tinyflow's words, with TF 1.15's class of error."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow import errors
from tinyflow.compiler.interpret import interpret
from tinyflow.compiler.lower import lower
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.compiler.store import Store
from tinyflow.graph import convert
from tinyflow.graph.op import Op
from tinyflow.graph.shapes import Dimension, TensorShape, unknown_shape

pytestmark = pytest.mark.usefixtures('graph')

NOT_GIVEN = object()


def refusal(function, kind):
    """The text of the error that function() raises, of just this class and worded by tinyflow."""
    with pytest.raises(kind) as caught:
        function()
    assert type(caught.value) is kind
    assert getattr(caught.value, 'worded_by_tinyflow', False), 'the error is not marked as worded'
    return str(caught.value)


def table(rows):
    return pytest.mark.parametrize('rows', [pytest.param(r, id=r[0]) for r in rows])


def x23():
    return tf.placeholder(tf.float32, [2, 3], name='x')


def image():
    return tf.zeros([4, 4, 4, 1])


# ---- static inputs of the wrong rank ---------------------------------------------------------

# name, what is called, the static input, its bad value, what is said of it, the mend
RANKS = [
    ('ReverseV2', lambda a: tf.reverse(x23(), a), 0, 'axis must be a vector, not the scalar 0',
     '[0]'),
    ('Tile', lambda a: tf.tile(x23(), a), 2, 'multiples must be a vector, not the scalar 2', '[2]'),
    ('Slice', lambda a: tf.slice(x23(), a, [1, 1]), 0, 'begin must be a vector, not the scalar 0',
     '[0]'),
    ('Slice size', lambda a: tf.slice(x23(), [0, 0], a), 1,
     'size must be a vector, not the scalar 1', '[1]'),
    ('StridedSlice', lambda a: tf.strided_slice(x23(), a, [1], [1]), [[0]],
     'begin must be a vector, not [[0]]', '[0]'),
    ('BroadcastTo', lambda a: tf.broadcast_to(x23(), a), 3,
     'shape must be a vector, not the scalar 3', '[3]'),
    ('LinSpace', lambda a: tf.linspace(0., 1., a), [3], 'num must be a scalar, not [3]', '3'),
    ('Range', lambda a: tf.range(a), [3], 'limit must be a scalar, not [3]', '3'),
    ('Range of floats', lambda a: tf.range(a), [3.0],
     'limit must be a scalar, not of shape [1]', None),
    ('ExpandDims', lambda a: tf.expand_dims(x23(), a), [[0]],
     'dim must be a scalar or a vector, not [[0]]', '[0]'),
    ('ConcatV2', lambda a: tf.concat([x23(), x23()], a), [0], 'axis must be a scalar, not [0]',
     '0'),
    ('GatherV2', lambda a: tf.gather(x23(), [0], axis=a), [0], 'axis must be a scalar, not [0]',
     '0'),
    ('Cumsum', lambda a: tf.cumsum(x23(), a), [0], 'axis must be a scalar, not [0]', '0'),
    ('OneHot', lambda a: tf.one_hot([1], a), [3], 'depth must be a scalar, not [3]', '3'),
    ('TopKV2', lambda a: tf.nn.top_k(x23(), a), [2], 'k must be a scalar, not [2]', '2'),
    ('InTopKV2', lambda a: tf.nn.in_top_k(x23(), [0, 1], a), [2], 'k must be a scalar, not [2]',
     '2'),
    ('Sum', lambda a: tf.reduce_sum(x23(), a), [[0]],
     'reduction_indices must be a scalar or a vector, not [[0]]', '[0]'),
    ('Reshape', lambda a: tf.reshape(x23(), a), [[2, 3]],
     'shape must be a vector, not [[2, 3]]', '[2, 3]'),
    ('Reshape to a scalar', lambda a: tf.reshape(x23(), a), 6,
     'shape must be a vector, not the scalar 6', '[6]'),
    ('UnsortedSegmentSum', lambda a: tf.unsorted_segment_sum(x23(), [0, 1], a), [2, 2],
     'num_segments must be a scalar, not [2, 2]', None),
    ('Bincount', lambda a: tf.bincount([1], maxlength=a), [3], 'size must be a scalar, not', None),
    ('ArgMax', lambda a: tf.argmax(x23(), a), [0], 'dimension must be a scalar, not [0]', '0'),
    ('Split', lambda a: tf.split(x23(), 3, axis=a), [1], 'split_dim must be a scalar, not [1]',
     '1'),
    ('SplitV', lambda a: tf.split(x23(), a, axis=1), [[1, 2]],
     'size_splits must be a vector, not [[1, 2]]', '[1, 2]'),
    ('Fill', lambda a: tf.fill(a, 1.), 3, 'dims must be a vector, not the scalar 3', '[3]'),
    ('Transpose', lambda a: tf.transpose(x23(), a), 0, 'perm must be a vector, not the scalar 0',
     '[0]'),
    ('Pad', lambda a: tf.pad(x23(), a), [1, 1], 'paddings must be a matrix, not [1, 1]', None),
    ('MirrorPad', lambda a: tf.pad(x23(), a, 'REFLECT'), 1,
     'paddings must be a matrix, not the scalar 1', None),
    ('MatrixBandPart', lambda a: tf.matrix_band_part(x23(), a, 0), [1],
     'num_lower must be a scalar, not [1]', '1'),
    ('ScatterNd', lambda a: tf.scatter_nd([[0]], [1.], a), [[5]],
     'shape must be a vector, not [[5]]', '[5]'),
    ('RandomUniform', lambda a: tf.random_uniform(a), 3, 'shape must be a vector, not the scalar 3',
     '[3]'),
    ('Multinomial', lambda a: tf.multinomial(x23(), a), [3],
     'num_samples must be a scalar, not [3]', '3'),
    ('StatelessRandomUniform', lambda a: tf.random.stateless_uniform(a, [1, 2]), [[3]],
     'shape must be a vector, not [[3]]', '[3]'),
    ('SpaceToBatchND', lambda a: tf.space_to_batch_nd(image(), a, [[0, 0]]), 2,
     'block_shape must be a vector, not the scalar 2', '[2]'),
    ('BatchToSpaceND', lambda a: tf.batch_to_space_nd(image(), [2], a), [0, 0],
     'crops must be a matrix, not [0, 0]', None),
]
every_rank = pytest.mark.parametrize('call, bad, said, mend', [
    pytest.param(*r[1:], id=r[0]) for r in RANKS])


@every_rank
def test_a_static_input_of_the_wrong_rank(call, bad, said, mend):
    text = refusal(lambda: call(bad), ValueError)
    assert said in text.splitlines()[0]
    if mend is not None:
        assert text.endswith(f'Mend: {mend}')
    assert 'built at' in text


@every_rank
def test_a_static_input_of_unknown_value_is_judged_by_its_shape(call, bad, said, mend):
    fed = tf.placeholder(_dtype(bad), np.shape(bad))
    text = refusal(lambda: call(fed), ValueError)
    assert said.partition(', not')[0] in text.splitlines()[0]


def _dtype(bad):
    return tf.float32 if np.asarray(bad).dtype.kind == 'f' else tf.int32
