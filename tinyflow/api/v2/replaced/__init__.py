"""What TensorFlow 2 has under the same names in another way; `__all__` of a module lists it."""
