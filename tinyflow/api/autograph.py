"""tf.autograph: Python's control flow on tensors of a graph."""
from types import SimpleNamespace as _SimpleNamespace

from tinyflow.eager.autograph.convert import (
    do_not_convert as _do_not_convert,
    to_code,
    to_graph,
)
from tinyflow.eager.autograph.features import Feature as _Feature
from tinyflow.eager.autograph.loops import set_loop_options as _set_loop_options
from tinyflow.graph.support.missing import explain_missing as _explain_missing

experimental = _SimpleNamespace(Feature=_Feature, do_not_convert=_do_not_convert,
                                set_loop_options=_set_loop_options)


def set_verbosity(level, alsologtostdout=False):
    """Accepted: there are no messages but warnings."""


__all__ = ['experimental', 'set_verbosity', 'to_code', 'to_graph']
__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
