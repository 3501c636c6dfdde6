"""The debugger's commands that show something: values, nodes, source lines."""
from __future__ import annotations

import cmd
import re
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.debugger import listings
from tinyflow.inspect.debugger.arguments import (
    Mistake,
    joined_slice,
    name_and_slice,
    parsed,
    sliced,
)
from tinyflow.inspect.debugger.run import Run
from tinyflow.inspect.recorder.step import Entry

__all__ = ['Looking']


class Looking(cmd.Cmd):
    """Commands that show something of a run; it has stopped at `_entry`, or None."""

    _debugger: Any              # a Debugger, which imports this
    _run: Run | None = None
    _entry: Entry | None = None
    _place = ''

    def _say(self, text: str) -> None:
        print(text, file=self.stdout)
        self.stdout.flush()

    # ---- values --------------------------------------------------------------------------

    def do_lt(self, line: str) -> None:
        """lt [-f FILTER] [-n REGEX] [-t REGEX] [-s KEY] [-r]: the tensors computed so far

        -n, -t  node names, op types; -s KEY: timestamp, dump_size, op_type or tensor_name
        """
        given = parsed('lt', line)
        data = self._passing(given.tensor_filter) if given.tensor_filter else \
            list(self._current().data)
        types = {e.name: e.operation.type for e in self._current().step.entries}
        if given.node_name_filter:
            data = [d for d in data if re.match(given.node_name_filter, d.node_name)]
        if given.op_type_filter:
            data = [d for d in data if re.match(given.op_type_filter, types[d.node_name])]
        self._list(data, given.sort_by, given.reverse)

    def _list(self, data, sort='timestamp', reverse=False):
        if not data:
            self._say('no tensors')
            return
        for row in listings.tensors(self._current(), data, sort, reverse):
            self._say(row)

    def _passing(self, name):
        function = self._debugger.filters[name]
        return [d for d in self._current().data if function(d, d.array)]

    def do_pt(self, line: str) -> None:
        """pt [TENSOR[SLICE]] [-a] [-s] [-n N] [-r LOW,HIGH] [-w FILE]: print a value (p)

        pt dense/MatMul:0[0, :]  a part of it; in a loop the last iteration, or that of -n N
        -a all elements; -s statistics; -r how many are in a range; -w FILE writes it by numpy.save
        Without a name: the node at which the run has stopped.
        """
        given = parsed('pt', joined_slice(line))
        name, array = self._value(self._named(given.tensor), given.number)
        self._print(name, array, given)
        if given.write_path:
            np.save(given.write_path, array)
            self._say(f'written to {given.write_path}')

    def do_pf(self, line: str) -> None:
        """pf TENSOR[SLICE] [-a] [-s]: print a value that was fed"""
        given = parsed('pf', joined_slice(line))
        name, part = name_and_slice(given.tensor)
        feeds = {t.name: array for t, array in self._current().feeds.items()}
        found = name if name in feeds else f'{name}:0'
        if found not in feeds:
            raise Mistake(f"'{name}' is not fed in this run; fed: "
                           f'{", ".join(feeds) or "nothing"}.')
        given.ranges = ''
        self._print(found + part, sliced(feeds[found], part), given)

    def _print(self, name, array, given):
        try:
            ranges = [tuple(map(float, given.ranges.strip('[]').split(',')))] \
                if given.ranges else []
            lines = list(listings.tensor(name, np.asarray(array), given.all,
                                         given.numeric_summary, ranges))
        except (TypeError, ValueError) as error:
            raise Mistake(f'-r takes two numbers, such as -r 0,1e-8: {error}') from None
        for text in lines:
            self._say(text)

    def do_eval(self, line: str) -> None:
        """eval EXPRESSION: Python with NumPy, tensors in backquotes (@)

        eval np.linalg.norm(`dense/kernel:0`) / 2
        """
        values: dict[str, Any] = {'np': np}

        def name(match):
            key = f'tensor_{len(values)}'
            values[key] = self._value(match[1], None)[1]
            return key
        try:
            self._say(repr(eval(re.sub('`([^`]*)`', name, line.strip()), values)))
        except Mistake:
            raise
        except Exception as error:              # whatever the expression raises
            raise Mistake(f'{type(error).__name__}: {error}') from None

    def _value(self, text, number) -> tuple[str, np.ndarray]:
        """A tensor of this run by its name, with a slice if one is given."""
        name, part = name_and_slice(text)
        step = self._current().step
        node = name.partition(':')[0]
        if node not in step:
            raise Mistake(self._unknown(node))
        try:
            kept = step.kept(name)
            one = kept[-1 if number is None else number]
            if one.array is None:
                raise Mistake(f'{name} was too big to be kept: {listings.brief(one)}')
        except KeyError as error:
            raise Mistake(str(error.args[0])) from None
        except IndexError:
            raise Mistake(f'{name} has {len(kept)} values in this run: -n takes 0 to '
                           f'{len(kept) - 1}.') from None
        return (name if ':' in name else f'{name}:0') + part, sliced(one.array, part)

    def _unknown(self, node):
        run = self._current()
        names = [o.name for o in run.graph.get_operations()] if run.graph else []
        if node in names:
            later = 'has not been computed yet' if self._place in ('start', 'node') else \
                'was not needed in this run'
            return f"'{node}' {later}."
        return f"There is no node '{node}'.{nearest_keyword(node, self._node_names())}"

    # ---- nodes and sources ---------------------------------------------------------------

    def do_ni(self, line: str) -> None:
        """ni [NODE] [-a] [-d] [-t]: inputs and recipients of a node; attributes, values, source"""
        given = parsed('ni', line)
        operation = self._operation(self._named(given.node))
        for text in listings.node(operation.graph, self._run, operation, given.attributes,
                                  given.dumps):
            self._say(text)
        if given.traceback:
            self._say('')
            self.do_where(operation.name)

    def do_li(self, line: str) -> None:
        """li [NODE] [-r] [-c] [-d N] [-t]: its inputs; -r theirs, too; -c control inputs"""
        self._tree('li', line, down=False)

    def do_lo(self, line: str) -> None:
        """lo [NODE] [-r] [-c] [-d N] [-t]: what uses it; -r what uses that, too; -c control"""
        self._tree('lo', line, down=True)

    def _tree(self, name, line, down):
        given = parsed(name, line)
        operation = self._operation(self._named(given.node))
        depth = given.depth if given.recursive else 1
        for text in listings.tree(operation, depth, down, given.control, given.op_type):
            self._say(text)

    def do_where(self, line: str) -> None:
        """where [NODE]: the line of the program that made the node, and those around it (w)"""
        if not line and self._entry is None:
            self._say(self._current().title)
            return
        for text in listings.source_around(self._operation(line or self._entry.name)):
            self._say(text)

    def do_ls(self, line: str) -> None:
        """ls [-p REGEX]: the source files that made nodes"""
        given = parsed('ls', line)
        run = self._current()
        for text in listings.source_files(run.graph, run, given.path_filter):
            self._say(text)

    def do_ps(self, line: str) -> None:
        """ps FILE [-l LINE]: a source file with the nodes that each line made"""
        given = parsed('ps', line)
        files = sorted({o.site.file for o in self._current().graph.get_operations() if o.site})
        found = [file for file in files if ('/' + file).endswith('/' + given.file)]
        if not found:
            raise Mistake(f"No node was made in '{given.file}'; files: {', '.join(files)}.")
        for text in listings.annotated(self._current().graph, found[0], given.line):
            self._say(text)

    def do_ri(self, line: str) -> None:
        """ri: what this run fetches and feeds"""
        run = self._current()
        self._say(run.title)
        for t, array in run.feeds.items():
            self._say(f'  {t.name}  {array.dtype} {list(array.shape)}')

    def _current(self) -> Run:
        if self._run is None:
            raise Mistake('There has been no run yet.')
        return self._run

    def _named(self, name: str | None) -> str:
        """The name that was given, or the node at which the run has stopped."""
        if name is None and self._entry is None:
            raise Mistake('Which node? The run has not stopped at one.')
        return name or self._entry.name

    def _operation(self, name: str) -> Operation:
        name = name.strip().partition(':')[0]
        run = self._current()
        for entry in run.step.entries:          # also those in functions
            if entry.name == name:
                return entry.operation
        for operation in run.graph.get_operations() if run.graph else ():
            if operation.name == name:
                return operation
        raise Mistake(f"There is no node '{name}'.{nearest_keyword(name, self._node_names())}")

    def _node_names(self):
        run = self._run
        if run is None or not run.graph:
            return []
        return list(dict.fromkeys([*run.step.names, *(o.name for o in
                                                      run.graph.get_operations())]))
