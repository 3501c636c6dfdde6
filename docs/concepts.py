"""Runs the programs of concepts.md, and adds their pictures: for the pages and for the tests."""
from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import tempfile
from pathlib import Path

TEXT = Path(__file__).with_suffix('.md').read_text(encoding='utf-8')
_PROGRAM = re.compile(r'^## (.+?)\n.*?^```python\n(.*?)^```\n', re.M | re.S)
_PICTURE = re.compile(r"'(\w+\.svg)'")


def programs() -> dict[str, str]:
    """The program of each concept."""
    return dict(_PROGRAM.findall(TEXT))


def picture(program: str) -> str:
    """The file that a program draws its picture in."""
    return _PICTURE.findall(program)[-1]


def run(program: str) -> str:
    """Runs a program in the current folder, in an empty graph; returns what it prints."""
    import tinyflow as tf
    tf.keras.backend.clear_session()
    names = {'tf': tf, '__name__': '__main__'}
    try:
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(program, 'concepts.md', 'exec'), names)
    finally:
        for value in names.values():
            if isinstance(value, tf.train.Server):
                value.stop()
    return printed.getvalue()


def expected(program: str) -> str:
    """What a program prints, by its comments behind `print`."""
    return ''.join(f'{line}\n' for line in re.findall(r'print\(.*\) +# (.*)$', program, re.M))


def with_pictures(text: str, folder: Path, where: str) -> str:
    """The page with each program's picture, drawn into `folder`; links to it begin with `where`."""
    folder.mkdir(parents=True, exist_ok=True)
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as workplace:
        os.chdir(workplace)
        try:
            for name, program in programs().items():
                run(program)
                shutil.move(picture(program), folder)
                link = f'![{name}]({where}{picture(program)})'
                text = text.replace(f'{program}```\n', f'{program}```\n\n{link}\n')
        finally:
            os.chdir(before)
    return text
