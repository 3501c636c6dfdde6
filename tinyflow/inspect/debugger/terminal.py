"""The debugger's commands. Their names are those of TensorFlow's command line, as far as it had
them: run, lt, pt, pf, ni, li, lo, ls, ps, eval, ri; new are step, continue, break, watch, where.
"""
from __future__ import annotations

import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tinyflow.graph.control_flow_names import local_name
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.debugger import listings
from tinyflow.inspect.debugger.arguments import ALIASES, Mistake, parsed
from tinyflow.inspect.debugger.breakpoints import Breakpoint, is_somewhere
from tinyflow.inspect.debugger.looking import Looking
from tinyflow.inspect.debugger.run import Plan, Run
from tinyflow.inspect.recorder.names import named_operations
from tinyflow.inspect.recorder.step import Entry

__all__ = ['Terminal']

PROMPT = 'tfdbg> '
_INTRODUCTION = """The run has not started. `help` lists all commands, `help NAME` explains one:
  run          run it, then ask again      run -f has_inf_or_nan: until one appears
  step         compute one node, show its value
  break WHERE  stop at dense/MatMul, dense*, type:MatMul, train.py:12; and if you
               want on a condition: break loss if value > 10
  continue     go on to a breakpoint       detach: go on without the debugger"""
_AT_END = 'The input for the debugger is at its end: the program goes on without it.'
_NO_TERMINAL = """  Hint: start the program in a terminal, or give the commands by a pipe or as
  tf.Debugger(stdin=file)."""


