"""Trainings with hooks, told as lists of what was called: the same in TensorFlow 1.15.5 and here.

Each function of RUNS takes `tf` and a Tale to write into.
"""
from . import calls, losses, requests, scaffolds, supervisors, trainings  # noqa: F401
from .telling import RUNS, tell

__all__ = ['RUNS', 'tell']
