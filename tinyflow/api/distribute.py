"""tf.distribute: one model on several replicas, each with its own batches."""
from tinyflow.graph.support.lazy import importing as _importing
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.variables.replica_context import (
    experimental_set_strategy,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from tinyflow.train.distribute.cross_device_ops import (
    CrossDeviceOps,
    HierarchicalCopyAllReduce,
    NcclAllReduce,
    ReductionToOneDevice,
)
from tinyflow.train.distribute.inputs import InputContext
from tinyflow.train.distribute.mirrored import MirroredStrategy, OneDeviceStrategy
from tinyflow.train.distribute.reduce_op import ReduceOp
from tinyflow.train.distribute.strategy import ReplicaContext, Strategy, StrategyExtended

__all__ = [  # noqa: F822 - Server is imported on first use
    'CrossDeviceOps', 'HierarchicalCopyAllReduce', 'InputContext', 'MirroredStrategy',
    'NcclAllReduce', 'OneDeviceStrategy', 'ReduceOp', 'ReductionToOneDevice', 'ReplicaContext',
    'Server', 'Strategy', 'StrategyExtended', 'cluster_resolver', 'experimental',
    'experimental_set_strategy', 'get_replica_context', 'get_strategy', 'has_strategy',
    'in_cross_replica_context',
]

# For several processes; imported on first use.
__getattr__ = _importing(globals(), {
    'Server': 'tinyflow.cluster.server',
    'cluster_resolver': 'tinyflow.api.cluster_resolver',
    'experimental': 'tinyflow.api.distribute_experimental',
}, _explain_missing(__name__, __all__))


def __dir__():
    return list(__all__)
