"""Registry of layer classes: from the name in a configuration to the class.

`from_config` of a network, wrapper or recurrent layer creates layers of any kind, and a layer
reports values through a Mean metric, which is a layer itself. Modules register their classes here,
so that modules that create objects by name need not import their definitions.
"""
from __future__ import annotations

from importlib import import_module

from keras_layer.utils.generic import deserialize_keras_object

__all__ = ['deserialize_layer', 'layer_class', 'metric_class', 'register_layers', 'register_lazily',
           'register_metric']

_layers = {}
_modules = {}           # of classes that are imported when a configuration names them
_metrics = {}


def register_layers(classes):
    """Makes the layer classes of this dict known by its names."""
    _layers.update(classes)


def register_lazily(modules):
    """Names of layers whose module is imported when a configuration names them."""
    _modules.update(modules)


def deserialize_layer(config, custom_objects=None):
    """The layer or model of a {'class_name', 'config'} dict. ValueError for an unknown name."""
    name = config.get('class_name') if isinstance(config, dict) else config
    if isinstance(name, str) and name not in _layers and name in _modules:
        module = import_module(_modules[name])
        _layers.setdefault(name, getattr(module, name, None))
    return deserialize_keras_object(config, module_objects=_layers, custom_objects=custom_objects,
                                    printable_module_name='layer')


def layer_class(name):
    """The layer class of that name."""
    return _layers[name]


def register_metric(name, cls):
    """Makes a metric class known by its name."""
    _metrics[name] = cls


def metric_class(name):
    """The metric class of that name."""
    return _metrics[name]
