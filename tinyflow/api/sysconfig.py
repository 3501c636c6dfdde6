"""tf.sysconfig: how to compile C++ against TensorFlow; tinyflow has none to compile against."""
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing

CXX11_ABI_FLAG = 0
MONOLITHIC_BUILD = 0


def _no_headers(name):
    def refuse():
        raise _misuse(NotImplementedError(
            f'tf.sysconfig.{name}(): tinyflow is Python and NumPy; there is nothing to compile '
            'against.\n  Hint: tf.py_func wraps a Python function, which may call C, as a node.'))
    refuse.__name__ = name
    return refuse


get_include = _no_headers('get_include')
get_lib = _no_headers('get_lib')
get_compile_flags = _no_headers('get_compile_flags')
get_link_flags = _no_headers('get_link_flags')

__all__ = ['CXX11_ABI_FLAG', 'MONOLITHIC_BUILD', 'get_compile_flags', 'get_include', 'get_lib',
           'get_link_flags']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
