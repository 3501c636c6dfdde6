"""`python -m tinyflow convert`, and the errors of Python 2 programs that name it."""
from __future__ import annotations

import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tinyflow.api import cli
from tinyflow.api.aliases import uninstall_as_tensorflow

if sys.version_info >= (3, 13):
    pytest.importorskip('fissix', reason="needs the extra tinyflow-graph[python2]")
PROGRAM = '''
    import cPickle as pickle
    counts = {'a': 1, 'b': 2}
    for word, n in counts.iteritems():
        print "%s: %d" % (word, n)
    try:
        print sum(xrange(4)) / 4
    except ValueError, error:
        print error
'''


@pytest.fixture
def program(tmp_path, monkeypatch):
    """program(text) -> the name of a file with that program, in the current folder."""
    def write(text):
        (tmp_path / 'program.py').write_text(dedent(text).lstrip('\n'), encoding='utf-8')
        return 'program.py'
    monkeypatch.chdir(tmp_path)
    yield write
    uninstall_as_tensorflow()


@pytest.mark.slow
def test_a_conversion_is_shown(program, capsys):
    file = program(PROGRAM)
    before = Path(file).read_text(encoding='utf-8')
    assert cli.main(['convert', file]) == 0
    out, err = capsys.readouterr()
    added = [line[1:] for line in out.splitlines() if line.startswith('+')][1:]
    assert added == ['import pickle as pickle', 'for word, n in counts.items():',
                     '    print("%s: %d" % (word, n))', '    print(sum(range(4)) / 4)',
                     'except ValueError as error:', '    print(error)']
    assert err == ('tinyflow: program.py:6: `/` of two integers gave an integer in Python 2, and '
                   'is left as it is; write // where that is meant.\n')
    assert Path(file).read_text(encoding='utf-8') == before


def test_a_converted_program_runs(program, capsys):
    assert cli.main(['convert', program(PROGRAM), '-o', 'new.py']) == 0
    assert capsys.readouterr().out == ''
    assert cli.main(['run', 'new.py']) == 0
    assert capsys.readouterr().out == 'a: 1\nb: 2\n1.5\n'


@pytest.mark.parametrize('text', [
    'print "a"', 'print(xrange(3))', '{}.iteritems()', 'import urllib2',
    'from itertools import izip', 'x = 10L', 'raise ValueError, "no"', 'x = raw_input()',
    'if 1 <> 2: pass', 'if 1:\n\tx = 1\n        y = 2\n', 'exec "x = 1"', 'import urllib; '
    'urllib.urlretrieve("x")', '(i for i in [1]).next()'])
def test_the_error_of_a_python_2_program_names_the_command(text, program, capsys):
    assert cli.main(['run', program(text)]) == 1
    err = capsys.readouterr().err
    assert err.endswith('  Hint: this is Python 2. `python -m tinyflow convert program.py` shows '
                        'what Python 3 needs, and with -o FILE writes it.\n')


@pytest.mark.parametrize('text', ['x = (1', 'y', 'import nothing_of_the_kind', '{}.items', '1/0'])
def test_other_errors_do_not(text, program, capsys):
    cli.main(['run', program(text)])
    assert 'Python 2' not in capsys.readouterr().err


def test_python_3_needs_no_conversion(program, capsys):
    assert cli.main(['convert', program('print("a", 1)\n')]) == 0
    assert capsys.readouterr() == ('', 'tinyflow: nothing in program.py is of Python 2.\n')


@pytest.mark.slow
def test_what_is_no_python_is_refused(program, capsys):
    assert cli.main(['convert', program('for for for\n')]) == 2
    assert 'neither Python 3 nor Python 2' in capsys.readouterr().err
