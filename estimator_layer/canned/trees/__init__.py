"""Parts of the boosted trees of tf.estimator: features, the model's state, growing, explaining."""
