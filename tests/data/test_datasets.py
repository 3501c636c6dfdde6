"""tf.data's datasets: structures, functions, and what is refused while a chain is built."""
from __future__ import annotations

from collections import OrderedDict, namedtuple

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tinyflow as tf

Dataset = tf.data.Dataset
experimental = tf.data.experimental
Point = namedtuple('Point', ['x', 'y'])

pytestmark = pytest.mark.usefixtures('graph')


def drained(dataset):
    element = dataset.make_one_shot_iterator().get_next()
    found = []
    with tf.Session() as session:
        try:
            while True:
                found.append(session.run(element))
        except tf.errors.OutOfRangeError:
            return found


def refusal(kind, function, *words):
    """The message of the error; it names the user's line, and is short."""
    with pytest.raises(kind) as caught:
        function()
    text = str(caught.value)
    assert 'test_datasets.py:' in text, text
    assert len(text.splitlines()) <= 8
    for word in words:
        assert word in text, text
    return text


# ---- structures ---------------------------------------------------------------------------

def test_elements_keep_their_structure():
    nested = {'b': (np.arange(3), Point(x=np.ones([3, 2]), y=[b'a', b'b', b'c'])), 'a': [1, 2, 3]}
    dataset = Dataset.from_tensor_slices(nested)
    assert dataset.output_types == {
        'b': (tf.int64, Point(tf.float64, tf.string)), 'a': tf.int32}
    element = drained(dataset)[1]
    assert list(element) == ['b', 'a'] and isinstance(element['b'][1], Point)
    assert (element['a'], element['b'][0], element['b'][1].y) == (2, 1, b'b')


def test_an_ordered_dict_keeps_its_order():
    dataset = Dataset.from_tensors(OrderedDict([('z', 1), ('a', 2)]))
    assert list(drained(dataset)[0].items()) == [('z', 1), ('a', 2)]


def test_a_list_is_a_value_and_no_structure():
    assert drained(Dataset.from_tensors([1, 2]))[0].tolist() == [1, 2]
    assert Dataset.from_tensors(([1, 2], 3)).output_shapes == (tf.TensorShape([2]),
                                                               tf.TensorShape([]))


def test_tuples_are_unpacked_for_functions_and_dicts_are_not():
    pairs = Dataset.from_tensors((1, (2, 3)))
    assert drained(pairs.map(lambda a, bc: a + bc[0] * bc[1])) == [7]
    assert drained(Dataset.from_tensors({'a': 1}).map(lambda d: d['a'])) == [1]
    assert drained(Dataset.from_tensors(1).map(lambda x: [x, x + 1])) == [(1, 2)]


def test_repr_tells_shapes_and_types():
    dataset = Dataset.from_tensors((1, {'x': [2.0]})).batch(3)
    assert repr(dataset) == ('<DatasetV1Adapter shapes: ((?,), {x: (?, 1)}), '
                             'types: (tf.int32, {x: tf.float32})>')
    assert dataset.output_classes == (tf.Tensor, {'x': tf.Tensor})


def test_static_shapes_follow_the_chain():
    rows = Dataset.from_tensor_slices(np.zeros([7, 3, 2]))

    def shape(dataset):
        return dataset.output_shapes.as_list()
    assert shape(rows) == [3, 2]
    assert shape(rows.batch(2)) == [None, 3, 2]
    assert shape(rows.batch(2, drop_remainder=True)) == [2, 3, 2]
    assert shape(rows.batch(2).unbatch()) == [3, 2]
    assert shape(rows.padded_batch(2, [None, 5])) == [None, None, 5]
    assert shape(rows.map(lambda x: x[0])) == [2]
    assert shape(rows.concatenate(Dataset.from_tensors(np.zeros([4, 2])))) == [None, 2]
    assert shape(rows.batch(tf.placeholder(tf.int64, []), True)) == [None, 3, 2]


def test_nodes_of_a_large_constant_hold_it_by_reference():
    data = np.zeros([1000, 1000])
    Dataset.from_tensor_slices(data)
    constant = tf.get_default_graph().get_operations()[0]
    assert constant.type == 'Const'
    dataset = Dataset.from_tensor_slices(constant.outputs[0])
    state = dataset.make_one_shot_iterator()
    with tf.Session() as session:
        session.run(state.get_next())


