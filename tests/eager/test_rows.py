"""Every row of every op, run at once: the values, and the gradients of a tape.

Values are compared with the row's reference, gradients with those of the graph.
"""
import re

import numpy as np
import pytest

import tinyflow as tf
from tests.ops.test_ops import ROWS, Built, assert_same, every_row, run_compiled
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.ops.support.registry_loading import load_every_op

load_every_op()                         # rows name ops by their types

# What exists in graphs only: the error, and the op types whose rows must raise it.
REFUSED = {
    'needs a Variable for its argument': {      # a reference to a Variable
        r.op_type for r in ROWS if re.match('(Sparse)?Apply[A-Z]', r.op_type)},
    'make_initializable_iterator is not supported': {
        'SerializeSparse', 'OptimizeDataset', 'ModelDataset', 'MaxIntraOpParallelismDataset',
        'PrivateThreadPoolDataset', 'IteratorV2', 'MakeIterator', 'SerializeIterator',
        'DeserializeIterator'},
}
# Rows that say something about a graph, not about the op.
ABOUT_GRAPHS = {
    'AvgPoolGrad': 'takes the node out of the list of nodes',
    'IsBoostedTreesEnsembleInitialized': 'looks at the same node before and after',
    'BoostedTreesCreateEnsemble': 'runs the nodes in another order',
    'BoostedTreesCenterBias': 'uses .op',
    'InitializeTableFromTextFileV2': 'looks at a table before its initializer has run',
    'Assign-another shape': 'tf.assign(validate_shape=False) on a reference',
    **dict.fromkeys(['MaxPoolGrad-ties', 'MaxPoolGrad-ties, apart', 'ResizeBilinearGrad',
                     'ResizeNearestNeighborGrad', 'ResizeBicubicGrad'],
                    'differentiates by a tensor that is made after the tape has begun'),
    **dict.fromkeys(['CollectiveReduce', 'CollectiveReduce-integers', 'CollectiveGather',
                     'CollectiveBroadcast'], 'is a node of a cluster'),
}
# The gradient of TensorArray.split joins pieces whose lengths differ.
NO_GRADIENT = {'TensorListSplit'}

refused = {op: says for says, ops in REFUSED.items() for op in ops}
traceable = [r for r in ROWS if r.op_type not in refused and str(r) not in (
    'Assign-another shape', 'StridedSliceAssign')]      # of a reference; waits for v.initializer
possible = [r for r in ROWS if r.op_type not in refused and str(r) not in ABOUT_GRAPHS]


class AtOnce:
    """The module tf for a row, with tf.gradients by the tape that is open around it."""

    def __init__(self, tape):
        self._tape = tape

    def __getattr__(self, name):
        return getattr(tf, name)

    def gradients(self, ys, xs, grad_ys=None):
        return self._tape.gradient(ys, xs if isinstance(xs, (list, tuple)) else [xs], grad_ys)


def run(sample, arrays):
    """(inputs, results, tape) of a row."""
    xs = [tf.convert_to_tensor(a) for a in arrays]
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x for x in xs if x.dtype.is_floating])
        result = sample.build(AtOnce(tape), *xs)
    return xs, list(result) if isinstance(result, (list, tuple)) else [result], tape


@every_row(possible)
def test_value(sample):
    arrays = sample.arrays()
    check_value(sample, run(sample, arrays)[1], arrays)


def in_function(sample, xs):
    """The results of a row that is built inside a tf.function."""
    made = []

    def build(*parameters):
        """As a program does it that makes its Variables at the first call only."""
        left = iter(list(made))

        def once(make, **settings):
            variable = next(left, None)
            if variable is None:
                variable = make(**settings)
                made.append(variable)
            return variable
        with tf.variable_creator_scope(once):
            result = sample.build(tf, *parameters)
        return list(result) if isinstance(result, (list, tuple)) else [result]
    return tf.function(build)(*xs)


@every_row(traceable)
def test_value_in_a_function(sample):
    arrays = sample.arrays()
    xs = [tf.convert_to_tensor(a) for a in arrays]
    check_value(sample, in_function(sample, xs), arrays)


def check_value(sample, results, arrays):
    """Compares results with the row's reference."""
    results = [None if r is None or isinstance(r, Operation) else tf.convert_to_tensor(r).numpy()
               for r in results]
    if sample.ref is None:
        return
    wanted = sample.ref(*[a.copy() for a in arrays])
    wanted = wanted if isinstance(wanted, (list, tuple)) else [wanted]
    for result, want in zip(results, wanted, strict=True):
        if result is None:
            continue
        want = np.asarray(want)
        if want.dtype.kind in 'US':
            want = (np.char.encode(want) if want.dtype.kind == 'U' else want).astype(object)
        assert_same(result, want, sample.op_type, tol=sample.tol)


@every_row([r for r in possible if r.grad_positions(r.arrays()) and str(r) not in NO_GRADIENT])
def test_gradient(sample):
    arrays = sample.arrays()
    xs, results, tape = run(sample, arrays)
    results = [r for r in results if not isinstance(r, Operation)
               and tf.convert_to_tensor(r).dtype.is_floating]
    check_gradient(sample, tape.gradient(results, [xs[i] for i in sample.grad_positions(arrays)]))


def check_gradient(sample, gradients):
    """Compares gradients with those of the graph."""
    built = Built(sample)
    with built.graph.as_default():
        ys = [y for y in built.ys if isinstance(y, Tensor) and y.dtype.base_dtype.is_floating]
        wanted = tf.gradients(ys, [built.xs[i] for i in sample.grad_positions(built.arrays)])
        values = iter(run_compiled(built.graph, [tf.convert_to_tensor(g) for g in wanted
                                                 if g is not None], built.feed))
    for found, want in zip(gradients, wanted, strict=True):
        assert (found is None) == (want is None)
        if found is not None:
            assert_same(tf.convert_to_tensor(found).numpy(), next(values), 'gradient', tol=1e-6)


@every_row([r for r in traceable if r.grad_positions(r.arrays())])
def test_gradient_of_a_function(sample):
    xs = [tf.convert_to_tensor(a) for a in sample.arrays()]
    chosen = [xs[i] for i in sample.grad_positions([x.numpy() for x in xs])]
    with tf.GradientTape() as tape:
        tape.watch(chosen)
        results = in_function(sample, xs)
    results = [r for r in results if r is not None and r.dtype.is_floating]
    check_gradient(sample, tape.gradient(results, chosen))


@every_row([r for r in ROWS if r.op_type in refused])
def test_what_exists_in_graphs_only(sample):
    with pytest.raises((RuntimeError, AttributeError), match=refused[sample.op_type]):
        run(sample, sample.arrays())


def test_every_exception_is_a_row():
    assert ABOUT_GRAPHS.keys() | NO_GRADIENT <= {str(r) for r in ROWS}
