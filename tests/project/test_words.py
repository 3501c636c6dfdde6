"""Plain words: a table of words and phrases that have a usual term, and no codes of private lists.

The texts are docstrings, comments, string literals, identifiers and Markdown. An identifier counts
as its words, split at underscores.
"""
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]

# Words and phrases, and what to write instead. They are compared as whole words, without case.
WORDS = {
    'anew': 'again',
    'beside': 'next to',
    'by turns': 'alternately',
    'costliest': 'most expensive',
    'gives way': 'is replaced',
    'kin': 'and similar ones',
    'left out for good': 'deliberately not implemented',
    'likeliest': 'most likely',
    'mend': 'fix; "Hint:" in messages',
    'mended': 'fixed',
    'mends': 'fixes',
    'nobody': 'no code, nothing, no thread',
    'reckon': 'compute',
    'reckoned': 'computed',
    'reckons': 'computes',
    'spoils': 'corrupts, makes NaN',
    'spoilt': 'corrupted, contains NaN',
    'stood': 'was',
    'told': 'warned, reported',
    'whoever': 'the caller, any code that',
    'whole or not at all': 'atomically',
}

# A code of a list that is not in the repository, such as the A3 of a finding.
CODES = re.compile(r'\b(?:A\d{1,2}|PAINS|WISHES)\b|(?<=""")[A-Z]\d{1,2}(?=:)')

FOLDERS = ('tinyflow', 'keras_layer', 'estimator_layer', 'tutorials', 'tests', 'docs')
DOCUMENTS = ('README.md', 'READING.md', 'CONTRIBUTING.md')

# Recorded from TensorFlow, or this table itself.
SKIPPED = ('tests/golden/', 'tests/project/test_words.py')

_WORDS = {phrase: re.compile(r'(?<![a-z])' + phrase.replace(' ', r'[\s#]+') + r'(?![a-z])')
          for phrase in WORDS}
_COMMENT = re.compile(r'#.*')


class Finding(NamedTuple):
    """A word at a line of a file, and what to write instead."""

    file: str
    line: int
    word: str
    instead: str

    def __str__(self):
        return f'{self.file}:{self.line}: {self.word!r}; write: {self.instead}'


def words_in(text, file):
    """The findings of the table in a text, which is all of a file: code, comments and strings."""
    text = text.lower()
    for phrase, pattern in _WORDS.items():
        if phrase.split()[-1] in text:
            for match in pattern.finditer(text):
                line = text.count('\n', 0, match.start()) + 1
                yield Finding(file, line, phrase, WORDS[phrase])


def codes_in(text, file):
    """The codes in a text; tests may have them in comments."""
    for number, line in enumerate(text.splitlines(), 1):
        if file.startswith('tests/'):
            line = _COMMENT.sub('', line)
        for match in CODES.finditer(line):
            yield Finding(file, number, match[0], 'the name or the reason itself')


def files():
    """(path in the repository, text) of all files that are read."""
    paths = [path for folder in FOLDERS for ending in ('*.py', '*.md')
             for path in sorted((ROOT / folder).rglob(ending))]
    for path in [*paths, *(ROOT / name for name in DOCUMENTS)]:
        file = path.relative_to(ROOT).as_posix()
        if not file.startswith(SKIPPED):
            yield file, path.read_text(encoding='utf-8')


@pytest.mark.slow
def test_texts_use_the_usual_words():
    findings = [str(finding) for file, text in files() for finding in words_in(text, file)]
    assert not findings, '\n'.join(findings)


@pytest.mark.slow
def test_no_codes_of_private_lists():
    findings = [str(finding) for file, text in files() for finding in codes_in(text, file)]
    assert not findings, '\n'.join(findings)


@pytest.mark.parametrize('text, word, line', [
    ('x = 1\n# a comment that nobody reads\n', 'nobody', 2),
    ('def f():\n    """Mend: call it again."""\n', 'mend', 2),
    ('def _told_once(value):\n    pass\n', 'told', 1),
    ("message = ('the cost is\\n'\n           'Reckoned before')\n", 'reckoned', 2),
    ('# is written whole or\n# not at all\n', 'whole or not at all', 1),
])
def test_a_word_is_found_with_file_line_and_replacement(text, word, line):
    (finding,) = words_in(text, 'tinyflow/sample.py')
    assert finding == ('tinyflow/sample.py', line, word, WORDS[word])
    assert str(finding) == f'tinyflow/sample.py:{line}: {word!r}; write: {WORDS[word]}'


@pytest.mark.parametrize('text', ['besides_x', 'amended', 'kind of a skin', 'understood', 'retold'])
def test_parts_of_longer_words_are_not_found(text):
    assert not [f.word for f in words_in(text, 'sample.py')]


def test_codes_are_found_and_allowed_in_comments_of_tests():
    assert [f.word for f in codes_in("raise ValueError('[A3] grows')", 'tinyflow/sample.py')] == [
        'A3']
    assert [f.word for f in codes_in('    """D3: a view."""', 'tests/sample.py')] == ['D3']
    assert [f.line for f in codes_in('\n# see A12', 'tinyflow/sample.py')] == [2]
    assert [f.word for f in codes_in("def test_x():    # A12\n    'A12'", 'tests/sample.py')] == [
        'A12']
    assert not list(codes_in('shape [D0, D1], BGR565', 'tinyflow/sample.py'))
