"""keras.estimator: a Keras model as an Estimator, which is the floor above: still to be built."""
from tinyflow.absent import not_built

__getattr__ = not_built(__name__, 'tf.keras.estimator', 'the Estimator floor')
