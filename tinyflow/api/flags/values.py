"""FlagValues: all flags of a program, and the reading of the command line.

FLAGS reads sys.argv by itself when the first flag is looked at, as TF1's does; tf.app.run reads it
before it calls main.
"""
from __future__ import annotations

import os
import shlex
import sys
import textwrap
from difflib import get_close_matches

from tinyflow.api.flags.errors import (
    CantOpenFlagFileError,
    DuplicateFlagError,
    Error,
    FlagNameConflictsWithMethodError,
    IllegalFlagValueError,
    UnparsedFlagAccessError,
    UnrecognizedFlagError,
)
from tinyflow.graph.support.errors import worded

_HELP = ('help', 'helpshort', 'helpfull')


class FlagValues:
    """The flags by name: FLAGS.rate is a value, FLAGS['rate'] the Flag, FLAGS(argv) reads argv."""

    def __init__(self):
        own = self.__dict__
        own['__flags'] = {}
        own['_parsed'] = False
        own['_reads_argv'] = False          # True for FLAGS alone
        own['_key_flags'] = {}
        own['_gnu_getopt'] = True

    # ---- the flags -----------------------------------------------------------------------

    def _flags(self):
        return self.__dict__['__flags']

    def __setitem__(self, name, flag):
        """Defines a flag."""
        known = self._flags()
        if not isinstance(name, str) or not name:
            raise worded(_bad_name(name))
        if hasattr(type(self), name) and not getattr(flag, 'allow_using_method_names', False):
            raise worded(FlagNameConflictsWithMethodError(
                f"Cannot define flag named '{name}': FLAGS has a method of that name."))
        old = known.get(name)
        if old is not None and not (flag.allow_override or old.allow_override) and old is not flag:
            raise worded(DuplicateFlagError(
                f"The flag '{name}' is defined twice. First from {old.module}, Second from "
                f'{flag.module}.  Description from first occurrence: {old.help}\n  Mend: where a '
                f'notebook cell runs again, `del tf.flags.FLAGS.{name}` above the definition.'))
        known[name] = flag
        if flag.short_name:
            known[flag.short_name] = flag

    def __getitem__(self, name):
        return self._flags()[name]

    def __delattr__(self, name):
        flag = self._flags().pop(name, None)
        if flag is None:
            raise AttributeError(name)
        for other in [n for n, f in self._flags().items() if f is flag]:
            del self._flags()[other]

    def __getattr__(self, name):
        flag = self._flags().get(name)
        if flag is None:
            if name.startswith('__') and name != '__flags':
                raise AttributeError(name)
            nearest = get_close_matches(name, self._flags(), n=3)
            near = f'; nearest: {", ".join(nearest)}' if nearest else ''
            raise worded(AttributeError(f'no flag {name!r} is defined{near}.'))
        if not self.is_parsed():
            if not self.__dict__['_reads_argv']:
                raise worded(UnparsedFlagAccessError(
                    f'Trying to access flag --{name} before flags were parsed.'))
            self(sys.argv)
        return flag.value

    def __setattr__(self, name, value):
        flag = self._flags().get(name)
        if flag is None:
            raise worded(UnrecognizedFlagError(name))
        flag.value, flag.using_default_value = value, False
        self._check([flag])

    def __contains__(self, name):
        return name in self._flags()

    def __len__(self):
        return len(self._flags())

    def __iter__(self):
        return iter(self._flags())

    def __dir__(self):
        return sorted(self._flags())

    def flag_values_dict(self):
        """{name: value} of all flags."""
        return {name: flag.value for name, flag in self._flags().items()}

    def get_flag_value(self, name, default):
        """The value of a flag, or `default` where that is None."""
        value = getattr(self, name)
        return default if value is None else value

    def set_default(self, name, value):
        """Changes the default of a flag."""
        if name not in self:
            raise worded(AttributeError(f'no flag {name!r} is defined.'))
        self[name]._set_default(value)
        self._check([self[name]])

    def _check(self, flags):
        """IllegalFlagValueError if a validator refuses the values of some of the flags."""
        validators = dict.fromkeys(v for flag in flags for v in flag.validators)
        problems = [text for v in validators if (text := v.problem(self._flags())) is not None]
        if problems:
            raise worded(IllegalFlagValueError('\n'.join(problems)))

    def append_flag_values(self, flag_values):
        """Adds the flags of another FlagValues."""
        for name, flag in flag_values._flags().items():
            if name == flag.name:
                self[name] = flag

    def remove_flag_values(self, flag_values):
        """Takes away the flags named in `flag_values`."""
        for name in list(flag_values):
            if name in self:
                delattr(self, name)

    def find_module_defining_flag(self, flagname, default=None):
        """The name of the module that defined a flag."""
        flag = self._flags().get(flagname)
        return default if flag is None else flag.module

    def flags_by_module_dict(self):
        """{module name: [Flag]}."""
        modules = {}
        for flag in dict.fromkeys(self._flags().values()):
            modules.setdefault(flag.module, []).append(flag)
        return modules

    def get_flags_for_module(self, module):
        """The flags that a module (or its name) defined."""
        name = module if isinstance(module, str) else module.__name__
        return self.flags_by_module_dict().get(name, [])

    def get_key_flags_for_module(self, module):
        """The flags that the short help of a module shows."""
        name = module if isinstance(module, str) else module.__name__
        return list(dict.fromkeys(self.get_flags_for_module(name)
                                  + self.__dict__['_key_flags'].get(name, [])))

    # ---- the command line ------------------------------------------------------------------

    def is_parsed(self):
        return self.__dict__['_parsed']

    def mark_as_parsed(self):
        """Lets flags be read with the values that they have."""
        self.__dict__['_parsed'] = True

    def unparse_flags(self):
        """Back to the defaults, as if the command line had not been read."""
        for flag in self._flags().values():
            flag.unparse()
        self.__dict__['_parsed'] = False

    def set_gnu_getopt(self, gnu_getopt=True):
        """Lets flags stand behind other arguments, too."""
        self.__dict__['_gnu_getopt'] = gnu_getopt

    def is_gnu_getopt(self):
        return self.__dict__['_gnu_getopt']

    def _parse_flags(self, args=None):
        """The name of FLAGS(argv) before TensorFlow 1.5."""
        self(sys.argv[:1] + list(sys.argv[1:] if args is None else args))

    def __call__(self, argv, known_only=False):
        """Reads argv (argv[0] is the program) and returns what of it is no flag.

        UnrecognizedFlagError for an unknown flag, unless `known_only`: then it stays in the result.
        """
        if isinstance(argv, (str, bytes)) or not argv:
            raise worded(TypeError('argv should be a tuple/list of strings that begins with the '
                                   "program's name."))
        rest, unknown = self._read(list(argv[1:]), known_only)
        if unknown and not known_only:
            name, value = unknown[0]
            near = get_close_matches(name, [n for n in self._flags() if len(n) > 1], n=3)
            raise worded(UnrecognizedFlagError(name, value, near))
        self.mark_as_parsed()
        self._check(dict.fromkeys(self._flags().values()))
        return [argv[0], *rest]

    def _read(self, args, known_only):
        """(arguments that are no flags, unknown flags); sets the flags that are known."""
        rest, unknown, undefok = [], [], set()
        args = self.read_flags_from_files(args)
        while args:
            arg = args.pop(0)
            if not arg.startswith('-') or arg == '-':
                rest.append(arg)
                if self.is_gnu_getopt():
                    continue
                break
            if arg == '--':
                rest += [arg] if known_only else []
                break
            name, equals, value = arg.lstrip('-').partition('=')
            value = value if equals else None
            if name == 'undefok':
                undefok |= _names(args.pop(0) if value is None and args else value or '')
            elif not self._take(name, value, args):
                unknown.append((name, arg))
                rest += [arg] if known_only else []
        return rest + args, [(n, a) for n, a in unknown if n not in undefok
                             and n.removeprefix('no') not in undefok]

    def _take(self, name, value, args):
        """Sets the flag `name`; the value may be the next of `args`. False for an unknown flag."""
        flag = self._flags().get(name)
        if flag is None:
            flag = self._flags().get(name[2:]) if name.startswith('no') else None
            if flag is None or not flag.boolean:
                if name in _HELP:
                    self._show_help()
                return False
            if value is not None:
                raise worded(ValueError(f'--{name}={value} does not take an argument'))
            value = 'false'
        elif value is None:
            if flag.boolean:
                value = 'true'
            elif args:
                value = args.pop(0)
            else:
                raise worded(Error(f'Missing value for flag --{name}'))
        flag.parse(value)
        flag.using_default_value = False
        return True

    def read_flags_from_files(self, argv, force_gnu=True):
        """argv with each --flagfile=name replaced by the flags in that file."""
        result, args = [], list(argv)
        while args:
            arg = args.pop(0)
            name, equals, path = arg.lstrip('-').partition('=')
            if arg == '--' or not arg.startswith('-') and not self.is_gnu_getopt():
                return [*result, arg, *args]
            if name == 'flagfile' and arg.startswith('-'):
                if not equals:
                    if not args:
                        raise worded(IllegalFlagValueError('--flagfile with no argument'))
                    path = args.pop(0)
                result += self.read_flags_from_files(_lines(path))
            else:
                result.append(arg)
                takes = self._flags().get(name) if arg.startswith('-') else None
                if takes is not None and not equals and not takes.boolean and args:
                    result.append(args.pop(0))
        return result

    def flags_into_string(self):
        """The flags as the lines of a flagfile."""
        flags = sorted(dict.fromkeys(self._flags().values()), key=lambda f: (f.module, f.name))
        lines = [flag.serialize() for flag in flags if flag.value is not None]
        return '\n'.join(lines) + '\n'

    def append_flags_into_file(self, filename):
        """Appends the flags to a flagfile."""
        with open(filename, 'a', encoding='utf-8') as file:
            file.write(self.flags_into_string())

    # ---- help ----------------------------------------------------------------------------

    def get_help(self, prefix='', include_special_flags=True):
        """The text of --help for all flags."""
        parts = []
        for module, flags in sorted(self.flags_by_module_dict().items(), key=lambda p: str(p[0])):
            parts.append(f'{prefix}{module}:')
            parts += [_told(flag, prefix) for flag in sorted(flags, key=lambda f: f.name)]
            parts.append('')
        return '\n'.join(parts)

    def main_module_help(self):
        """The text of --help for the flags of the program itself."""
        return self.module_help('__main__')

    def module_help(self, module):
        """The text of --help for the flags of one module."""
        flags = self.get_key_flags_for_module(module)
        name = module if isinstance(module, str) else module.__name__
        shown = sys.argv[0] if name == '__main__' else name
        return '\n'.join([f'{shown}:', *(_told(f, '') for f in sorted(flags,
                                                                      key=lambda f: f.name))])

    def _show_help(self):
        main = sys.modules.get('__main__')
        doc = getattr(main, '__doc__', None) or f'\nUSAGE: {sys.argv[0]} [flags]\n'
        print(f'{doc}\nflags:\n\n{self.get_help()}')
        raise SystemExit(1)


