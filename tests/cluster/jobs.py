"""Starts the tasks of a program in processes of their own, kills and restarts them.

By hand, 20 kills of a role at random moments:   python -m tests.cluster.jobs ps 20
"""
from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tinyflow.cluster.ports import free_ports

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(__file__).parent / 'programs'
LIMIT = 60              # seconds until a task is given up


class Job:
    """The processes of a program: ``with Job('in_graph', 1, 2, folder) as job:``."""

    def __init__(self, program, ps, workers, folder, *flags, python=sys.executable,
                 framework='tinyflow'):
        self.addresses = [f'127.0.0.1:{port}' for port in free_ports(ps + workers)]
        self.folder, self.processes = Path(folder), {}
        self._counts = ps, workers
        self._command = [
            python, str(PROGRAMS / f'{program}.py'), '--framework', framework,
            '--ps_hosts', ','.join(self.addresses[:ps]),
            '--worker_hosts', ','.join(self.addresses[ps:]), *map(str, flags)]

    def __enter__(self):
        ps, workers = self._counts
        for job, count in (('ps', ps), ('worker', workers)):
            for index in range(count):
                self.start(job, index)
        return self

    def __exit__(self, *error):
        for process in self.processes.values():
            if process.poll() is None:
                process.kill()
            process.wait()

    def start(self, job, index):
        """Starts a task, once more if it has ended; its output goes on in the same file."""
        env = {**os.environ, 'PYTHONPATH': os.pathsep.join(
            [str(ROOT), *filter(None, [os.environ.get('PYTHONPATH')])]),
            'PYTHONDONTWRITEBYTECODE': '1', 'TF_CPP_MIN_LOG_LEVEL': '3', 'PYTHONWARNINGS': 'ignore',
            'OPENBLAS_NUM_THREADS': '1'}
        with open(self._file(job, index), 'a') as output:
            self.processes[job, index] = subprocess.Popen(
                [*self._command, '--job_name', job, '--task_index', str(index)], env=env,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True)

    def _file(self, job, index):
        return self.folder / f'{job}-{index}.txt'

    def output(self, job, index=0):
        """All that a task has printed."""
        return self._file(job, index).read_text()

    def kill(self, job, index, how=signal.SIGKILL):
        """Kills a task and waits for its end."""
        self.processes[job, index].send_signal(how)
        self.processes[job, index].wait()

    def wait(self, job='worker'):
        """Waits for the end of the tasks of a job. AssertionError with all outputs if one fails."""
        end = time.monotonic() + LIMIT
        for (name, index), process in self.processes.items():
            if name == job:
                try:
                    code = process.wait(max(end - time.monotonic(), 0.1))
                except subprocess.TimeoutExpired:
                    code = f'none after {LIMIT} seconds'
                assert code == 0, f'{name} {index} ended with {code}\n{self.report()}'

    def wait_for_steps(self, task, number):
        """Waits until a worker has printed so many steps; for a server, until worker 0 has."""
        watched = task if task[0] == 'worker' else ('worker', 0)
        end = time.monotonic() + LIMIT
        while len(self.losses(watched[1])) < number:
            assert time.monotonic() < end, self.report()
            time.sleep(0.002)

    def report(self):
        """The ends of all outputs."""
        return '\n'.join([f'---- {job} {index}\n{self.output(job, index)[-3000:]}'
                          for job, index in self.processes])

    def losses(self, index=0, job='worker'):
        """The losses that a task has printed."""
        return [float(text) for text in re.findall(r'loss (\S+)', self.output(job, index))]

    def final(self):
        """What the chief printed of the final values."""
        return re.findall(r'final (\w+)', self.output('worker', 0))[-1]


def sync_training(folder, kill=None, after=None, steps=20, pause=0.02):
    """The final values of synchronous training; tasks `kill` are killed and started again.

    `after` is the number of seconds until then. None: in the pause after one of the first steps of
    the last of them that is a worker, when it has added no gradient that it would add again.
    """
    with Job('monitored_sync', 1, 2, folder, '--steps', steps, '--logdir', Path(folder) / 'model',
             '--pause', pause) as job:
        if kill:
            if after is None:
                job.wait_for_steps(kill[-1], random.randrange(1, 6))
            else:
                time.sleep(after)
            for task in kill:
                if job.processes[task].poll() is None:
                    job.kill(*task)
            for task in kill:
                job.start(*task)
        job.wait()
        return job.final()


ROLES = {'ps': [('ps', 0)], 'worker': [('worker', 1)], 'chief': [('worker', 0)],
         'all': [('ps', 0), ('worker', 0), ('worker', 1)]}


def main(role, times):
    with tempfile.TemporaryDirectory() as folder:
        wanted = sync_training(folder)
    same = failed = 0
    slowest = 0.
    for _ in range(int(times)):
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            after = random.uniform(0.2, 2.5)
            try:
                same += sync_training(folder, ROLES[role], after) == wanted
            except AssertionError as error:
                failed += 1
                print(f'after {after:.2f} s: {error}')
        slowest = max(slowest, time.monotonic() - began)
    print(f'{role}: {times} kills, {failed} did not finish, {same} ended bit-equal, slowest job '
          f'{slowest:.1f} s')


if __name__ == '__main__':
    main(*sys.argv[1:])
