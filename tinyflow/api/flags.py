"""tf.flags (and tf.app.flags): command-line settings of a program. It is absl.flags, as in TF 1.15.

    tf.flags.DEFINE_float('rate', 0.1, 'step size')
    FLAGS = tf.flags.FLAGS
    print(FLAGS.rate)               # python program.py --rate=0.5

As in TensorFlow, tf.flags.FLAGS reads sys.argv when a flag is first read, where absl's raises
an error, and the DEFINE functions take the argument names from before TensorFlow 1.5.
On purpose more lenient than TF 1.15.5: a program may define its own `log_dir`, which absl.logging
has, too, and may call `FLAGS._parse_flags()`, as programs for TensorFlow 1.4 do.
"""
# ruff: noqa: F403, F405 - the names in __all__ are absl's
from __future__ import annotations

import functools as _functools
import sys as _sys
from difflib import get_close_matches as _get_close_matches
from typing import Any as _Any

from absl import app as _app, flags as _absl
from absl.flags import *

# tf.logging is set up before absl.app.run gives the root logger a handler: so its messages keep
# their own format and are written once.
from tinyflow.graph.support import logging as _logging
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = [
    'ArgumentParser', 'ArgumentSerializer', 'BaseListParser', 'BooleanFlag', 'BooleanParser',
    'CantOpenFlagFileError', 'CsvListSerializer', 'DEFINE', 'DEFINE_alias', 'DEFINE_bool',
    'DEFINE_boolean', 'DEFINE_enum', 'DEFINE_enum_class', 'DEFINE_flag', 'DEFINE_float',
    'DEFINE_integer', 'DEFINE_list', 'DEFINE_multi', 'DEFINE_multi_enum',
    'DEFINE_multi_enum_class', 'DEFINE_multi_float', 'DEFINE_multi_integer',
    'DEFINE_multi_string', 'DEFINE_spaceseplist', 'DEFINE_string', 'DuplicateFlagError',
    'EnumClassFlag', 'EnumClassListSerializer', 'EnumClassParser', 'EnumClassSerializer',
    'EnumFlag', 'EnumParser', 'Error', 'FLAGS', 'Flag', 'FlagHolder',
    'FlagNameConflictsWithMethodError', 'FlagValues', 'FloatParser', 'IllegalFlagValueError',
    'IntegerParser', 'ListParser', 'ListSerializer', 'MultiEnumClassFlag', 'MultiFlag',
    'UnparsedFlagAccessError', 'UnrecognizedFlagError', 'ValidationError',
    'WhitespaceSeparatedListParser', 'adopt_module_key_flags', 'declare_key_flag',
    'disclaim_key_flags', 'doc_to_help', 'flag_dict_to_args', 'get_help_width',
    'mark_bool_flags_as_mutual_exclusive', 'mark_flag_as_required',
    'mark_flags_as_mutual_exclusive', 'mark_flags_as_required', 'multi_flags_validator',
    'override_value', 'register_multi_flags_validator', 'register_validator', 'set_default',
    'text_wrap', 'validator',
]

_absl.disclaim_key_flags()              # a flag belongs to the module that calls DEFINE_...
_absl.FLAGS['log_dir'].allow_override = True
_OLD_NAMES = {'flag_name': 'name', 'docstring': 'help', 'default_value': 'default'}


def _with_hint(error, hint):
    """The error with a hint, and without the frames inside absl."""
    error.args = (f'{error}\n  Hint: {hint}' if hint else str(error),)
    return _misuse(error).with_traceback(None)


def _wrapped(define):
    """A DEFINE function that takes the old argument names, too."""
    @_functools.wraps(define)
    def wrapper(*args, **kwargs):
        if not _OLD_NAMES.keys().isdisjoint(kwargs):
            _logging.warning('Use of the keyword argument names (flag_name, default_value, '
                             'docstring) is deprecated, please use (name, default, help) instead.')
            kwargs = {_OLD_NAMES.get(key, key): value for key, value in kwargs.items()}
        try:
            return define(*args, **kwargs)
        except _absl.DuplicateFlagError as error:
            raise _with_hint(error, 'when a notebook cell is run again, `del tf.flags.FLAGS.name` '
                             'above the definition.') from None
    return wrapper


for _name in __all__:
    if _name.startswith('DEFINE'):
        globals()[_name] = _wrapped(globals()[_name])


class _FlagValuesWrapper:
    """absl.flags.FLAGS, which parses sys.argv when a flag is read before that was done."""

    def __getattribute__(self, name: str) -> _Any:
        return _absl.FLAGS.__getattribute__(name)

    def __getattr__(self, name: str) -> _Any:
        if name == '_parse_flags':
            return lambda args=None: self(_sys.argv if args is None else [_sys.argv[0], *args])
        if name not in _absl.FLAGS:
            near = ', '.join(_get_close_matches(name, _absl.FLAGS, n=3))
            raise _misuse(AttributeError(f'no flag {name!r} is defined'
                                         + (f'; nearest: {near}.' if near else '.')))
        if not _absl.FLAGS.is_parsed():
            self(_sys.argv)
        return getattr(_absl.FLAGS, name)

    def __call__(self, argv, known_only=False):
        _app.define_help_flags()
        try:
            return _absl.FLAGS(argv, known_only)
        except _absl.Error as error:
            in_notebook = getattr(error, 'flagname', '') == 'f'
            raise _with_hint(error, in_notebook and (
                'a notebook is started with -f; tf.flags.FLAGS(["notebook"]) before the first use '
                'of a flag reads an empty command line instead.')) from None

    def __setattr__(self, name, value):
        setattr(_absl.FLAGS, name, value)

    def __delattr__(self, name):
        delattr(_absl.FLAGS, name)

    def __getitem__(self, name):
        return _absl.FLAGS[name]

    def __setitem__(self, name, flag):
        _absl.FLAGS[name] = flag

    def __contains__(self, name):
        return name in _absl.FLAGS

    def __len__(self):
        return len(_absl.FLAGS)

    def __iter__(self):
        return iter(_absl.FLAGS)

    def __dir__(self):
        return dir(_absl.FLAGS)

    def __str__(self):
        return str(_absl.FLAGS)


FLAGS = _FlagValuesWrapper()

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
