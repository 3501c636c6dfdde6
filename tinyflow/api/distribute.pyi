# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow.api import cluster_resolver, distribute_experimental as experimental
from tinyflow.cluster.server import Server
from tinyflow.ops.variables.replica_context import (
    experimental_set_strategy, get_replica_context, get_strategy, has_strategy,
    in_cross_replica_context,
)
from tinyflow.train.distribute.cross_device_ops import (
    CrossDeviceOps, HierarchicalCopyAllReduce, NcclAllReduce, ReductionToOneDevice,
)
from tinyflow.train.distribute.inputs import InputContext
from tinyflow.train.distribute.mirrored import MirroredStrategy, OneDeviceStrategy
from tinyflow.train.distribute.reduce_op import ReduceOp
from tinyflow.train.distribute.strategy import ReplicaContext, Strategy, StrategyExtended

__all__ = [
    'CrossDeviceOps', 'HierarchicalCopyAllReduce', 'InputContext', 'MirroredStrategy',
    'NcclAllReduce', 'OneDeviceStrategy', 'ReduceOp', 'ReductionToOneDevice', 'ReplicaContext',
    'Server', 'Strategy', 'StrategyExtended', 'cluster_resolver', 'experimental',
    'experimental_set_strategy', 'get_replica_context', 'get_strategy', 'has_strategy',
    'in_cross_replica_context',
]
