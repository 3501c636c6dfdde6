"""Tries many damaged files in child processes, each file within limits of time and memory."""
from __future__ import annotations

import collections
import concurrent.futures
import contextlib
import multiprocessing
import os
import pathlib
import random
import shutil
import signal
import tempfile
import traceback
import warnings
from typing import NamedTuple

try:
    import resource
except ImportError:             # Windows, where nothing can be forked either
    resource = None

CPU_SECONDS = 20                # for one file; the machine may be busy, so wall time has more
WALL_SECONDS = 120
MEMORY = 3 << 30                # beyond what the process has at its start


class Result(NamedTuple):
    """What became of one file: 'refused', 'read', 'wrong' or 'hung', and in which way."""

    format: str
    number: int
    outcome: str
    detail: str = ''


def chance_of(seed, name, number):
    """The random numbers that belong to one case."""
    return random.Random(f'{seed} {name} {number}')


def outcome(form, place, name, data):
    """(outcome, detail) of reading one file."""
    from tinyflow.errors import OpError  # start-up time

    from tests.faults.format import Wrong  # start-up time
    try:
        form.read(place, name, data)
    except Wrong as error:
        return 'wrong', str(error)
    except BaseException as error:
        mine = isinstance(error, OpError) or hasattr(error, 'raised_by_tinyflow')
        text = str(error)
        if not mine:
            frames = traceback.extract_tb(error.__traceback__)
            where = ' < '.join(f'{pathlib.Path(f.filename).name}:{f.lineno}'
                               for f in frames[:-4:-1])
            return 'wrong', f'bare {type(error).__name__}: {text[:200]} at {where}'
        if place not in text and not any(part in text for part in form.named):
            return 'wrong', f'no file or node is named: {text[:300]}'
        return 'refused', type(error).__name__
    return 'read', ''


def _work(cases, seed, pipe):
    """In a child process: tries these files, and sends each outcome."""
    from tests.faults.formats import FORMATS  # start-up time
    warnings.simplefilter('ignore')
    quiet = os.open(os.devnull, os.O_WRONLY)
    os.dup2(quiet, 1)
    os.dup2(quiet, 2)
    used = int(pathlib.Path('/proc/self/statm').read_text().split()[0]) * resource.getpagesize() \
        if os.path.exists('/proc/self/statm') else 0
    with contextlib.suppress(ValueError, OSError):      # macOS may have no such limit
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory(prefix='faults-') as folder:
        pipe.send(folder)
        for place, (name, number) in enumerate(cases):
            form, place = FORMATS[name], os.path.join(folder, str(place))
            os.mkdir(place)
            try:
                which, data = form.case(chance_of(seed, name, number))
            except Exception:
                pipe.send(('wrong', f'the harness failed: {traceback.format_exc()[-600:]}'))
                os.rmdir(place)
                continue
            signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)       # SIGPROF ends the process
            found = outcome(form, place, which, data)
            signal.setitimer(signal.ITIMER_PROF, 0)
            pipe.send((found[0], f'{which}: {found[1]}' if found[0] == 'wrong' else found[1]))
            shutil.rmtree(place, ignore_errors=True)


def context():
    """Processes are forked from one that has imported everything, and has no threads."""
    found = multiprocessing.get_context('forkserver')
    found.set_forkserver_preload(['tests.faults.formats'])
    return found


def attempt(cases, seed):
    """The Results of files, pairs (format, number), in as many processes as it takes."""
    found, left = [], collections.deque(cases)
    while left:
        mine, theirs = context().Pipe(duplex=False)
        process = context().Process(target=_work, args=(list(left), seed, theirs))
        process.start()
        theirs.close()
        folder = None
        try:
            folder = mine.recv()
            while left:
                if not mine.poll(WALL_SECONDS):
                    found.append(Result(*left.popleft(), 'hung', f'{WALL_SECONDS} s'))
                    break
                received = mine.recv()
                found.append(Result(*left.popleft(), *received))
        except EOFError:
            process.join()
            if folder is None:
                raise RuntimeError('a process ended at its start') from None
            code = process.exitcode
            hung = code == -signal.SIGPROF
            found.append(Result(*left.popleft(), *(
                ('hung', f'{CPU_SECONDS} s of CPU time') if hung else
                ('wrong', f'crashed, exit code {code}'))))
        process.kill()
        process.join()
        mine.close()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
    return found


def campaign(counts, seed, jobs=1, piece=200, done=()):
    """Yields lists of Results: `counts` is {format: number of files}; `done` were tried before.

    `done` are pairs (format, first number of a piece).
    """
    pieces = [[(name, number) for number in range(first, min(first + piece, count))]
              for name, count in counts.items() for first in range(0, count, piece)
              if (name, first) not in done]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(attempt, cases, seed) for cases in pieces]
        for future in concurrent.futures.as_completed(waiting):
            yield future.result()
