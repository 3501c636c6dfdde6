"""TensorFlow 1's objects under TensorFlow 2's names.

`FITTING` lists, for each namespace, those that are other objects in TensorFlow 2 and take the same
calls here.
"""
from __future__ import annotations

import sys

__all__ = ['FITTING', 'version_1']


def version_1(path: str):
    """The object of that name in tinyflow. AttributeError if there is none."""
    found = sys.modules['tinyflow']
    for part in path.split('.'):
        found = getattr(found, part)
    return found


FITTING = {space: names.split() for space, names in {
    '': 'DeviceSpec VariableAggregation case compat executing_eagerly foldl foldr scalar_mul scan '
        'variable_creator_scope where',
    'autodiff': 'GradientTape',
    'autograph': 'to_code to_graph',
    'data': 'Dataset FixedLengthRecordDataset Iterator TFRecordDataset TextLineDataset',
    'data.experimental': 'Counter CsvDataset RandomDataset choose_from_datasets '
                         'make_batched_features_dataset make_csv_dataset sample_from_datasets',
    'debugging': 'assert_integer assert_shapes assert_type check_numerics',
    'distribute': 'MirroredStrategy OneDeviceStrategy ReplicaContext Strategy StrategyExtended',
    'distribute.experimental': 'CentralStorageStrategy MultiWorkerMirroredStrategy '
                               'ParameterServerStrategy',
    'estimator': 'BaselineEstimator DNNEstimator DNNLinearCombinedEstimator Estimator '
                 'LinearEstimator classifier_parse_example_spec regressor_parse_example_spec',
    'feature_column': 'make_parse_example_spec',
    'image': 'extract_glimpse extract_patches',
    'linalg': 'diag diag_part matmul matrix_transpose tensor_diag_part trace',
    'lookup': 'StaticHashTable StaticVocabularyTable',
    'math': 'abs acos acosh add angle asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 '
            'bessel_i1e bincount ceil conj cos cosh digamma divide divide_no_nan erf erfc exp '
            'expm1 floor floormod imag lgamma log log1p log_sigmoid maximum minimum mod multiply '
            'multiply_no_nan negative real reciprocal reciprocal_no_nan reduce_euclidean_norm '
            'reduce_std reduce_variance rint round rsqrt scalar_mul sigmoid sign sin sinh '
            'softplus sqrt square tan tanh',
    'nn': 'leaky_relu relu6 sigmoid softplus tanh',
    'saved_model': 'contains_saved_model',
    'test': '',
}.items()}
