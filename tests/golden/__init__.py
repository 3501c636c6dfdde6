"""Values, graphs and messages recorded from TensorFlow 1.15.5, and the programs that made them."""
from .load import in_gradients, load_errors, load_ops, load_programs, load_random
from .store import read_recorded

__all__ = ['in_gradients', 'load_errors', 'load_ops', 'load_programs', 'load_random',
           'read_recorded']
