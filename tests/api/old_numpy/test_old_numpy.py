"""NumPy of the program's time: 30 programs and 150 statements, and what NumPy 1.18 printed."""
from __future__ import annotations

import importlib
import re
import sys
import types
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.api import cli
from tinyflow.api.aliases import uninstall_as_tensorflow
from tinyflow.api.old_numpy import given, install_for_caller
from tinyflow.api.old_numpy.names import REMOVED
from tinyflow.api.old_numpy.own_files import OwnFiles
from tinyflow.api.old_numpy.rewrite import MEANING, Rewriter

HERE = Path(__file__).parent
PROGRAMS = sorted(path for path in (HERE / 'programs').glob('*.py') if path.stem != 'helpers')
# The .txt files hold what the programs printed on TensorFlow 1.15.5 with NumPy 1.18.5.
STATEMENTS = (HERE / 'statements.txt').read_text(encoding='utf-8').splitlines()
NOT_GIVEN = {                                           # see docs/old_numpy.md
    "np.array(['a'])==1", "np.array(['a',1])", "np.array([b'a',1.5])", "np.dtype('Float32')",
    "np.zeros(2,'Int64')", 'np.arange(3)[[slice(0,2)]]',
    'np.arange(9).reshape(3,3)[[[0,1],[1,2]]]', 'np.mean([[1],[2,3]])'}
NUMBER = re.compile(r'-?\d+\.\d+(?:e[-+]\d+)?')
pytestmark = pytest.mark.filterwarnings('ignore')


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """run(program, *options) -> (status, stdout, stderr), in this process."""
    def run(program, *options):
        if '\n' in str(program):
            (tmp_path / 'program.py').write_text(dedent(program).lstrip(), encoding='utf-8')
            program = tmp_path / 'program.py'
        tf.reset_default_graph()
        modules = set(sys.modules)
        status = cli.main(['run', *options, str(program)])
        for name in set(sys.modules) - modules:
            if getattr(sys.modules[name], '__file__', None) and \
                    OwnFiles([str(HERE), str(tmp_path)]).is_own(sys.modules[name].__file__):
                del sys.modules[name]
        return (status, *capsys.readouterr())
    monkeypatch.chdir(tmp_path)
    yield run
    uninstall_as_tensorflow()
    given.forget()


@pytest.mark.parametrize('program', PROGRAMS, ids=lambda path: path.stem)
def test_a_program_prints_what_it_printed(program, run):
    status, out, err = run(program)
    wanted = program.with_suffix('.txt').read_text(encoding='utf-8')
    assert status == 0, err
    assert NUMBER.sub('#', out) == NUMBER.sub('#', wanted)
    ours, theirs = ([float(n) for n in NUMBER.findall(text)] for text in (out, wanted))
    assert ours == pytest.approx(theirs, rel=1e-6, abs=1e-7)


def test_statements_have_the_results_that_they_had(run):
    lines = ['import math, warnings', 'import numpy as np', 'warnings.simplefilter("ignore")',
             'def show(r): print((r.dtype.str, r.shape, r.tolist()) if hasattr(r, "dtype") else r)']
    for statement in STATEMENTS[::2]:
        *before, last = statement.split(';')
        lines += ['try:', *(f'    {line}' for line in before), f'    show(({last}))',
                  'except Exception as error: print("!!", type(error).__name__)']
    status, out, err = run('\n'.join(lines))
    wrong = [(statement, ours, wanted.strip())
             for statement, wanted, ours in zip(STATEMENTS[::2], STATEMENTS[1::2], out.splitlines())
             if ours != wanted.strip() and statement not in NOT_GIVEN]
    assert status == 0 and wrong == []


def test_one_notice_says_what_was_given_and_where(run):
    program = '''
        import numpy as np
        x = np.zeros(2, dtype=np.int)
        x = np.ones(2, np.int)
        print(int(np.array([3])))
    '''
    assert run(program) == (0, '3\n', dedent('''\
        tinyflow: this program is written for the NumPy of its time, and was given what that meant \
(first use in brackets):
          np.int (program.py:2)
          int() and float() of an array of one element (program.py:4)
          Hint: docs/old_numpy.md lists it all; `run --numpy-of-today` gives none of it.
    '''))
    status, out, err = run(program, '--numpy-of-today')
    assert status == 1 and "has no attribute 'int'" in err
    assert run('import numpy as np\nprint(0.0 + np.float32(0.5))') == (0, '0.5\n', '')


def test_libraries_keep_the_numpy_of_today(run, tmp_path, monkeypatch):
    library = tmp_path / 'site-packages'
    library.mkdir()
    (library / 'alibrary.py').write_text(
        'import numpy as np\nhas_int = hasattr(np, "int")\n'
        'def third(x): return x / 3\n', encoding='utf-8')
    (tmp_path / 'own').mkdir()
    (tmp_path / 'own' / '__init__.py').write_text('', encoding='utf-8')
    (tmp_path / 'own' / 'part.py').write_text(
        'import numpy\nhas_int = hasattr(numpy, "int")\n', encoding='utf-8')
    monkeypatch.setattr(sys, 'path', [*sys.path, str(library)])
    status, out, err = run('''
        import alibrary, own.part
        import numpy as np
        print(alibrary.has_int, own.part.has_int, hasattr(np, 'int'))
        print(type(alibrary.third(np.float32(1))).__name__, type(np.float32(1) / 3).__name__)
    ''')
    assert (status, out) == (0, 'False True True\nfloat32 float64\n'), err
    assert not hasattr(np, 'int')


