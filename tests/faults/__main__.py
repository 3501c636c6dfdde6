"""`python -m tests.faults N SEED`: damaged files of every format, hostile graphs, full disks.

Options: `--only FORMAT`, `--number K` (one file, whose error is shown), `--jobs`, `--resume`
(go on with the files of the last run), `--commands` (those of commands.py, too).
"""
from __future__ import annotations

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from tests.faults import children, commands
from tests.faults.formats import FORMATS

PROGRESS = pathlib.Path('.fuzz')
OUTCOMES = ('refused', 'read', 'wrong', 'hung')


def main(arguments=None):
    """Returns the exit status: 1 if anything was wrong, or hung."""
    parser = argparse.ArgumentParser(prog='python -m tests.faults', description=__doc__)
    parser.add_argument('count', type=int, nargs='?', default=20000, help='files altogether')
    parser.add_argument('seed', type=int, nargs='?', default=1)
    parser.add_argument('--only', help='formats whose names contain this')
    parser.add_argument('--number', type=int, help='this file alone, read in this process')
    parser.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    parser.add_argument('--resume', action='store_true')
    parser.add_argument('--commands', action='store_true')
    options = parser.parse_args(arguments)
    names = [name for name in FORMATS if options.only in (None, name)] or \
        [name for name in FORMATS if options.only in name]
    if options.number is not None:
        return show(names[0], options.number, options.seed)
    results = run(names, options)
    bad = report(results)
    if options.commands:
        bad += run_commands()
    return int(bad > 0)


def show(name, number, seed):
    """Reads one file in this process: the traceback, if any, is the answer."""
    form = FORMATS[name]
    which, data = form.case(children.chance_of(seed, name, number))
    with tempfile.TemporaryDirectory() as place:
        form.read(place, which, data)
    print(f'{which}: read')
    return 0


def run(names, options):
    """The Results of all files, those that an interrupted run has tried included."""
    counts = dict.fromkeys(names, -(-options.count // len(names)))
    PROGRESS.mkdir(exist_ok=True)
    path = PROGRESS / f'{options.count}-{options.seed}.jsonl'
    results = []
    if options.resume and path.exists():
        results = [children.Result(*json.loads(line)) for line in path.read_text().splitlines()]
        results = [r for r in results if r.format in counts]
    else:
        path.write_text('')
    piece = min(200, max(10, options.count // len(names) // 4))
    done = {(r.format, r.number) for r in results if r.number % piece == 0}
    start = time.monotonic()
    with path.open('a') as file:
        for found in children.campaign(counts, options.seed, options.jobs, piece, done):
            results += found
            file.writelines(json.dumps(r) + '\n' for r in found)
            file.flush()
            for r in found:
                if r.outcome in ('wrong', 'hung'):
                    print(f'{r.outcome}: --only {r.format!r} --number {r.number}: {r.detail}',
                          flush=True)
            if sys.stderr.isatty():
                print(f'\r{len(results)} files, {time.monotonic() - start:.0f} s', end='\r',
                      file=sys.stderr)
    return results


def report(results):
    """Prints the table; returns how many were wrong or hung."""
    table = collections.defaultdict(collections.Counter)
    for result in results:
        table[result.format][result.outcome] += 1
        table['all'][result.outcome] += 1
    width = max(map(len, table), default=6)
    print(f'{"format":{width}} {"tried":>7} ' + ' '.join(f'{o:>7}' for o in OUTCOMES))
    for name in sorted(table, key=lambda name: (name == 'all', name)):
        row = table[name]
        print(f'{name:{width}} {row.total():>7} ' + ' '.join(f'{row[o]:>7}' for o in OUTCOMES))
    return table['all']['wrong'] + table['all']['hung']


def run_commands():
    """Runs the commands one after another; returns how many failed."""
    failed = 0
    for title, arguments in commands.COMMANDS:
        print(f'\n{title}: python -m {" ".join(arguments)}', flush=True)
        failed += subprocess.run([sys.executable, '-m', *arguments]).returncode != 0
    return failed


if __name__ == '__main__':
    sys.exit(main())
