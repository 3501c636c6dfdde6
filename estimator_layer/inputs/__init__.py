"""tf.estimator.inputs: input functions over arrays and DataFrames."""
from estimator_layer.inputs.numpy_io import numpy_input_fn
from estimator_layer.inputs.pandas_io import pandas_input_fn
from tinyflow.graph.support.missing import explain_missing

__all__ = ['numpy_input_fn', 'pandas_input_fn']

__getattr__ = explain_missing('tf.estimator.inputs', __all__)
