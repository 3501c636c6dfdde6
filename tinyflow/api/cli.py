"""The command line: python -m tinyflow run | graph | explain | doctor | launch SCRIPT, and more.

A script written for `import tensorflow as tf` runs unchanged; `graph` draws the graph that it
built, `explain` explains its most expensive run, `doctor` lists likely mistakes.
"""
from __future__ import annotations

import argparse
import os
import re
import runpy
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

import tinyflow
from tinyflow.api import aliases, old_numpy
from tinyflow.api.cli_convert import add_convert, python2_hint
from tinyflow.api.cli_diff import add_diff
from tinyflow.api.cli_explore import add_explore
from tinyflow.api.cli_launch import add_launch
from tinyflow.api.cli_learn import add_learn
from tinyflow.api.cli_playground import add_playground
from tinyflow.api.cli_predict import add_predict
from tinyflow.api.cli_why import add_why
from tinyflow.graph import defaults, graph as graph_module
from tinyflow.inspect import viz
from tinyflow.inspect.doctor import doctor
from tinyflow.inspect.explain import Explanation, explain
from tinyflow.session.interactive import InteractiveSession
from tinyflow.session.session import BaseSession, Session

TODAY = '--numpy-of-today'


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the process's exit status."""
    options = _parse(sys.argv[1:] if arguments is None else arguments)
    if options.script is not None and not os.path.isfile(options.script):
        print(f'tinyflow: there is no file {options.script!r}', file=sys.stderr)
        return 2
    if options.script is not None and _is_notebook(options.script):
        print(f'tinyflow: {options.script!r} is a notebook, not a Python program.\n  Hint: '
              f'`jupyter nbconvert --to script {options.script}` makes one of it; or call '
              'tinyflow.install_as_tensorflow() in the first cell of the notebook.',
              file=sys.stderr)
        return 2
    return options.command(options)


def _is_notebook(path: str) -> bool:
    """True for a file of Jupyter: by its name, or because it is JSON with cells."""
    if path.endswith('.ipynb'):
        return True
    with open(path, 'rb') as file:
        return re.match(rb'\s*\{\s*"(cells|metadata|nbformat)"\s*:', file.read(100)) is not None


def _parse(arguments):
    """The options, with `.args` for the script.

    `graph` and `explain` take their options on either side of SCRIPT; unknown options, and all
    arguments after `--`, are passed to the script. `run` passes on all arguments after SCRIPT.
    """
    end = len(arguments) if arguments[:1] == ['launch'] else \
        _after_script(arguments) if arguments[:1] == ['run'] else \
        arguments.index('--') if '--' in arguments else len(arguments)
    own, rest = list(arguments[:end]), list(arguments[end:])
    options, unknown = _parser().parse_known_args(own)
    if arguments[:1] == ['launch']:
        options.unknown = unknown
        return options
    if options.script is None and unknown + rest:
        raise SystemExit(f'tinyflow: unknown arguments: {" ".join(unknown + rest)}')
    if options.command is not _run and rest:
        rest = rest[1:]
    options.args = unknown + rest
    return options


def _after_script(arguments):
    """The number of arguments of `run` up to the script."""
    return next((i + 1 for i, a in enumerate(arguments) if i and not a.startswith('-')),
                len(arguments))


def _parser():
    program = _program()
    parser = argparse.ArgumentParser(
        prog=program, description='Runs TensorFlow 1 programs on tinyflow, and shows what they do.',
        epilog=f'`{program} COMMAND --help` shows the options of a command.')
    parser.add_argument('--version', action='version', version=(
        f'tinyflow {tinyflow.tinyflow_version}, which behaves like TensorFlow {tinyflow.VERSION}'))
    commands = parser.add_subparsers(required=True, title='commands', metavar='COMMAND')

    def command(name, function, text, usage='[OPTION ...] SCRIPT [ARGUMENT ...]'):
        sub = commands.add_parser(name, help=text, description=text + '.', allow_abbrev=False,
                                  usage=f'{program} {name} {usage}')
        sub.set_defaults(command=function)
        sub.add_argument('script', metavar='SCRIPT', help='a Python program')
        return sub

    run = command('run', _run, 'run a program written for `import tensorflow as tf`',
                  f'[--v2] [{TODAY}] SCRIPT [ARGUMENT ...]')
    run.add_argument('--v2', action='store_true',
                     help='`tf` has the names and behaviour of TensorFlow 2, as far as tinyflow '
                          'has them')
    run.add_argument(TODAY, action='store_true',
                     help="NumPy 2's own meaning, in place of that of the program's time; so it "
                          'is with --v2')
    graph = command('graph', _graph, 'run a program and draw the graph that it built')
    graph.add_argument('-o', '--output', default='graph.svg', metavar='FILE',
                       help='.svg, .png, .pdf, .dot, or .html for a page to explore it in '
                            '(default: %(default)s)')
    graph.add_argument('--depth', type=int, default=None, help='open name scopes down to here')
    graph.add_argument('--gradients', action='store_true', help='show the gradient half too')
    graph.add_argument('--optimizer', action='store_true', help='show the optimizer too')
    command('explain', _explain, 'run a program and explain its most expensive run')
    add_convert(command)
    add_explore(command, _run_script)
    command('doctor', _doctor, 'run a program and list likely mistakes in its graphs')
    add_predict(commands)
    add_diff(commands)
    add_launch(commands)
    add_playground(commands)
    add_learn(commands)
    add_why(commands)
    return parser


