"""tf.estimator.export: input receivers and outputs of exported models."""
from estimator_layer.export.export_output import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from estimator_layer.export.receivers import (
    ServingInputReceiver,
    TensorServingInputReceiver,
    build_parsing_serving_input_receiver_fn,
    build_raw_serving_input_receiver_fn,
)
from tinyflow.graph.support.missing import explain_missing

__all__ = ['ClassificationOutput', 'ExportOutput', 'PredictOutput', 'RegressionOutput',
           'ServingInputReceiver', 'TensorServingInputReceiver',
           'build_parsing_serving_input_receiver_fn', 'build_raw_serving_input_receiver_fn']

__getattr__ = explain_missing('tf.estimator.export', __all__)
