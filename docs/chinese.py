"""The Chinese texts: in step with the English ones, with the same programs; their notebooks.

    python docs/chinese.py              says what must be translated again
    python docs/chinese.py --stamp      notes that all is translated, and copies the programs

tutorials/zh/*.md are lessons, README.zh.md is README.md by its sections. Each text begins with a
comment: its number, and the checksum of its English text.
"""
from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LESSONS = ROOT / 'tutorials'
README = ROOT / 'README.zh.md'
_MARK = re.compile(r'^<!-- (\d+)(?: \w+)? -->\n', re.M)
_STAMP = re.compile(r'^<!-- \d+ (\w+) -->\n', re.M)
_FENCE = re.compile(r'^```.*?^```$', re.M | re.S)


def lessons() -> list[Path]:
    """The Chinese lessons."""
    return sorted((LESSONS / 'zh').glob('[0-9]*.md'))


def english(path: Path) -> list[tuple[str, str]]:
    """(text, program) of each cell of the English lesson, or (section, '') of README.md."""
    if path == README:
        text = (ROOT / 'README.md').read_text(encoding='utf-8')
        return [(section, '') for section in re.split(r'^(?=## )', text, flags=re.M)]
    script = (LESSONS / f'{path.stem}.py').read_text(encoding='utf-8')
    cells: list[tuple[str, str]] = []
    parts = re.split(r'^# %%(.*)\n', script, flags=re.M)[1:]
    for kind, text in zip(parts[::2], parts[1::2]):
        if kind.strip() == '[markdown]':
            cells.append((re.sub(r'^# ?', '', text, flags=re.M).strip(), ''))
        else:
            before, program = cells.pop()
            cells.append((before, f'{program}\n\n\n{text.strip()}'.strip()))
    return cells


def chinese(path: Path) -> list[tuple[str, str]]:
    """(text, program) of each cell of a Chinese lesson, or (section, '') of README.zh.md."""
    texts = _MARK.split(path.read_text(encoding='utf-8'))[2::2]
    if path == README:
        return [(text, '') for text in texts]
    return [(_FENCE.sub('', text).strip(),
             ''.join(_FENCE.findall(text)).removeprefix('```python\n').removesuffix('\n```'))
            for text in texts]


def checksum(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def problems() -> Iterator[str]:
    """What must be translated again: file, number of the text, its English beginning."""
    for path in [*lessons(), README]:
        stamps = _STAMP.findall(path.read_text(encoding='utf-8'))
        if not len(english(path)) == len(chinese(path)) == len(stamps):
            yield (f'{path.name}: {len(chinese(path))} texts, {len(stamps)} with a checksum, '
                   f'{len(english(path))} in English')
        for number, ((text, program), (translated, same), stamp) in enumerate(
                zip(english(path), chinese(path), stamps), 1):
            where = f'{path.name}, {number}: {text.strip()[:50]!r}'
            if stamp != checksum(text):
                yield f'{where} has changed'
            if program != same or (path == README
                                   and _FENCE.findall(text) != _FENCE.findall(translated)):
                yield f'{where}: the program is another one'


def stamp() -> None:
    """Writes the checksums of today's English texts, and the programs of today's lessons."""
    for path in [*lessons(), README]:
        lines = []
        for number, ((text, program), (translated, _)) in enumerate(
                zip(english(path), chinese(path)), 1):
            lines += [f'<!-- {number} {checksum(text)} -->', translated.strip()]
            lines += ['', '```python', program, '```'] if program else []
        path.write_text('\n'.join(lines) + '\n', encoding='utf-8')


def write_notebooks(folder: Path) -> None:
    """Writes the Chinese notebooks into `folder`/zh: those of `folder` with the other texts."""
    import nbformat
    (folder / 'zh').mkdir(exist_ok=True)
    for path in lessons():
        source = folder / f'{path.stem}.ipynb'
        if source.exists():
            notebook, texts = nbformat.read(source, as_version=4), iter(chinese(path))
            for cell in notebook.cells:
                if cell.cell_type == 'markdown':
                    text, _ = next(texts)
                    cell.source = re.sub(r'(\]\((?:\.\./)?\d\d_\w+)\.(py|md)\)', r'\1.ipynb)', text)
            nbformat.write(notebook, folder / 'zh' / source.name)


if __name__ == '__main__':
    if '--stamp' in sys.argv[1:]:
        stamp()
    for problem in problems():
        print(problem)
