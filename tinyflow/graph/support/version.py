"""tf.version: the TensorFlow version that tinyflow implements, and tinyflow's own version."""

VERSION = '1.15.5'
TINYFLOW_VERSION = '0.1.0'
GIT_VERSION = f'tinyflow-{TINYFLOW_VERSION}'
GRAPH_DEF_VERSION = 134                 # what TensorFlow 1.15 writes into a GraphDef
GRAPH_DEF_VERSION_MIN_CONSUMER = GRAPH_DEF_VERSION_MIN_PRODUCER = 0
