"""Validators: conditions that the values of flags must meet once the command line is read."""
from __future__ import annotations

import functools
import warnings

from tinyflow.api.flags.errors import ValidationError
from tinyflow.api.flags.flag import FlagHolder
from tinyflow.api.flags.values import FLAGS
from tinyflow.graph.support.errors import TinyflowWarning, worded


class _One:
    """A condition on the value of one flag."""

    def __init__(self, name, checker, message):
        self.names, self.checker, self.message = [name], checker, message

    def problem(self, flags):
        """What is wrong with the values, or None."""
        try:
            return None if self.holds(flags) else f'{self.what(flags)}: {self.message}'
        except ValidationError as error:
            return f'{self.what(flags)}: {error}'

    def holds(self, flags):
        return self.checker(flags[self.names[0]].value)

    def what(self, flags):
        return f'flag --{self.names[0]}={flags[self.names[0]].value}'


class _Several(_One):
    """A condition on the values of several flags, given as a dict."""

    def __init__(self, names, checker, message):
        super().__init__(None, checker, message)
        self.names = names

    def holds(self, flags):
        return self.checker({name: flags[name].value for name in self.names})

    def what(self, flags):
        return 'flags ' + ', '.join(f'{name}={flags[name].value}' for name in self.names)


def _name(flag):
    return flag.name if isinstance(flag, FlagHolder) else flag


def _add(validator, flag_values):
    for name in validator.names:
        if name not in flag_values:
            raise worded(AttributeError(f'no flag {name!r} is defined.'))
        flag_values[name].validators.append(validator)


def register_validator(flag_name, checker, message='Flag validation failed', flag_values=FLAGS):
    """Makes checker(value) a condition for the flag; ValidationError once it does not hold."""
    _add(_One(_name(flag_name), checker, message), flag_values)


def validator(flag_name, message='Flag validation failed', flag_values=FLAGS):
    """As a decorator: makes the function the condition of the flag."""
    def decorate(function):
        register_validator(flag_name, function, message, flag_values)
        return function
    return decorate


def register_multi_flags_validator(flag_names, multi_flags_checker,
                                   message='Flags validation failed', flag_values=FLAGS):
    """Makes multi_flags_checker({name: value}) a condition for several flags."""
    _add(_Several([_name(f) for f in flag_names], multi_flags_checker, message), flag_values)


def multi_flags_validator(flag_names, message='Flag validation failed', flag_values=FLAGS):
    """As a decorator: makes the function the condition of several flags."""
    def decorate(function):
        register_multi_flags_validator(flag_names, function, message, flag_values)
        return function
    return decorate


def mark_flag_as_required(flag_name, flag_values=FLAGS):
    """The flag must be given: its value may not be None."""
    name = _name(flag_name)
    if name in flag_values and flag_values[name].default is not None:
        warnings.warn(f'[flags] Flag --{name} has a non-None default value; therefore, '
                      'mark_flag_as_required will pass even if flag is not specified in the '
                      'command line!', TinyflowWarning, stacklevel=2)
    register_validator(name, lambda value: value is not None,
                       f'Flag --{name} must have a value other than None.', flag_values)


def mark_flags_as_required(flag_names, flag_values=FLAGS):
    """Each of the flags must be given."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def _exclusive(given, names, required):
    count = sum(map(given, names.values()))
    if count == 1 or not required and not count:
        return True
    what = 'Exactly one' if required else 'At most one'
    raise ValidationError(f'{what} of ({", ".join(names)}) must have a value other than None.')


def mark_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
    """At most one of the flags may be given (exactly one if `required`)."""
    register_multi_flags_validator(
        flag_names, functools.partial(_exclusive, lambda v: v is not None, required=required),
        flag_values=flag_values)


def mark_bool_flags_as_mutual_exclusive(flag_names, required=False, flag_values=FLAGS):
    """At most one of the boolean flags may be true (exactly one if `required`)."""
    for name in flag_names:
        if not flag_values[_name(name)].boolean:
            raise worded(ValidationError(f'Flag --{_name(name)} is not Boolean, which is required '
                                         'for flags used in mark_bool_flags_as_mutual_exclusive.'))
    register_multi_flags_validator(flag_names, functools.partial(_exclusive, bool,
                                                                 required=required),
                                   flag_values=flag_values)
