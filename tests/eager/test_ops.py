"""Every row of every op, run at once: the values, and the gradients of a tape.

Values are compared with the row's reference, gradients with those of the graph.
"""
import numpy as np
import pytest

import tinyflow as tf
from tests.ops.test_ops import Built, assert_same, every_row, run_compiled
from tinyflow.graph.operation import Operation, Tensor

# Rows that cannot run at once, and why; the test below holds each to it.
REFUSED = {
    'gradients of a graph': ('tf.gradients is not supported', {
        'StridedSliceGrad', 'FakeParam'}),
    'reference Variables': ('needs a Variable', set()),
}


def build(sample, xs):
    result = sample.build(tf, *xs)
    return list(result) if isinstance(result, (list, tuple)) else [result]


@every_row()
def test_value(sample):
    arrays = sample.arrays()
    xs = [tf.convert_to_tensor(a) for a in arrays]
    results = build(sample, xs)
    if sample.ref is None:
        return
    wanted = sample.ref(*[a.copy() for a in arrays])
    for result, want in zip(results, wanted if isinstance(wanted, (list, tuple)) else [wanted],
                            strict=True):
        if isinstance(result, Operation):
            continue
        want = np.asarray(want)
        if want.dtype.kind == 'U':
            want = np.char.encode(want)
        if want.dtype.kind == 'S':
            want = want.astype(object)
        assert_same(tf.convert_to_tensor(result).numpy(), want, sample.op_type, tol=sample.tol)
