"""tf.distribute: one model on several replicas, each with its own batches."""
from tinyflow.absent import absent as _absent
from tinyflow.distribute.cross_device_ops import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from tinyflow.distribute.mirrored import MirroredStrategy, OneDeviceStrategy
from tinyflow.distribute.reduce_op import ReduceOp
from tinyflow.distribute.strategy import (
    InputContext,
    ReplicaContext,
    Strategy,
    StrategyExtended,
)
from tinyflow.replication import (
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)

__all__ = [
    'CrossDeviceOps', 'HierarchicalCopyAllReduce', 'InputContext', 'MirroredStrategy',
    'NcclAllReduce', 'OneDeviceStrategy', 'ReduceOp', 'ReductionToOneDevice', 'ReplicaContext',
    'Strategy', 'StrategyExtended', 'experimental_set_strategy', 'get_replica_context',
    'get_strategy', 'has_strategy', 'in_cross_replica_context',
]

__getattr__ = _absent(__name__, __all__)


def __dir__():
    return list(__all__)
