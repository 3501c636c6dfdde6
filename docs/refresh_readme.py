"""Runs README.md's Python, and writes what it prints and draws back into README.md and docs/.

    python docs/refresh_readme.py

Each ```python block is run, all in one namespace; a ```text block right behind it is what it
prints. tests/engine/test_readme.py fails when they differ.
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

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / 'README.md'
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
    blocks, line = [], 0
    for match in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
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


def main():
    text = README.read_text(encoding='utf-8')
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        blocks = run_blocks(text)
        PICTURE.write_bytes(Path(PICTURE.name).read_bytes())
        os.chdir(ROOT)
    README.write_text(refreshed(text, blocks), encoding='utf-8')
    print(f'{README.name}: {len(blocks)} blocks; {PICTURE.relative_to(ROOT)}')


if __name__ == '__main__':
    main()
