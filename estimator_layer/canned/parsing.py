"""What tf.parse_example reads for a ready-made model: features, label, weight."""
from tinyflow.layers.feature_column.parse_spec import (
    classifier_parse_example_spec,
    regressor_parse_example_spec,
)

__all__ = ['classifier_parse_example_spec', 'regressor_parse_example_spec']
