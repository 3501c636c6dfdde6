"""tf.contrib.feature_column: columns of sequences."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.layers.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)
from tinyflow.layers.feature_column.sequence_layer import sequence_input_layer

__all__ = ['sequence_categorical_column_with_hash_bucket',
           'sequence_categorical_column_with_identity',
           'sequence_categorical_column_with_vocabulary_file',
           'sequence_categorical_column_with_vocabulary_list', 'sequence_input_layer',
           'sequence_numeric_column']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
