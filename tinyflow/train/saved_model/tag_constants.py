"""Common tags of the graphs in a SavedModel."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing

EVAL = 'eval'
GPU = 'gpu'
SERVING = 'serve'
TPU = 'tpu'
TRAINING = 'train'

__getattr__ = _explain_missing('tinyflow.saved_model.tag_constants', globals())
