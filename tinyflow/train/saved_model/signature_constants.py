"""Names of signatures, their methods, inputs and outputs."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing

DEFAULT_SERVING_SIGNATURE_DEF_KEY = 'serving_default'

CLASSIFY_INPUTS = 'inputs'
CLASSIFY_METHOD_NAME = 'tensorflow/serving/classify'
CLASSIFY_OUTPUT_CLASSES = 'classes'
CLASSIFY_OUTPUT_SCORES = 'scores'

PREDICT_INPUTS = 'inputs'
PREDICT_METHOD_NAME = 'tensorflow/serving/predict'
PREDICT_OUTPUTS = 'outputs'

REGRESS_INPUTS = 'inputs'
REGRESS_METHOD_NAME = 'tensorflow/serving/regress'
REGRESS_OUTPUTS = 'outputs'

__getattr__ = _explain_missing('tinyflow.saved_model.signature_constants', globals())
