"""tf.get_seed: the two seeds of a random op."""
from __future__ import annotations

from zlib import crc32

import numpy as np

from tinyflow.graph import defaults
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.random import tf1_node_count

DEFAULT_GRAPH_SEED = 87654321
_MAX_SEED = 2**31 - 1


def get_seed(op_seed):
    """The pair (graph seed, op seed) of a new random op; (None, None) if neither is set.

    With a graph seed alone, the op seed is the number of nodes in the graph so far, so one more
    node before it changes the numbers, as in TF1; after set_random_seed(seed,
    by_name=True) the name of the op's scope does, and other nodes make no difference. With a
    graph seed alone, random ops made after tf.gradients or minimize have other numbers than in TF1,
    because tinyflow makes fewer nodes for these; the nodes of TF1's conditions, loops and
    TensorArrays are counted. Raises TypeError for a seed that is not an integer.
    """
    default_graph = defaults.get_default_graph()
    graph_seed = default_graph.seed
    if graph_seed is not None and op_seed is None and default_graph.runs_at_once:
        op_seed = default_graph.next_seed()
    if graph_seed is None and op_seed is None:
        return None, None
    if graph_seed is None:
        seeds = DEFAULT_GRAPH_SEED, _truncated(op_seed)
    else:
        if op_seed is None:
            op_seed = (crc32(default_graph.get_name_scope().encode())
                       if default_graph.seed_by_name
                       else tf1_node_count.as_in_tensorflow_1(default_graph))
        seeds = _truncated(graph_seed), _truncated(op_seed)
    # For the kernels, (0, 0) means "no seed", which is not what the user chose.
    return (0, _MAX_SEED) if seeds == (0, 0) else seeds


def _truncated(seed):
    if isinstance(seed, Tensor) or not isinstance(seed, (int, float, np.number)):
        raise misuse(TypeError(f'A seed must be a Python integer; received {seed!r}.'))
    return int(seed) % _MAX_SEED


def seed_attrs(op_seed):
    """The attributes of a new random op; 0 stands for no seed."""
    seed, seed2 = get_seed(op_seed)
    return {'seed': seed or 0, 'seed2': seed2 or 0}
