"""tf.contrib.cluster_resolver: tf.distribute.cluster_resolver under its older name."""
from tinyflow.cluster.resolvers import (
    ClusterResolver,
    SimpleClusterResolver,
    TFConfigClusterResolver,
    UnionResolver as UnionClusterResolver,
)
from tinyflow.cluster.slurm import SlurmClusterResolver
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['ClusterResolver', 'SimpleClusterResolver', 'SlurmClusterResolver',
           'TFConfigClusterResolver', 'UnionClusterResolver']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return list(__all__)
