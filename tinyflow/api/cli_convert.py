"""`python -m tinyflow convert SCRIPT`: shows, or writes, a Python 2 program for Python 3.

`run` converts nothing by itself: what runs is what the reader sees. Its errors for a program of
Python 2 name this command.
"""
from __future__ import annotations

import ast
import difflib
import importlib
import re
import sys
import warnings
from collections.abc import Callable

# Built-in names, modules and methods that only Python 2 has.
_NAMES = {'basestring', 'cmp', 'execfile', 'file', 'long', 'raw_input', 'reduce', 'reload',
          'unichr', 'unicode', 'xrange'}
_MODULES = {'ConfigParser', 'HTMLParser', 'Queue', 'StringIO', 'Tkinter', '__builtin__',
            'cPickle', 'cStringIO', 'commands', 'copy_reg', 'httplib', 'itertools.izip', 'thread',
            'tkMessageBox', 'urllib2', 'urlparse'}
_METHODS = {'has_key', 'iteritems', 'iterkeys', 'itervalues', 'viewitems', 'viewkeys',
            'viewvalues'}
_IMPORTED = {'ifilter', 'imap', 'izip', 'izip_longest', 'maketrans', 'quote', 'unquote',
             'urlencode', 'urlopen', 'urlretrieve'}
# The standard library's converter, which Python 3.13 no longer has, and the package that keeps it.
_CONVERTERS = ('lib2to3', 'fissix')


def add_convert(command: Callable) -> None:
    """Adds the command; `command` is that of cli.py."""
    sub = command('convert', _convert, 'show what turns a Python 2 program into Python 3')
    sub.add_argument('-o', '--output', metavar='FILE',
                     help='write the converted program there, and show nothing')


def _convert(options) -> int:
    with open(options.script, encoding='utf-8') as file:
        source = file.read()
    try:
        converted = to_python3(source, options.script)
    except (ImportError, SyntaxError) as error:
        print(f'tinyflow: {error}', file=sys.stderr)
        return 2
    for line in int_divisions(source, converted):
        print(f'tinyflow: {options.script}:{line}: `/` of two integers gave an integer in Python '
              '2, and is left as it is; write // where that is meant.', file=sys.stderr)
    if options.output:
        with open(options.output, 'w', encoding='utf-8') as file:
            file.write(converted)
    elif converted == source:
        print(f'tinyflow: nothing in {options.script} is of Python 2.', file=sys.stderr)
    else:
        sys.stdout.writelines(difflib.unified_diff(
            source.splitlines(keepends=True), converted.splitlines(keepends=True),
            options.script, f'{options.script} (Python 3)'))
    return 0


def to_python3(source: str, name: str) -> str:
    """The text of a Python 2 program as one of Python 3."""
    text = source if source.endswith('\n') else source + '\n'
    try:
        # First with print as a function: a program may have that and be of Python 2 otherwise.
        converted = _refactored(text, name, {'print_function': True})
    except ValueError:
        try:
            converted = _refactored(text, name, {})
        except ValueError as error:
            raise SyntaxError(f'{name} is neither Python 3 nor Python 2: {error}') from None
    try:
        ast.parse(converted)
    except TabError:                                    # a tabulator reached to the next 8th column
        converted = re.sub('^[ \t]+', lambda found: found[0].expandtabs(8), converted,
                           flags=re.MULTILINE)
    except SyntaxError:
        pass
    return converted


def _refactored(text, name, options):
    """The converter's result; ValueError for a text that it cannot read."""
    refactor = _converter()
    tool = refactor.RefactoringTool(
        refactor.get_fixers_from_package(refactor.__package__ + '.fixes'), options)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            return str(tool.refactor_string(text, name))
    except Exception as error:                          # the converter's own ParseError
        raise ValueError(str(error)) from None


def _converter():
    for package in _CONVERTERS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')         # lib2to3 is deprecated
                return importlib.import_module(f'{package}.refactor')
        except ImportError:
            continue
    raise ImportError('Python 3.13 has no converter of Python 2 programs.\n'
                      "  Hint: `pip install 'tinyflow-graph[python2]'` installs one.")


def int_divisions(source: str, converted: str) -> list[int]:
    """The lines with a `/` that may divide integers: in Python 2 that was `//`."""
    if re.search(r'^from __future__ import .*\bdivision\b', source, re.MULTILINE):
        return []
    try:
        tree = ast.parse(converted)
    except SyntaxError:
        return []
    return sorted({node.lineno for node in ast.walk(tree)
                   if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div)
                   and not any(isinstance(part, ast.Constant) and isinstance(part.value, float)
                               for part in ast.walk(node))})


def python2_hint(error: BaseException, script: str) -> str | None:
    """The hint for an error of a program that is written for Python 2; None for others."""
    if not _is_of_python2(error):
        return None
    file = getattr(error, 'filename', None) if isinstance(error, SyntaxError) else None
    return (f'  Hint: this is Python 2. `python -m tinyflow convert {file or script}` shows what '
            'Python 3 needs, and with -o FILE writes it.')


def _is_of_python2(error):
    text = str(error)
    if isinstance(error, SyntaxError):
        return 'print' in text or 'exec' in text or 'inconsistent use of tabs' in text or \
            'multiple exception types' in text or 'leading zeros' in text or \
            _is_python2_text(error.text or '')
    if isinstance(error, ModuleNotFoundError):
        return error.name in _MODULES
    if isinstance(error, ImportError):
        return any(f"cannot import name {name!r}" in text for name in _IMPORTED)
    if isinstance(error, NameError):
        return error.name in _NAMES
    return isinstance(error, AttributeError) and (
        error.name in _METHODS | _IMPORTED or
        error.name == 'next' and hasattr(error.obj, '__next__'))        # of iterators


def _is_python2_text(line):
    return re.search(r'<>|\bur["\']|\d[lL]\b|\bprint\b\s*[^(\s]|\braise \w+, |`', line) is not None


__all__ = ['add_convert', 'int_divisions', 'python2_hint', 'to_python3']
