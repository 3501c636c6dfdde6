"""The hooks of tf.train, one kind of thing per file."""
