"""keras.utils of Keras 2.1, with what its modules generic_utils, io_utils and others have."""
from __future__ import annotations

import base64
import marshal
import os
import types

from keras_layer import utils as _utils
from keras_layer.keras2 import conv_utils
from keras_layer.keras2.fallback import or_private
from keras_layer.utils.data_utils import validate_file
from keras_layer.utils.generic import has_arg, to_list, unpack_singleton
from keras_layer.utils.layer_utils import get_source_inputs
from keras_layer.utils.summary import print_summary

__all__ = ['ask_to_proceed_with_overwrite', 'conv_utils', 'func_dump', 'func_load',
           'get_source_inputs', 'has_arg', 'object_list_uid', 'print_summary', 'slice_arrays',
           'to_list', 'unpack_singleton', 'validate_file']
__all__ += [name for name in _utils.__all__ if name not in __all__]

_missing = or_private('keras.utils', __all__)


def func_dump(func):
    """(code as text, default arguments, values of the closure) of a Python function."""
    code = base64.b64encode(marshal.dumps(func.__code__)).decode('ascii')
    closure = tuple(c.cell_contents for c in func.__closure__) if func.__closure__ else None
    return code, func.__defaults__, closure


def func_load(code, defaults=None, closure=None, globs=None):
    """The function that `func_dump` made text of. It runs: only from a source that you trust."""
    if isinstance(code, (tuple, list)):
        code, defaults, closure = code
        defaults = tuple(defaults) if isinstance(defaults, list) else defaults
    try:
        data = base64.b64decode(code)
    except ValueError:                      # of Keras before 2.1.3
        data = code.encode('raw_unicode_escape')
    made = marshal.loads(data)
    cells = None if closure is None else tuple(
        c if isinstance(c, types.CellType) else types.CellType(c) for c in closure)
    return types.FunctionType(made, globals() if globs is None else globs, name=made.co_name,
                              argdefs=defaults, closure=cells)


def object_list_uid(object_list):
    """A text that names these objects, by their addresses."""
    return ', '.join(str(abs(id(x))) for x in to_list(object_list))


def slice_arrays(arrays, start=None, stop=None):
    """The rows from `start` to `stop` of an array, or of each in a list; None stays None.

    `start` may be the indices of the rows instead.
    """
    if arrays is None:
        return [None]
    if isinstance(arrays, list):
        return [None if array is None else _rows(array, start, stop) for array in arrays]
    return _rows(arrays, start, stop)


def _rows(array, start, stop):
    if not hasattr(array, '__getitem__'):
        return None
    return array[start] if hasattr(start, '__len__') else array[start:stop]


def ask_to_proceed_with_overwrite(filepath):
    """Asks in the terminal whether to overwrite a file; True for y."""
    question = f'[WARNING] {os.fspath(filepath)} already exists - overwrite? [y/n]'
    while (answer := input(question).strip().lower()) not in ('y', 'n'):
        question = 'Enter "y" (overwrite) or "n" (cancel).'
    return answer == 'y'


def __getattr__(name):
    try:
        return getattr(_utils, name)
    except AttributeError:
        return _missing(name)


def __dir__():
    return __all__
