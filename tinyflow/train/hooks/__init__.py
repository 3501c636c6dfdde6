"""The hooks of tf.train, grouped by what they do."""
