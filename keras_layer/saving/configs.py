"""Models as configurations: dicts, JSON and YAML."""
from __future__ import annotations

import json

import numpy as np

from keras_layer.layers import deserialize
from keras_layer.utils.hdf5 import of_users_code
from tinyflow.graph.support.errors import OpError, misuse

KERAS_VERSION = '2.2.4-tf'
_WRAPPED_LIST = ('tag:yaml.org,2002:python/object/apply:'
                 'tensorflow.python.training.tracking.data_structures.ListWrapper')


def as_json(value):
    """Default encoder of JSON: NumPy values, shapes, dtypes, classes."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    if hasattr(value, 'as_list'):
        return value.as_list()
    if hasattr(value, 'get_config'):
        return {'class_name': type(value).__name__, 'config': value.get_config()}
    if isinstance(value, type) or callable(value):
        return getattr(value, '__name__', type(value).__name__)
    if hasattr(value, 'name'):
        return value.name
    raise TypeError(f'Not JSON Serializable: {value!r}')


def described(model):
    """{'class_name', 'config', 'keras_version', 'backend'} of a model."""
    return {'class_name': type(model).__name__, 'config': model.get_config(),
            'keras_version': KERAS_VERSION, 'backend': 'tensorflow'}


def to_json(model, **kwargs):
    """The model's configuration as JSON; `kwargs` are json.dumps'."""
    return json.dumps(described(model), default=as_json, **kwargs)


def model_from_config(config, custom_objects=None):
    """A model, without weights, of a {'class_name', 'config'} dict."""
    if isinstance(config, list):
        raise misuse(TypeError('`model_from_config` expects a dictionary, not a list. Maybe you '
                               'meant to use `Sequential.from_config(config)`?'))
    return deserialize(config, custom_objects=custom_objects)


def model_from_json(json_string, custom_objects=None):
    """A model without weights from the text of `to_json`."""
    return _model_of_text(json.loads, json_string, 'JSON', custom_objects)


def model_from_yaml(yaml_string, custom_objects=None):
    """A model without weights from the text of `to_yaml`; only plain values are read."""
    yaml = _yaml()

    class Loader(yaml.SafeLoader):
        """Plain values, and the tuples and wrapped lists that TensorFlow 1.15 writes, as lists."""
    Loader.add_constructor('tag:yaml.org,2002:python/tuple', yaml.SafeLoader.construct_yaml_seq)
    Loader.add_constructor(_WRAPPED_LIST, lambda loader, node: loader.construct_sequence(
        node, deep=True)[0])
    return _model_of_text(lambda text: yaml.load(text, Loader), yaml_string, 'YAML',
                          custom_objects)


def _model_of_text(parse, text, kind, custom_objects):
    """The model of a text. ValueError if it is damaged; errors of the user's classes are his."""
    try:
        config = parse(text)
    except Exception as error:
        raise misuse(ValueError(f'This is not the {kind} of a model: {error}')) from None
    if not isinstance(config, (dict, list)):
        raise misuse(ValueError(f'This is not the {kind} of a model, but {str(config)[:80]!r}.'))
    try:
        return model_from_config(config, custom_objects)
    except Exception as error:
        if isinstance(error, OpError) or getattr(error, 'raised_by_tinyflow', False) or \
                of_users_code(error):
            raise
        raise misuse(ValueError(f'The {kind} of this model is damaged: {type(error).__name__}: '
                                f'{error}')) from error


def to_yaml(model, **kwargs):
    """The model's configuration as YAML."""
    plain = json.loads(json.dumps(described(model), default=as_json))
    return _yaml().safe_dump(plain, **kwargs)


def _yaml():
    try:
        import yaml  # optional package
    except ImportError:
        raise misuse(ImportError('YAML needs the package pyyaml.\n  Hint: pip install pyyaml, or '
                                 'use to_json and model_from_json.')) from None
    return yaml
