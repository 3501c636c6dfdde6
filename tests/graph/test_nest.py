"""nest: flat lists and back, by TF's rules (the order and the errors were seen on TF 1.15.5)."""
from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest
from hypothesis import given, strategies as st

import tinyflow as tf
from tinyflow.graph.support import nest

Point = namedtuple('Point', 'x y')
TREE = {'b': 1, 'a': [2, (3, 4)]}


@pytest.mark.parametrize('structure, leaves', [
    (TREE, [2, 3, 4, 1]), (Point(1, [2]), [1, 2]), ('text', ['text']), (None, [None]), ([], []),
    (OrderedDict([('b', 1), ('a', 2)]), [2, 1]), (range(3), [0, 1, 2]), ({1: 2}.values(), [2])])
def test_flatten(structure, leaves):
    assert nest.flatten(structure) == leaves


def test_arrays_and_tensors_are_leaves():
    array = np.zeros(3)
    assert nest.flatten([array])[0] is array
    with tf.Graph().as_default():
        tensor = tf.constant([1, 2])
        assert nest.flatten((tensor, [tensor])) == [tensor, tensor]


def test_pack_keeps_types_and_the_order_of_dicts():
    packed = nest.pack_sequence_as(OrderedDict([('b', 1), ('a', Point(2, 3))]), [10, 20, 30])
    assert packed == OrderedDict([('b', 30), ('a', Point(10, 20))])
    assert list(packed) == ['b', 'a']
    kept = nest.pack_sequence_as(defaultdict(int, b=1), [7])
    assert kept['missing'] == 0 and kept['b'] == 7


trees = st.recursive(st.integers(), lambda inner: st.one_of(
    st.lists(inner, max_size=3), st.lists(inner, max_size=3).map(tuple),
    st.dictionaries(st.text(max_size=2), inner, max_size=3), st.builds(Point, inner, inner)))


@pytest.mark.slow
@given(trees)
def test_pack_undoes_flatten(tree):
    flat = nest.flatten(tree)
    assert nest.pack_sequence_as(tree, flat) == tree
    assert [leaf for _, leaf in nest.flatten_with_tuple_paths(tree)] == flat
    nest.assert_same_structure(tree, nest.map_structure(lambda leaf: leaf + 1, tree))


@pytest.mark.parametrize('a, b, error, text', [
    ([1, 2], (1, 2), TypeError, "don't have the same sequence type"),
    ([1, 2], [1], ValueError, "don't have the same number of elements"),
    ([1, [2]], [1, 2], ValueError, 'is a sequence, while substructure'),
    ({'a': 1}, {'b': 1}, ValueError, "don't have the same set of keys"),
    (0, [1], ValueError, 'is a sequence, while substructure'),
    (Point(1, 2), namedtuple('Other', 'x y')(1, 2), TypeError, 'has type Other')])
def test_structures_that_differ(a, b, error, text):
    with pytest.raises(error, match=text):
        nest.assert_same_structure(a, b)


def test_types_may_be_ignored():
    nest.assert_same_structure([1, (2,)], (1, [2]), check_types=False)
    assert nest.map_structure(lambda x, y: x + y, [1, 2], [3, 4]) == [4, 6]


@pytest.mark.parametrize('call, error', [
    (lambda: nest.pack_sequence_as([1, 2], [1]), ValueError),
    (lambda: nest.pack_sequence_as(1, [1, 2]), ValueError),
    (lambda: nest.pack_sequence_as([1], 3), TypeError),
    (lambda: nest.map_structure(lambda x: x), ValueError),
    (lambda: nest.map_structure(3, [1]), TypeError),
    (lambda: nest.flatten({1: 2, 'a': 3}), TypeError),
    (lambda: nest.flatten_up_to([1, [1]], [[1, 2], 3]), TypeError),
    (lambda: nest.flatten_up_to([1, 2], [1]), ValueError),
    (lambda: nest.assert_shallow_structure({'a': 1}, {'b': 1}), ValueError),
    (lambda: nest.flatten_dict_items({(4, 5): (6, 7, 8)}), ValueError)])
def test_errors(call, error):
    with pytest.raises(error):
        call()


def test_shallow_structures_and_paths():
    assert nest.flatten_up_to([1, [1]], [[1, 2], [3]]) == [[1, 2], 3]
    assert nest.map_structure_up_to([1, 2], len, [[1, 2], [3]]) == [2, 1]
    assert nest.flatten_with_joined_string_paths(TREE) == [
        ('a/0', 2), ('a/1/0', 3), ('a/1/1', 4), ('b', 1)]
    assert nest.map_structure_with_paths(lambda path, leaf: path, TREE)['a'][0] == 'a/0'
    assert nest.get_traverse_shallow_structure(
        lambda s: not isinstance(s, tuple), [1, (2, 3)]) == [True, False]
    assert nest.flatten_dict_items({(4, 5): (6, [7])}) == {4: 6, 5: 7}


def test_composites_are_taken_apart_on_request():
    with tf.Graph().as_default():
        sparse = tf.SparseTensor([[0]], [1.0], [2])
        slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
        assert nest.flatten([sparse]) == [sparse]
        parts = nest.flatten([sparse, slices], expand_composites=True)
        assert parts == [sparse.indices, sparse.values, sparse.dense_shape, slices.values,
                         slices.indices]
        again = nest.pack_sequence_as([sparse, slices], parts, expand_composites=True)
        assert again[0].values is sparse.values and again[1].indices is slices.indices


def test_public_names():
    assert tf.nest.flatten is nest.flatten and tf.contrib.framework.nest is nest
