"""Serialization of columns as plain values {'class_name', 'config'}, as Keras saves DenseFeatures.

Below the columns: each column class registers itself with `register_column`.
"""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import abstract, misuse
from tinyflow.ops.variables import initializers

__all__ = ['SerializableColumn', 'deserialize_feature_column', 'deserialize_feature_columns',
           'register_column', 'serialize_feature_column', 'serialize_feature_columns',
           'serialize_initializer']

_CLASSES = {}               # name -> class of a column


def register_column(cls):
    """A class decorator: deserialize_feature_column finds the class by its name."""
    _CLASSES[cls.__name__] = cls
    return cls


class SerializableColumn:
    """Base of FeatureColumn: conversion to and from a config of plain values."""

    __slots__ = ()

    def get_config(self):
        """The arguments that describe the column, as plain values."""
        raise abstract(self)

    @classmethod
    def from_config(cls, config, custom_objects=None, columns_by_name=None):
        """The column that `get_config` described."""
        return cls(**_arguments(cls, config, custom_objects, columns_by_name))


def serialize_feature_column(column):
    """{'class_name', 'config'} of a column; a key is returned unchanged. ValueError for others."""
    if isinstance(column, str):
        return column
    if not isinstance(column, SerializableColumn):
        raise misuse(ValueError(f'Instance: {column!r} is not a FeatureColumn'))
    return {'class_name': type(column).__name__, 'config': column.get_config()}


def serialize_feature_columns(columns):
    """serialize_feature_column of each column."""
    return [serialize_feature_column(column) for column in columns]


def deserialize_feature_column(config, custom_objects=None, columns_by_name=None):
    """The column for a result of serialize_feature_column.

    `custom_objects` has functions and classes by name. With a dict `columns_by_name`, columns of
    the same name are the same object. Raises ValueError for an unknown class.
    """
    if isinstance(config, str):
        return config
    known = {**_CLASSES, **(custom_objects or {})}
    if config['class_name'] not in known:
        raise misuse(ValueError(f'Unknown feature column: {config["class_name"]}\n  Hint: '
                                "custom_objects={'" + config['class_name'] + "': the class}."))
    column = known[config['class_name']].from_config(config['config'], custom_objects,
                                                     columns_by_name)
    if columns_by_name is None:
        return column
    # A sequence column has the name of the column that it wraps, so the type is part of the key.
    return columns_by_name.setdefault((type(column), column.name), column)


def deserialize_feature_columns(configs, custom_objects=None):
    """deserialize_feature_column of each config; shared columns are shared again."""
    columns_by_name = {}
    return [deserialize_feature_column(c, custom_objects, columns_by_name) for c in configs]


def serialize_initializer(initializer):
    """{'class_name', 'config'} of an initializer, or the name of a function."""
    if hasattr(initializer, 'get_config'):
        return {'class_name': type(initializer).__name__, 'config': initializer.get_config()}
    return getattr(initializer, '__name__', initializer)


def _initializer(config, custom_objects):
    if not isinstance(config, dict):
        return _function(config, custom_objects)
    name = config['class_name']
    initializer = (custom_objects or {}).get(name) or getattr(initializers, name, None)
    if initializer is None:
        raise misuse(ValueError(f"Unknown initializer: {name}\n  Hint: custom_objects={{'{name}': "
                                'the class}.'))
    return initializer.from_config(config['config'])


def _function(name, custom_objects):
    """The function for a name; None and functions are returned unchanged."""
    if not isinstance(name, str):
        return name
    if name not in (custom_objects or {}):
        raise misuse(ValueError(f"Unknown function: {name}\n  Hint: custom_objects={{'{name}': the "
                                'function}.'))
    return custom_objects[name]


def _arguments(cls, config, custom_objects, columns_by_name):
    """The arguments of the constructor of `cls` for a config."""
    def column(value):
        return deserialize_feature_column(value, custom_objects, columns_by_name)

    readers = {
        'dtype': dtypes.as_dtype, 'source_column': column, 'categorical_column': column,
        'keys': lambda keys: tuple(column(key) for key in keys),
        'boundaries': tuple, 'shape': tuple, 'vocabulary_list': tuple,
        'default_value': _default_value,
        'normalizer_fn': lambda value: _function(value, custom_objects),
        'initializer': lambda value: _initializer(value, custom_objects)}
    unknown = set(config) - set(cls._fields)
    if unknown:
        raise misuse(ValueError(f'{cls.__name__} has no {sorted(unknown)}; it has '
                                f'{list(cls._fields)}.'))
    return {key: readers[key](value) if key in readers else value
            for key, value in config.items()}


def _default_value(value):
    """Converts lists of JSON to tuples."""
    return tuple(_default_value(v) for v in value) if isinstance(value, (list, tuple)) else value
