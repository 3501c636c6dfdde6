"""The graph and op seed of a random dataset, as tensors."""
from __future__ import annotations

from typing import Any

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.operation import Tensor
from tinyflow.ops.array import constants, indexing
from tinyflow.ops.math import logic
from tinyflow.ops.random.seeds import DEFAULT_GRAPH_SEED, get_seed

_LARGEST = 2**31 - 1


def seed_tensors(seed: Any) -> tuple[Tensor, Tensor]:
    """(graph seed, op seed) as int64 scalars; both 0 if nothing is seeded."""
    graph_seed, op_seed = _seeds(seed)
    if graph_seed is None:
        graph_seed = constants.constant(0, dtypes.int64, name='seed')
    else:
        graph_seed = convert_to_tensor(graph_seed, dtypes.int64, 'seed')
    if op_seed is None:
        return graph_seed, constants.constant(0, dtypes.int64, name='seed2')
    with name_scope('seed2') as scope:
        op_seed = convert_to_tensor(op_seed, dtypes.int64)
        unseeded = logic.logical_and(logic.equal(graph_seed, 0), logic.equal(op_seed, 0))
        # (0, 0) would mean "not seeded".
        op_seed = indexing.where(unseeded, constants.constant(_LARGEST, dtypes.int64), op_seed,
                                 name=scope)
    return graph_seed, op_seed


def _seeds(seed: Any) -> tuple[Any, Any]:
    if not isinstance(seed, Tensor):
        return get_seed(seed)
    graph_seed = get_default_graph().seed
    return DEFAULT_GRAPH_SEED if graph_seed is None else graph_seed, seed % _LARGEST
