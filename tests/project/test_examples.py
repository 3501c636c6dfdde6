"""The examples of the reference: they run, print what is shown, and miss none of the main names."""
from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / 'docs' / 'site'))
import examples  # noqa: E402
import reference  # noqa: E402

sys.path.pop(0)

FILES = sorted(examples.FOLDER.glob('*.md'))


@pytest.mark.slow
@pytest.mark.parametrize('path', FILES, ids=[path.stem for path in FILES])
def test_examples_print_what_is_shown(path):
    found = examples.read(path)
    assert found
    reports = [report for _, report in examples.run(found) if report]
    assert not reports, '\n'.join(reports)


def test_each_name_is_shown_once_and_exists():
    names = [name for example in examples.all_examples() for name in example.names]
    assert sorted(set(names)) == sorted(names)
    for name in names:
        examples.value_of(name)


def test_the_most_used_names_have_an_example():
    shown = examples.ByValue(examples.all_examples())
    used = (examples.FOLDER / 'most_used.txt').read_text(encoding='utf-8').splitlines()
    names = [line.split()[1] for line in used if not line.startswith('#')]
    assert len(names) >= 300
    missing = [name for name in names if not shown(examples.value_of(name))]
    assert not missing


def test_examples_are_short_and_print_something():
    for example in examples.all_examples():
        typed = [line for line in example.program.splitlines() if line.startswith(('>>>', '...'))]
        assert len(typed) < len(example.program.splitlines()), example.names
        assert len(typed) <= 14 and max(map(len, typed)) <= 100, example.names


def test_an_example_that_prints_something_else_is_reported():
    wrong = examples.Example(('tf.constant',), '>>> print(1 + 1)\n3\n', 'sample.md', 4)
    [(_, report)] = examples.run([wrong])
    assert 'sample.md' in report and 'Expected:\n    3\nGot:\n    2' in report


def test_a_heading_without_a_program_is_refused(tmp_path):
    (tmp_path / 'a.md').write_text('# A\n\n## tf.nn.relu\n\nText.\n', encoding='utf-8')
    with pytest.raises(ValueError, match='a heading is not followed'):
        examples.read(tmp_path / 'a.md')


@pytest.mark.slow
def test_every_example_is_on_a_page_of_the_reference():
    pages = dict(reference.pages())
    text = '\n'.join(pages.values())
    assert ' at 0x' not in text
    for example in examples.all_examples():
        program = example.program.rstrip('\n').replace('<BLANKLINE>', '')
        assert f'```pycon\n{program}\n```' in text, example.names
    relu = pages['reference/tf.nn.md'].partition('### tf.nn.relu\n')[2].partition('\n### ')[0]
    assert '>>> print(tf.Session().run(tf.nn.relu(' in relu
    session = pages['reference/tf.md'].partition('### tf.Session\n')[2].partition('\n### ')[0]
    assert '| `run` | Runs' in session and '`Session.run`\n\n```pycon' in session