# ---- against Python -----------------------------------------------------------------------

@pytest.mark.slow
@given(n=st.integers(0, 30), size=st.integers(1, 9), drop=st.booleans(), count=st.integers(0, 3))
def test_counting_is_pythons(n, size, drop, count):
    with tf.Graph().as_default():
        found = drained(Dataset.range(n).repeat(count).batch(size, drop).skip(1).take(4))
    numbers = list(range(n)) * count
    want = [numbers[i:i + size] for i in range(0, len(numbers), size)]
    want = [w for w in want if len(w) == size or not drop]
    assert [f.tolist() for f in found] == want[1:5]


@pytest.mark.slow
@given(n=st.integers(0, 20), size=st.integers(1, 5), shift=st.integers(1, 6),
       stride=st.integers(1, 3), drop=st.booleans())
def test_windows_are_slices(n, size, shift, stride, drop):
    with tf.Graph().as_default():
        windows = Dataset.range(n).window(size, shift, stride, drop)
        found = drained(windows.flat_map(lambda w: w.batch(100)))
    numbers, want = list(range(n)), []
    for start in range(0, n, shift):
        window = numbers[start:start + (size - 1) * stride + 1:stride]
        if len(numbers) - start >= (size - 1) * stride + 1 or not drop:
            want.append(window)
    assert [f.tolist() for f in found] == want


@pytest.mark.slow
@given(n=st.integers(1, 40), size=st.integers(1, 50), seed=st.integers(0, 2**31 - 2),
       epochs=st.integers(1, 3))
def test_a_shuffle_loses_nothing(n, size, seed, epochs):
    with tf.Graph().as_default():
        found = drained(Dataset.range(n).shuffle(size, seed=seed).repeat(epochs))
    for i in range(epochs):
        assert sorted(found[i * n:(i + 1) * n]) == list(range(n))
    position = {value: place for place, value in enumerate(found[:n])}
    assert all(position[value] > value - size for value in position)


def test_every_pass_of_a_shuffle_differs_unless_asked():
    numbers = Dataset.range(50)
    again = [drained(numbers.shuffle(50).take(50)) for _ in range(2)]
    assert again[0] != again[1]
    for reshuffle, same in ((None, False), (True, False), (False, True)):
        found = drained(numbers.shuffle(50, reshuffle_each_iteration=reshuffle).repeat(2))
        assert (found[:50] == found[50:]) is same


def test_a_cache_goes_through_its_input_once():
    calls = []

    def count(x):
        calls.append(int(x))
        return x
    dataset = Dataset.range(3).map(lambda x: tf.py_func(count, [x], tf.int64)).cache().repeat(3)
    assert drained(dataset) == [0, 1, 2] * 3
    assert calls == [0, 1, 2]


def test_a_function_is_traced_once_and_captures_tensors():
    traced = []
    offset = tf.constant(5, tf.int64)

    def shifted(x):
        traced.append(x)
        return x + offset
    assert drained(Dataset.range(4).map(shifted).filter(lambda x: x > 6)) == [7, 8]
    assert len(traced) == 1


def test_a_variable_counts_with_its_value_at_the_initialization():
    v = tf.Variable(np.int64(10))
    iterator = Dataset.range(100).map(lambda x: x + v).make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(iterator.initializer)
        assert session.run(element) == 10
        session.run(v.assign(np.int64(50)))
        assert session.run(element) == 11
        session.run(iterator.initializer)
        assert session.run(element) == 50


def test_a_function_may_end_the_pass():
    def work(x):
        if x == 3:
            raise StopIteration
        return x
    assert drained(Dataset.range(9).map(lambda x: tf.py_func(work, [x], tf.int64))) == [0, 1, 2]


def test_generators():
    def pairs(n):
        for i in range(n):
            yield {'i': i, 'text': str(i)}
    dataset = Dataset.from_generator(pairs, {'i': tf.int64, 'text': tf.string},
                                     {'i': [], 'text': []}, args=(3,))
    assert drained(dataset.repeat(2)) == [{'i': i, 'text': str(i).encode()}
                                          for i in (0, 1, 2, 0, 1, 2)]


