"""The text of the page: complete, checked, and closed to what the document's texts try."""
from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.inspect.explorer import documents
from tinyflow.inspect.explorer.page import page, scripts

FILES = Path(scripts()[0]).parent


class Parts(HTMLParser):
    """Collects the elements of a page, and the text of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag == 'script'
        if self.inside:
            self.scripts.append('')

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != 'script'

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


@pytest.mark.slow
def test_the_document_arrives_unchanged_and_nothing_else_is_in_the_page():
    plain, bad = documents.chain(1, 2), documents.hostile()
    harmless, parts = Parts(page(plain)), Parts(page(bad))
    assert [tag for tag, _ in parts.tags] == [tag for tag, _ in harmless.tags]
    assert json.loads(parts.scripts[0]) == json.loads(json.dumps(bad))


def test_nothing_is_loaded_from_elsewhere():
    parts = Parts(page(documents.chain(1, 2)))
    assert not [tag for tag, attrs in parts.tags if {'src', 'href'} & set(attrs) or tag == 'link']
    policy, = [attrs['content'] for tag, attrs in parts.tags if 'http-equiv' in attrs]
    assert policy.startswith("default-src 'none'")


def test_every_script_is_in_the_page_once():
    text = page(documents.chain(1, 2))
    assert sorted(scripts()) == sorted(FILES.rglob('*.js'))
    for script in scripts():
        assert text.count(script.read_text(encoding='utf-8')) == 1


@pytest.mark.parametrize('script', scripts(), ids=lambda path: path.stem)
def test_scripts_are_small_and_put_no_text_into_html(script):
    text = script.read_text(encoding='utf-8')
    lines = text.splitlines()
    assert lines[0].startswith('// ')
    assert len(lines) < 400
    assert max(map(len, lines)) <= 100
    assert not re.search(r'innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(', text)


@pytest.mark.slow
def test_scripts_have_the_syntax_of_the_language():
    node = shutil.which('node')
    if node is None:
        pytest.skip('node checks the syntax, and is not installed; the browser tests check it, too')
    text = '\n'.join(f'(() => {{ {script.read_text(encoding="utf-8")} }});' for script in scripts())
    done = subprocess.run([node, '--check', '-'], input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
