"""Modules that TensorFlow 1 shipped as examples and that many programs import."""
