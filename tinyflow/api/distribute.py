"""tf.distribute: one model on several replicas, each with its own batches."""
import importlib as _importlib

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
from tinyflow.train.distribute.mirrored import MirroredStrategy, OneDeviceStrategy
from tinyflow.train.distribute.reduce_op import ReduceOp
from tinyflow.train.distribute.strategy import (
    InputContext,
    ReplicaContext,
    Strategy,
    StrategyExtended,
)

__all__ = [
    'CrossDeviceOps', 'HierarchicalCopyAllReduce', 'InputContext', 'MirroredStrategy',
    'NcclAllReduce', 'OneDeviceStrategy', 'ReduceOp', 'ReductionToOneDevice', 'ReplicaContext',
    'Strategy', 'StrategyExtended', 'cluster_resolver',                             # noqa: F822
    'experimental', 'experimental_set_strategy', 'get_replica_context',             # noqa: F822
    'get_strategy', 'has_strategy', 'in_cross_replica_context',
]

# Several processes: imported on first use.
_LAZY = {'cluster_resolver': 'tinyflow.api.cluster_resolver',
         'experimental': 'tinyflow.api.distribute_experimental'}
_missing = _explain_missing(__name__, __all__)


def __getattr__(name):
    if name in _LAZY:
        module = globals()[name] = _importlib.import_module(_LAZY[name])
        return module
    return _missing(name)


def __dir__():
    return list(__all__)
