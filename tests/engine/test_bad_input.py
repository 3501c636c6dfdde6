"""What is no fit argument is refused in tinyflow's words, with TF 1.15's class of error."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.compiler.lower import lower
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.graph import convert
from tinyflow.graph.op import Op
from tinyflow.graph.shapes import Dimension, TensorShape, unknown_shape
from tinyflow.graph.support import errors
from tinyflow.session.interpret import interpret
from tinyflow.session.store import Store

pytestmark = pytest.mark.usefixtures('graph')


def refusal(function, kind):
    """The text of the error that function() raises, of just this class and worded by tinyflow."""
    with pytest.raises(kind) as caught:
        function()
    assert type(caught.value) is kind
    assert getattr(caught.value, 'worded_by_tinyflow', False), 'the error is not marked as worded'
    return str(caught.value)


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


# These ask for the value, or for its rank, while the graph is built.
NEEDS_RANK = {'Bincount', 'SplitV'}


@pytest.mark.parametrize('executor', ['compiled', 'interpreted'])
@pytest.mark.parametrize('call, bad, said, mend', [
    pytest.param(*r[1:], id=r[0]) for r in RANKS if r[0] not in NEEDS_RANK])
def test_a_static_input_of_unknown_rank_is_judged_while_running(call, bad, said, mend, executor):
    fed = tf.placeholder(_dtype(bad), name='fed')
    node = tf.get_default_graph().as_graph_element(first(call(fed)))
    run(executor, node, {fed: bad}, said.partition(', not')[0])


@pytest.mark.parametrize('executor', ['compiled', 'interpreted'])
@pytest.mark.parametrize('call, bad, said, mend', [
    pytest.param(*r[1:], id=r[0]) for r in RANKS if r[0] not in NEEDS_RANK])
def test_a_static_input_whose_value_follows_from_a_fed_shape(call, bad, said, mend, executor):
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
    text = refusal(lambda: tf.expand_dims(x23(), [0, 1]), ValueError)
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
        text = refusal(lambda: TwoRanks.apply(x23(), [1]), ValueError)
        assert 'sizes must be a scalar or a matrix, not [1]' in text
    finally:
        del Op.registry['AnyRank'], Op.registry['TwoRanks']


# ---- attributes that are integers ------------------------------------------------------------

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
def test_an_attribute_that_is_no_integer(call, name, bad, request):
    if bad is None and request.node.callspec.id.partition('-')[0] in (
            'one_hot', 'softmax', 'log_softmax', 'softmax_cross_entropy', 'reverse_sequence'):
        call(bad)                       # None is the default there
        return
    text = refusal(lambda: call(bad), TypeError)
    assert text.startswith(f'Expected int for argument {name!r} not {bad!r}.')


def test_unstack_wants_an_integer_number():
    assert refusal(lambda: tf.unstack(x23(), num='a'), TypeError) == (
        "Expected int for argument 'num' not 'a'.")


def test_a_whole_float_is_an_axis_as_in_tf():
    assert tf.stack([x23(), x23()], 1.0).shape.as_list() == [2, 2, 3]
    assert tf.squeeze(tf.zeros([1, 2]), 0.0).shape.as_list() == [2]


# ---- single cases ----------------------------------------------------------------------------

def inside(scope):
    with scope:
        return tf.constant(1.0)


def nested_reset():
    with tf.Graph().as_default():
        tf.reset_default_graph()


def descent():
    return tf.train.GradientDescentOptimizer(0.1)


HUGE = 2 ** 70
CASES = [
    ('constant of a partial shape', TypeError, lambda: tf.constant(1., shape=[None, 2]),
     'fully known, not [?, 2]'),
    ('constant of a huge int', TypeError, lambda: tf.constant(HUGE), 'does not fit in int64'),
    ('constant of a huge negative int', TypeError, lambda: tf.constant(-HUGE), 'int64'),
    ('list with a huge int', TypeError, lambda: tf.constant([1, HUGE]), 'does not fit in int64'),
    ('huge int as int32', OverflowError, lambda: tf.constant(HUGE, tf.int32), 'int32'),
    ('huge int as a string', TypeError, lambda: tf.constant(HUGE, tf.string), 'Expected string'),
    ('sum with a huge int', OverflowError, lambda: tf.constant(1) + HUGE, 'does not fit in int32'),
    ('pad without a mode', AttributeError, lambda: tf.pad(x23(), [[1, 1], [1, 1]], mode=None),
     "'REFLECT'"),
    ('name of a constant', TypeError, lambda: tf.constant(1., name=5), 'string, not 5'),
    ('name of an op', TypeError, lambda: tf.add(1., 2., name=['a']), "string, not ['a']"),
    ('name of a placeholder', TypeError, lambda: tf.placeholder(tf.float32, name=5), 'not 5'),
    ('name of a variable', TypeError, lambda: tf.Variable(1., name=5), 'not 5'),
    ('name of a scope', TypeError, lambda: inside(tf.name_scope(5)), 'string, not 5'),
    ('name_scope without names', ValueError, lambda: tf.name_scope(None, values=[1]),
     'name and default_name'),
    ('device', AttributeError, lambda: inside(tf.device(5)), "'/cpu:0'"),
    ('minimize', AttributeError, lambda: descent().minimize(5.), 'not 5.0'),
    ('minimize None', AttributeError, lambda: descent().minimize(None), 'not None'),
    ('apply_gradients of a number', TypeError, lambda: descent().apply_gradients(5), 'not 5'),
    ('apply_gradients of numbers', TypeError, lambda: descent().apply_gradients([1]),
     '1 is not a pair'),
    ('apply_gradients of a short pair', ValueError, lambda: descent().apply_gradients([(1.,)]),
     'is not a pair'),
    ('control_dependencies of an op', TypeError,
     lambda: inside(tf.control_dependencies(x23().op)), '[...] around it'),
    ('polyval', TypeError, lambda: tf.math.polyval(1., x23()), 'list of coefficients'),
    ('a dimension that is not there', IndexError, lambda: x23().shape[7], 'no dimension 7'),
    ('a dimension by name', TypeError, lambda: x23().shape['a'], "'a'"),
    ('squeeze', TypeError, lambda: tf.squeeze(x23(), 'a'), "Expected int for argument 'axis'"),
    ('boolean_mask', TypeError, lambda: tf.boolean_mask(x23(), [True, False], axis='a'), 'axis'),
    ('eye', TypeError, lambda: tf.eye('a'), 'positive integer'),
    ('eye of a fraction', TypeError, lambda: tf.eye(1.5), 'positive integer'),
    ('eye of a negative size', ValueError, lambda: tf.eye(-1), 'non-negative'),
    ('dropout', ValueError, lambda: tf.nn.dropout(x23(), 'a'), "Tensor (got 'a')"),
    ('dtype None', TypeError, lambda: tf.as_dtype(None), 'Cannot convert value None'),
    ('dtype by a wrong name', TypeError, lambda: tf.as_dtype('nope'), "'nope'"),
    ('cast to None', TypeError, lambda: tf.cast(x23(), None), 'Cannot convert value None'),
    ('placeholder of None', TypeError, lambda: tf.placeholder(None), 'Cannot convert value None'),
    ('limits of a string', TypeError, lambda: tf.string.max, 'smallest'),
    ('get_operation_by_name', TypeError,
     lambda: tf.get_default_graph().get_operation_by_name(5), 'strings, not int'),
    ('get_tensor_by_name', TypeError,
     lambda: tf.get_default_graph().get_tensor_by_name(5), 'strings, not int'),
    ('nested reset_default_graph', AssertionError, nested_reset, 'clear nested graphs'),
    ('RegisterGradient', TypeError, lambda: tf.RegisterGradient(5), 'must be a string'),
    ('NotDifferentiable', TypeError, lambda: tf.NotDifferentiable(5), 'must be a string'),
    ('conversion of no class', TypeError,
     lambda: tf.register_tensor_conversion_function(5, tf.identity), 'base_type'),
    ('conversion by no function', TypeError,
     lambda: tf.register_tensor_conversion_function(TensorShape, 5), 'callable'),
    ('is_fully_defined', ValueError, lambda: TensorShape([None]).assert_is_fully_defined(),
     'Shape (?,) is not fully defined'),
    ('is_compatible_with', ValueError,
     lambda: TensorShape([2]).assert_is_compatible_with([3]), '(2,) and (3,) are incompatible'),
    ('has_rank', ValueError, lambda: TensorShape([2]).assert_has_rank(3),
     'Shape (2,) must have rank 3'),
    ('with_rank', ValueError, lambda: TensorShape([2]).with_rank(3),
     'Shape (2,) must have rank 3'),
    ('same_rank', ValueError, lambda: TensorShape([2]).assert_same_rank([3, 4]),
     'Shapes (2,) and (3, 4) must have the same rank'),
    ('with_rank_at_least', ValueError, lambda: TensorShape([2]).with_rank_at_least(3),
     'rank at least 3'),
    ('with_rank_at_most', ValueError, lambda: TensorShape([2]).with_rank_at_most(0),
     'rank at most 0'),
    ('merge_with', ValueError, lambda: TensorShape([2]).merge_with([3]), 'not compatible'),
    ('as_list', ValueError, lambda: TensorShape(None).as_list(), 'unknown TensorShape'),
    ('len of an unknown shape', ValueError, lambda: len(TensorShape(None)), 'unknown rank'),
    ('iterating an unknown shape', ValueError, lambda: list(TensorShape(None)), 'unknown rank'),
    ('negative dimension', ValueError, lambda: TensorShape([-2]), 'Dimension -2 must be >= 0'),
    ('broken dimension', ValueError, lambda: TensorShape([1.5]), 'Ambiguous dimension: 1.5'),
    ('dimensions that differ', ValueError, lambda: Dimension(2).assert_is_compatible_with(3),
     'Dimensions 2 and 3 are not compatible'),
    ('unknown_shape', TypeError, lambda: unknown_shape(ranks=1), "Unknown argument: {'ranks': 1}"),
]


@pytest.mark.parametrize('kind, call, said', [pytest.param(*c[1:], id=c[0]) for c in CASES])
def test_a_bad_argument(kind, call, said):
    assert said in refusal(call, kind)


# ---- ranks that are known only while running -------------------------------------------------

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


def test_one_hot_of_no_classes_found_at_run_time(session):
    depth = tf.placeholder(tf.int32)
    assert session.run(tf.one_hot([0, 1], depth), {depth: 0}).shape == (2, 0)


def test_a_float_holds_a_huge_int(session):
    assert session.run(tf.constant(HUGE, tf.float32)) == np.float32(HUGE)
    assert session.run(tf.constant([1, HUGE], tf.float64)).tolist() == [1.0, float(HUGE)]


def test_unknown_shape():
    assert unknown_shape().ndims is None
    assert unknown_shape(2).as_list() == [None, None]
    assert unknown_shape(ndims=1).as_list() == [None]


# ---- the order of conversion functions -------------------------------------------------------

@pytest.fixture
def conversions(monkeypatch):
    monkeypatch.setattr(convert, '_conversions', list(convert._conversions))


def test_the_lowest_priority_is_asked_first(conversions, session):
    class Metres:
        pass

    asked = []

    def answer(label, value):
        def to_tensor(_, dtype=None, name=None, as_ref=False):
            asked.append(label)
            return NotImplemented if value is None else tf.constant(value)
        return to_tensor

    tf.register_tensor_conversion_function(Metres, answer('late', 1.0), priority=200)
    tf.register_tensor_conversion_function(Metres, answer('usual', 2.0))
    tf.register_tensor_conversion_function(Metres, answer('usual again', 3.0))
    tf.register_tensor_conversion_function((Metres, Dimension), answer('early', None), priority=5)
    assert session.run(tf.convert_to_tensor(Metres())) == 2.0
    assert asked == ['early', 'usual']
