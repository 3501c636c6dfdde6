"""Messages about inputs such as an axis or a shape: of the wrong rank, or not integers."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.messages.support import message_of, x23
from tinyflow.compiler.lower import lower
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.graph.op import Op
from tinyflow.graph.support import errors
from tinyflow.session.interpret import interpret
from tinyflow.session.store import Store

pytestmark = pytest.mark.usefixtures('graph')


def image():
    return tf.zeros([4, 4, 4, 1])


# name, what is called, the static input, its bad value, what is said of it, the hint
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


every_rank = pytest.mark.parametrize('call, bad, said, hint', [
    pytest.param(*r[1:], id=r[0]) for r in RANKS])


@every_rank
def test_a_static_input_of_the_wrong_rank(call, bad, said, hint):
    text = message_of(ValueError, lambda: call(bad))
    assert said in text.splitlines()[0]
    if hint is not None:
        assert text.endswith(f'Hint: {hint}')
    assert 'built at' in text


@every_rank
def test_a_static_input_of_unknown_value_is_judged_by_its_shape(call, bad, said, hint):
    fed = tf.placeholder(_dtype(bad), np.shape(bad))
    text = message_of(ValueError, lambda: call(fed))
    assert said.partition(', not')[0] in text.splitlines()[0]


def _dtype(bad):
    return tf.float32 if np.asarray(bad).dtype.kind == 'f' else tf.int32


# These ask for the value, or for its rank, while the graph is built.
NEEDS_RANK = {'Bincount', 'SplitV'}


@pytest.mark.parametrize('executor', ['compiled', 'interpreted'])
@pytest.mark.parametrize('call, bad, said, hint', [
    pytest.param(*r[1:], id=r[0]) for r in RANKS if r[0] not in NEEDS_RANK])
def test_a_static_input_of_unknown_rank_is_judged_while_running(call, bad, said, hint, executor):
    fed = tf.placeholder(_dtype(bad), name='fed')
    node = tf.get_default_graph().as_graph_element(first(call(fed)))
    run(executor, node, {fed: bad}, said.partition(', not')[0])


@pytest.mark.parametrize('executor', ['compiled', 'interpreted'])
@pytest.mark.parametrize('call, bad, said, hint', [
    pytest.param(*r[1:], id=r[0]) for r in RANKS if r[0] not in NEEDS_RANK])
def test_a_static_input_whose_value_follows_from_a_fed_shape(call, bad, said, hint, executor):
    """The value is known when the run is compiled, before anything is computed."""
    like = tf.placeholder(tf.float32, name='like')
    node = first(call(tf.reshape(tf.constant(bad, _dtype(bad)), tf.shape(like))))
    run(executor, node, {like: np.zeros(np.shape(bad))}, said.partition(', not')[0])


def first(result):
    return result[0] if isinstance(result, (list, tuple)) else result


def run(executor, node, feed, said):
    unfed = [op.outputs[0] for op in node.graph.get_operations() if op.type == 'Placeholder']
    feed = {**dict.fromkeys(unfed, np.zeros([2, 3])), **feed}
    with pytest.raises(errors.InvalidArgumentError) as caught:
        if executor == 'compiled':
            with tf.Session() as session:
                session.run(node, feed)
        else:
            program = lower(schedule(prune([node], feed), set(feed)), list(feed), [node])
            interpret(program, [np.asarray(v, t.dtype.np) for t, v in feed.items()], Store())
    assert said in str(caught.value)
    assert caught.value.op is not None and repr(caught.value.op.name) in str(caught.value)


def test_expand_dims_takes_one_axis_in_a_vector():
    assert tf.expand_dims(x23(), [0]).shape.as_list() == [1, 2, 3]
    text = message_of(ValueError, lambda: tf.expand_dims(x23(), [0, 1]))
    assert 'dim must be a single axis, not [0, 1]' in text


def test_ops_may_leave_the_rank_open():
    class AnyRank(Op):
        signature = 'x: T, sizes: int32 -> y: T'
        static = ('sizes',)

        def shape(x, sizes):
            return x

        def kernel(x, sizes):
            return x

    class TwoRanks(AnyRank):
        static = {'sizes': (0, 2)}

    try:
        assert AnyRank.static_ranks == (('sizes', None),)
        for value in (1, [1], [[1]]):
            assert AnyRank.apply(x23(), value).shape.as_list() == [2, 3]
        for value in (1, [[1]]):
            assert TwoRanks.apply(x23(), value).shape.as_list() == [2, 3]
        text = message_of(ValueError, lambda: TwoRanks.apply(x23(), [1]))
        assert 'sizes must be a scalar or a matrix, not [1]' in text
    finally:
        del Op.registry['AnyRank'], Op.registry['TwoRanks']


@pytest.mark.parametrize('bad', ['a', [0], 0.5, None], ids=['text', 'list', 'fraction', 'None'])
@pytest.mark.parametrize('call, name', [
    pytest.param(lambda a: tf.stack([x23(), x23()], a), 'axis', id='stack'),
    pytest.param(lambda a: tf.unstack(x23(), axis=a), 'axis', id='unstack'),
    pytest.param(lambda a: tf.one_hot([1, 2], 3, axis=a), 'axis', id='one_hot'),
    pytest.param(lambda a: tf.nn.softmax(x23(), a), 'axis', id='softmax'),
    pytest.param(lambda a: tf.nn.log_softmax(x23(), a), 'axis', id='log_softmax'),
    pytest.param(lambda a: tf.nn.softmax_cross_entropy_with_logits_v2(x23(), x23(), a), 'axis',
                 id='softmax_cross_entropy'),
    pytest.param(lambda a: tf.squeeze(tf.zeros([1, 2]), [a]), 'axis', id='squeeze'),
    pytest.param(lambda a: tf.gather(x23(), [0], batch_dims=a), 'batch_dims', id='gather'),
    pytest.param(lambda a: tf.reverse_sequence(x23(), [1, 2], seq_axis=0, batch_axis=a), 'axis',
                 id='reverse_sequence'),
    pytest.param(lambda a: tf.depth_to_space(image(), a), 'block_size', id='depth_to_space'),
    pytest.param(lambda a: tf.space_to_depth(image(), a), 'block_size', id='space_to_depth'),
])
def test_an_attribute_that_is_not_an_integer(call, name, bad, request):
    if bad is None and request.node.callspec.id.partition('-')[0] in (
            'one_hot', 'softmax', 'log_softmax', 'softmax_cross_entropy', 'reverse_sequence'):
        call(bad)                       # None is the default there
        return
    text = message_of(TypeError, lambda: call(bad))
    assert text.startswith(f'Expected int for argument {name!r} not {bad!r}.')


def test_unstack_wants_an_integer_number():
    assert message_of(TypeError, lambda: tf.unstack(x23(), num='a')) == (
        "Expected int for argument 'num' not 'a'.")


def test_a_whole_float_is_an_axis_as_in_tf():
    assert tf.stack([x23(), x23()], 1.0).shape.as_list() == [2, 2, 3]
    assert tf.squeeze(tf.zeros([1, 2]), 0.0).shape.as_list() == [2]


@pytest.mark.parametrize('call, values', [
    (lambda x: tf.unique(x).y, [np.ones([2, 2])]),
    (lambda x: tf.unique(x).y, [1.0]),
    (lambda x: tf.unique_with_counts(x).y, [np.ones([2, 2])]),
    (lambda x, y: tf.setdiff1d(x, y).out, [np.ones(2), np.ones([2, 2])]),
    (lambda x, y: tf.setdiff1d(x, y).out, [np.ones([2, 2]), np.ones([2, 2])]),
    (lambda x: tf.where(x > 0.0), [1.0]),
    (tf.nn.bias_add, [np.ones([2, 2]), np.ones([2, 2])]),
    (tf.nn.bias_add, [np.ones([2, 2]), np.ones([2, 2, 2])]),
    (tf.diag, [1.0]),
    (tf.matrix_triangular_solve, [np.ones(2), np.ones([2, 2])]),
    (lambda on: tf.one_hot([0, 1], 3, on), [np.ones(2)]),
    (lambda x, n: tf.roll(x, tf.cast(n, tf.int32), 0), [np.ones([2, 2]), np.ones(2)]),
    (tf.searchsorted, [np.ones(2), np.ones([2, 2])]),
    (tf.segment_sum, [1.0, np.zeros([2])]),
])
def test_a_wrong_rank_at_run_time(call, values, session):
    """TF 1.15 refuses each (and aborts the process at the last)."""
    inputs = [tf.placeholder(tf.float32) for _ in values]
    if call is tf.segment_sum:
        inputs[1] = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(call(*inputs), dict(zip(inputs, values)))
