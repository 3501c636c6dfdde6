"""`python -m tinyflow launch SCRIPT`: a program in several processes, on this machine or others."""
from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from difflib import get_close_matches

__all__ = ['add_launch']

_EPILOG = '''
Each process gets TF_CONFIG and, if the program defines such flags, --job_name, --task_index,
--ps_hosts and --worker_hosts. Each computes with one thread, unless OPENBLAS_NUM_THREADS or
OMP_NUM_THREADS is set. The job ends with the exit status of the chief, which is worker 0 where
there is no chief. A program that is started again continues from its own last checkpoint.
Arguments after SCRIPT belong to the program. docs/cluster.md says more.
'''


def add_launch(commands) -> None:
    """Adds the command to the parsers of cli.py."""
    sub = commands.add_parser(
        'launch', help='run a program in several processes',
        description='Runs a program in several processes, as the tasks of a cluster.',
        usage='%(prog)s [OPTION ...] SCRIPT [ARGUMENT ...]', epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    sub.set_defaults(command=_launch, script=None, parser=sub)
    sub.add_argument('words', nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    sub.add_argument('--workers', type=int, default=2, metavar='N',
                     help='how many processes train, the chief included (default: %(default)s)')
    sub.add_argument('--ps', type=int, default=0, metavar='N',
                     help='how many parameter servers there are (default: %(default)s)')
    sub.add_argument('--chief', action=argparse.BooleanOptionalAction, default=None,
                     help='whether the first worker is the task `chief`, as '
                          'tf.estimator.train_and_evaluate needs it (default: with --ps or '
                          '--evaluator, unless the program defines the flag --job_name)')
    sub.add_argument('--evaluator', action='store_true',
                     help='add a process that evaluates checkpoints as they come')
    sub.add_argument('--restarts', type=int, default=0, metavar='N',
                     help='how often, in all, what has died is started again (default: '
                          '%(default)s)')
    sub.add_argument('--hosts', metavar='A,B',
                     help='start the workers on these machines by mpiexec and ssh; for '
                          'MultiWorkerMirroredStrategy')
    sub.add_argument('--dry-run', action='store_true',
                     help='print the commands, and run nothing')


def _launch(options) -> int:
    problem = _problem(options)
    if problem is not None:
        print(f'tinyflow: {problem}', file=sys.stderr)
        return 2
    script, *arguments = options.words
    try:
        return _on_hosts(options, script, arguments) if options.hosts is not None else \
            _here(options, script, arguments)
    except OSError as error:
        print(f'tinyflow: {error}', file=sys.stderr)
        return 2


# ---- what is wrong with the options ------------------------------------------------------------


def _problem(options) -> str | None:
    """The text of the first mistake in the command, or None."""
    unknown = [word for word in [*options.unknown, *options.words[:1]] if word.startswith('-')]
    if unknown:
        return _unknown_option(unknown[0], options.parser)
    if not options.words:
        return ('launch needs a program.\n  Hint: python -m tinyflow launch --workers 2 train.py')
    script = options.words[0]
    if not os.path.isfile(script):
        return f'there is no file {script!r}'
    if options.workers < 1:
        return (f'--workers {options.workers}: a job needs at least one process that trains.'
                + ('\n  Hint: a parameter server waits for workers; --ps 1 --workers 1.'
                   if options.ps else ''))
    for name in ('ps', 'restarts'):
        if getattr(options, name) < 0:
            return f'--{name} {getattr(options, name)}: the number must not be negative.'
    if options.hosts is not None:
        return _problem_of_hosts(options)
    if sys.platform == 'win32':
        return ('launch needs process groups, which Windows does not have.\n  Hint: the Windows '
                'Subsystem for Linux has them.')
    return None


def _unknown_option(word, parser):
    known = [name for action in parser._actions for name in action.option_strings]
    name = word.partition('=')[0]
    near = get_close_matches(name, known, n=1, cutoff=0.7)
    hint = f'did you mean {near[0]}?' if near else \
        'options of the program come after it: launch --workers 2 train.py --steps 100'
    return f'launch has no option {name}.\n  Hint: {hint}'


def _problem_of_hosts(options):
    if not all(options.hosts.split(',')):
        return f'--hosts {options.hosts!r} has an empty name.\n  Hint: --hosts node1,node2'
    for name, given in (('ps', options.ps), ('chief', options.chief),
                        ('evaluator', options.evaluator)):
        if given:
            return (f'--hosts starts workers by mpiexec, and --{name} is no worker.\n  Hint: '
                    'start each process on its machine with TF_CONFIG; docs/cluster.md shows how.')
    return None


# ---- the two ways of starting ------------------------------------------------------------------


def _here(options, script, arguments) -> int:
    """All processes on this machine."""
    from tinyflow.cluster.launch import job, tasks  # start-up time
    with open(script, 'rb') as file:
        flags = tasks.script_flags(file.read())
    own = [word for word in arguments for name in flags if word.lstrip('-').split('=')[0] == name]
    if own:
        print(f'tinyflow: the launcher passes {own[0].partition("=")[0]} to each process itself.'
              '\n  Hint: leave it out.', file=sys.stderr)
        return 2
    chief = options.chief if options.chief is not None else \
        bool(options.ps or options.evaluator) and 'job_name' not in flags

    def new_tasks():
        return tasks.plan(options.workers, options.ps, chief, options.evaluator)

    def command_of(task, all_tasks):
        return [sys.executable, '-m', 'tinyflow.cluster.launch.start', script,
                *tasks.flags_of(task, all_tasks, flags), *arguments]

    if options.dry_run:
        planned = new_tasks()
        for task in planned:
            settings = tasks.environment_of(task, planned, os.environ)
            print(f'[{task.label}]', *(f'{name}={shlex.quote(value)}'
                                       for name, value in settings.items()),
                  shlex.join([sys.executable, '-m', 'tinyflow', 'run',
                              *command_of(task, planned)[3:]]))
        return 0
    if flags:
        print(f'tinyflow: {script} defines the flags {", ".join(flags)}: each process gets its '
              'own values.', file=sys.stderr)
    return job.Job(new_tasks, command_of, options.restarts).run()


def _on_hosts(options, script, arguments) -> int:
    """The workers on several machines."""
    from tinyflow.cluster.launch.hosts import mpiexec_command  # start-up time
    program = [sys.executable, '-m', 'tinyflow', 'run', script, *arguments]
    command = mpiexec_command(options.hosts.split(','), options.workers, program, os.environ)
    if options.dry_run:
        print(shlex.join(command))
        return 0
    restarted = 0
    while True:
        try:
            status = subprocess.run(command, check=False).returncode
        except KeyboardInterrupt:
            return 130
        if not status or restarted >= options.restarts:
            return status if status >= 0 else 128 - status
        restarted += 1
        print(f'tinyflow: mpiexec ended with status {status}; restart {restarted} of '
              f'{options.restarts}', file=sys.stderr, flush=True)
