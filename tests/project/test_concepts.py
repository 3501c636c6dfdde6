"""docs/concepts.md: each program prints what its comments say, and draws its picture."""
import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location(
    'concepts', Path(__file__).resolve().parents[2] / 'docs' / 'concepts.py')
concepts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(concepts)


@pytest.mark.parametrize('name', concepts.programs())
def test_program(name, tmp_path, monkeypatch):
    if name == 'Device':
        pytest.importorskip('zmq', reason='needs the extra tinyflow-graph[cluster]')
    program = concepts.programs()[name]
    monkeypatch.chdir(tmp_path)
    assert concepts.run(program) == concepts.expected(program)
    assert '<svg' in (tmp_path / concepts.picture(program)).read_text(encoding='utf-8')


def test_every_section_has_a_program_and_a_lesson():
    sections = concepts.TEXT.split('\n## ')[1:]
    assert len(sections) == len(concepts.programs()) > 30
    for section in sections:
        assert '](../tutorials/' in section, section.splitlines()[0]