def _bad_name(name):
    return TypeError(f'A flag is named by a string that is not empty, not {name!r}.') \
        if not isinstance(name, str) else ValueError('The name of a flag cannot be empty.')


def _names(text):
    return {name.strip() for name in text.split(',')}


def _lines(path):
    """The flags in a flagfile: one to a line, with # and // for comments."""
    try:
        with open(os.path.expanduser(path), encoding='utf-8') as file:
            lines = [line.strip() for line in file]
    except OSError as error:
        raise worded(CantOpenFlagFileError(f'ERROR:: Unable to open flagfile: {error}')) from None
    flags = []
    for line in lines:
        if line and not line.startswith(('#', '//')):
            flags += [line] if line.startswith('--') and '=' in line else shlex.split(line)
    return flags


def _told(flag, prefix):
    name = f'--[no]{flag.name}' if flag.boolean else f'--{flag.name}'
    short = f'-{flag.short_name},' if flag.short_name else ''
    lines = textwrap.wrap(f'{short}{name}: {flag.help}', 78, initial_indent=f'{prefix}  ',
                          subsequent_indent=f'{prefix}    ')
    if flag.default_as_str is not None:
        lines.append(f'{prefix}    (default: {flag.default_as_str})')
    if getattr(flag.parser, 'syntactic_help', ''):
        lines.append(f'{prefix}    ({flag.parser.syntactic_help})')
    return '\n'.join(lines)


FLAGS = FlagValues()
FLAGS.__dict__['_reads_argv'] = True

__all__ = ['FLAGS', 'FlagValues']