def _program() -> str:
    """The name of this command: `tinyflow`, or `python -m tinyflow`."""
    name = os.path.basename(sys.argv[0]).removesuffix('.exe')
    return name if name == 'tinyflow' else 'python -m tinyflow'


def _run(options) -> int:
    return _run_script(options.script, options.args, options.numpy_of_today or options.v2,
                       2 if options.v2 else 1)


def _run_script(script: str, args: list[str], numpy_of_today: bool = False,
                version: int = 1) -> int:
    """Runs `script` as __main__ under the name of TensorFlow; its exit status."""
    aliases.install_as_tensorflow(version)
    outer_argv, outer_path = sys.argv, list(sys.path)
    sys.argv = [script, *args]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    try:
        if numpy_of_today:
            runpy.run_path(script, run_name='__main__')
            return 0
        # NumPy 2 shows a number in a list as np.float32(0.5); in TF1's days it was 0.5, as in
        # books and courses.
        with np.printoptions(legacy='1.25'), old_numpy.numpy_of_the_time(script):
            old_numpy.run_path(script)
        return 0
    except SystemExit as stop:
        return _status(stop.code)
    except KeyboardInterrupt:
        print('interrupted', file=sys.stderr)
        return 130
    except BaseException as error:                      # noqa: BLE001 - shown, then reported
        _show(error, script)
        return 1
    finally:
        sys.argv, sys.path[:] = outer_argv, outer_path


def _status(code) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    print(code, file=sys.stderr)
    return 1


def _show(error: BaseException, script: str) -> None:
    """Prints the traceback from the script's first line on, as Python would."""
    first = error.__traceback__
    while first is not None and first.tb_frame.f_code.co_filename != script:
        first = first.tb_next
    first = old_numpy.without_own_frames(first)
    sys.excepthook(type(error), error.with_traceback(first), first)
    hint = python2_hint(error, script)
    if hint is not None:
        print(hint, file=sys.stderr)


def _graph(options) -> int:
    from tinyflow.graph.support import render  # start-up time
    try:
        render.check_path(options.output)       # before the program runs, which may take long
    except (ValueError, OSError) as error:
        print(f'tinyflow: {error}', file=sys.stderr)
        return 2
    with _graphs_made() as graphs, _fetches_noted() as noted:
        status = _run_script(options.script, options.args)
    graph = max(graphs, key=lambda graph: len(graph.get_operations()))
    if not graph.get_operations():
        print(f'tinyflow: {options.script} built no graph.', file=sys.stderr)
        return status or 1
    settings: dict[str, Any] = {'show_gradients': options.gradients,
                                'show_optimizer': options.optimizer}
    if options.depth is not None:
        settings['depth'] = options.depth
    try:
        if render.suffix_of(options.output) == '.html':
            from tinyflow.inspect.explorer.explore import explore_with_run  # start-up time
            explore_with_run(graph, [f for ran_in, f in noted if ran_in is graph], options.output)
        else:
            viz.draw(graph, options.output, **settings)
    except (ValueError, OSError, RuntimeError) as error:
        print(f'tinyflow: {error}', file=sys.stderr)
        return 2
    if status:
        print(f'tinyflow: {_stopped(options.script, status)} is drawn.', file=sys.stderr)
    print(f'{options.output}: {_counted(len(graph.get_operations()), "node")}', file=sys.stderr)
    return status


def _stopped(script, status):
    """The beginning of a sentence about a program that did not come to its end."""
    return (f'{script} stopped with an error (exit status {status}); only what it had built until '
            'then')


def _counted(number, noun):
    return f'{number} {noun}' + ('' if number == 1 else 's')


