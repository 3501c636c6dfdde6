"""`python -m tinyflow launch`: the tasks of a job, mistakes in its command, and whole jobs."""
from __future__ import annotations

import json
import re
import shlex
import signal
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

from tests.cluster import processes
from tinyflow.api.cli import main
from tinyflow.cluster.launch import tasks
from tinyflow.cluster.launch.running import _shown, how_it_ended

pytestmark = pytest.mark.skipif(sys.platform == 'win32', reason='there are no process groups')


# ---- the tasks of a job ------------------------------------------------------------------------


def test_tasks_begin_with_servers_and_have_different_ports():
    planned = tasks.plan(workers=3, ps=1, chief=True, evaluator=True)
    assert [task.label for task in planned] == ['ps 0', 'chief', 'worker 0', 'worker 1',
                                                'evaluator']
    assert len({task.address for task in planned}) == 5
    assert all(task.address.startswith('127.0.0.1:') for task in planned[:-1])


def test_each_task_gets_the_cluster_and_its_own_place_in_it():
    planned = tasks.plan(workers=2, ps=1, chief=True, evaluator=True)
    configs = [json.loads(tasks.environment_of(task, planned, {})['TF_CONFIG'])
               for task in planned]
    assert all(config['cluster'] == configs[0]['cluster'] for config in configs)
    assert configs[0]['cluster'] == {'ps': [planned[0].address], 'chief': [planned[1].address],
                                     'worker': [planned[2].address]}
    assert [config['task'] for config in configs] == [
        {'type': kind, 'index': 0} for kind in ('ps', 'chief', 'worker', 'evaluator')]


def test_one_thread_for_each_process_unless_the_user_says_otherwise():
    assert tasks.one_thread({})['OPENBLAS_NUM_THREADS'] == '1'
    assert tasks.one_thread({'OMP_NUM_THREADS': '4'}) == {}


@pytest.mark.parametrize('source, found', [
    ("tf.app.flags.DEFINE_string('job_name', '', 'ps or worker')\n"
     "flags.DEFINE_integer('task_index', 0, '')", ['job_name', 'task_index']),
    ("parser.add_argument('-j', '--job_name')\nparser.add_argument('--ps_hosts', default='')",
     ['job_name', 'ps_hosts']),
    ("print('job_name', '--task_index')  # DEFINE_string('worker_hosts')", []),
    ('this is no program', []),
])
def test_flags_are_found_in_the_source(source, found):
    assert tasks.script_flags(source) == found


def test_flags_have_the_values_of_their_task():
    planned = tasks.plan(workers=2, ps=1, chief=False, evaluator=False)
    server, first, second = (task.address for task in planned)
    assert tasks.flags_of(planned[2], planned, list(tasks._FLAGS)) == [
        '--job_name=worker', '--task_index=1', '--task_id=1', f'--ps_hosts={server}',
        f'--worker_hosts={first},{second}']


@pytest.mark.parametrize('line, text', [
    (b'10%\r50%\r100%', '100%'), (b'a line\r', 'a line'), ('Größe'.encode(), 'Größe')])
def test_a_line_is_shown_as_a_terminal_leaves_it(line, text):
    assert _shown(line) == text


def test_how_a_process_ended():
    assert how_it_ended(-9) == 'ended by signal 9 (SIGKILL)'
    assert how_it_ended(3) == 'ended with status 3'


# ---- the command -------------------------------------------------------------------------------


@pytest.fixture
def launch(tmp_path, capsys, monkeypatch):
    """launch(*arguments) -> (status, output, errors), with the program train.py at hand."""
    (tmp_path / 'train.py').write_text("DEFINE_string('job_name', '', '')", encoding='utf-8')
    monkeypatch.chdir(tmp_path)
    for name in tasks._BLAS:
        monkeypatch.delenv(name, raising=False)

    def run(*arguments):
        status = main(['launch', *arguments])
        return (status, *capsys.readouterr())
    return run


