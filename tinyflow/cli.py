"""The command line: python -m tinyflow run | graph | explain SCRIPT.

A script written for `import tensorflow as tf` runs as it is; `graph` draws the graph that it built,
`explain` shows what its Sessions spent most of their time on.
"""
from __future__ import annotations

import argparse
import os
import runpy
import sys
import time
import traceback
from dataclasses import dataclass
from typing import Any

import tinyflow
from tinyflow import aliases
from tinyflow.explain import Explanation, explain
from tinyflow.graph import graph as graph_module
from tinyflow.session import InteractiveSession, Session


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns the process's exit status."""
    options = _parser().parse_args(arguments)
    if not os.path.isfile(options.script):
        print(f'tinyflow: there is no file {options.script!r}', file=sys.stderr)
        return 2
    return options.command(options)


def _parser():
    parser = argparse.ArgumentParser(
        prog='python -m tinyflow',
        description='Runs TensorFlow 1 programs on tinyflow, and shows what they do.')
    commands = parser.add_subparsers(required=True, metavar='COMMAND')

    def command(name, function, text):
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(command=function)
        sub.add_argument('script', metavar='SCRIPT', help='a Python program')
        return sub

    run = command('run', _run, 'run a program written for `import tensorflow as tf`')
    run.add_argument('args', nargs=argparse.REMAINDER, help='arguments of the program')
    graph = command('graph', _graph, 'run a program and draw the graph that it built')
    graph.add_argument('-o', '--output', default='graph.svg', metavar='FILE',
                       help='.svg, .png, .pdf, .dot or .html (default: %(default)s)')
    graph.add_argument('--depth', type=int, default=None, help='open name scopes down to here')
    graph.add_argument('--gradients', action='store_true', help='show the gradient half too')
    graph.add_argument('--optimizer', action='store_true', help='show the optimizer too')
    graph.add_argument('args', nargs=argparse.REMAINDER, help='arguments of the program')
    show = command('explain', _explain, 'run a program and show what its Sessions ran most')
    show.add_argument('args', nargs=argparse.REMAINDER, help='arguments of the program')
    return parser


def _run(options) -> int:
    return _run_script(options.script, options.args)


def _run_script(script: str, args: list[str]) -> int:
    """Runs `script` as __main__ under the name of TensorFlow; its exit status."""
    aliases.install_as_tensorflow()
    outer_argv, outer_path = sys.argv, list(sys.path)
    sys.argv = [script, *args]
    sys.path[0] = os.path.dirname(os.path.abspath(script))
    try:
        runpy.run_path(script, run_name='__main__')
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
    """The traceback from the script's own first line on, as if it had been run by itself."""
    trace = error.__traceback__
    first = trace
    while first is not None and os.path.basename(first.tb_frame.f_code.co_filename) != \
            os.path.basename(script):
        first = first.tb_next
    sys.excepthook(type(error), error.with_traceback(first or trace), first or trace)
    if isinstance(error, SyntaxError) and first is None:
        traceback.print_exc(limit=0)


def _graph(options) -> int:
    status = _run_script(options.script, options.args)
    from tinyflow import viz
    graph = _largest_graph()
    if not graph.get_operations():
        print(f'{options.script} built no graph.', file=sys.stderr)
        return status or 1
    settings: dict[str, Any] = {'show_gradients': options.gradients,
                                'show_optimizer': options.optimizer}
    if options.depth is not None:
        settings['depth'] = options.depth
    try:
        viz.draw(graph, options.output, **settings)
    except (ValueError, OSError) as error:
        print(f'tinyflow: {error}', file=sys.stderr)
        return 2
    print(f'{options.output}: {len(graph.get_operations())} nodes', file=sys.stderr)
    return status


def _largest_graph():
    """The graph with the most nodes among those that the script made and that still live."""
    import gc
    graphs = [thing for thing in gc.get_objects() if isinstance(thing, graph_module.Graph)]
    default = graph_module.get_default_graph()
    return max([default, *graphs], key=lambda graph: len(graph.get_operations()))


@dataclass
class _Record:
    """One spelling of fetches and feeds: how often and how long it ran, and its last feeds."""

    fetches: Any
    feed_dict: dict | None
    runs: int = 0
    seconds: float = 0.0


class Recorder:
    """Notes what Sessions run, and explains the costliest when the last of them closes."""

    def __init__(self) -> None:
        self.explanation: Explanation | None = None
        self.best: _Record | None = None
        self._records: dict[int, dict[Any, _Record]] = {}

    def session_class(self, base):
        """A subclass of a Session class that tells this recorder about every run."""
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
        """Explains the session's costliest run, if it beats those of earlier sessions."""
        records = self._records.pop(id(session), {})
        best = max(records.values(), key=lambda record: record.seconds, default=None)
        if best is None or self.best is not None and self.best.seconds >= best.seconds:
            return
        self.best = best
        self.explanation = explain(best.fetches, best.feed_dict, session)

    def report(self) -> str:
        if self.best is None:
            return 'No Session ran anything.'
        share = f'{self.best.runs} runs, {self.best.seconds:.3f} s in all'
        return f'The costliest run of the program ({share}):\n\n{self.explanation}'


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
    print(recorder.report())
    return status