@contextmanager
def _graphs_made():
    """A list that receives the default graph and all graphs created inside the block.

    It keeps them alive: a program's graph may be gone when the program has ended.
    """
    graphs = [defaults.get_default_graph()]
    original = graph_module.Graph.__init__

    def remembering(self, *args, **kwargs):
        original(self, *args, **kwargs)
        graphs.append(self)

    graph_module.Graph.__init__ = remembering
    try:
        yield graphs
    finally:
        graph_module.Graph.__init__ = original


@dataclass
class _Record:
    """One spelling of fetches and feeds: how often and how long it ran, and its last feeds."""

    fetches: Any
    feed_dict: dict | None
    runs: int = 0
    seconds: float = 0.0


class Recorder:
    """Records Session runs, and explains the most expensive one when the last Session closes."""

    def __init__(self) -> None:
        self.explanation: Explanation | None = None
        self.best: _Record | None = None
        self._records: dict[int, dict[Any, _Record]] = {}

    def session_class(self, base):
        """A subclass of a Session class that reports every run to this recorder."""
        recorder = self

        class Recording(base):
            def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
                begin = time.perf_counter()
                result = super().run(fetches, feed_dict, options, run_metadata)
                recorder.note(self, fetches, feed_dict, time.perf_counter() - begin)
                return result

            def close(self):
                recorder.finish(self)
                super().close()

        Recording.__name__ = Recording.__qualname__ = base.__name__
        return Recording

    def note(self, session, fetches, feed_dict, seconds) -> None:
        records = self._records.setdefault(id(session), {})
        key = repr((fetches, sorted(map(str, feed_dict or ()))))
        record = records.setdefault(key, _Record(fetches, feed_dict))
        record.runs += 1
        record.seconds += seconds
        record.feed_dict = feed_dict

    def finish(self, session) -> None:
        """Explains the session's most expensive run, unless an earlier session had a longer one."""
        records = self._records.pop(id(session), {})
        best = max(records.values(), key=lambda record: record.seconds, default=None)
        if best is None or self.best is not None and self.best.seconds >= best.seconds:
            return
        self.best = best
        self.explanation = explain(best.fetches, best.feed_dict, session)

    def report(self) -> str:
        share = f'{_counted(self.best.runs, "run")}, {self.best.seconds:.3f} s in total'
        return f'The most expensive run of the program ({share}):\n\n{self.explanation}'


def _explain(options) -> int:
    recorder = Recorder()
    sessions: list = []

    def remembered(base):
        recording = recorder.session_class(base)

        class Remembered(recording):
            def __init__(self, *args, **kwargs):
                super().__init__(*args, **kwargs)
                sessions.append(self)
        Remembered.__name__ = Remembered.__qualname__ = base.__name__
        return Remembered

    own = tinyflow.Session, tinyflow.InteractiveSession
    tinyflow.Session, tinyflow.InteractiveSession = remembered(Session), remembered(
        InteractiveSession)
    try:
        status = _run_script(options.script, options.args)
        for session in sessions:
            recorder.finish(session)
    finally:
        tinyflow.Session, tinyflow.InteractiveSession = own
    if recorder.best is None:
        print('tinyflow: no Session ran anything.', file=sys.stderr)
        return status or 1
    print(recorder.report())
    return status


@contextmanager
def _fetches_noted():
    """A list that receives (graph, fetches) of all runs inside the block."""
    noted: list[tuple[graph_module.Graph, Any]] = []
    original = BaseSession._new_call

    def noting(self, fetches, feed_dict):
        noted.append((self.graph, fetches))
        return original(self, fetches, feed_dict)

    BaseSession._new_call = noting          # type: ignore[method-assign]
    try:
        yield noted
    finally:
        BaseSession._new_call = original    # type: ignore[method-assign]


def _doctor(options) -> int:
    with _graphs_made() as graphs, _fetches_noted() as noted:
        status = _run_script(options.script, options.args)
    graphs = [graph for graph in graphs if graph.get_operations() and graph.outer_graph is None]
    if not graphs:
        print(f'tinyflow: {options.script} built no graph.', file=sys.stderr)
        return status or 1
    if status:
        print(f'{_stopped(options.script, status)} is checked.')
    reports = [doctor(graph, [fetches for ran_in, fetches in noted if ran_in is graph] or None)
               for graph in graphs]
    print('\n\n'.join(f'{graph}\n{report}' if len(graphs) > 1 else str(report)
                      for graph, report in zip(graphs, reports)))
    return status or int(not all(report.ok for report in reports))
