"""keras.metrics: metric classes and functions."""
from keras_layer.losses import functions as _losses
from keras_layer.losses.functions import *              # noqa: F403 - its __all__ is the list
from keras_layer.metrics import base, confusion, functions, means
from keras_layer.metrics.base import *                  # noqa: F403 - its __all__ is the list
from keras_layer.metrics.confusion import *             # noqa: F403 - its __all__ is the list
from keras_layer.metrics.functions import *             # noqa: F403 - its __all__ is the list
from keras_layer.metrics.means import *                 # noqa: F403 - its __all__ is the list
from keras_layer.utils.generic import deserialize_keras_object, serialize_keras_object
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.errors import misuse

__all__ = ['deserialize', 'get', 'serialize', *base.__all__, *confusion.__all__,
           *functions.__all__, *means.__all__, *_losses.__all__]


def serialize(metric):
    """The metric as a name or {'class_name', 'config'}."""
    return serialize_keras_object(metric)


def deserialize(config, custom_objects=None):
    """The metric of that name or configuration."""
    if isinstance(config, dict) and config.get('class_name') == 'MeanMetricWrapper':
        # A newer Keras names the function.
        inner = config['config']
        config = {**config, 'config': {**inner, 'fn': get(inner.get('fn'))}}
    return deserialize_keras_object(config, module_objects={n: globals()[n] for n in __all__},
                                    custom_objects=custom_objects,
                                    printable_module_name='metric function')


def get(identifier):
    """The metric for a name, a configuration or a function."""
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise misuse(ValueError(f'Could not interpret metric function identifier: {identifier!r}'))


__getattr__ = explain_missing('tf.keras.metrics', __all__)
