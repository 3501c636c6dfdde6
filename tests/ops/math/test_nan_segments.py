"""Extremes of segments, and the largest element, with NaN; the values are TensorFlow 1.15.5's."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')
NAN, INF = np.nan, np.inf

# (rows of one segment, segment_max, segment_min, unsorted_segment_max, unsorted_segment_min)
ROWS = [([NAN, 1, 2, 3], 3, 1, 3, 1), ([1, NAN, 2, 3], 3, 1, 3, 2), ([2, 1, NAN, 3], 3, 1, 3, 3),
        ([3, 2, 1, NAN], 3, 1, NAN, NAN), ([NAN] * 4, -INF, INF, NAN, NAN),
        ([NAN, -INF, NAN, -INF], -INF, -INF, -INF, -INF)]


@pytest.mark.parametrize('row', ROWS, ids=str)
def test_segments(session, row):
    rows, *wanted = row
    data = np.tile(np.float32(rows)[:, None], (1, 5))
    data[:, 2] = [4, 5, 6, 7]
    ids = [0] * 4
    found = session.run([tf.segment_max(data, ids), tf.segment_min(data, ids),
                         tf.unsorted_segment_max(data, ids, 2),
                         tf.unsorted_segment_min(data, ids, 2)])
    for got, extreme, other in zip(found, wanted, (7, 4, 7, 4)):
        np.testing.assert_array_equal(got[0], [extreme, extreme, other, extreme, extreme])


def test_gradients(session):
    data = tf.constant([NAN, 1.0, 3.0, 3.0])
    for y in (tf.segment_max(data, [0] * 4), tf.unsorted_segment_max(data, [0] * 4, 1)):
        assert session.run(tf.gradients(y, data)[0]).tolist() == [0, 0, 0.5, 0.5]


@pytest.mark.parametrize('row, value, index', [
    ([NAN, 1, 2, 3], 3, 3), ([2, NAN, -1], 2, 0), ([NAN, -INF], -INF, 1), ([NAN, NAN], NAN, 0)])
def test_the_largest_element(session, row, value, index):
    found = session.run(tf.nn.top_k([row, [0.0] * len(row)], 1))
    np.testing.assert_array_equal(found.values[0], [value])
    assert found.indices.tolist() == [[index], [0]]