def test_errors_end_at_the_programs_line(run):
    status, out, err = run('def f(a):\n    return a + None\n\nf(1)\n')
    assert status == 1 and err.rstrip().splitlines() == [
        'Traceback (most recent call last):', *err.splitlines()[1:5],
        *[line for line in err.splitlines()[5:-1] if set(line) <= set(' ~^')],
        "TypeError: unsupported operand type(s) for +: 'int' and 'NoneType'"]
    assert 'old_numpy' not in err and 'return a + None' in err


@pytest.mark.parametrize('program, wanted', [
    ("np.save('w.npy', np.array([{}]))\nnp.load('w.npy')", 'TINYFLOW_ALLOW_PICKLE=1'),
    ('np.npv(0.1, [1, 2])', 'numpy_financial.npv'),
    ('np.nothing', "module 'numpy' has no attribute 'nothing'"),
])
def test_what_is_refused_says_why(program, wanted, run):
    status, out, err = run('import numpy as np\n' + program)
    assert status == 1 and wanted in err and 'old_numpy' not in err


def test_a_pickle_is_loaded_when_the_user_trusts_it(run, monkeypatch):
    monkeypatch.setenv('TINYFLOW_ALLOW_PICKLE', '1')
    status, out, err = run("import numpy as np\nnp.save('w.npy', np.array([{}]))\n"
                           "print(np.load('w.npy'))")
    assert (status, out) == (0, '[{}]\n'), err


def test_pythons_own_meaning_stays(run):
    program = '''
        from __future__ import annotations
        class Shape:
            sides = 0
            def grow(self): self.sides += 1; return self
        class Items(dict):
            def __getitem__(self, key): return self.get(key, 1)
        shape, items = Shape().grow(), Items()
        items['a'] += 2; items[1, 2] = 5
        def choose(value):
            match value:
                case -1: return 'minus one'
                case [1 | 2, int(n)]: return n
                case int(): return 'int'
        calls = []
        def call(name): calls.append(name); return name
        rows = {}
        rows[call('key')] = call('value')
        text = 'a%s' % (1,) + 'b' * 2
        total = 1; total += 2.5; total **= 2
        print(shape.sides, dict(items), choose(-1), choose([2, 7]), choose(3), calls, text, total)
        print(int('12', base=8), int(), float('nan') != float('nan'), isinstance(int(3.5), int))
        print(not [], 1 if {} else 2, 1 < 2 < 3, sum([[1], [2]], []), round(2.5), bool(''))
        print([i + 1 for i in range(3)], (lambda x: x % 2)(3), '%(a)d' % {'a': 1}, b'%d' % 2)
    '''
    assert run(program) == (0, (
        "1 {'a': 3, (1, 2): 5} minus one 7 int ['value', 'key'] a1bb 12.25\n"
        "10 0 True True\nTrue 2 True [1, 2] 2 False\n[1, 2, 3] 1 1 b'2'\n"), '')


def test_every_removed_name_is_there(run):
    names = [name for name in sorted(REMOVED) if name in ('bool', 'long') or not hasattr(np, name)]
    status, out, err = run('import numpy as np\n' + '\n'.join(f'np.{name}' for name in names))
    assert status == 0 and all(f'np.{name} ' in err for name in names)


def test_modules_that_a_program_imports_have_it(tmp_path, monkeypatch):
    (tmp_path / 'part_of_a_program.py').write_text(
        'import numpy as np\nx = np.zeros(2, np.int); x[0] = np.array([3.7])\n', encoding='utf-8')
    monkeypatch.setattr(sys, 'path', [*sys.path, str(tmp_path)])
    monkeypatch.setattr(sys, 'meta_path', list(sys.meta_path))
    frame = types.SimpleNamespace(f_globals={'__file__': str(tmp_path / 'program.py')})
    install_for_caller(frame)
    module = importlib.import_module('part_of_a_program')
    del sys.modules['part_of_a_program']
    assert module.x.tolist() == [3, 0] and not hasattr(np, 'int')
    assert 'np.int (part_of_a_program.py:2)' in given.notice()
    given.forget()


def test_a_notebook_has_it_in_the_cells_that_follow():
    shell = types.SimpleNamespace(ast_transformers=[])
    frame = types.SimpleNamespace(f_globals={'get_ipython': lambda: shell})
    before = list(sys.meta_path)
    try:
        for _ in range(2):
            install_for_caller(frame)
        assert [type(t) for t in shell.ast_transformers] == [Rewriter]
        assert MEANING in frame.f_globals
        assert sum(isinstance(finder, OwnFiles) for finder in sys.meta_path) == 1
    finally:
        sys.meta_path[:] = before
