"""Parsers: how the text on a command line becomes the value of a flag, and back."""
from __future__ import annotations

import csv
import io

from tinyflow.graph.support.errors import abstract


class ArgumentParser:
    """Takes any text as it is; the base of the other parsers."""

    syntactic_help = ''

    def parse(self, argument):
        """The value. ValueError or TypeError for what is none."""
        if not isinstance(argument, str):
            raise TypeError(f'flag value must be a string, found "{type(argument)}"')
        return argument

    def flag_type(self):
        return 'string'


class ArgumentSerializer:
    """Writes a value as text."""

    def serialize(self, value):
        return str(value)


class _Number(ArgumentParser):
    number_name = number_article = ''

    def __init__(self, lower_bound=None, upper_bound=None):
        self.lower_bound, self.upper_bound = lower_bound, upper_bound
        self.syntactic_help = self._bounds()

    def _bounds(self):
        low, high = self.lower_bound, self.upper_bound
        kind = f'{self.number_article} {self.number_name}'
        if low is not None and high is not None:
            return f'{kind} in the range [{low}, {high}]'
        if low is not None:
            return {0: f'a non-negative {self.number_name}',
                    1: f'a positive {self.number_name}'}.get(
                        low, f'{kind} greater than or equal to {low}')
        return kind if high is None else f'{kind} less than or equal to {high}'

    def parse(self, argument):
        value = self.convert(argument)
        if self.lower_bound is not None and value < self.lower_bound \
                or self.upper_bound is not None and value > self.upper_bound:
            raise ValueError(f'{value} is not {self.syntactic_help}')
        return value

    def convert(self, argument):
        raise abstract(self)


class IntegerParser(_Number):
    """An int between bounds; 0x and 0o begin other bases."""

    number_name, number_article = 'integer', 'an'

    def convert(self, argument):
        if isinstance(argument, str):
            base = {'0x': 16, '0o': 8}.get(argument[:2].lower(), 10)
            return int(argument, base)
        if isinstance(argument, int) and not isinstance(argument, bool):
            return argument
        raise TypeError(f'Expect argument to be a string or int, found {type(argument)}')

    def flag_type(self):
        return 'int'


class FloatParser(_Number):
    """A float between bounds."""

    number_name, number_article = 'number', 'a'

    def convert(self, argument):
        if isinstance(argument, bool) or not isinstance(argument, (int, float, str)):
            raise TypeError(f'Expect argument to be a string, int, or float, found '
                            f'{type(argument)}')
        return float(argument)

    def flag_type(self):
        return 'float'


class BooleanParser(ArgumentParser):
    """true, t, 1 or false, f, 0."""

    def parse(self, argument):
        if isinstance(argument, str):
            value = {'true': True, 't': True, '1': True, 'false': False, 'f': False,
                     '0': False}.get(argument.lower())
            if value is not None:
                return value
            raise ValueError('Non-boolean argument to boolean flag', argument)
        if isinstance(argument, int) and argument in (0, 1):
            return bool(argument)
        raise TypeError('Non-boolean argument to boolean flag', argument)

    def flag_type(self):
        return 'bool'


class EnumParser(ArgumentParser):
    """One of a few strings."""

    def __init__(self, enum_values, case_sensitive=True):
        if not enum_values:
            raise ValueError('enum_values cannot be empty, found "%s"' % (enum_values,))
        self.enum_values, self.case_sensitive = list(enum_values), case_sensitive

    def parse(self, argument):
        for value in self.enum_values:
            if argument == value or not self.case_sensitive and argument.lower() == value.lower():
                return value
        raise ValueError(f'value should be one of <{"|".join(self.enum_values)}>')

    def flag_type(self):
        return 'string enum'


class EnumClassParser(ArgumentParser):
    """A member of an Enum class, by its name."""

    def __init__(self, enum_class, case_sensitive=True):
        if not hasattr(enum_class, '__members__'):
            raise TypeError(f'{enum_class} is not a subclass of Enum.')
        if not enum_class.__members__:
            raise ValueError(f'enum_class cannot be empty, but "{enum_class}" is empty.')
        self.enum_class, self.case_sensitive = enum_class, case_sensitive
        self._members = {name if case_sensitive else name.lower(): member
                         for name, member in enum_class.__members__.items()}

    @property
    def member_names(self):
        return tuple(self._members)

    def parse(self, argument):
        if isinstance(argument, self.enum_class):
            return argument
        if isinstance(argument, str):
            found = self._members.get(argument if self.case_sensitive else argument.lower())
            if found is not None:
                return found
            raise ValueError(f'value should be one of <{"|".join(self.member_names)}>')
        raise ValueError(f'{argument} is not an enum member or a name of a member in '
                         f'{self.enum_class}')

    def flag_type(self):
        return 'enum class'


class EnumClassSerializer(ArgumentSerializer):
    """Writes an Enum's member as its name."""

    def __init__(self, lowercase=False):
        self._lowercase = lowercase

    def serialize(self, value):
        return value.name.lower() if self._lowercase else value.name


class BaseListParser(ArgumentParser):
    """A list of words between separators."""

    def __init__(self, token=None, name=None):
        self._token, self._name = token, name
        self.syntactic_help = f'a {name} separated list'

    def parse(self, argument):
        if isinstance(argument, list):
            return argument
        return [word.strip() for word in argument.split(self._token)] if argument else []

    def flag_type(self):
        return f'{self._name} separated list of strings'


class ListParser(BaseListParser):
    """Words between commas; quotes keep a comma inside a word."""

    def __init__(self):
        super().__init__(',', 'comma')

    def parse(self, argument):
        if isinstance(argument, list):
            return argument
        if not argument:
            return []
        try:
            return [word.strip() for word in next(csv.reader([argument], strict=True))]
        except csv.Error as error:
            raise ValueError(f'Unable to parse the value {argument!r} as a {self.flag_type()}: '
                             f'{error}') from None


class WhitespaceSeparatedListParser(BaseListParser):
    """Words between spaces, and commas if `comma_compat`."""

    def __init__(self, comma_compat=False):
        super().__init__(None, 'whitespace or comma' if comma_compat else 'whitespace')
        self._comma_compat = comma_compat

    def parse(self, argument):
        if isinstance(argument, list):
            return argument
        return (argument.replace(',', ' ') if self._comma_compat else argument or '').split()


class ListSerializer(ArgumentSerializer):
    """Writes a list with separators."""

    def __init__(self, list_sep):
        self.list_sep = list_sep

    def serialize(self, value):
        return self.list_sep.join(map(str, value))


class EnumClassListSerializer(ListSerializer):
    """Writes a list of Enum members as their names."""

    def __init__(self, list_sep, **kwargs):
        super().__init__(list_sep)
        self._element = EnumClassSerializer(**kwargs)

    def serialize(self, value):
        items = value if isinstance(value, list) else [value]
        return self.list_sep.join(self._element.serialize(item) for item in items)


class CsvListSerializer(ListSerializer):
    """Writes a list with separators, quoting where a word needs it."""

    def serialize(self, value):
        text = io.StringIO()
        csv.writer(text, delimiter=self.list_sep, lineterminator='').writerow(map(str, value))
        return text.getvalue()
