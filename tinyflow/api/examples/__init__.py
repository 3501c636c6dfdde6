"""tensorflow.examples: modules shipped with TensorFlow 1 that many programs import."""
