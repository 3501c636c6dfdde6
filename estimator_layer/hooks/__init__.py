"""Session hooks of tf.estimator: early stopping, evaluation in memory, stopping at a checkpoint."""
