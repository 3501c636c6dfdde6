"""TensorShape and Dimension: what they refuse."""
from __future__ import annotations

import pytest

from tests.messages.support import message_of
from tinyflow.graph.shapes import Dimension, TensorShape, unknown_shape

pytestmark = pytest.mark.usefixtures('graph')


# name, class of the error, what is called, words of the message
CASES = [
    ('a dimension that is not there', IndexError, lambda: TensorShape([2, 3])[7],
     'dimension 7 does not exist'),
    ('a dimension by name', TypeError, lambda: TensorShape([2, 3])['a'], "'a'"),
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
    assert said in message_of(kind, call)


def test_unknown_shape():
    assert unknown_shape().ndims is None
    assert unknown_shape(2).as_list() == [None, None]
    assert unknown_shape(ndims=1).as_list() == [None]
