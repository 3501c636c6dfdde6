"""Boxes: nested scopes and functions, and edges from a condition to the branch that it runs."""
from __future__ import annotations

from collections.abc import Iterator

from tinyflow.inspect.viz.model import Box, Edge, Node
from tinyflow.inspect.viz.select import FORWARD

DEEPEST = 40           # boxes in each other: more would be thin lines, and Graphviz recurs


def nested(nodes, regions, notes) -> Box:
    """The root box, with nested boxes for the scopes in the nodes' paths.

    Nodes of deeper scopes are in the innermost box that is drawn; a note says so.
    """
    if any(len(node.path) > DEEPEST for node in nodes):
        notes.append(f'scopes inside {DEEPEST} others are not drawn')
    root = Box('root', (), FORWARD)
    boxes = {(): root}
    for node in nodes:
        shown = node.path[:DEEPEST]
        for n in range(1, len(shown) + 1):
            path = node.path[:n]
            if path not in boxes:
                boxes[path] = Box(f'c{len(boxes)}', path, node.part)
                if path in regions:
                    boxes[path].kind = regions[path].kind
                boxes[path[:-1]].boxes.append(boxes[path])
            elif boxes[path].part != node.part:
                boxes[path].part = FORWARD
        boxes[shown].nodes.append(node)
    return root


def choices(root, nodes, inside) -> list[Edge]:
    """Edges from each If to its branches, and from each loop's condition to its body."""
    drawn = {op: node for node in nodes for op in node.ops}
    keys = {box.path: box.key for box in _all(root)}
    edges = []
    for deciding, path, label in _decisions(inside):
        head: Node | None = next(
            (n for n in nodes if (*n.path, n.name)[:len(path)] == path), None)
        for tail in [drawn[op] for op in deciding if op in drawn]:
            if head is not None and head is not tail:
                edges.append(Edge(tail.key, head.key, 'choice', label,
                                  f"runs '{path[-1]}' {label}", into=keys.get(path, '')))
    return edges


def _decisions(inside) -> Iterator[tuple[list, tuple[str, ...], str]]:
    """(deciding operations, path of the box that runs, condition under which it runs)."""
    for region in inside.regions.values():
        if region.kind == 'if':
            for path, label in zip(region.parts, ('true', 'false')):
                yield [region.op], path, label
        elif region.kind == 'while':
            test = region.op.attrs['cond'].outputs[0]
            yield [t.op for t in inside.sources(test)], region.parts[1], 'while true'


def _all(root):
    stack = [root]
    for box in stack:
        stack += box.boxes
    return stack
