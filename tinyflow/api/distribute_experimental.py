"""tf.distribute.experimental: strategies over several processes. Imported on first use."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.train.distribute.central_storage import CentralStorageStrategy
from tinyflow.train.distribute.multi_worker import (
    CollectiveCommunication,
    MultiWorkerMirroredStrategy,
)
from tinyflow.train.distribute.parameter_server import ParameterServerStrategy

__all__ = ['CentralStorageStrategy', 'CollectiveCommunication', 'MultiWorkerMirroredStrategy',
           'ParameterServerStrategy']

__getattr__ = _explain_missing('tinyflow.api.distribute.experimental', __all__)


def __dir__():
    return list(__all__)
