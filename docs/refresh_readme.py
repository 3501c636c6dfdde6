"""Runs the Python of README.md and docs/inside.md, and writes back what it prints and draws.

Also writes the line counts of READING.md.

    python docs/refresh_readme.py

Each ```python block is run, all in one namespace; a ```text block right behind it is what it
prints. tests/project/test_readme.py fails when they differ.
"""
from __future__ import annotations

import contextlib
import io
import linecache
import os
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

import tinyflow as tf

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / 'README.md', ROOT / 'docs' / 'inside.md']
READING = ROOT / 'READING.md'
PICTURE = ROOT / 'docs' / 'line.svg'
NAME = 'line.py'        # what the program calls itself in messages
_BLOCK = re.compile(r'^```python\n(?P<code>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?',
                    re.MULTILINE | re.DOTALL)


class Block(NamedTuple):
    """A ```python block, the ```text block behind it ('' if none) and what was really printed."""

    code: str
    output: str
    printed: str


def run_blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text, run in the present folder."""
    found = list(_BLOCK.finditer(text))
    program = ''.join(match['code'] for match in found)
    linecache.cache[NAME] = (len(program), None, program.splitlines(keepends=True), NAME)
    namespace: dict = {'__name__': '__main__'}
    graph = tf.Graph()                  # documents do not see each other's nodes
    blocks, line = [], 0
    for match in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), graph.as_default():
            exec(compile('\n' * line + match['code'], NAME, 'exec'), namespace)
        blocks.append(Block(match['code'], match['output'] or '', printed.getvalue()))
        line += match['code'].count('\n')
    return blocks


def refreshed(text: str, blocks: list[Block]) -> str:
    """The text with every output replaced by what was printed."""
    printed = iter(blocks)

    def replaced(match):
        block = next(printed)
        if match['output'] is None:
            return match[0]
        return match[0].replace(f'```text\n{match["output"]}```', f'```text\n{block.printed}```')
    return _BLOCK.sub(replaced, text)


def with_line_counts(text: str) -> str:
    """The text of READING.md with the number of lines of each file."""
    def counted(match):
        lines = (ROOT / match[1]).read_text(encoding='utf-8').count('\n')
        return f'`{match[1]}` ({lines})'
    return re.sub(r'`(tinyflow/[\w/]+\.py)` \(\d+\)', counted, text)


def main():
    READING.write_text(with_line_counts(READING.read_text(encoding='utf-8')), encoding='utf-8')
    for document in DOCUMENTS:
        text = document.read_text(encoding='utf-8')
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            blocks = run_blocks(text)
            if Path(PICTURE.name).exists():
                PICTURE.write_bytes(Path(PICTURE.name).read_bytes())
            os.chdir(ROOT)
        document.write_text(refreshed(text, blocks), encoding='utf-8')
        print(f'{document.relative_to(ROOT)}: {len(blocks)} blocks')


if __name__ == '__main__':
    main()
