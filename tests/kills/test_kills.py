"""A few kills of each kind of program; `python -m tests.kills 100 1` kills each a hundred times."""
from __future__ import annotations

import os

import pytest

from tests.kills.killing import Server, kill

pytestmark = pytest.mark.skipif(not hasattr(os, 'fork'), reason='needs fork')


@pytest.fixture(scope='module')
def server():
    with Server(steps=30) as started:
        yield started


@pytest.mark.slow
@pytest.mark.parametrize('program', ['estimator', 'session', 'fit', 'save', 'export'])
def test_a_killed_program_loses_nothing(program, server, tmp_path):
    assert kill(server, program, 2, 4, str(tmp_path))['kills'] >= 2
