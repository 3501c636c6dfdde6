"""Specs for tf.parse_example of a canned model: features, label, weight."""
from tinyflow.layers.feature_column.parse_spec import (
    classifier_parse_example_spec,
    regressor_parse_example_spec,
)

__all__ = ['classifier_parse_example_spec', 'regressor_parse_example_spec']
