"""tf.strings: operations on strings."""
from tinyflow.absent import absent as _absent
from tinyflow.ops.parsing import string_to_number as to_number

__all__ = ['to_number']

__getattr__ = _absent(__name__, __all__)
