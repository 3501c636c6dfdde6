"""Every registered op meets values recorded from TF 1.15.5, in a call, a program or a stream."""
from __future__ import annotations

import warnings

import numpy as np
import pytest

import tinyflow as tf
from estimator_layer.canned.trees.ops import (
    ensemble_ops as boosted_trees,
    quantile_ops as boosted_trees_quantiles,
    stats_ops as boosted_trees_stats,
)
from tests.golden.test_ops import NOW, call
from tests.golden.test_programs import LATER as PROGRAMS_LATER
from tests.golden.cases import CASES
from tests.golden.programs import PROGRAMS
from tests.golden.random_cases import RANDOM_CASES
from tinyflow.cluster import collective_ops
from tinyflow.graph.op import Op
from tinyflow.ops.control_flow.function_nodes import functions_of
from tinyflow.ops.imported import (
    dense_bincount,
    einsum,
    matrix_diagonals,
    optionals,
    parsing_v2,
    stack_ops as stacks,
    stateless_random_v2,
    tf_gradient_ops as gradient_nodes,
)
from tinyflow.ops.support.registry_loading import load_every_op

load_every_op()         # those that no public module imports, too

# Ops that only graphs written by TensorFlow have; test_graphdef_files.py and test_newer_graphs.py
# run such graphs.
IMPORTED = frozenset(
    cls.type for module in (gradient_nodes, stacks, dense_bincount, einsum, matrix_diagonals,
                            optionals, parsing_v2, stateless_random_v2)
    for cls in vars(module).values() if isinstance(cls, type) and 'type' in vars(cls))
# Raw ops; tests/estimator/test_boosted_trees.py compares them with what was recorded.
TREES = {cls.type: 'an inner op of boosted trees; tests/estimator/test_boosted_trees.py'
         for module in (boosted_trees, boosted_trees_quantiles, boosted_trees_stats)
         for cls in vars(module).values() if isinstance(cls, type) and 'type' in vars(cls)}
# Ops that no recorded case reaches, since no public function of TF 1.15 makes them: each with the
# reason and the place where it is checked instead.
ELSEWHERE: dict[str, str] = {
    **TREES,
    'ApproximateEqual': 'a raw op in TF 1.15; rows/math.py',
    'ArrayBatchesDataset': 'tinyflow\'s own, below numpy_input_fn; rows/datasets.py',
    'BatchMatMul': 'only in graphs older than BatchMatMulV2; rows/linalg.py',
    collective_ops.CollectiveBroadcast.type: "tinyflow's own; tests/cluster/rows.py",
    collective_ops.CollectiveGather.type: 'tests/cluster/test_workers.py',
    collective_ops.CollectiveGetNext.type: "tinyflow's own; tests/cluster/rows.py",
    collective_ops.CollectiveReduce.type: 'tests/cluster/test_workers.py',
    'Div': 'only in graphs that older TF wrote; rows/math.py',
    'InTopK': 'only in graphs older than InTopKV2; rows/reduction.py',
    'Inv': 'only in graphs older than Reciprocal; rows/math.py',
    'IteratorGetNextSync': 'only eager iterators make it; rows/datasets.py',
    'KMC2ChainInitialization': 'an inner op of k-means; recorded values in rows/clustering.py',
    'KmeansPlusPlusInitialization': 'an inner op of k-means; recorded values in '
                                    'rows/clustering.py',
    'MaxPoolGradGradWithArgmax': 'TF 1.15 has no second derivative of max_pool_with_argmax; '
                                 'rows/pooling.py',
    'Mod': 'only in graphs that older TF wrote, tf.mod makes FloorMod; rows/math.py',
    'NearestNeighbors': 'an inner op of k-means; tests/estimator/test_kmeans.py',
    'OnesLike': 'a raw op, tf.ones_like makes a constant or a Fill; rows/constants.py',
    'ParameterizedTruncatedNormal': 'a function of inner modules; its draws as TF gives them are '
                                    'in test_philox.py',
    'PreventGradient': 'TF makes it inside gradients only; rows/constants.py, '
                       'test_array_functions.py',
    'DestroyResourceOp': 'a raw op in TF 1.15; rows/resource_variables.py',
    'ResourceApplyAdagradV2': 'Keras makes it; rows/training.py',
    'ResourceApplyAdamWithAmsgrad': 'Keras makes it; rows/training.py',
    'ResourceApplyKerasMomentum': 'Keras makes it; rows/training.py',
    'ResourceSparseApplyAdagradV2': 'Keras makes it; rows/training.py',
    'ResourceSparseApplyKerasMomentum': 'Keras makes it; rows/training.py',
    'ResourceInitializedValue': "tinyflow's own, TF makes a cond of nodes; "
                                'rows/resource_variables.py',
    'VariableShape': 'the gradient of a gather from a variable of unknown shape makes it; '
                     'rows/resource_variables.py',
    'ShardedFilespec': 'only Savers of the V1 format make it; rows/saving.py',
    'Save': 'no public function of TF 1.15 makes it; rows/saving.py',
    'SaveSlices': 'only Savers of the V1 format make it; golden/files/ckpt/old_parts.meta has one',
    'Restore': 'no public function of TF 1.15 makes it; rows/saving.py',
    'RestoreSlice': 'no public function of TF 1.15 makes it; rows/saving.py',
    'TensorListElementShape': 'no public function of TF 1.15 makes it; rows/control_flow.py',
    **dict.fromkeys(
        ('CreateForestTree', 'ForestTree', 'ForestTreeArrays', 'ForestTreePredictions',
         'ForestTreeSize', 'GrowForestTree', 'IsForestTreeInitialized', 'RestoreForestTree'),
        "tinyflow's own, for tf.contrib.tensor_forest; contrib/rows_tensor_forest.py"),
    'RngReadAndSkip': 'an op of TensorFlow 2; v2_programs.py',
}


def _types(build):
    """The op types of the graph that `build` makes."""
    with tf.Graph().as_default() as graph:
        try:
            build()
        except (TypeError, ValueError, AttributeError, LookupError, NotImplementedError):
            pass                # a case of an error, or of a gradient that TF has not either
        return set(_types_inside(graph))


def _types_inside(graph):
    """The op types of a graph and of the functions that it runs."""
    for operation in graph.get_operations():
        yield operation.type
        for function in functions_of(operation):
            yield from _types_inside(function)


def _call_and_gradient(key):
    def build():
        outputs, feeds = call(CASES[key])
        tf.gradients([t for t in outputs if t.dtype.is_floating], list(feeds))
    return build


@pytest.fixture(scope='module')
def reached():
    found = set()
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for key in NOW:
            found |= _types(_call_and_gradient(key))
        for name, build in PROGRAMS.items():
            if name not in PROGRAMS_LATER:
                found |= _types(lambda build=build: build(tf, np))
        for case in RANDOM_CASES.values():
            found |= _types(lambda case=case: case.build(tf, np, case.op_seed))
    return found


def test_every_op_meets_a_recorded_value(reached):
    missing = sorted(set(Op.registry) - reached - set(ELSEWHERE) - IMPORTED)
    assert not missing, f'{len(missing)} ops without a golden value: {" ".join(missing)}'


def test_the_list_of_exceptions_is_short_and_true(reached):
    assert not set(ELSEWHERE) & reached
    assert set(ELSEWHERE) <= set(Op.registry)
