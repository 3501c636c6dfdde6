"""Columns as plain values, {'class_name', 'config'}, and back: how Keras saves DenseFeatures."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import worded
from tinyflow.layers.feature_column import (
    bucketized,
    categorical,
    crossed,
    embedding,
    hashed,
    indicator,
    numeric,
    sequence,
    vocabulary,
    weighted,
)
from tinyflow.layers.feature_column.base import FeatureColumn
from tinyflow.ops.variables import initializers

__all__ = ['deserialize_feature_column', 'deserialize_feature_columns', 'serialize_feature_column',
           'serialize_feature_columns', 'serialize_initializer']

_CLASSES = {cls.__name__: cls for cls in (
    bucketized.BucketizedColumn, categorical.IdentityCategoricalColumn, crossed.CrossedColumn,
    embedding.EmbeddingColumn, hashed.HashedCategoricalColumn, indicator.IndicatorColumn,
    numeric.NumericColumn, sequence.SequenceCategoricalColumn, sequence.SequenceNumericColumn,
    vocabulary.VocabularyFileCategoricalColumn, vocabulary.VocabularyListCategoricalColumn,
    weighted.WeightedCategoricalColumn)}


def serialize_feature_column(column):
    """{'class_name', 'config'} of a column; a key stays a str. ValueError for anything else."""
    if isinstance(column, str):
        return column
    if not isinstance(column, FeatureColumn):
        raise worded(ValueError(f'Instance: {column!r} is not a FeatureColumn'))
    return {'class_name': type(column).__name__, 'config': column.get_config()}


def serialize_feature_columns(columns):
    """The same for each of a list."""
    return [serialize_feature_column(column) for column in columns]


def deserialize_feature_column(config, custom_objects=None, columns_by_name=None):
    """The column that serialize_feature_column described.

    `custom_objects` has functions and classes by name. With a dict `columns_by_name`, columns of
    one name are one object. ValueError for a class that is unknown.
    """
    if isinstance(config, str):
        return config
    known = {**_CLASSES, **(custom_objects or {})}
    if config['class_name'] not in known:
        raise worded(ValueError(f'Unknown feature column: {config["class_name"]}\n  Mend: '
                                "custom_objects={'" + config['class_name'] + "': the class}."))
    made = known[config['class_name']].from_config(config['config'], custom_objects,
                                                   columns_by_name)
    if columns_by_name is None:
        return made
    # A column of sequences has the name of the column inside it.
    return columns_by_name.setdefault((type(made), made.name), made)


def deserialize_feature_columns(configs, custom_objects=None):
    """The same for each of a list; what they share is shared again."""
    columns_by_name = {}
    return [deserialize_feature_column(c, custom_objects, columns_by_name) for c in configs]


def serialize_initializer(initializer):
    """{'class_name', 'config'} of an initializer; a function's name."""
    if hasattr(initializer, 'get_config'):
        return {'class_name': type(initializer).__name__, 'config': initializer.get_config()}
    return getattr(initializer, '__name__', initializer)


def _initializer(config, custom_objects):
    if not isinstance(config, dict):
        return _function(config, custom_objects)
    name = config['class_name']
    found = (custom_objects or {}).get(name) or getattr(initializers, name, None)
    if found is None:
        raise worded(ValueError(f"Unknown initializer: {name}\n  Mend: custom_objects={{'{name}': "
                                'the class}.'))
    return found.from_config(config['config'])


def _function(name, custom_objects):
    """The function of a name; None, or a function itself, stays."""
    if not isinstance(name, str):
        return name
    if name not in (custom_objects or {}):
        raise worded(ValueError(f"Unknown function: {name}\n  Mend: custom_objects={{'{name}': the "
                                'function}.'))
    return custom_objects[name]


def restored(cls, config, custom_objects, columns_by_name):
    """The arguments of a column of class `cls`, made of its config."""
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
        raise worded(ValueError(f'{cls.__name__} has no {sorted(unknown)}; it has '
                                f'{list(cls._fields)}.'))
    return {key: readers[key](value) if key in readers else value
            for key, value in config.items()}


def _default_value(value):
    """JSON has lists where the column has tuples."""
    return tuple(_default_value(v) for v in value) if isinstance(value, (list, tuple)) else value