class Terminal(Looking):
    """Asks for commands until one of them lets the program go on."""

    prompt = PROMPT

    def __init__(self, debugger: Any, stdin: Any = None, stdout: Any = None) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.use_rawinput = stdin is None
        self._debugger = debugger
        self._run: Run | None = None
        self._entry: Entry | None = None
        self._place = ''
        self._introduced = False

    # ---- called by the debugger ----------------------------------------------------------

    def nowhere(self, point: Breakpoint, graph: Graph) -> None:
        """Says that no node of the graph is at a breakpoint, yet."""
        names = [n for name, op in named_operations(graph) for n in (name, local_name(op))]
        self._say(f"The debugger stops at '{point.text}', where no node of the graph is now."
                  f'{nearest_keyword(point.where.partition(":")[0], names)}')

    def stop(self, place: str, run: Run, entry: Entry | None, reason: str) -> None:
        """Says where the run is, and asks. Places: start, node, end, filter."""
        self._place, self._run, self._entry = place, run, entry
        self._say('')
        if place == 'start':
            self._say(run.title)
            if not self._introduced:
                self._say(_INTRODUCTION)
            self._introduced = True
        elif place == 'node':
            self.show(run, entry, reason)
        else:
            self._at_end(place, run, reason)
        with _ctrl_c_at_once():
            while True:
                try:
                    self.cmdloop()
                    return
                except KeyboardInterrupt:
                    self._say('\nTo end the program type exit; continue goes on, detach without '
                              'the debugger.')

    def show(self, run: Run, entry: Entry, reason: str = '') -> None:
        """Prints what an operation computed."""
        turn = f', iteration {entry.iteration[-1]}' if entry.iteration else ''
        site = entry.operation.site
        where = f'   {site.file_and_line}: {site.source}' if site else ''
        self._say(f'{entry.name} ({entry.operation.type}{turn})'
                  + (f' - {reason}' if reason else '') + where)
        for slot, kept in enumerate(entry.kept):
            if kept is not None:
                label = f':{slot}' if entry.operation.outputs else 'updated to'
                self._say(f'  {label}  {listings.brief(kept)}')

    def _at_end(self, place, run, reason):
        if run.error is not None:
            text = str(run.error).partition('\n')[0]
            self._say(f'run {run.number} ended with {type(run.error).__name__}: {text}')
        elif place == 'filter':
            data = self._passing(reason)
            self._say(f'run {run.number} is over: {len(data)} tensor(s) pass the filter '
                      f'"{reason}"')
            self._list(data[:20])
        else:
            self._say(f'run {run.number} is over: {len(run.step.entries)} nodes were computed; '
                      '`lt` lists them')
        if run.step.origin:
            self._say(str(run.step.origin))

    # ---- cmd.Cmd -------------------------------------------------------------------------

    def precmd(self, line: str) -> str:
        if line == 'EOF':
            return line
        line = line.strip()
        if line.startswith('@'):                # TensorFlow's shortcut of eval
            line = 'eval ' + line[1:]
        name, _, rest = line.partition(' ')
        return f'{ALIASES.get(name, name)} {rest}'.strip()

    def onecmd(self, line: str) -> bool:
        word, _, rest = line.partition(' ')
        method = {'break': 'break_', 'continue': 'continue_'}.get(word, word)
        if word and not hasattr(self, f'do_{method}'):
            self._say(f"There is no command '{word}'; `help` lists them."
                      f'{nearest_keyword(word, self._commands())}')
            return False
        try:
            return bool(super().onecmd(f'{method} {rest}'.strip()))
        except (Mistake, ValueError) as mistake:
            self._say(str(mistake))
        return False

    def emptyline(self) -> bool:
        return False                    # cmd would repeat the last command

    def completenames(self, text: str, *ignored: Any) -> list[str]:
        return [name for name in self._commands() if name.startswith(text)]

    def completedefault(self, text: str, line: str, begin: int, end: int) -> list[str]:
        start = line[:end].rpartition(' ')[2]
        skipped = len(start) - len(text)        # readline splits words at some characters
        return [name[skipped:] for name in self._node_names() if name.startswith(start)]

    def _commands(self):
        return sorted({n[3:].rstrip('_') for n in dir(self) if n.startswith('do_')
                       and n != 'do_EOF'})

    # ---- going on ------------------------------------------------------------------------

    def do_run(self, line: str) -> bool:
        """run [-t N] [-n] [-f FILTER] [-fenn REGEX]: run, then ask again (r)

        -t N       N runs go by; the last is shown
        -n         this run goes by and is not shown; the next one is asked for
        -f FILTER  runs go by until a value passes the filter; -fenn REGEX: nodes left out
        In the middle of a run: to its end.
        """
        given = parsed('run', line)
        run, debugger = self._current(), self._debugger
        if given.times < 1:
            raise Mistake('-t takes a number of runs, from 1.')
        if given.till_filter_pass:
            debugger.filters[given.till_filter_pass]        # ValueError
            debugger.plan = Plan(found=given.till_filter_pass,
                                 ignored=given.filter_exclude_node_names)
            return True
        if given.no_debug:
            run.silent = self._place == 'start'
            debugger.plan = Plan(ask=True)
        elif self._place in ('end', 'filter'):
            debugger.plan = Plan(ask=given.times == 1, runs=given.times if given.times > 1 else 0)
        elif given.times > 1:
            run.silent = self._place == 'start'
            debugger.plan = Plan(runs=given.times - 1)
        else:
            run.ask_at_end = True
            debugger.plan = Plan(ask=True)
        return True

    def do_step(self, line: str) -> bool:
        """step [N]: compute the next node, or the next N, and show it (s)"""
        number = parsed('step', line).number
        if number < 1:
            raise Mistake('step takes a number of nodes, from 1.')
        self._debugger.plan = Plan(step=number)
        return True

    def do_continue_(self, line: str) -> bool:
        """continue: go on until a breakpoint, or to the end of the program (c)"""
        return True

    def do_detach(self, line: str) -> bool:
        """detach: the program goes on without the debugger, at full speed"""
        self._debugger.detached = True
        return True

    def do_exit(self, line: str) -> bool:
        """exit: end the program (q, quit)"""
        self._debugger.detached = True
        print('The debugger ends the program: sys.exit(1).', file=sys.stderr)
        sys.exit(1)

    def do_EOF(self, line: str) -> bool:
        self._say('\n' + _AT_END)
        if self.use_rawinput and not sys.stdin.isatty():
            self._say(_NO_TERMINAL)
        return self.do_detach('')

    # ---- breakpoints ---------------------------------------------------------------------

    def do_break_(self, line: str) -> None:
        """break [WHERE] [if CONDITION]: stop there; without arguments the list of them (b)

        WHERE      a node (dense/MatMul), a pattern (dense*), type:MatMul, a line (train.py:12)
        CONDITION  a filter (has_inf_or_nan) or an expression in `value`, an array, `np`, `name`
                   and `iteration`: break loss if value > 10; break if np.abs(value).max() > 1e6
        """
        self._add(line, self._debugger.breakpoints, watch=False)

    def do_watch(self, line: str) -> None:
        """watch WHERE [if CONDITION]: print the values there without stopping"""
        self._add(line, self._debugger.watches, watch=True)

    def _add(self, line, points: dict[int, Breakpoint], watch: bool) -> None:
        if not line.strip():
            for number, point in points.items():
                self._say(f'{number}  {point.text}  {point.hits} time(s)'
                          + (f'; the condition failed at {point.failure}' if point.failure
                             else ''))
            if not points:
                self._say('There are none.')
            return
        number = self._debugger.add_breakpoint(line, watch)
        where = line.partition(' if ')[0].strip()
        graph = self._run and self._run.graph
        known = not graph or is_somewhere(points[number], graph)
        self._say(f'{"watch" if watch else "breakpoint"} {number}: {line.strip()}')
        if not known:
            self._say(f'  No node of the graph is there now.'
                      f'{nearest_keyword(where, self._node_names())}')

    def do_delete(self, line: str) -> None:
        """delete [NUMBER ...]: remove breakpoints and watches; all without numbers (d)"""
        debugger = self._debugger
        known = {**debugger.breakpoints, **debugger.watches}
        for text in line.split() or map(str, known):
            if not text.isdigit() or int(text) not in known:
                raise Mistake(f'There is no breakpoint or watch {text}.')
            debugger.breakpoints.pop(int(text), None)
            debugger.watches.pop(int(text), None)
            self._say(f'{text} is removed.')

    def do_help(self, line: str) -> None:
        """help [COMMAND]: this list, or all of one command (h)"""
        name = ALIASES.get(line.strip(), line.strip())
        if name:
            method = getattr(self, f'do_{name}', None) or getattr(self, f'do_{name}_', None)
            if method is None:
                raise Mistake(f"There is no command '{name}'."
                               f'{nearest_keyword(name, self._commands())}')
            self._say(re.sub(r'(?m)^ {8}', '', method.__doc__).rstrip())
            return
        for command in self._commands():
            method = getattr(self, f'do_{command}', None) or getattr(self, f'do_{command}_')
            self._say('  ' + method.__doc__.partition('\n')[0])

@contextmanager
def _ctrl_c_at_once() -> Iterator[None]:
    """Ctrl-C interrupts the prompt; the Session's own handler would wait for the end of the run."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
