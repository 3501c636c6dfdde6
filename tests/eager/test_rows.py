"""Every row of every op, run at once: the values, and the gradients of a tape.

Values are compared with the row's reference, gradients with those of the graph.
"""
import re

import numpy as np
import pytest

import tinyflow as tf
from tests.ops.test_ops import ROWS, Built, assert_same, every_row, run_compiled
from tinyflow.graph.operation import Operation, Tensor

# Why a row cannot run at once, and the op types that it concerns: each must be refused so.
REFUSED = {
    'needs a Variable for its argument': {      # references to Variables exist only in graphs
        op for op in {r.op_type for r in ROWS} if re.match('(Sparse)?Apply[A-Z]', op)},
    'make_initializable_iterator is not supported': {
        'SerializeSparse', 'OptimizeDataset', 'ModelDataset', 'MaxIntraOpParallelismDataset',
        'PrivateThreadPoolDataset', 'IteratorV2', 'MakeIterator', 'SerializeIterator',
        'DeserializeIterator'},
}
