"""READING.md guides through the core: its files, their sizes and the names of the stages."""
import re
from pathlib import Path

import pytest

import tinyflow as tf
from tinyflow.compiler.compile import STAGES

ROOT = Path(__file__).parents[2]
READING = (ROOT / 'READING.md').read_text(encoding='utf-8')
FILES = re.findall(r'`(tinyflow/[\w/]+\.py)` \((\d+)\)', READING)
MOST_LINES = 5000


def lines_of(path):
    return (ROOT / path).read_text(encoding='utf-8').count('\n')


def test_there_are_at_most_twelve_stops():
    stops = re.findall(r'^\| (\d+) \| `tinyflow/[\w/]+\.py` \(\d+\).*\|.*\? *\|$', READING, re.M)
    assert [int(s) for s in stops] == list(range(1, len(stops) + 1)) and 1 < len(stops) <= 12


@pytest.mark.parametrize('path, lines', FILES)
def test_files_are_there_and_as_long_as_stated(path, lines):
    assert abs(lines_of(path) - int(lines)) <= 0.1 * int(lines)


def test_the_core_stays_small():
    assert len({path for path, _ in FILES}) == len(FILES)
    assert sum(lines_of(path) for path, _ in FILES) <= MOST_LINES


def test_the_files_hold_all_stages():
    folders = '\n'.join(path for path, _ in FILES)
    for stage in STAGES:
        assert re.search(rf'compiler/{stage}\b', folders), stage


def test_stages_have_the_names_that_explain_prints():
    with tf.Graph().as_default():
        titles = [title for title, _ in tf.explain(tf.constant(1.0), runs=0).sections()]
    assert titles == ['request', *[f'{n} {name}' for n, name in enumerate(STAGES, 1)], 'time']
    listed = re.findall(r'^(\d)\. \*\*(\w+)\*\*:', READING, re.M)
    assert listed == [(str(n), name) for n, name in enumerate(STAGES, 1)]


@pytest.mark.parametrize('number, name', list(enumerate(STAGES, 1)))
def test_a_stage_says_its_number_in_its_docstring(number, name):
    path = ROOT / 'tinyflow' / 'compiler' / name
    texts = [p.read_text(encoding='utf-8') for p in
             ([path.with_suffix('.py')] if path.with_suffix('.py').exists() else path.glob('*.py'))]
    assert any(re.search(rf'^"""Stage {number}\b', text) for text in texts)


def test_the_glossary_is_short():
    glossary = READING.partition('## Terms of this project')[2]
    assert 1 < len(re.findall(r'^\| (?!term|-)', glossary, re.M)) <= 20
