"""tf.strings: operations on strings."""
from tinyflow.absent import absent as _absent
from tinyflow.ops.parsing import string_to_number as to_number
from tinyflow.ops.printing import string_format as format
from tinyflow.ops.string_reduction import reduce_join

__all__ = ['format', 'reduce_join', 'to_number']

__getattr__ = _absent(__name__, __all__)
