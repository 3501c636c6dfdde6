"""What a run becomes, stage by stage, and what becomes of each node in it."""
from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tinyflow.compiler.codegen.program import ProgramSource
from tinyflow.compiler.functions.unrolling import unroll
from tinyflow.compiler.graph_to_program import graph_to_program
from tinyflow.compiler.infer import infer
from tinyflow.compiler.ir import Instruction, Program
from tinyflow.compiler.memory.copy_stale_reads import copy_stale_views
from tinyflow.compiler.memory.plan import MemoryPlan, plan_memory
from tinyflow.compiler.passes import PASSES
from tinyflow.compiler.prune import prune
from tinyflow.compiler.schedule import schedule
from tinyflow.graph import shapes
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.inspect.explain import explain
from tinyflow.inspect.explorer.document.fates import fates_of
from tinyflow.inspect.explorer.document.nodes import Nodes, short
from tinyflow.inspect.nested_sources import programs_inside
from tinyflow.inspect.viz import select
from tinyflow.session.fetches import FetchPlan
from tinyflow.session.session import Session

_RUNS = 20                  # that are measured


class Request(NamedTuple):
    """What is computed, from which tensors of which shapes."""

    fetches: tuple[Tensor | Operation, ...]
    feeds: tuple[Tensor, ...]
    shapes: tuple[shapes.Shape, ...]


class Stage(NamedTuple):
    """A stage, or a pass of stage 5, with the program after it."""

    name: str
    text: list[str]
    program: Program


def run(nodes: Nodes, graph: Graph, fetches: Any, feed_dict: Any = None,
        session: Any = None) -> dict[str, Any]:
    """The account of one run. Times are measured if there are a Session and all feeds.

    Without a feed_dict all placeholders that the fetches need are fed, with their static shapes.
    """
    found = account(nodes, graph, _request(graph, fetches, feed_dict))
    if session is not None:
        profile = explain(fetches, feed_dict, session, _RUNS).profile
        if profile is not None:
            place = {op.name: n for op, n in nodes.index.items() if op.graph is graph}
            found['seconds'] = {str(place[name]): round(seconds, 9)
                                for name, _, seconds in profile.by_node() if name in place}
    return found


def account(nodes: Nodes, graph: Graph, request: Request) -> dict[str, Any]:
    """What a request becomes, stage by stage."""
    order = schedule(prune(request.fetches, request.feeds), frozenset(request.feeds))
    stages = list(_stages(request))
    plan = plan_memory(stages[-1].program)
    source = ProgramSource(plan)
    texts = source.text.splitlines()
    lines: list[tuple[str, Operation | None]] = [
        (text, _node_of(source, n)) for n, text in enumerate(texts, 1)]
    for name, inner in programs_inside(plan.program):
        lines.append(('', None))
        lines += [(text.replace('def run(', f'def {name}(', 1), _node_of(inner, n))
                  for n, text in enumerate(inner.text.splitlines(), 1)]
    return {
        'fetches': [short(f.name) for f in request.fetches],
        'feeds': [f'{t.name} {shapes.text(s)}' for t, s in zip(request.feeds, request.shapes)],
        'order': [nodes.index[op] for op in order if op in nodes.index],
        'stages': [*_before(nodes, graph, order), *_documents(nodes, stages),
                   {'name': 'memory', 'text': str(plan).splitlines()},
                   {'name': 'codegen', 'text': [f'a Python function of {len(texts)} lines'],
                    'lines': [[text, _indexes(nodes, op)] for text, op in lines]}],
        'fate': fates_of(nodes, order, request.feeds, stages, lines),
        'bytes': _bytes(nodes, plan)}


def _request(graph, fetches, feed_dict) -> Request:
    if feed_dict:
        with Session(graph=graph) as session:
            call = session._new_call(fetches, feed_dict)
            arrays = call.arrays(feed_dict.values())
            return Request(call.entry.fetches, call.entry.feeds, tuple(a.shape for a in arrays))
    elements = tuple(FetchPlan(graph, fetches).elements)
    needed = select.needed([f if isinstance(f, Operation) else f.op for f in elements])
    feeds = tuple(op.outputs[0] for op in sorted(needed, key=lambda op: op.id)
                  if op.type == 'Placeholder')
    return Request(elements, feeds, tuple(t.raw_shape for t in feeds))


# ---- stages ----------------------------------------------------------------------------------

def _stages(request) -> Iterator[Stage]:
    """Stages 3 to 5, as compile.optimise runs them."""
    program = graph_to_program(request.fetches, request.feeds)
    yield Stage('lower', [f'{len(program.instructions)} instructions; Variables are accessed '
                          'directly, without a read'], program)
    program = infer(program, request.shapes)
    yield Stage('infer', [program.notes[-1].text], program)
    unrolled = unroll(program, True)
    if unrolled is not program:
        program = infer(unrolled, request.shapes)
        yield Stage('passes/unroll', ['loops of known length are unrolled, after '
                                      '32 runs or more'], program)
    for name, apply in PASSES.items():
        before, program = program, apply(program)
        if before.instructions != program.instructions:
            yield Stage(f'passes/{name}', [program.notes[-1].text], program)
    before, program = program, copy_stale_views(program)
    if before.instructions != program.instructions:
        yield Stage('passes/copies', ['views are copied that are used after a write'], program)


def _before(nodes: Nodes, graph: Graph, order: Sequence[Operation]) -> list[dict[str, Any]]:
    """Stages 1 and 2, whose lines are nodes."""
    kept = sorted(order, key=lambda op: op.id)
    writes = sum(bool(op.writes) for op in order)
    pruned = {'name': 'prune', 'lines': [[f"{op.type} '{op.name}'", _indexes(nodes, op)]
                                         for op in kept],
              'text': [f'{len(kept)} of {len(graph.get_operations())} nodes are needed; what is '
                       'fed needs none']}
    place = {op: n for n, op in enumerate(kept)}
    return [pruned, {'name': 'schedule', 'lines': [place[op] for op in order],
                     'text': ['nodes run in order of creation, writes to Variables last'
                              f' ({writes} of them)' * bool(writes)]}]


def _documents(nodes: Nodes, stages: Sequence[Stage]) -> Iterator[dict[str, Any]]:
    """The stages with their lines; a number stands for that line of the stage before."""
    before: dict[tuple[str, tuple[int, ...]], int] = {}
    for stage in stages:
        lines: list = []
        here: dict[tuple[str, tuple[int, ...]], int] = {}
        for n, instruction in enumerate(stage.program.instructions):
            indexes = _indexes(nodes, instruction.operation)
            key = short(repr(instruction), 300), tuple(indexes)
            lines.append(before[key] if key in before else [key[0], indexes])
            here[key] = n
        before = here
        yield {'name': stage.name, 'text': stage.text, 'lines': lines}


def _node_of(source: ProgramSource, line: int) -> Operation | None:
    instruction: Instruction | None = source.lines.get(line)
    return None if instruction is None else instruction.operation


def _indexes(nodes: Nodes, op: Operation | None) -> list[int]:
    return [nodes.index[op]] if op in nodes.index else []


def _bytes(nodes: Nodes, plan: MemoryPlan) -> dict[str, int]:
    """The size of what each node computes, where it is known."""
    found: dict[str, int] = {}
    for instruction in plan.program.instructions:
        for index in _indexes(nodes, instruction.operation):
            size = sum(v.nbytes for v in instruction.outputs
                       if v.known_shape and v.variable is None and not v.dtype.np.hasobject)
            if size:
                found[str(index)] = found.get(str(index), 0) + size
    return found


__all__ = ['Request', 'Stage', 'account', 'run']
