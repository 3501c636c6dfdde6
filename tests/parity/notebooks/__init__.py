"""Runs notebooks of other people cell by cell, here and in TensorFlow."""
