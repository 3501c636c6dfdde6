"""tf.version: the TensorFlow whose behaviour this is, and tinyflow's own version."""

VERSION = '1.15.5'
TINYFLOW_VERSION = '0.1.0'