def test_a_generator_is_closed_with_its_session():
    closed = []

    def endless():
        try:
            while True:
                yield 1
        finally:
            closed.append(True)
    element = Dataset.from_generator(endless, tf.int32).make_one_shot_iterator().get_next()
    with tf.Session() as session:
        session.run(element)
        assert not closed
    assert closed == [True]


def test_cardinality():
    d = Dataset.range(10)
    chains = [d, d.batch(3), d.batch(3, True), d.repeat(2), d.repeat(), d.take(4), d.skip(7),
              d.shard(3, 1), Dataset.zip((d, d.take(2))), d.concatenate(d), d.shuffle(3).cache(),
              d.filter(lambda x: x > 1), d.prefetch(1).map(lambda x: x), d.repeat().take(5)]
    with tf.Session() as session:
        found = session.run([experimental.cardinality(c) for c in chains])
    assert found == [10, 4, 3, 20, -1, 4, 3, 3, 2, 20, 10, -2, 10, 5]


def test_shapes_of_elements_can_be_asserted():
    rows = Dataset.from_generator(lambda: iter([([1, 2], 3), ([4], 5)]), (tf.int32, tf.int32))
    checked = rows.apply(tf.contrib.data.assert_element_shape(([2], [])))
    assert checked.output_shapes == (tf.TensorShape([2]), tf.TensorShape([]))
    element = checked.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert session.run(element)[0].tolist() == [1, 2]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(element)


def test_sparse_elements_go_through_a_chain():
    sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
    rows = Dataset.from_tensor_slices((sparse, [5, 6, 7])).cache().repeat(2)
    (first, numbers), (second, _) = drained(rows.shuffle(1).batch(3))
    assert first.indices.tolist() == [[0, 1], [2, 0]] and numbers.tolist() == [5, 6, 7]
    assert second.values.tolist() == [1, 2] and second.dense_shape.tolist() == [3, 2]
    assert rows.output_classes == (tf.SparseTensor, tf.Tensor)


def test_names_of_contrib_are_those_of_experimental():
    contrib = tf.contrib.data
    assert contrib.shuffle_and_repeat is experimental.shuffle_and_repeat
    batches = Dataset.range(5).apply(contrib.batch_and_drop_remainder(2))
    assert [b.tolist() for b in drained(batches)] == [[0, 1], [2, 3]]
    sliding = Dataset.range(4).apply(contrib.sliding_window_batch(2))
    assert [b.tolist() for b in drained(sliding)] == [[0, 1], [1, 2], [2, 3]]
    total = contrib.reduce_dataset(Dataset.range(5), contrib.Reducer(
        lambda _: np.int64(0), lambda s, x: s + x, lambda s: s))
    with tf.Session() as session:
        assert session.run(total) == 10


@pytest.mark.parametrize('name, words', [
    ('SqlDataset', 'from_generator'), ('get_next_as_optional', 'OutOfRangeError'),
    ('dense_to_sparse_batch', 'padded_batch')])
def test_missing_names_have_a_hint(name, words):
    with pytest.raises(AttributeError, match=f'not part of tinyflow; instead: .*{words}'):
        getattr(experimental, name)
    with pytest.raises(AttributeError, match='nearest: tf.data.experimental.unique'):
        experimental.uniqe      # noqa: B018


def test_compat_v1_has_it_all():
    assert tf.compat.v1.data.Dataset is tf.data.Dataset
    dataset = tf.compat.v1.data.Dataset.range(2)
    assert tf.compat.v1.data.get_output_types(dataset) is tf.int64
    assert tf.data.get_output_shapes(dataset.make_one_shot_iterator()).as_list() == []
    assert tf.data.experimental.AUTOTUNE == -1


def test_the_graph_of_a_chain_is_exported():
    dataset = Dataset.range(3).map(lambda x: x * 2).batch(2)
    dataset.make_one_shot_iterator().get_next()
    text = str(tf.get_default_graph().as_graph_def())
    assert 'MapDataset' in text and 'OneShotIterator' in text


# ---- refusals -----------------------------------------------------------------------------

