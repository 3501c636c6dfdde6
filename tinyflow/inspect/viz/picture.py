"""`draw` and the Picture that it returns."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from typing import Any

from tinyflow.graph.support import render
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.viz import build, dot, title_placement
from tinyflow.inspect.viz.compare import compared
from tinyflow.inspect.viz.model import Model, Options

_ATTEMPTS = 4
_ROOMS = (0.27, 0.33)       # between neighbours, if the usual room makes Graphviz fail
_MANY = 300                 # nodes: larger pictures are laid out once
_BOX_NAMES = {'scope': 'name scope', 'while': 'while loop', 'call': 'functions of'}


class Picture:
    """A drawn graph; shows itself in a notebook.

    `.model` is its content as data, `.dot` its DOT source; `.svg()`, `.png()`, `.html()` and
    `.save(path)` lay it out.
    """

    def __init__(self, target, options: Options, model: Callable[..., Model] = build.build):
        self._build = model
        self._what = target
        self._options = options
        self.model: Model = model(target, options)
        self.dot: str = dot.source(self.model)
        self._svg: str | None = None

    def svg(self) -> str:
        """The picture as SVG; the title of each node and edge is its tooltip."""
        if self._svg is None:
            self._svg = render.with_titles(self._laid_out(), self._tooltips())
        return self._svg

    def _laid_out(self):
        """The SVG of the first layout that succeeds, and the matching `.dot`.

        Graphs with nested boxes sometimes make it lose an edge; another layout then succeeds.
        """
        best = None
        for layout in self._layouts():
            source = dot.source(self.model, layout)
            svg, complaints = render.layout(source, 'svg')
            if best is None or len(complaints) < best[0]:
                best = len(complaints), source, svg
            if not complaints:
                self.dot = source
                return self._with_settled_titles(svg, layout)
        _, self.dot, svg = best
        return svg

    def _layouts(self):
        """The ways to lay the picture out, the best first."""
        tied = bool(self.model.ties)
        yield dot.Layout(True, tied)
        for room in _ROOMS if tied else ():
            yield dot.Layout(True, tied, room)
        yield from (dot.Layout(mirrored, newrank) for newrank in (False, True)
                    for mirrored in (True, False) if (mirrored, newrank) != (True, tied))

    def _with_settled_titles(self, svg, layout):
        """The best of a few layouts; box titles are placed where the fewest edges cross them.

        A title that moves may push edges elsewhere, so each layout is checked again.
        """
        boxes = self.model.boxes
        best = None
        for _ in range(_ATTEMPTS if len(self.model.nodes) <= _MANY else 0):
            crossed, better = title_placement.sides(boxes, svg)
            if best is None or crossed < best[0]:
                best = crossed, self.dot, svg
            if not crossed or all(better.get(b.key, b.title_side) == b.title_side for b in boxes):
                break
            for box in boxes:
                box.title_side = better.get(box.key, box.title_side)
            self.dot = dot.source(self.model, layout)
            svg, complaints = render.layout(self.dot, 'svg')
            if complaints:
                break
        if best is not None:
            _, self.dot, svg = best
        return svg

    def png(self, dpi: int = 144) -> bytes:
        """The picture as a PNG file's bytes."""
        self.svg()                  # determines the layout
        return render.layout(self.dot, 'png', dpi)[0]

    def pdf(self) -> bytes:
        """The picture as a PDF file's bytes."""
        self.svg()
        return render.layout(self.dot, 'pdf')[0]

    def html(self) -> str:
        """One page for a browser, of all of the graph: `explore` describes it."""
        from tinyflow.inspect.explorer.explore import explore  # start-up time
        return explore(self._what, title=self._options.title).html()

    def save(self, path) -> None:
        """Writes the picture, in the format of the suffix: .svg .png .pdf .dot .gv .html.

        The file is written atomically. Raises ValueError for another suffix.
        """
        suffix = render.suffix_of(path)
        makers: dict[str, Callable[[], str | bytes]] = {
            '.svg': self.svg, '.png': self.png, '.pdf': self.pdf, '.html': self.html}
        content = makers[suffix]() if suffix in makers else self.dot
        render.write(path, content.encode() if isinstance(content, str) else content)

    def _tooltips(self):
        tips = {n.key: n.tooltip for n in self.model.nodes}
        tips |= {f'e{i}': e.tooltip for i, e in enumerate(self.model.edges)}
        return tips | {b.key: f"{_BOX_NAMES.get(b.kind, b.kind)} {'/'.join(b.path)}"
                       for b in self.model.boxes}

    def _repr_svg_(self):
        return self.svg()

    def __repr__(self):
        return (f'<tf.viz.Picture: {len(self.model.nodes)} nodes, {len(self.model.edges)} edges, '
                f'{len(self.model.boxes)} boxes>')


