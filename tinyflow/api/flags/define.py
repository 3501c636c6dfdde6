"""DEFINE_string and its kin: how a module tells which flags it has."""
from __future__ import annotations

import functools
import sys

from tinyflow.api.flags.errors import UnrecognizedFlagError
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
    CsvListSerializer,
    EnumParser,
    FloatParser,
    IntegerParser,
    ListParser,
    ListSerializer,
    WhitespaceSeparatedListParser,
)
from tinyflow.api.flags.validators import mark_flag_as_required
from tinyflow.api.flags.values import FLAGS
from tinyflow.graph.support.errors import worded

_OLD_NAMES = {'flag_name': 'name', 'docstring': 'help', 'default_value': 'default'}


def _old_names(function):
    """Takes the argument names from before TensorFlow 1.5, too."""
    @functools.wraps(function)
    def define(*args, **kwargs):
        return function(*args, **{_OLD_NAMES.get(key, key): value
                                  for key, value in kwargs.items()})
    return define


def _calling_module():
    """The name of the module whose code defines a flag."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get('__name__', '')
        if not name.startswith('tinyflow.api.flags') and name != 'functools':
            return name
        frame = frame.f_back
    return '__main__'


def DEFINE_flag(flag, flag_values=FLAGS, module_name=None, required=False):     # noqa: N802
    """Adds a Flag to the flags; the result's `.value` is its value."""
    flag.module = module_name or _calling_module()
    flag_values[flag.name] = flag
    if required:
        mark_flag_as_required(flag.name, flag_values)
    return FlagHolder(flag_values, flag, required)


def DEFINE(parser, name, default, help, flag_values=FLAGS, serializer=None,     # noqa: N802
           module_name=None, required=False, **args):
    """Defines a flag that `parser` reads."""
    return DEFINE_flag(Flag(parser, serializer, name, default, help, **args), flag_values,
                       module_name, required)


@_old_names
def DEFINE_string(name, default, help, flag_values=FLAGS, required=False, **args):  # noqa: N802
    """Defines a flag that takes any text."""
    return DEFINE(ArgumentParser(), name, default, help, flag_values, ArgumentSerializer(),
                  required=required, **args)


@_old_names
def DEFINE_boolean(name, default, help, flag_values=FLAGS, module_name=None,    # noqa: N802
                   required=False, **args):
    """Defines a flag that is true as --name, false as --noname."""
    return DEFINE_flag(BooleanFlag(name, default, help, **args), flag_values, module_name, required)


DEFINE_bool = DEFINE_boolean


@_old_names
def DEFINE_float(name, default, help, lower_bound=None, upper_bound=None,       # noqa: N802
                 flag_values=FLAGS, required=False, **args):
    """Defines a flag that takes a float."""
    return DEFINE(FloatParser(lower_bound, upper_bound), name, default, help, flag_values,
                  ArgumentSerializer(), required=required, **args)


@_old_names
def DEFINE_integer(name, default, help, lower_bound=None, upper_bound=None,     # noqa: N802
                   flag_values=FLAGS, required=False, **args):
    """Defines a flag that takes an int."""
    return DEFINE(IntegerParser(lower_bound, upper_bound), name, default, help, flag_values,
                  ArgumentSerializer(), required=required, **args)


def DEFINE_enum(name, default, enum_values, help, flag_values=FLAGS,            # noqa: N802
                module_name=None, required=False, **args):
    """Defines a flag that takes one of the strings `enum_values`."""
    return DEFINE_flag(EnumFlag(name, default, help, enum_values, **args), flag_values,
                       module_name, required)


def DEFINE_enum_class(name, default, enum_class, help, flag_values=FLAGS,       # noqa: N802
                      module_name=None, case_sensitive=False, required=False, **args):
    """Defines a flag that takes a member of an Enum class, by its name."""
    return DEFINE_flag(EnumClassFlag(name, default, help, enum_class,
                                     case_sensitive=case_sensitive, **args),
                       flag_values, module_name, required)


def DEFINE_list(name, default, help, flag_values=FLAGS, required=False, **args):    # noqa: N802
    """Defines a flag that takes words between commas."""
    return DEFINE(ListParser(), name, default, help, flag_values, CsvListSerializer(','),
                  required=required, **args)


def DEFINE_spaceseplist(name, default, help, comma_compat=False,                # noqa: N802
                        flag_values=FLAGS, required=False, **args):
    """Defines a flag that takes words between spaces."""
    return DEFINE(WhitespaceSeparatedListParser(comma_compat), name, default, help, flag_values,
                  ListSerializer(' '), required=required, **args)


