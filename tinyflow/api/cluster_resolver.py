"""tf.distribute.cluster_resolver: where a process learns its cluster. Imported on first use."""
from tinyflow.cluster.resolvers import (
    ClusterResolver,
    SimpleClusterResolver,
    TFConfigClusterResolver,
    UnionResolver,
)
from tinyflow.cluster.slurm import SlurmClusterResolver
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['ClusterResolver', 'SimpleClusterResolver', 'SlurmClusterResolver',
           'TFConfigClusterResolver', 'UnionResolver']

__getattr__ = _explain_missing('tinyflow.api.distribute.cluster_resolver', __all__)


def __dir__():
    return list(__all__)
