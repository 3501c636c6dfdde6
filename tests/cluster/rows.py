"""Rows of the ops in which all workers take part, for a group of one; see tests/ops/rows.py.

What several workers compute is in test_workers.py.
"""
from __future__ import annotations

import numpy as np

from tests.ops.rows import row
from tinyflow.cluster import collective_ops as ops
from tinyflow.data import structure


def _next(tf):
    iterator = tf.data.Dataset.range(3).map(lambda i: i + 5).make_one_shot_iterator()
    return ops.CollectiveGetNext.apply(iterator._iterator_resource,
                                       **structure.of_elements(iterator.element_spec))[0]


def _of_none(tf):
    iterator = tf.data.Dataset.range(0).make_one_shot_iterator()
    return ops.CollectiveGetNext.apply(iterator._iterator_resource,
                                       **structure.of_elements(iterator.element_spec))[0]


ROWS = [
    row('CollectiveReduce', lambda tf, x: ops.CollectiveReduce.apply(x, group_size=1), [(2, 3)],
        ref=np.copy,
        run_bad=[lambda tf: ops.CollectiveReduce.apply(tf.constant(1.), group_size=2)]),
    row('CollectiveReduce', lambda tf, x: ops.CollectiveReduce.apply(
        x, group_size=1, merge_op='Max', final_op='Div'), [np.array([3, 5], np.int32)],
        ref=np.copy, grad=False, name='integers'),
    row('CollectiveGather', lambda tf, x: ops.CollectiveGather.apply(x, group_size=1), [(2, 3)],
        ref=np.copy, grad=False, static_result=False,
        bad=[lambda tf: ops.CollectiveGather.apply(tf.constant(1.), group_size=1)]),
    row('CollectiveBroadcast', lambda tf, x: ops.CollectiveBroadcast.apply(x, group_size=1),
        [(2, 3)], ref=np.copy, grad=False),
    row('CollectiveGetNext', _next, ref=lambda: np.int64(5), grad=False, run_bad=[_of_none]),
]
