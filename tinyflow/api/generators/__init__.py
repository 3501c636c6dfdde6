"""tf.random.Generator: random numbers from a state that is a Variable."""
