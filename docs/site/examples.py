"""The working examples of the reference, from docs/examples/*.md: reads them, runs them.

    python docs/site/examples.py [WORD ...]      # runs those whose names contain a word, or all

A file has one group of names. An example is a heading with the names that it shows, then a block
of Python as one would type it, with what it prints. `tf` and `np` are there already, everything
else an example makes itself: each runs in a new default graph with its own seeds, in an empty
folder.
"""
from __future__ import annotations

import contextlib
import doctest
import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / 'docs' / 'examples'
_SECTION = re.compile(r'^## ([^\n]+)\n+```python\n(.*?)^```$', re.M | re.S)
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Example(NamedTuple):
    """A program of a few lines, and the names that it is an example of."""

    names: tuple[str, ...]
    program: str
    file: str
    line: int


def read(path: Path) -> list[Example]:
    """The examples of one file."""
    text = path.read_text(encoding='utf-8')
    found = [Example(tuple(re.findall(r'[\w.]+', match[1])), match[2], path.name,
                     text.count('\n', 0, match.start(2)))
             for match in _SECTION.finditer(text)]
    if len(found) != text.count('\n## '):
        raise ValueError(f'{path}: a heading is not followed by a block of Python')
    return found


def all_examples() -> list[Example]:
    """The examples of all files."""
    return [example for path in sorted(FOLDER.glob('*.md')) for example in read(path)]


def value_of(name: str) -> Any:
    """What a dotted name, such as 'tf.nn.relu', stands for."""
    import tinyflow
    value = tinyflow
    for part in name.split('.')[1:]:
        value = getattr(value, part)
    return value


class ByValue:
    """Finds the examples of a value, under whichever of its names they were written."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self._of: dict[int, list[Example]] = {}
        self._values = []           # kept, so that no other object gets the id of one of them
        for example in examples:
            for name in example.names:
                value = _function(value_of(name))
                self._values.append(value)
                self._of.setdefault(id(value), []).append(example)

    def __call__(self, value: Any) -> list[Example]:
        return self._of.get(id(_function(value)), [])


def _function(value):
    """Of a method the function, since each access to a method makes a new object."""
    return getattr(value, '__func__', value)


def run(examples: Iterable[Example]) -> Iterator[tuple[Example, str]]:
    """(example, what doctest reports of it) for each; the report of one that works is ''."""
    import numpy as np

    import tinyflow as tf
    for example in examples:
        report: list[str] = []
        test = doctest.DocTestParser().get_doctest(
            example.program, {'tf': tf, 'np': np}, example.names[0], example.file, example.line)
        with _fresh(tf, np):
            doctest.DocTestRunner(optionflags=_FLAGS, verbose=False).run(
                test, out=report.append, clear_globs=False)
            for value in test.globs.values():
                if isinstance(value, tf.train.Server):
                    value.stop()
        yield example, ''.join(report)


@contextlib.contextmanager
def _fresh(tf, np):
    """A new graph, seeds and an empty folder; afterwards everything as it was."""
    folder, verbosity = Path.cwd(), tf.logging.get_verbosity()
    flags = tf.flags.FLAGS
    known, parsed = set(flags), flags.is_parsed()
    tf.keras.backend.clear_session()
    tf.reset_default_graph()
    tf.set_random_seed(1)
    np.random.seed(1)
    tf.logging.set_verbosity(tf.logging.ERROR)
    try:
        with tempfile.TemporaryDirectory() as empty:
            os.chdir(empty)
            try:
                yield
            finally:
                os.chdir(folder)
    finally:
        tf.keras.backend.clear_session()
        tf.reset_default_graph()
        tf.logging.set_verbosity(verbosity)
        for name in set(flags) - known:
            delattr(flags, name)
        if not parsed:
            flags.unparse_flags()


def main(words: list[str]) -> int:
    chosen = [example for example in all_examples()
              if not words or any(word in name for word in words for name in example.names)]
    failures = [report for _, report in run(chosen) if report]
    print(*failures, sep='\n', end='')
    print(f'{len(chosen)} examples, {len(failures)} failed')
    return bool(failures)


if __name__ == '__main__':
    sys.path.insert(0, str(ROOT))
    sys.exit(main(sys.argv[1:]))
