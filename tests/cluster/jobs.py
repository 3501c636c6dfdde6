"""Starts the tasks of a program in processes of their own, kills and restarts them.

By hand, 20 kills of a role:   python -m tests.cluster.jobs ps 20 [PROGRAM] [MOMENT]
"""
from __future__ import annotations

import random
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.cluster import processes
from tinyflow.cluster.ports import free_ports

PROGRAMS = Path(__file__).parent / 'programs'
LIMIT = 60              # seconds until a task is given up
QUIET = {'TF_CPP_MIN_LOG_LEVEL': '3', 'PYTHONWARNINGS': 'ignore'}


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
            processes.end(process)

    def start(self, job, index):
        """Starts a task, once more if it has ended; its output goes on in the same file."""
        with open(self._file(job, index), 'a') as output:
            self.processes[job, index] = processes.start(
                [*self._command, '--job_name', job, '--task_index', index], QUIET, output)

    def _file(self, job, index):
        return self.folder / f'{job}-{index}.txt'

    def output(self, job, index=0):
        """All that a task has printed."""
        return self._file(job, index).read_text()

    def kill(self, job, index, how=signal.SIGKILL):
        """Kills a task and waits for its end."""
        self.processes[job, index].send_signal(how)
        self.processes[job, index].wait()

    def restart(self, tasks):
        """Kills tasks that have not ended, and starts them again."""
        for task in tasks:
            if self.processes[task].poll() is None:
                self.kill(*task)
        for task in tasks:
            self.start(*task)

    def wait(self, job='worker', restarts=0):
        """Waits for the end of the tasks of a job, which start again `restarts` times if they fail.

        AssertionError with all outputs if one fails.
        """
        end = time.monotonic() + LIMIT
        waiting = [task for task in self.processes if task[0] == job]
        while waiting:
            for task in list(waiting):
                code = self.processes[task].poll()
                if code == 0:
                    waiting.remove(task)
                elif code is not None and restarts:
                    restarts -= 1
                    self.start(*task)
                else:
                    assert code is None, f'{task} ended with {code}\n{self.report()}'
            assert time.monotonic() < end, f'{waiting} after {LIMIT} seconds\n{self.report()}'
            time.sleep(0.005)

    def wait_for(self, text, times=1):
        """Waits until the chief has printed a text so many times."""
        end = time.monotonic() + LIMIT
        while self.output('worker', 0).count(text) < times:
            assert time.monotonic() < end, f'no {text!r}\n{self.report()}'
            time.sleep(0.001)

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

    def saved_step(self):
        """The step of the last checkpoint."""
        return max(int(re.findall(r'ckpt-(\d+)', file.name)[0])
                   for file in (self.folder / 'model').glob('model.ckpt-*.index'))

    def final(self):
        """What the chief printed of the final values, None if it prints none."""
        return (re.findall(r'final (\w+)', self.output('worker', 0)) or [None])[-1]


def training(folder, program='monitored_sync', kill=None, moment='pause', steps=20, pause=0.02):
    """The final values of a training on 1 server and 2 workers; where none are printed its step.

    Tasks `kill` are killed at a moment (a key of MOMENTS) and started again.
    """
    hold = Path(folder) / 'go on'           # however late a kill comes, it is not after the end
    with Job(program, 1, 2, folder, '--steps', steps, '--logdir', Path(folder) / 'model',
             '--pause', pause, '--hold', hold) as job:
        if kill:
            MOMENTS[moment](job, kill)
            job.restart(kill)
        hold.touch()
        # A Supervisor's program ends with an error when it loses its server, as in TensorFlow.
        job.wait(restarts=3 if program.startswith('supervised') else 0)
        return job.final() or f'at step {job.saved_step()}'


def _in_the_pause(job, kill):
    """After one of the first steps of the last task that is a worker."""
    job.wait_for_steps(kill[-1], random.randrange(1, 6))


def _in_a_step(job, kill):
    job.wait_for_steps(kill[-1], random.randrange(1, 10))
    time.sleep(random.uniform(0, 0.03))


def _initialising(job, kill):
    """While processes start, before, while or after the chief gives Variables their values."""
    if random.random() < 0.5:
        time.sleep(random.uniform(0.05, 0.4))
    else:
        job.wait_for(random.choice(('Running local_init_op', 'Done running local_init_op')))
        time.sleep(random.uniform(0, 0.03))


def _saving(job, kill):
    """While the chief writes its first or second checkpoint."""
    job.wait_for('Saving checkpoint', random.randrange(1, 3))
    time.sleep(random.uniform(0, 0.03))


def _restoring(job, kill):
    """All tasks are killed and start again; then, while the chief reads the checkpoint."""
    job.wait_for('Saving checkpoint', 2)
    job.wait_for_steps(('worker', 0), len(job.losses()) + 1)
    job.restart(ROLES['all'])
    job.wait_for('Restoring parameters')
    time.sleep(random.uniform(0, 0.03))


def _at_random(job, kill):
    time.sleep(random.uniform(0.05, 1.))


def _stopped(job, kill):
    """Not killed: stopped for 3 seconds."""
    _in_a_step(job, kill)
    for how in (signal.SIGSTOP, signal.SIGCONT):
        for task in kill:
            job.processes[task].send_signal(how)
        time.sleep(3 if how is signal.SIGSTOP else 0)
    kill.clear()                        # nothing starts again


ROLES = {'ps': [('ps', 0)], 'worker': [('worker', 1)], 'chief': [('worker', 0)],
         'all': [('ps', 0), ('worker', 0), ('worker', 1)]}
MOMENTS = {'pause': _in_the_pause, 'step': _in_a_step, 'init': _initialising, 'save': _saving,
           'restore': _restoring, 'random': _at_random, 'stop': _stopped}


_ENDS = [f'at step {n}' for n in range(20, 23)]     # asynchronous: each worker makes a last step


def main(role, times, program='monitored_sync', moment='random'):
    with tempfile.TemporaryDirectory() as folder:
        began = time.monotonic()
        wanted = training(folder, program)
        usual = time.monotonic() - began
    same = failed = 0
    slowest, others = 0., []
    for n in range(int(times)):
        began = time.monotonic()
        random.seed(n)
        with tempfile.TemporaryDirectory() as folder:
            try:
                final = training(folder, program, list(ROLES[role]), moment)
                equal = final == wanted or final in _ENDS
                same += equal
                others += [] if equal else [final[:60]]
            except AssertionError as error:
                failed += 1
                print(f'{n}: {error}')
        slowest = max(slowest, time.monotonic() - began)
    print(f'{program} {role} {moment}: {times} kills, {failed} did not finish, {same} ended as '
          f'without one, slowest job {slowest:.1f} s, without a kill {usual:.1f} s', *others,
          flush=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