def draw_comparison(diff, path=None, **options) -> Picture:
    """The picture of a `GraphDiff`; `options` are those of `draw`. TypeError for another one."""
    if path is not None:
        render.check_path(path)
    known = [option.name for option in fields(Options)]
    _refuse(name for name in options if name not in known)
    picture = Picture(diff, Options(**options), compared)
    if path is not None:
        picture.save(path)
    return picture


def _refuse(unknown: Iterable[str]) -> None:
    for name in unknown:
        raise misuse(TypeError(f"draw() got an unexpected keyword argument '{name}'"
                               + nearest_keyword(name, [o.name for o in fields(Options)])))


def draw(target: Any, path: Any = None, *, depth: int | None = None, open: Any = (),
         close: Any = (), show_gradients: bool | None = None, show_optimizer: bool = False,
         show_init: bool | None = None, show_constants: bool | str = 'fold',
         fold_variables: bool = True, only: Any = None, hide: Any = None, highlight: Any = None,
         feeds: Any = None, shapes: str = 'auto', limit: int | None = 80, direction: str = 'TB',
         title: str | None = None, legend: bool = True, **unknown: Any) -> Picture:
    """The picture of a graph, or of what some fetches need; written to `path` if one is given.

    target          Graph, Session, Tensor, Operation, Variable, or a list or dict of these; a
                    Keras model; an Estimator (its last training)
    path            ends in .svg .png .pdf .html .dot or .gv, which selects the format; .html is
                    the page of `explore`, which needs none of the options below but `title`
    depth           name scopes are open down to this depth (0: all closed); None: as deep as
                    `limit` allows, with the helpers of library calls closed
    open, close     names of scopes to open or close whatever `depth` says
    show_gradients  the backward half; None: only if it is fetched. The gradient of each operation
                    is one node next to it, unless `depth` is given or limit=None;
                    open=['gradients'] opens them all
    show_optimizer  updates, slots, hyperparameters
    show_init       initial values, the init op, a Saver's nodes; None: only if fetched
    show_constants  'fold': those that are mere arguments are written into their consumer;
                    True: each is a node; False: none
    fold_variables  a Variable, its reads and its Assign are one node
    only, hide      op types, regular expressions on names, or nodes; None: all
    highlight       nodes to mark, e.g. `path_between(x, loss)`
    feeds           a feed_dict or a list of tensors: what they depend on is not needed
    shapes          on edges: 'auto' where nothing has said them before, 'all', or 'none'
    limit           with more nodes than this, scopes close, and blocks of layers and long runs
                    fold into one node; None: never
    direction       of flow: 'TB', 'BT', 'LR' or 'RL'

    Raises TypeError if `target` cannot be drawn, ValueError for a wrong suffix, scope or filter,
    FileNotFoundError for a missing folder, RuntimeError if Graphviz is needed and missing.
    """
    _refuse(unknown)
    if isinstance(target, str) and path is not None and not isinstance(path, str):
        raise misuse(TypeError('draw: the path is the second argument.\n  Hint: tf.viz.draw(loss, '
                               f'{target!r}).'))
    if path is not None:
        render.check_path(path)
    picture = Picture(target, Options(
        depth, open, close, show_gradients, show_optimizer, show_init, show_constants,
        fold_variables, only, hide, highlight, feeds, shapes, limit, direction, title, legend))
    if path is not None:
        picture.save(path)
    return picture
