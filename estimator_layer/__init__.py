"""The Estimator floor, which hides the Session: still to be built on top of tinyflow."""
from tinyflow.absent import not_built

__getattr__ = not_built(__name__, 'tf.estimator', 'the Estimator floor')
