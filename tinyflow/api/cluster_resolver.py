"""tf.distribute.cluster_resolver: where the tasks of a cluster are. Imported on first use."""
from tinyflow.cluster.resolvers.resolver import (
    ClusterResolver,
    SimpleClusterResolver,
    UnionResolver,
)
from tinyflow.cluster.resolvers.slurm import SlurmClusterResolver
from tinyflow.cluster.resolvers.tf_config import TFConfigClusterResolver
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['ClusterResolver', 'SimpleClusterResolver', 'SlurmClusterResolver',
           'TFConfigClusterResolver', 'UnionResolver']

__getattr__ = _explain_missing('tinyflow.api.distribute.cluster_resolver', __all__)


def __dir__():
    return list(__all__)
