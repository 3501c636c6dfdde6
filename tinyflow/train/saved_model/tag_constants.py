"""Common tags of the graphs in a SavedModel."""
from tinyflow.graph.support.missing import absent as _absent

EVAL = 'eval'
GPU = 'gpu'
SERVING = 'serve'
TPU = 'tpu'
TRAINING = 'train'

__getattr__ = _absent('tinyflow.saved_model.tag_constants', globals())
