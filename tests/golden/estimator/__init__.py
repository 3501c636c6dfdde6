"""What TF 1.15.5's tf.estimator does, recorded; the cases run with either library."""
