"""tf.layers: layers as functions, and as objects that keep their weights."""
from tinyflow.absent import absent as _absent, hide_modules as _hide_modules
from tinyflow.layers.base import Layer
from tinyflow.layers.core import Dense, Dropout, Flatten, dense, dropout, flatten
from tinyflow.layers.input_spec import InputSpec

__all__ = ['Dense', 'Dropout', 'Flatten', 'InputSpec', 'Layer', 'dense', 'dropout', 'flatten']

__getattr__ = _absent(__name__, __all__)
_hide_modules(globals())
