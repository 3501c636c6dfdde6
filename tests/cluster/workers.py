"""Starts workers, by mpiexec or each with its own TF_CONFIG, and waits for them."""
from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from tests.cluster import processes
from tinyflow.cluster.ports import free_ports

HERE = Path(__file__).parent
LIMIT = 60              # seconds


class Ended(list):
    """(exit status, output) of each process that was started."""

    @property
    def output(self):
        return '\n'.join(text for _, text in self)

    def lines(self, mark):
        """The JSON data of the lines that begin with `mark`."""
        return [json.loads(line.partition(mark + ' ')[2]) for line in self.output.splitlines()
                if line.startswith(mark + ' ')]


def by_mpiexec(workers, script, *arguments, **environment):
    """Runs HERE/script in that many workers under one mpiexec."""
    mpiexec = Path(sys.executable).with_name('mpiexec')
    command = [str(mpiexec) if mpiexec.exists() else shutil.which('mpiexec'), '-n', str(workers)]
    return _wait([_start(command, script, arguments, environment)])


def apart(workers, script, *arguments, **environment):
    """Runs HERE/script in that many processes that know each other by TF_CONFIG only."""
    addresses = [f'127.0.0.1:{port}' for port in free_ports(workers)]
    return _wait([_start([], script, arguments, {**environment, 'TF_CONFIG': json.dumps({
        'cluster': {'worker': addresses}, 'task': {'type': 'worker', 'index': index}})})
        for index in range(workers)])


def _start(command, script, arguments, environment):
    return processes.start([*command, sys.executable, HERE / script, *arguments], environment)


def _wait(started):
    """The Ended processes; after LIMIT they are killed, with all that they have started."""
    ended = Ended()
    try:
        for process in started:
            text, _ = process.communicate(timeout=LIMIT)
            ended.append((process.returncode, text))
        return ended
    finally:
        for process in started:
            if process.poll() is None:
                processes.end(process)
                print(process.stdout.read())
