"""A few damaged files of every format: what `python -m tests.faults` tries by the thousand."""
from __future__ import annotations

import multiprocessing
import os
import random

import pytest

from tests.faults import __main__ as command, children
from tests.faults.damage import damaged, damaged_text
from tests.faults.format import Format, Wrong
from tests.faults.formats import FORMATS
from tinyflow.graph.support.errors import misuse

EACH = 6            # files of each format


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')
def test_damaged_files_of_every_format():
    cases = [(name, number) for name in FORMATS for number in range(EACH)]
    results = children.attempt(cases, seed=1)
    assert [r for r in results if r.outcome not in ('refused', 'read')] == []
    refused = [r for r in results if r.outcome == 'refused']
    assert len(results) == len(cases) and len(refused) > len(cases) / 2


def reading(function):
    return Format('some', function, dict, damaged, (), None, ())


def outcome(function):
    return children.outcome(reading(function), '/some/place', 'file', b'')


def test_what_is_wrong():
    """The harness itself: bare errors, errors without a name and other values are found."""
    def bare(place, name, data):
        raise KeyError('x')

    def nameless(place, name, data):
        raise misuse(ValueError('it is damaged'))

    def other(place, name, data):
        raise Wrong('other values')

    def named(place, name, data):
        raise misuse(ValueError(f'{place}/{name} is damaged'))
    assert outcome(bare)[0] == outcome(nameless)[0] == outcome(other)[0] == 'wrong'
    assert outcome(named) == ('refused', 'ValueError')
    assert outcome(lambda *args: None) == ('read', '')


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')
@pytest.mark.filterwarnings('ignore::DeprecationWarning')
def test_crashes_and_endless_reading(monkeypatch):
    def endless(place, name, data):
        while True:
            pass

    def crash(place, name, data):
        os._exit(7)
    for function in (endless, crash, lambda place, name, data: None):
        name = function.__name__
        monkeypatch.setitem(FORMATS, name, Format(name, function, lambda: {'f': b'x'}, damaged, (),
                                                  None, ()))
    monkeypatch.setattr(children, 'CPU_SECONDS', 0.2)
    monkeypatch.setattr(children, 'context', lambda: multiprocessing.get_context('fork'))
    found = children.attempt([('endless', 0), ('crash', 0), ('<lambda>', 0)], seed=0)
    assert [(r.format, r.outcome) for r in found] == [
        ('endless', 'hung'), ('crash', 'wrong'), ('<lambda>', 'read')]


def test_the_same_seed_gives_the_same_damage():
    for damage in (damaged, damaged_text):
        one, other, third = [damage(bytes(range(256)) * 4, random.Random(seed))
                             for seed in (3, 3, 4)]
        assert one == other != third


def test_the_table(capsys):
    results = [children.Result('a', 0, 'read'), children.Result('a', 1, 'wrong', 'x'),
               children.Result('b', 0, 'refused')]
    assert command.report(results) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1].split() == ['all', '3', '1', '1', '1', '0']
