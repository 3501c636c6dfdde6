"""The handshake table: each file format is written on one side and read on the other.

    python -m tests.parity.handshake            the table, as in docs/formats.md
    python -m tests.parity.handshake --write    and that page is written

TINYFLOW_TF115_PYTHON and TINYFLOW_TF215_PYTHON name the Python interpreters that have TensorFlow;
one that is not named gets no columns. Ends with status 1 if there is a FAIL.
"""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = pathlib.Path(__file__).with_name('file_formats.py')
PAGE = ROOT / 'docs' / 'formats.md'
VERSIONS = {'TINYFLOW_TF115_PYTHON': '1.15.5', 'TINYFLOW_TF215_PYTHON': '2.15.1'}
_MARK = '<!-- table -->\n'


def run(python, side, mode, folder):
    """{title of a format: 'ok', or what is wrong} of one side, which writes or reads the folder."""
    environment = {**os.environ, 'TF_CPP_MIN_LOG_LEVEL': '3',
                   'PYTHONPATH': str(ROOT) if side == 'tinyflow' else ''}
    done = subprocess.run([python, '-W', 'ignore', str(PROGRAM), side, mode, str(folder)],
                          capture_output=True, text=True, check=False, env=environment, cwd=ROOT)
    found = dict(json.loads(line) for line in done.stdout.splitlines()
                 if line.startswith('["'))
    if done.returncode:
        raise RuntimeError(f'{side} {mode} ended with {done.returncode}:\n{done.stderr[-2000:]}')
    for title, result in found.items():
        if result.startswith('FAIL'):
            print(f'{side} {mode} {title}: {result}', file=sys.stderr)
    return found


def both(written, read):
    """The cell of the table for what was written and then read."""
    return read if written == 'ok' else written


def results(python, folder):
    """{title: (written here and read there, written there and read here)}."""
    sides = {'tinyflow': sys.executable, 'tensorflow': python}
    found = {}
    for writer, reader in (('tinyflow', 'tensorflow'), ('tensorflow', 'tinyflow')):
        where = os.path.join(folder, writer)
        written = run(sides[writer], writer, 'write', where)
        read = run(sides[reader], reader, 'read', where)
        for title, result in written.items():
            found.setdefault(title, []).append(both(result, read[title]))
    return found


def table(columns):
    """The table as Markdown; `columns` are {heading: {title: cell}}."""
    titles = list(dict.fromkeys(title for cells in columns.values() for title in cells))
    notes: list[str] = []
    lines = ['| format | ' + ' | '.join(columns) + ' |', '|---|' + '---|' * len(columns)]
    for title in titles:
        cells = []
        for column in columns.values():
            cell = column[title]
            if cell.startswith('not possible: '):
                reason = cell.partition(': ')[2]
                if reason not in notes:
                    notes.append(reason)
                cell = f'not possible: [{notes.index(reason) + 1}]'
            cells.append(cell)
        lines.append(f'| {title} | ' + ' | '.join(cells) + ' |')
    lines += ['', *[f'[{i}] {note}.' for i, note in enumerate(notes, 1)]]
    return '\n'.join(lines).rstrip() + '\n'


def main(arguments):
    """Prints the table; the number of failures."""
    columns = {}
    for variable, version in VERSIONS.items():
        if variable not in os.environ:
            print(f'{variable} names no interpreter: TensorFlow {version} is left out.',
                  file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            found = results(os.environ[variable], folder)
        for i, heading in enumerate((f'tinyflow to {version}', f'{version} to tinyflow')):
            columns[heading] = {title: cells[i] for title, cells in found.items()}
    if not columns:
        return 0
    text = table(columns)
    print(text)
    if '--write' in arguments:
        before = PAGE.read_text().partition(_MARK)[0]
        PAGE.write_text(before + _MARK + text)
    return sum(cell.startswith('FAIL') for cells in columns.values() for cell in cells.values())


if __name__ == '__main__':
    sys.exit(bool(main(sys.argv[1:])))
