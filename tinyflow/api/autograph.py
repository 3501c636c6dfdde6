"""tf.autograph: Python's control flow on tensors of a graph."""
from enum import Enum as _Enum
from types import SimpleNamespace as _SimpleNamespace

from tinyflow.eager.autograph.convert import (
    do_not_convert as _do_not_convert,
    to_code,
    to_graph,
)
from tinyflow.graph.support.missing import explain_missing as _explain_missing


class _Feature(_Enum):
    """TensorFlow's optional conversions: accepted, equality and assertions are always converted."""

    ALL = 'ALL'
    ASSERT_STATEMENTS = 'ASSERT_STATEMENTS'
    AUTO_CONTROL_DEPS = 'AUTO_CONTROL_DEPS'
    BUILTIN_FUNCTIONS = 'BUILTIN_FUNCTIONS'
    EQUALITY_OPERATORS = 'EQUALITY_OPERATORS'
    LISTS = 'LISTS'
    NAME_SCOPES = 'NAME_SCOPES'


experimental = _SimpleNamespace(Feature=_Feature, do_not_convert=_do_not_convert)


def set_verbosity(level, alsologtostdout=False):
    """Accepted: there are no messages but warnings."""


__all__ = ['experimental', 'set_verbosity', 'to_code', 'to_graph']
__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
