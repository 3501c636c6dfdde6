"""Other people's programs, run here and in TensorFlow 1.15.5: which run, which numbers differ."""
