"""Pages about errors and answers to questions: their programs run, and each name has its page."""
from __future__ import annotations

import ast
import io
import re
from pathlib import Path

import pytest

from tests.api.why import programs, record
from tinyflow.api import cli, why
from tinyflow.api.learn.exercise import all_exercises

ROOT = Path(__file__).resolve().parents[3]
PAGES = why.all_pages()
ERRORS = [page for page in PAGES.values() if not page.is_question]
ids = {'ids': lambda page: page.name}


@pytest.mark.parametrize('page', PAGES.values(), **ids)
def test_the_program_prints_what_the_page_says(page):
    text = page.blocks(record.section_of(page))['text']
    assert record.output(page) == text
    if not page.is_question:
        assert f'tinyflow why {page.name}' in text or f'[{page.name}]' in text
    else:
        assert 'Error: ' not in text.splitlines()[-1]


@pytest.mark.parametrize('page', ERRORS, **ids)
def test_the_fixed_program_runs(page):
    said = programs.run(page.blocks('Fixed')['python'], 'fixed.py')
    assert 'Error: ' not in said and 'tinyflow why ' not in said and 'Warning: ' not in said, said


def _named_in_code():
    """The names in calls of why() and the ids of warnings."""
    names, ids = set(), set(re.findall(r'^\| `([\w-]+)`', (ROOT / 'docs/warnings.md').read_text(
        'utf-8'), re.M))
    for package in ('tinyflow', 'keras_layer', 'estimator_layer'):
        for path in (ROOT / package).rglob('*.py'):
            text = path.read_text('utf-8')
            if 'why(' in text:
                names |= {node.args[0].value for node in ast.walk(ast.parse(text))
                          if isinstance(node, ast.Call) and 'why' in (
                              getattr(node.func, 'id', ''), getattr(node.func, 'attr', ''))}
    return names, ids


@pytest.mark.slow
def test_each_name_has_a_page_and_each_page_is_named():
    names, ids = _named_in_code()
    pages = {page.name for page in ERRORS}
    assert names <= pages
    assert pages <= names | ids


def test_links_lead_somewhere():
    exercises = {task.name for task in all_exercises()}
    for page in PAGES.values():
        assert not page.lesson or (ROOT / 'tutorials' / f'{page.lesson}.py').is_file(), page.name
        assert not page.exercise or page.exercise in exercises, page.name
        assert page.level in why.LEVELS
        assert max(map(len, _without_outputs(page).splitlines())) <= 100, page.name


def _without_outputs(page):
    return re.sub(r'^```text\n.*?^```$', '', page.text, flags=re.M | re.S)


def test_a_page_in_the_terminal(capsys):
    assert cli.main(['why', 'uninitialised-variable']) == 0
    said = capsys.readouterr().out
    assert said.startswith('A Variable has no value yet\n======')
    assert '    import tinyflow as tf' in said and '```' not in said
    assert 'Lesson: tutorials/03_variables.py' in said


def test_the_list_has_all_pages(capsys):
    assert cli.main(['why']) == 0
    said = capsys.readouterr().out
    assert all(re.search(rf'^  {page.name} +\S', said, re.M) for page in PAGES.values())


@pytest.mark.slow
@pytest.mark.parametrize('words, name', [
    ('uninitialized-variable', 'uninitialised-variable'),
    ('uninitialized', 'uninitialised-variable'),
    ('wrong graph', 'wrong-graph'),
    ('gradients none', 'gradient-is-none'),
    ('save model', 'save-and-restore'),
    ('loss nan', 'loss-is-nan'),
    ('same random numbers', 'seeds'),
    ('batch size', 'batch-of-any-size'),
    ('slow loop', 'slow-loop'),
    ('use a gpu', 'gpu'),
    ('shape (3,) feed', 'feed-shape'),
    ('sharing variables', 'share-variables'),
    ('tensorboard curves', 'write-summaries'),
    ('End of sequence', 'end-of-sequence'),
    ('Tensor must be from the same graph as Tensor', 'mixed-graphs'),
    ('output of intermediate layer', 'output-of-a-layer'),
])
def test_pages_are_found_by_words(words, name, capsys):
    assert cli.main(['why', *words.split()]) == 0
    assert capsys.readouterr().out.startswith(PAGES[name].title)


def test_an_output_without_an_error(monkeypatch, capsys):
    monkeypatch.setattr('sys.stdin', io.StringIO('step 1: loss 0.3\n'))
    assert cli.main(['why', '-']) == 2
    assert 'names no page' in capsys.readouterr().err


def test_words_that_no_page_has(capsys):
    assert cli.main(['why', 'zebra', 'crossing']) == 2
    assert 'no page has' in capsys.readouterr().err


TF1_SHAPES = "ValueError: Dimensions must be equal, but are 3 and 2 for 'add' (op: 'AddV2') with " \
             'input shapes: [2,3], [2].'
TF1_SAYS = '''Traceback (most recent call last):
  File "train.py", line 9, in <module>
    session.run(counter)
tensorflow.python.framework.errors_impl.FailedPreconditionError: Attempting to use uninitialized \
value counter
'''


@pytest.mark.parametrize('output, name', [
    (PAGES['uninitialised-variable'].blocks('Wrong')['text'], 'uninitialised-variable'),
    (TF1_SAYS, 'uninitialised-variable'),
    (TF1_SHAPES, 'broadcast-shapes'),
    ('NotImplementedError: Cannot convert a symbolic Tensor (x:0) to a numpy array.\n', 'no-numpy'),
    ('ValueError: Rank mismatch: Rank of labels (received 2) should equal rank of logits minus 1 '
     '(received 2).\n', 'logits-and-labels'),
    (PAGES['graph-growth'].blocks('Wrong')['text'], 'graph-growth'),
])
def test_the_page_for_what_a_program_printed(output, name, monkeypatch, capsys):
    monkeypatch.setattr('sys.stdin', io.StringIO(output))
    assert cli.main(['why', '-']) == 0
    assert capsys.readouterr().out.startswith(PAGES[name].title)
