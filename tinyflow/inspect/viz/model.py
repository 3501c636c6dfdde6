"""Model: a picture as plain data, nodes, boxes and edges, without styles."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tinyflow.inspect.viz.select import FORWARD

DIRECTIONS = ('TB', 'BT', 'LR', 'RL')
SHAPES = ('auto', 'all', 'none')
CONSTANTS = ('fold', True, False)


@dataclass
class Options:
    """The options of `draw`; see there."""

    depth: int | None = None
    open: Sequence[str] = ()
    close: Sequence[str] = ()
    show_gradients: bool | None = None
    show_optimizer: bool | None = False
    show_init: bool | None = None
    show_constants: bool | str = 'fold'
    fold_variables: bool = True
    only: Any = None
    hide: Any = None
    highlight: Any = None
    feeds: Any = None
    shapes: str = 'auto'
    limit: int | None = 80
    direction: str = 'TB'
    title: str | None = None
    legend: bool = True


@dataclass
class Node:
    """One node of the picture: an operation, a folded Variable, or several nodes drawn as one.

    `kind` is 'op', 'placeholder', 'variable', 'constant', 'gradient', 'optimizer', 'init', 'scope'
    (a closed name scope or function), 'run' (nodes folded to keep the picture small), 'choice'
    (of a branch) or 'parameter' (of a function: a loop variable, an element of a dataset).
    """

    key: str
    kind: str
    name: str
    details: list[str]
    path: tuple[str, ...]                   # the boxes it is in, outermost first
    ops: tuple                              # the Operations that it represents
    tooltip: str
    part: str = FORWARD                     # forward, gradient, optimizer or init
    fetched: bool = False
    highlighted: bool = False
    trainable: bool | None = None           # Variables only
    names: tuple[str, ...] = ()             # of `ops`, functions they are in included
    mark: str = ''                          # in a comparison: added, removed, changed, renamed


@dataclass
class Edge:
    """`style` is 'data', 'control', 'update' (the head changes the tail) or 'bridge' (a data path
    through nodes that a filter hides), 'next' (to a loop variable, from the iteration before) or
    'choice' (the tail decides whether the box `into` runs), 'gradient' (the head is the gradient of
    the tail), 'removed' (in a comparison)."""

    tail: str
    head: str
    style: str
    label: str
    tooltip: str
    highlighted: bool = False
    into: str = ''


@dataclass
class Box:
    """An open name scope; or, depending on `kind`, an 'if', 'while' or 'call' (of
    functions), or one 'function' of these."""

    key: str
    path: tuple[str, ...]
    part: str
    boxes: list[Box] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    kind: str = 'scope'
    title_side: str = 'l'                   # 'c' or 'r'


@dataclass
class Model:
    """All of a picture's content. `root` has the nodes and boxes that are in no box."""

    root: Box
    nodes: list[Node]
    edges: list[Edge]
    notes: list[str]
    title: str
    direction: str
    legend: bool = True
    ties: list[tuple[str, str]] = field(default_factory=list)   # (operation, its gradient)

    @property
    def boxes(self) -> list[Box]:
        """All boxes, outer ones first."""
        found, stack = [], list(reversed(self.root.boxes))
        while stack:
            box = stack.pop()
            found.append(box)
            stack += reversed(box.boxes)
        return found

    def node(self, name: str) -> Node:
        """The node of the operation or closed scope of that full name; names of
        operations in a function begin with its box, as in 'loop/body/Mul' or 'choose/if true/Neg'.

        Raises KeyError if it is not in the picture.
        """
        for node in self.nodes:
            if name in node.names or node.kind in ('scope', 'parameter') and \
                    '/'.join((*node.path, node.name)) == name:
                return node
        raise KeyError(name)
