"""MNIST as TensorFlow 1's tutorials read it."""
from tinyflow.api.examples.tutorials.mnist import input_data

__all__ = ["input_data"]
