"""Flag: one named setting with its default, its value and the parser that reads it."""
from __future__ import annotations

from tinyflow.api.flags.errors import Error, IllegalFlagValueError
from tinyflow.api.flags.parsers import (
    ArgumentSerializer,
    BooleanParser,
    EnumClassListSerializer,
    EnumClassParser,
    EnumClassSerializer,
    EnumParser,
)


class Flag:
    """A setting of the command line.

    `present` is how often it was given there, `using_default_value` whether it still has its
    default.
    """

    def __init__(self, parser, serializer, name, default, help_string, short_name=None,
                 boolean=False, allow_override=False, allow_override_cpp=False,
                 allow_hide_cpp=False, allow_overwrite=True, allow_using_method_names=False):
        self.name = name
        self.help = help_string or '(no help available)'
        self.short_name = short_name
        self.boolean = boolean
        self.present = 0
        self.parser = parser
        self.serializer = serializer
        self.allow_override = allow_override
        self.allow_override_cpp = allow_override_cpp
        self.allow_hide_cpp = allow_hide_cpp
        self.allow_overwrite = allow_overwrite
        self.allow_using_method_names = allow_using_method_names
        self.using_default_value = True
        self.validators: list = []
        self.module = None              # the name of the module that defined it
        self._set_default(default)

    @property
    def value(self):
        return self._value

    @value.setter
    def value(self, value):
        self._value = value

    def _parsed(self, argument):
        try:
            return self.parser.parse(argument)
        except (TypeError, ValueError, OverflowError) as error:
            raise IllegalFlagValueError(f'flag --{self.name}={argument}: {error}') from error

    def parse(self, argument):
        """Takes the value from the command line's text."""
        if self.present and not self.allow_overwrite:
            raise IllegalFlagValueError(f'flag --{self.name}={argument}: already defined as '
                                        f'{self.value}')
        self.value = self._parsed(argument)
        self.present += 1

    def unparse(self):
        """Goes back to the default."""
        self.value, self.using_default_value, self.present = self.default, True, 0

    def _set_default(self, default):
        self.default_unparsed = default
        self.default = None if default is None else self._parse_default(default)
        self.default_as_str = None if default is None else self._quoted(self.default)
        if self.using_default_value:
            self.value = self.default

    def _parse_default(self, default):
        return self._parsed(default)

    def _quoted(self, value):
        return repr(self.serializer.serialize(value) if self.serializer else str(value))

    def serialize(self):
        """The flag as it would stand on a command line."""
        if self.value is None:
            return ''
        if self.boolean:
            return f'--{self.name}' if self.value else f'--no{self.name}'
        if self.serializer is None:
            raise Error(f'Serializer not present for flag {self.name}')
        return f'--{self.name}={self.serializer.serialize(self.value)}'

    def flag_type(self):
        """What kind of value it takes, in words."""
        return self.parser.flag_type()


class BooleanFlag(Flag):
    """A flag that is true when it stands alone, and false as --noname."""

    def __init__(self, name, default, help, short_name=None, **args):
        super().__init__(BooleanParser(), ArgumentSerializer(), name, default, help, short_name,
                         True, **args)

    def _quoted(self, value):
        return "'true'" if value else "'false'"


class EnumFlag(Flag):
    """A flag that takes one of a few strings."""

    def __init__(self, name, default, help, enum_values, short_name=None, case_sensitive=True,
                 **args):
        parser = EnumParser(enum_values, case_sensitive)
        super().__init__(parser, ArgumentSerializer(), name, default, help, short_name, **args)
        self.help = f'<{"|".join(enum_values)}>: {self.help}'


class EnumClassFlag(Flag):
    """A flag that takes a member of an Enum class."""

    def __init__(self, name, default, help, enum_class, short_name=None, case_sensitive=False,
                 **args):
        parser = EnumClassParser(enum_class, case_sensitive)
        super().__init__(parser, EnumClassSerializer(lowercase=not case_sensitive), name, default,
                         help, short_name, **args)
        self.help = f'<{"|".join(parser.member_names)}>: {self.help}'


class MultiFlag(Flag):
    """A flag that may be given several times: its value is the list of all."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.help += ';\n    repeat this option to specify a list of values'

    def parse(self, argument):
        new = self._many(argument)
        self.value = self.value + new if self.present else new
        self.present += len(new)

    def _many(self, argument):
        is_list = hasattr(argument, '__iter__') and not isinstance(argument, str)
        return [self._parsed(item) for item in (argument if is_list else [argument])]

    def _parse_default(self, default):
        return self._many(default)

    def _quoted(self, value):
        if self.serializer is None:
            return repr(','.join(map(str, value)))
        return repr(','.join(self.serializer.serialize(item) for item in value))

    def serialize(self):
        if self.value is None:
            return ''
        return '\n'.join(f'--{self.name}={self.serializer.serialize(item)}' for item in self.value)

    def flag_type(self):
        return 'multi ' + self.parser.flag_type()


class MultiEnumClassFlag(MultiFlag):
    """A flag of several members of an Enum class."""

    def __init__(self, name, default, help_string, enum_class, case_sensitive=False, **args):
        parser = EnumClassParser(enum_class, case_sensitive)
        super().__init__(parser, EnumClassListSerializer(',', lowercase=not case_sensitive), name,
                         default, help_string, **args)
        self.help = f'<{"|".join(parser.member_names)}>: {self.help}'


class FlagHolder:
    """What DEFINE_string and its kin return: the flag, with its value."""

    def __init__(self, flag_values, flag, ensure_non_none_value=False):
        self._flagvalues, self._flag = flag_values, flag
        self._ensure_non_none_value = ensure_non_none_value

    @property
    def name(self):
        return self._flag.name

    @property
    def value(self):
        value = getattr(self._flagvalues, self._flag.name)
        if self._ensure_non_none_value and value is None:
            raise IllegalFlagValueError(f'Unexpected None value for flag {self._flag.name}')
        return value

    @property
    def default(self):
        return self._flag.default

    @property
    def present(self):
        return bool(self._flag.present)
