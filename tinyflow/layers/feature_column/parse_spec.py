"""make_parse_example_spec: the features that tf.parse_example must read for columns."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.feature_column.base import FeatureColumn
from tinyflow.layers.feature_column.numeric import NumericColumn, numeric_column
from tinyflow.ops.files.example_parsing import FixedLenFeature

__all__ = ['classifier_parse_example_spec', 'make_parse_example_spec',
           'regressor_parse_example_spec']


def make_parse_example_spec(feature_columns):
    """The features of all columns for tf.parse_example, a dict by key.

        features = tf.parse_example(serialized, tf.feature_column.make_parse_example_spec(columns))

    Raises ValueError for an item that is not a column, and for conflicting specs of a key.
    """
    result = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            hint = ('' if not isinstance(feature_columns, FeatureColumn) else
                    '\n  Hint: pass a list of columns, [column].')
            raise misuse(ValueError('All feature_columns must be FeatureColumn instances. Given: '
                                    f'{column}{hint}'))
        for key, value in column.parse_example_spec.items():
            if key in result and value != result[key]:
                raise misuse(ValueError(
                    f'feature_columns contain different parse_spec for key {key}. Given {value} '
                    f'and {result[key]}'))
            result[key] = value
    return result


def classifier_parse_example_spec(feature_columns, label_key, label_dtype=dtypes.int64,
                                  label_default=None, weight_column=None):
    """The features of the columns, the class label and the weight of examples.

    Raises ValueError if the label or the weight is also a feature of a column.
    """
    spec = make_parse_example_spec(feature_columns)
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _with_label(spec, label_key, label, weight_column)


def regressor_parse_example_spec(feature_columns, label_key, label_dtype=dtypes.float32,
                                 label_default=None, label_dimension=1, weight_column=None):
    """The features of the columns, the label of `label_dimension` numbers, the weight of examples.

    Raises ValueError if the label or the weight is also a feature of a column.
    """
    spec = make_parse_example_spec(feature_columns)
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_label(spec, label_key, label, weight_column)


def _with_label(spec, label_key, label, weight_column):
    if label_key in spec:
        raise misuse(ValueError(f'label should not be used as feature. label_key: {label_key}, '
                                f'features: {list(spec)}'))
    spec[label_key] = label
    if weight_column is None:
        return spec
    if isinstance(weight_column, str):
        weight_column = numeric_column(weight_column)
    if not isinstance(weight_column, NumericColumn):
        raise misuse(ValueError('weight_column should be an instance of '
                                'tf.feature_column.numeric_column. Given type: '
                                f'{type(weight_column)} value: {weight_column}'))
    if weight_column.key in spec:
        raise misuse(ValueError('weight_column should not be used as feature. weight_column: '
                                f'{weight_column.key}, features: {list(spec)}'))
    spec.update(weight_column.parse_example_spec)
    return spec