def test_components_must_be_equally_long():
    text = refusal(ValueError, lambda: Dataset.from_tensor_slices((np.zeros(3), np.zeros([4, 2]))),
                   'Dimensions 3 and 4 are not compatible', 'Hint: row i of each component')
    assert text.count('component') >= 2
    refusal(ValueError, lambda: Dataset.from_tensor_slices(5), 'insufficient rank',
            'from_tensors()')


def test_structures_must_match():
    refusal(TypeError, lambda: Dataset.zip([Dataset.range(2)]), 'do not support Python lists')
    refusal(TypeError, lambda: Dataset.zip(5), 'nested structure of `Dataset` objects')
    refusal(TypeError, lambda: Dataset.range(2).concatenate(Dataset.from_tensors(1.0)),
            'different types', 'tf.cast')


def test_functions_that_do_not_fit():
    refusal(TypeError, lambda: Dataset.range(3).map(lambda a, b: a),
            'missing a required argument', "dtype: 'int64'", 'a dict is one argument')
    refusal(TypeError, lambda: Dataset.range(3).map(lambda x: None), 'None', 'return')
    refusal(TypeError, lambda: Dataset.range(3).map(5), 'a function is needed')
    refusal(ValueError, lambda: Dataset.range(3).filter(lambda x: x), 'scalar boolean',
            'tf.greater')
    refusal(TypeError, lambda: Dataset.range(3).flat_map(lambda x: x), 'must return a `Dataset`')
    refusal(TypeError, lambda: Dataset.range(3).apply(lambda d: 3), 'must return a Dataset')
    refusal(TypeError, lambda: Dataset.range(3).reduce(0.5, lambda s, x: s + 1 > 0),
            'must return a state like the first one')
    refusal(TypeError, lambda: Dataset.range(3).apply(experimental.scan(
        np.int64(0), lambda s, x: s)), 'pair')
    refusal(TypeError, lambda: Dataset.range(3).apply(experimental.group_by_window(
        lambda x: tf.to_int32(x), lambda k, w: w.batch(2), 2)), 'tf.int64 scalar')


def test_a_tensor_of_a_function_stays_inside():
    kept = []
    Dataset.range(3).map(lambda x: kept.append(x) or x)
    refusal(ValueError, lambda: kept[0] + 1, 'inside the function', 'return it')


def test_padded_batches_that_do_not_fit():
    rows = Dataset.from_tensors([1, 2])
    refusal(ValueError, lambda: rows.padded_batch(2, [1]), 'is not compatible',
            'one entry per dimension')
    refusal(TypeError, lambda: rows.padded_batch(2, [None], 0.5), 'does not match output type')
    refusal(TypeError, lambda: rows.map(lambda x: {'a': x}).padded_batch(2, [None]),
            'padded_shapes must have the structure')
    refusal(TypeError, lambda: Dataset.range(4).window(2).batch(2), 'cannot stack datasets',
            'flat_map(lambda w: w.batch(size))')


def test_ragged_batches_name_the_shapes_and_the_way_out():
    dataset = Dataset.range(1, 4).map(lambda n: tf.fill([n], n)).batch(3)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        drained(dataset)
    text = str(caught.value)
    assert '[tensor]: [2], [batch]: [1] (element 1)' in text and 'padded_batch' in text
    with pytest.raises(tf.errors.DataLossError, match='smaller size than the input element'):
        drained(Dataset.range(1, 4).map(lambda n: tf.fill([n], n)).padded_batch(3, [2]))


@pytest.mark.parametrize('function', [lambda i, x: (i, x), lambda i, x: (i, x + 1.)])
def test_large_rows_are_put_in_their_place(function):
    rows = np.random.RandomState(0).normal(size=(7, 3, 5000)).astype('f')
    dataset = Dataset.from_tensor_slices((np.arange(7), rows)).map(function)
    batches = drained(dataset.batch(3))
    kept = [(i.copy(), x.copy()) for i, x in batches]
    assert [len(x) for _, x in batches] == [3, 3, 1]
    expected = function(np.arange(7), rows)[1]
    np.testing.assert_array_equal(np.concatenate([x for _, x in batches]), expected)
    batches[0][1][:] = 0
    assert all((x == y).all() for (_, x), (_, y) in zip(batches[1:], kept[1:]))
    assert all(x.flags.writeable for _, x in batches)


