"""The Chinese texts are in step with the English ones, and have the same programs."""
import importlib.util
import re
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location(
    'chinese', Path(__file__).resolve().parents[2] / 'docs' / 'chinese.py')
chinese = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(chinese)

FILES = [*chinese.lessons(), chinese.README]


def test_nothing_must_be_translated_again():
    assert list(chinese.problems()) == [], 'translate, and then: python docs/chinese.py --stamp'


def test_the_main_path_is_there():
    assert [path.name[:2] for path in chinese.lessons()] == [
        '01', '02', '03', '04', '07', '14', '19', '23']


@pytest.mark.parametrize('path', FILES, ids=lambda path: path.name)
def test_it_is_chinese_and_its_links_lead_somewhere(path):
    for text, _ in chinese.chinese(path):
        assert re.search('[\u4e00-\u9fff]', text)
    links = re.findall(r'\]\(([^)#]+)', path.read_text(encoding='utf-8'))
    for link in links:
        assert '://' in link or (path.parent / link).exists(), link


def test_a_changed_text_or_program_is_found(tmp_path, monkeypatch):
    lesson = chinese.LESSONS / '01_graph.py'
    changed = lesson.read_text(encoding='utf-8').replace('six **nodes**', '6 **nodes**').replace(
        "name='a'", "name='b'")
    (tmp_path / 'zh').mkdir()
    (tmp_path / lesson.name).write_text(changed, encoding='utf-8')
    copy = chinese.LESSONS / 'zh' / '01_graph.md'
    (tmp_path / 'zh' / copy.name).write_text(copy.read_text(encoding='utf-8'), encoding='utf-8')
    monkeypatch.setattr(chinese, 'LESSONS', tmp_path)
    found = list(chinese.problems())
    assert len(found) == 2
    assert found[0].startswith('01_graph.md, 2') and 'program' in found[0]
    assert found[1].startswith('01_graph.md, 3') and found[1].endswith('has changed')