@pytest.mark.parametrize('command, message', [
    ('', 'launch needs a program'),
    ('nothing.py', "there is no file 'nothing.py'"),
    ('--workers 0 train.py', '--workers 0: a job needs at least one process that trains.'),
    ('--workers 0 --ps 1 train.py', '--ps 1 --workers 1'),
    ('--ps -1 train.py', '--ps -1: the number must not be negative'),
    ('--restarts -1 train.py', '--restarts -1: the number must not be negative'),
    ('--wokers 4 train.py', 'launch has no option --wokers.\n  Hint: did you mean --workers?'),
    ('--epochs=4 train.py', 'launch has no option --epochs.\n  Hint: options of the program come'),
    ('train.py --job_name=ps', 'the launcher passes --job_name to each process itself'),
    ('--hosts a,,b train.py', 'has an empty name'),
    ('--hosts a,b --ps 1 train.py', '--hosts starts workers by mpiexec, and --ps is no worker'),
])
def test_a_wrong_command_is_refused(launch, command, message):
    status, output, errors = launch(*command.split())
    assert (status, output) == (2, '')
    assert message in errors


def test_a_dry_run_shows_the_commands(launch):
    status, output, _ = launch('--ps', '1', '--workers', '1', '--dry-run', 'train.py', '--steps',
                               '5 6')
    assert status == 0
    server, worker = [shlex.split(line) for line in output.splitlines()]
    assert server[-4:] == ['train.py', '--job_name=ps', '--steps', '5 6']
    assert worker[:2] == ['[worker', '0]'] and worker[-3] == '--job_name=worker'


def test_several_hosts_are_left_to_mpiexec(launch, monkeypatch):
    """Only the command line is tested: there are no other machines here."""
    monkeypatch.setattr('tinyflow.cluster.launch.hosts._mpiexec', lambda: 'mpiexec')
    status, output, _ = launch('--hosts', 'a,b', '--workers', '4', '--dry-run', 'train.py', '--x')
    assert status == 0
    words = shlex.split(output)
    assert words[:6] == ['mpiexec', '-hosts', 'a,b', '-n', '4', '-prepend-rank']
    assert words[-6:] == [sys.executable, '-m', 'tinyflow', 'run', 'train.py', '--x']


@pytest.mark.parametrize('options, first', [
    (['--ps', '1'], 'worker 0'), (['--ps', '1', '--chief'], 'chief'), ([], 'worker 0'),
    (['--evaluator', '--no-chief'], 'worker 0')])
def test_whether_there_is_a_chief(launch, options, first):
    _, output, _ = launch(*options, '--dry-run', 'train.py')
    assert f'[{first}]' in output


def test_a_program_without_flags_has_a_chief_next_to_servers(launch, tmp_path):
    (tmp_path / 'train.py').write_text('', encoding='utf-8')
    assert '[chief]' in launch('--ps', '1', '--dry-run', 'train.py')[1]
    assert '[chief]' not in launch('--dry-run', 'train.py')[1]


# ---- jobs --------------------------------------------------------------------------------------

# What the tasks of one kind do: `first` is True unless the task was started again.
PROGRAM = '''
    import json, os, pathlib, signal, subprocess, sys, time
    task = json.loads(os.environ['TF_CONFIG'])['task']
    who = task['type'], task['index']
    mark = pathlib.Path(f'{sys.argv[1]}-{who[0]}{who[1]}')
    first = not mark.exists()
    mark.write_text(str(os.getpid()))
    def wait(name):
        while not pathlib.Path(f'{sys.argv[1]}-{name}').exists():
            time.sleep(0.02)
'''
# The worker is killed once and comes back; the server waits for ever; a child is left behind.
WITH_SERVER = PROGRAM + '''
    if who == ('ps', 0):
        time.sleep(1000)
    if who == ('worker', 0):
        if first:
            os.kill(os.getpid(), signal.SIGKILL)
        print('came back')
        pathlib.Path(f'{sys.argv[1]}-back').touch()
    if who == ('chief', 0):
        child = subprocess.Popen(['sleep', '1000'])
        pathlib.Path(f'{sys.argv[1]}-child').write_text(str(child.pid))
        print('10%', end='\\r'); print('100%'); print('no end of line', end='')
        wait('back')
        sys.exit(0)
'''
# Worker 1 fails once: all stop and all start again; then the chief, worker 0, ends with 3.
TOGETHER = PROGRAM + '''
    if first and who == ('worker', 1):
        wait('worker0')
        raise ValueError('the reason')
    if first:
        time.sleep(1000)
    if who == ('worker', 0):
        wait('worker1')
        print('arguments', sys.argv[2:])
        sys.exit(3)
'''
ENDLESS = PROGRAM + '''
    child = subprocess.Popen(['sleep', '1000'])
    pathlib.Path(f'{sys.argv[1]}-child').write_text(str(child.pid))
    print('ready')
    while True:
        time.sleep(1000)
'''
JOBS = {
    'server': (WITH_SERVER, '--ps 1 --workers 2 --restarts 1'),
    'together': (TOGETHER, '--workers 2 --restarts 1'),
    'interrupted': (ENDLESS, '--workers 1'),
    'killed': (ENDLESS, '--workers 1'),
}


