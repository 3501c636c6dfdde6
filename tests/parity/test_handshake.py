"""The handshake table: no format fails in either direction, and docs/formats.md shows them all."""
from __future__ import annotations

import re

import pytest

from tests.parity import handshake
from tests.parity.interpreters import interpreter

PAGE = handshake.PAGE.read_text(encoding='utf-8')


@pytest.mark.slow
@pytest.mark.parity
@pytest.mark.parametrize('version', list(handshake.VERSIONS))
def test_no_format_fails(version, tmp_path):
    found = handshake.results(interpreter(version), str(tmp_path))
    assert len(found) > 25
    wrong = {title: cells for title, cells in found.items()
             if any(cell != 'ok' and not cell.startswith('not possible: ') for cell in cells)}
    assert not wrong, wrong


def test_a_cell_is_what_went_wrong_first():
    assert handshake.both('ok', 'FAIL: no') == 'FAIL: no'
    assert handshake.both('not possible: why', 'nothing to read') == 'not possible: why'


def test_the_table_numbers_its_reasons():
    text = handshake.table({'a to b': {'x': 'ok', 'y': 'not possible: no y'},
                            'b to a': {'x': 'not possible: no x', 'y': 'not possible: no y'}})
    assert text.splitlines() == [
        '| format | a to b | b to a |', '|---|---|---|', '| x | ok | not possible: [1] |',
        '| y | not possible: [2] | not possible: [2] |', '', '[1] no x.', '[2] no y.']


def test_the_page_shows_every_format():
    source = handshake.PROGRAM.read_text(encoding='utf-8')
    titles = re.findall(r"(?:register|keras_format)\(\s*'([^']+)'", source)
    rows = re.findall(r'^\| (.*?) \|', PAGE, re.MULTILINE)
    assert rows[0] == 'format' and sorted(rows[1:]) == sorted(titles)
    assert 'FAIL' not in PAGE