def DEFINE_multi(parser, serializer, name, default, help, flag_values=FLAGS,    # noqa: N802
                 module_name=None, required=False, **args):
    """Defines a flag that may be given several times, each read by `parser`."""
    return DEFINE_flag(MultiFlag(parser, serializer, name, default, help, **args), flag_values,
                       module_name, required)


def DEFINE_multi_string(name, default, help, flag_values=FLAGS,                 # noqa: N802
                        required=False, **args):
    """Defines a flag of several strings."""
    return DEFINE_multi(ArgumentParser(), ArgumentSerializer(), name, default, help, flag_values,
                        required=required, **args)


def DEFINE_multi_integer(name, default, help, lower_bound=None, upper_bound=None,   # noqa: N802
                         flag_values=FLAGS, required=False, **args):
    """Defines a flag of several ints."""
    return DEFINE_multi(IntegerParser(lower_bound, upper_bound), ArgumentSerializer(), name,
                        default, help, flag_values, required=required, **args)


def DEFINE_multi_float(name, default, help, lower_bound=None, upper_bound=None,     # noqa: N802
                       flag_values=FLAGS, required=False, **args):
    """Defines a flag of several floats."""
    return DEFINE_multi(FloatParser(lower_bound, upper_bound), ArgumentSerializer(), name,
                        default, help, flag_values, required=required, **args)


def DEFINE_multi_enum(name, default, enum_values, help, flag_values=FLAGS,      # noqa: N802
                      case_sensitive=True, required=False, **args):
    """Defines a flag of several strings out of `enum_values`."""
    return DEFINE_multi(EnumParser(enum_values, case_sensitive), ArgumentSerializer(), name,
                        default, f'<{"|".join(enum_values)}>: {help}', flag_values,
                        required=required, **args)


def DEFINE_multi_enum_class(name, default, enum_class, help, flag_values=FLAGS,     # noqa: N802
                            module_name=None, case_sensitive=False, required=False, **args):
    """Defines a flag of several members of an Enum class."""
    return DEFINE_flag(MultiEnumClassFlag(name, default, help, enum_class,
                                          case_sensitive=case_sensitive, **args),
                       flag_values, module_name, required)


class _Alias(Flag):
    """A second name of a flag."""

    def __init__(self, name, flag):
        self.__dict__['flag'] = flag
        super().__init__(flag.parser, flag.serializer, name, flag.default_unparsed,
                         f'Alias for --{flag.name}.', boolean=flag.boolean)

    @property
    def value(self):
        return self.flag.value

    @value.setter
    def value(self, value):
        self.flag.value = value

    def parse(self, argument):
        self.flag.parse(argument)
        self.flag.using_default_value = False
        self.present += 1


def DEFINE_alias(name, original_name, flag_values=FLAGS, module_name=None):     # noqa: N802
    """Defines a second name for a flag."""
    if original_name not in flag_values:
        raise worded(UnrecognizedFlagError(original_name))
    return DEFINE_flag(_Alias(name, flag_values[original_name]), flag_values, module_name)


def declare_key_flag(flag_name, flag_values=FLAGS):
    """Lets the short help of the calling module show a flag of another module."""
    name = flag_name.name if isinstance(flag_name, FlagHolder) else flag_name
    if name not in flag_values:
        raise worded(UnrecognizedFlagError(name))
    flag_values.__dict__['_key_flags'].setdefault(_calling_module(), []).append(flag_values[name])


def adopt_module_key_flags(module, flag_values=FLAGS):
    """Lets the short help of the calling module show all flags of another module."""
    for flag in flag_values.get_key_flags_for_module(module):
        flag_values.__dict__['_key_flags'].setdefault(_calling_module(), []).append(flag)


def set_default(flag_holder, value):
    """Changes the default of a flag that a DEFINE function returned."""
    flag_holder._flagvalues.set_default(flag_holder.name, value)


def override_value(flag_holder, value):
    """Changes the value of a flag that a DEFINE function returned."""
    setattr(flag_holder._flagvalues, flag_holder.name, flag_holder._flag._parsed(value))


def flag_dict_to_args(flag_map, multi_flags=None):
    """The command line for {name: value}, word by word."""
    for key, value in flag_map.items():
        if value is None:
            yield f'--{key}'
        elif isinstance(value, bool):
            yield f'--{key}' if value else f'--no{key}'
        elif isinstance(value, (str, bytes)) or not hasattr(value, '__iter__'):
            yield f'--{key}={value}'
        elif multi_flags and key in multi_flags:
            yield from (f'--{key}={item}' for item in value)
        else:
            yield f'--{key}={",".join(map(str, value))}'
