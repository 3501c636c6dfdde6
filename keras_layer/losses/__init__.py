"""keras.losses: loss functions and classes."""
from keras_layer.losses import base, classes, functions
from keras_layer.losses.base import Loss, Reduction
from keras_layer.losses.classes import *                # noqa: F403 - its __all__ is the list
from keras_layer.losses.functions import *              # noqa: F403 - its __all__ is the list
from keras_layer.utils.generic import deserialize_keras_object, serialize_keras_object
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.errors import misuse

__all__ = ['Loss', 'Reduction', 'deserialize', 'get', 'serialize',
           *classes.__all__, *functions.__all__]


def serialize(loss):
    """The loss as a name or {'class_name', 'config'}."""
    return serialize_keras_object(loss)


def deserialize(name, custom_objects=None):
    """The loss of that name or configuration."""
    return deserialize_keras_object(name, module_objects={n: globals()[n] for n in __all__},
                                    custom_objects=custom_objects,
                                    printable_module_name='loss function')


def get(identifier):
    """The loss for a name, a configuration or a function; None for None."""
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise misuse(ValueError(f'Could not interpret loss function identifier: {identifier!r}'))


__getattr__ = explain_missing('tf.keras.losses', __all__)
