"""tf.feature_column: columns that convert raw features (numbers, strings, ids) to model inputs.

    age = tf.feature_column.numeric_column('age')
    sex = tf.feature_column.categorical_column_with_vocabulary_list('sex', ['female', 'male'])
    columns = [age, tf.feature_column.indicator_column(sex)]
    x = tf.feature_column.input_layer({'age': [22.0, 38.0], 'sex': ['male', 'female']}, columns)

Columns are descriptions; input_layer, linear_model, Keras' DenseFeatures and canned estimators
create nodes from them. `tf.feature_column.preview(features, columns)` shows the result for a batch.
"""
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)
from tinyflow.layers.feature_column.bucketized import bucketized_column
from tinyflow.layers.feature_column.categorical import categorical_column_with_identity
from tinyflow.layers.feature_column.crossed import crossed_column
from tinyflow.layers.feature_column.embedding import embedding_column
from tinyflow.layers.feature_column.hashed import categorical_column_with_hash_bucket
from tinyflow.layers.feature_column.indicator import indicator_column
from tinyflow.layers.feature_column.input_layer import input_layer
from tinyflow.layers.feature_column.linear_model import linear_model
from tinyflow.layers.feature_column.numeric import numeric_column
from tinyflow.layers.feature_column.parse_spec import make_parse_example_spec
from tinyflow.layers.feature_column.preview import preview
from tinyflow.layers.feature_column.sequence import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)
from tinyflow.layers.feature_column.shared_embedding import (
    shared_embedding_columns,
    shared_embeddings,
)
from tinyflow.layers.feature_column.vocabulary import (
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
)
from tinyflow.layers.feature_column.weighted import weighted_categorical_column

__all__ = [
    'bucketized_column', 'categorical_column_with_hash_bucket', 'categorical_column_with_identity',
    'categorical_column_with_vocabulary_file', 'categorical_column_with_vocabulary_list',
    'crossed_column', 'embedding_column', 'indicator_column', 'input_layer', 'linear_model',
    'make_parse_example_spec', 'numeric_column', 'preview',
    'sequence_categorical_column_with_hash_bucket', 'sequence_categorical_column_with_identity',
    'sequence_categorical_column_with_vocabulary_file',
    'sequence_categorical_column_with_vocabulary_list', 'sequence_numeric_column',
    'shared_embedding_columns', 'shared_embeddings', 'weighted_categorical_column',
]

__getattr__ = _explain_missing(__name__, __all__)
_hide_modules(globals())


def __dir__():
    return __all__
