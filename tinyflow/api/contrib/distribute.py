"""tf.contrib.distribute: the strategies under the names that they had before tf.distribute.

Unlike those of tf.distribute, they take the batch size of a dataset as that of one replica.
"""
import collections as _collections

from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.variables.replica_context import (
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from tinyflow.train.distribute import (
    mirrored as _mirrored,
    multi_worker as _multi_worker,
    parameter_server as _parameter_server,
)
from tinyflow.train.distribute.cross_device_ops import CrossDeviceOps
from tinyflow.train.distribute.mirrored import OneDeviceStrategy
from tinyflow.train.distribute.strategy import ReplicaContext, Strategy as DistributionStrategy

__all__ = [
    'CollectiveAllReduceStrategy', 'CrossDeviceOps', 'DistributeConfig', 'DistributionStrategy',
    'MirroredStrategy', 'OneDeviceStrategy', 'ParameterServerStrategy', 'ReplicaContext',
    'get_distribution_strategy', 'get_replica_context', 'get_strategy',
    'has_distribution_strategy', 'has_strategy', 'in_cross_replica_context',
]

get_distribution_strategy = get_strategy
has_distribution_strategy = has_strategy


class MirroredStrategy(_mirrored.MirroredStrategy):
    """tf.distribute.MirroredStrategy, where the batch size of a dataset is that of one replica.

    There is no GPU: with `num_gpus` (or `num_gpus_per_worker`) there are that many replicas on the
    CPU. ValueError if `devices` are given, too.
    """

    def __init__(self, devices=None, num_gpus=None, num_gpus_per_worker=None,
                 cross_device_ops=None, auto_shard_dataset=False, cross_tower_ops=None):
        count = num_gpus if num_gpus is not None else num_gpus_per_worker
        if count is not None and devices is not None:
            raise _misuse(ValueError('Must only specify one of `devices` and `num_gpus`.'))
        if count:
            devices = [f'/cpu:{number}' for number in range(count)]
        super().__init__(devices, cross_device_ops or cross_tower_ops)
        self.extended._global_batch_size = False


class CollectiveAllReduceStrategy(_multi_worker.MultiWorkerMirroredStrategy):
    """tf.distribute.experimental.MultiWorkerMirroredStrategy, where the batch size of a dataset is
    that of one replica. `num_gpus_per_worker` has no effect: there is no GPU.
    """

    def __init__(self, num_gpus_per_worker=0,
                 communication=_multi_worker.CollectiveCommunication.AUTO):
        super().__init__(communication)
        self.extended._global_batch_size = False


class ParameterServerStrategy(_parameter_server.ParameterServerStrategy):
    """tf.distribute.experimental.ParameterServerStrategy, where the batch size of a dataset is that
    of one replica. `num_gpus_per_worker` has no effect: there is no GPU.
    """

    def __init__(self, num_gpus_per_worker=0):
        super().__init__()
        self.extended._global_batch_size = False


class DistributeConfig(_collections.namedtuple('DistributeConfig', (
        'train_distribute', 'eval_distribute', 'remote_cluster'), defaults=(None, None, None))):
    """The strategies of an Estimator, for RunConfig(experimental_distribute=...).

    NotImplementedError for a `remote_cluster`, which one process would drive: each worker runs the
    program itself.
    """

    __slots__ = ()

    def __new__(cls, train_distribute=None, eval_distribute=None, remote_cluster=None):
        if remote_cluster:
            raise _misuse(NotImplementedError(
                f'DistributeConfig(remote_cluster={remote_cluster!r}): one process cannot train on '
                'others.\n  Hint: start the program in each process of the cluster, by mpiexec or '
                'with TF_CONFIG.'))
        return super().__new__(cls, train_distribute, eval_distribute, None)


__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return list(__all__)