def test_large_rows_of_another_size_are_refused_and_the_next_batch_is_read():
    sizes = tf.constant([20000, 20000, 10000, 20000])
    iterator = Dataset.from_tensor_slices(sizes).map(lambda n: tf.ones([n])).batch(3)
    element = iterator.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(element)
        text = '[tensor]: [10000], [batch]: [20000] (element 2)'
        assert text in str(caught.value)
        assert session.run(element).shape == (1, 20000)


def test_generators_that_do_not_fit():
    refusal(TypeError, lambda: Dataset.from_generator((i for i in range(3)), tf.int32),
            'must be callable', 'not its result')
    refusal(TypeError, lambda: Dataset.from_generator(lambda: [1], None), 'output_types')
    refusal(TypeError, lambda: Dataset.from_generator(lambda n: [n], tf.int32, args=3), 'tuple')
    for values, types, shapes, words in (
            ([1, 'x'], tf.int32, None, r"'x' \(element 1\)"),
            ([1, [2]], tf.int32, [], r'shape \(1,\) where .* shape \(\) was expected: \[2\]'),
            ([(1, 2), 3], (tf.int32, tf.int32), None, r'expected structure.*3 \(element 1\)')):
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            drained(Dataset.from_generator(lambda values=values: values, types, shapes))


def test_errors_of_a_generator_show_its_line():
    def broken():
        yield 1
        raise KeyError('lost')
    with pytest.raises(tf.errors.UnknownError,
                       match=r"(?s)KeyError in the generator: 'lost'.*in broken, .*test_datasets"):
        drained(Dataset.from_generator(broken, tf.int32))


def test_datasets_of_two_graphs_are_refused(graph):
    dataset = Dataset.range(3)
    with tf.Graph().as_default():
        refusal(ValueError, lambda: dataset.batch(2), 'graph.as_default()')
        refusal(ValueError, dataset.make_initializable_iterator, 'graph.as_default()')


def test_iterating_a_dataset_raises_with_a_hint():
    refusal(RuntimeError, lambda: list(Dataset.range(3)), 'make_one_shot_iterator')
    refusal(TypeError, Dataset, 'from_tensor_slices')


# ---- options ------------------------------------------------------------------------------

def test_options_merge_or_refuse():
    one, two = tf.data.Options(), tf.data.Options()
    one.experimental_deterministic = True
    two.experimental_threading.private_threadpool_size = 3
    both = Dataset.range(2).with_options(one).with_options(two).options()
    assert both.experimental_deterministic is True
    assert both.experimental_threading.private_threadpool_size == 3
    two.experimental_deterministic = False
    with pytest.raises(ValueError, match='experimental_deterministic'):
        Dataset.range(2).with_options(one).with_options(two)
    with pytest.raises(AttributeError, match='Cannot set the property'):
        one.deterministic = True


def test_options_have_tensorflows_defaults_and_types():
    options = tf.data.Options()
    assert options.experimental_distribute.auto_shard is True
    assert options.experimental_stats.prefix == ''
    assert options.experimental_optimization.map_vectorization.enabled is None
    options.experimental_optimization.map_vectorization.enabled = True
    options.experimental_distribute.auto_shard = False
    both = Dataset.range(2).with_options(options).map(lambda x: x).options()
    assert both.experimental_optimization.map_vectorization.enabled is True
    assert both.experimental_distribute.auto_shard is False
    with pytest.raises(TypeError, match='Property "map_fusion" must be of type'):
        options.experimental_optimization.map_fusion = 'yes'


def test_a_dataset_that_is_used_often_is_looked_at_once():
    dataset = Dataset.range(1).map(lambda x: x + 1)
    for _ in range(40):
        dataset = dataset.concatenate(dataset)      # two to the fortieth elements
    with tf.Session() as session:
        assert session.run(dataset.make_one_shot_iterator().get_next()) == 1


def test_sliding_windows_of_pairs_keep_both():
    pairs = Dataset.zip(({'a': Dataset.range(4)}, Dataset.range(10, 14)))
    windows = pairs.apply(tf.contrib.data.sliding_window_batch(2))
    with tf.Session() as session:
        features, labels = session.run(windows.make_one_shot_iterator().get_next())
    assert features['a'].tolist() == [0, 1] and labels.tolist() == [10, 11]
