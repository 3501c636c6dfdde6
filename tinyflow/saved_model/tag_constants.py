"""Common tags of the graphs in a SavedModel."""
from tinyflow.absent import absent as _absent

EVAL = 'eval'
GPU = 'gpu'
SERVING = 'serve'
TPU = 'tpu'
TRAINING = 'train'

__getattr__ = _absent(__name__, globals())