class Started:
    """A launcher that runs a job, and what it has printed."""

    def __init__(self, folder, name, source, options):
        self.folder, self.name = folder, name
        (folder / f'{name}.py').write_text(dedent(source), encoding='utf-8')
        self.output, self.errors = (open(folder / f'{name}.{kind}', 'w+', encoding='utf-8')
                                    for kind in ('out', 'err'))
        command = [sys.executable, '-m', 'tinyflow', 'launch', *options.split(), f'{name}.py',
                   name, '--more']
        self.process = processes.start(command, {'NO_COLOR': '1'}, self.output, self.errors,
                                       folder)

    def texts(self):
        found = []
        for file in (self.output, self.errors):
            file.seek(0)
            found.append(file.read())
        return found

    def pids(self):
        """The processes of which the programs have left the numbers."""
        return [int(path.read_text()) for path in self.folder.glob(f'{self.name}-*')
                if path.read_text().isdigit()]

    def signal_when_ready(self, number):
        self.until(lambda: 'ready' in self.texts()[0])
        pids = self.pids()
        assert len(pids) == 2 and all(map(_alive, pids))
        self.process.send_signal(number)
        return pids

    def until(self, condition, seconds=30):
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, '\n'.join(self.texts())
            time.sleep(0.02)


def _alive(pid):
    try:
        stat = Path(f'/proc/{pid}/stat').read_text()
        return stat.rpartition(')')[2].split()[0] != 'Z'
    except FileNotFoundError:
        return False


@pytest.fixture(scope='module')
def jobs(tmp_path_factory):
    """All jobs, started at the same time."""
    folder = tmp_path_factory.mktemp('jobs')
    started = {name: Started(folder, name, *job) for name, job in JOBS.items()}
    yield started
    for job in started.values():
        processes.end(job.process)
        job.output.close(), job.errors.close()


@pytest.mark.slow
@pytest.mark.cluster
def test_a_worker_that_is_killed_is_started_again(jobs):
    job = jobs['server']
    assert job.process.wait(30) == 0, job.texts()
    output, errors = job.texts()
    assert re.fullmatch(r'tinyflow: worker 0 of 1 \(pid \d+\) ended by signal 9 \(SIGKILL\); '
                        r'restart 1 of 1\n', errors)
    assert sorted(output.splitlines()) == ['[chief] 100%', '[chief] no end of line',
                                           '[worker 0] came back']
    job.until(lambda: not any(map(_alive, job.pids())))         # the child, too


@pytest.mark.cluster
def test_workers_without_a_server_stop_and_start_together(jobs):
    job = jobs['together']
    assert job.process.wait(30) == 3, job.texts()
    output, errors = job.texts()
    assert '[worker 1] ValueError: the reason\n' in output
    assert "[worker 0] arguments ['--more']\n" in output
    first, last = errors.splitlines()
    assert re.fullmatch(r'tinyflow: worker 1 of 2 \(pid \d+\) ended with status 1; all stop; '
                        'restart 1 of 1', first)
    assert 'worker 0 of 2' in last and last.endswith('ended with status 3; all stop (restarts: 1)')


@pytest.mark.slow
@pytest.mark.cluster
def test_ctrl_c_leaves_no_process(jobs):
    job = jobs['interrupted']
    pids = job.signal_when_ready(signal.SIGINT)
    assert job.process.wait(30) == 130
    assert not any(map(_alive, pids))
    output, errors = job.texts()
    assert errors == 'tinyflow: SIGINT: all stop\n'
    assert '[worker 0] interrupted' in output


@pytest.mark.cluster
def test_a_killed_launcher_leaves_no_process(jobs):
    job = jobs['killed']
    pids = job.signal_when_ready(signal.SIGKILL)
    job.until(lambda: not any(map(_alive, pids)), seconds=5)
