"""Recurrent estimators over sequence columns: tf.contrib's, and TensorFlow 2's made of Keras."""
