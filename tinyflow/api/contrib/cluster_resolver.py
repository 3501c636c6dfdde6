"""tf.contrib.cluster_resolver: the resolvers of tf.distribute under their older names."""
from tinyflow.cluster.resolvers.resolver import (
    ClusterResolver,
    SimpleClusterResolver,
    UnionResolver as UnionClusterResolver,
)
from tinyflow.cluster.resolvers.slurm import SlurmClusterResolver
from tinyflow.cluster.resolvers.tf_config import TFConfigClusterResolver
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['ClusterResolver', 'SimpleClusterResolver', 'SlurmClusterResolver',
           'TFConfigClusterResolver', 'UnionClusterResolver']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return list(__all__)
