"""The Keras floor, the high level that hides the ops: still to be built on top of tinyflow."""
from tinyflow.absent import not_built

__getattr__ = not_built(__name__, 'tf.keras', 'the Keras floor')
