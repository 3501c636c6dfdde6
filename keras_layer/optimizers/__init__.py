"""keras.optimizers: optimizer classes."""
from keras_layer.optimizers import adam_family, rules, schedules
from keras_layer.optimizers.base import Optimizer
from keras_layer.optimizers.adam_family import *            # noqa: F403 - its __all__ is the list
from keras_layer.optimizers.rules import *              # noqa: F403
from keras_layer.optimizers.tf_optimizer import TFOptimizer
from keras_layer.utils.generic import deserialize_keras_object, serialize_keras_object
from keras_layer.utils.newer_keras import old_name
from tinyflow.graph.support.missing import explain_missing
from tinyflow.graph.support.errors import misuse

__all__ = ['Optimizer', 'TFOptimizer', 'deserialize', 'get', 'schedules', 'serialize',
           *rules.__all__, *adam_family.__all__]

_BY_NAME = {name.lower(): getattr(module, name) for module in (rules, adam_family)
            for name in module.__all__}


def serialize(optimizer):
    """The optimizer as {'class_name', 'config'}."""
    return serialize_keras_object(optimizer)


def deserialize(config, custom_objects=None):
    """The optimizer of a {'class_name', 'config'}; the case of the name does not matter."""
    name = old_name(config['class_name']).lower()
    if name == 'nadam' and config['class_name'].startswith('Custom>'):
        # Its momentum is 0.96^t where ours is 0.96^(decay t).
        config = {**config, 'config': {**config['config'], 'schedule_decay': 1.0}}
    if name in _BY_NAME:
        config = {**config, 'class_name': name}
    return deserialize_keras_object(config, module_objects=_BY_NAME,
                                    custom_objects=custom_objects,
                                    printable_module_name='optimizer')


def get(identifier):
    """The optimizer for a name, a configuration, or an optimizer of Keras or tf.train."""
    if isinstance(identifier, type):
        raise misuse(ValueError(f'optimizer={identifier.__name__} is a class.\n  Hint: '
                                f'{identifier.__name__}(), with its learning rate.'))
    if hasattr(identifier, 'get_updates'):
        return identifier
    if hasattr(identifier, 'compute_gradients') and hasattr(identifier, 'apply_gradients'):
        return TFOptimizer(identifier)
    if isinstance(identifier, dict):
        return deserialize(identifier)
    if isinstance(identifier, str):
        return deserialize({'class_name': identifier, 'config': {}})
    raise misuse(ValueError(f'Could not interpret optimizer identifier: {identifier!r}'))


__getattr__ = explain_missing('tf.keras.optimizers', __all__)
