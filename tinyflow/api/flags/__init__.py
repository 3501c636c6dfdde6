"""tf.flags (and tf.app.flags): settings of a program that its command line may change.

    tf.flags.DEFINE_float('rate', 0.1, 'step size')
    FLAGS = tf.flags.FLAGS
    print(FLAGS.rate)               # python program.py --rate=0.5
"""
from tinyflow.api.flags.define import (
    DEFINE,
    DEFINE_alias,
    DEFINE_bool,
    DEFINE_boolean,
    DEFINE_enum,
    DEFINE_enum_class,
    DEFINE_flag,
    DEFINE_float,
    DEFINE_integer,
    DEFINE_list,
    DEFINE_multi,
    DEFINE_multi_enum,
    DEFINE_multi_enum_class,
    DEFINE_multi_float,
    DEFINE_multi_integer,
    DEFINE_multi_string,
    DEFINE_spaceseplist,
    DEFINE_string,
    adopt_module_key_flags,
    declare_key_flag,
    flag_dict_to_args,
    override_value,
    set_default,
)
from tinyflow.api.flags.errors import (
    CantOpenFlagFileError,
    DuplicateFlagError,
    Error,
    FlagNameConflictsWithMethodError,
    IllegalFlagValueError,
    UnparsedFlagAccessError,
    UnrecognizedFlagError,
    ValidationError,
)
from tinyflow.api.flags.flag import (
    BooleanFlag,
    EnumClassFlag,
    EnumFlag,
    Flag,
    FlagHolder,
    MultiEnumClassFlag,
    MultiFlag,
)
from tinyflow.api.flags.parsers import (
    ArgumentParser,
    ArgumentSerializer,
    BaseListParser,
    BooleanParser,
    CsvListSerializer,
    EnumClassListSerializer,
    EnumClassParser,
    EnumClassSerializer,
    EnumParser,
    FloatParser,
    IntegerParser,
    ListParser,
    ListSerializer,
    WhitespaceSeparatedListParser,
)
from tinyflow.api.flags.validators import (
    mark_bool_flags_as_mutual_exclusive,
    mark_flag_as_required,
    mark_flags_as_mutual_exclusive,
    mark_flags_as_required,
    multi_flags_validator,
    register_multi_flags_validator,
    register_validator,
    validator,
)
from tinyflow.api.flags.values import FLAGS, FlagValues
from tinyflow.graph.support.missing import absent as _absent, hide_modules as _hide_modules

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
    'flag_dict_to_args', 'mark_bool_flags_as_mutual_exclusive', 'mark_flag_as_required',
    'mark_flags_as_mutual_exclusive', 'mark_flags_as_required', 'multi_flags_validator',
    'override_value', 'register_multi_flags_validator', 'register_validator', 'set_default',
    'validator',
]

__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__


_hide_modules(globals())
