"""tf.contrib.util: constants and arrays as protocol buffers, and constant values of tensors."""
from tinyflow.formats.wire.tensors import make_ndarray, make_tensor_proto
from tinyflow.graph.constant_value import constant_value_as_tensorflow as _constant_value
from tinyflow.graph.support.missing import explain_missing as _explain_missing


def constant_value(tensor, partial=False):
    """The value of a tensor as an array if it is known while the graph is built, else None."""
    found = _constant_value(tensor)
    return None if found is None else found.copy()


__all__ = ['constant_value', 'make_ndarray', 'make_tensor_proto']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
