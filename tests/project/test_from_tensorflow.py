"""docs/from_tensorflow.md: each row of its tables is true."""
from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

import tinyflow as tf

ROOT = Path(__file__).parents[2]
spec = importlib.util.spec_from_file_location(
    'comparison', ROOT / 'docs' / 'site' / 'comparison.py')
comparison = importlib.util.module_from_spec(spec)
spec.loader.exec_module(comparison)


def ids(rows):
    return [comparison.code(row[0])[:40] for row in rows]


SAME, DIFFERS, REFUSED = map(comparison.rows, ('The same', 'What differs', 'What is refused'))


def test_the_tables_are_found():
    assert (len(SAME) > 12, len(DIFFERS) > 7, len(REFUSED) > 15) == (True, True, True)


def test_what_is_the_same_exists():
    for row in SAME:
        for name in re.findall(r'`tf\.([\w.]+)`', row[0]):
            value = tf
            for part in name.split('.'):
                value = getattr(value, part)


@pytest.mark.parametrize('row', DIFFERS, ids=ids(DIFFERS))
def test_what_differs_gives_here_what_the_table_says(row):
    program, there, here = map(comparison.code, row)
    found = comparison.outcome(program, tf)
    assert found.startswith(here) if 'Error: ' in here else found == here
    assert there != here


@pytest.mark.parametrize('row', REFUSED, ids=ids(REFUSED))
def test_what_is_refused_says_so(row):
    program, text = map(comparison.code, row)
    error, _, found = comparison.outcome(program, tf).partition(': ')
    assert error in ('MissingNameError', 'NotImplementedError', 'RuntimeError', 'AttributeError')
    assert found.startswith(text)
