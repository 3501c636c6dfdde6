"""`explore` and the Page that it returns."""
from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from tinyflow.graph.support import render
from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.explorer.document import document
from tinyflow.inspect.explorer.page import page


class Page:
    """An explorer's page; shows itself in a notebook. `.document` is its content as data."""

    def __init__(self, content: dict[str, Any]) -> None:
        self.document = content
        self._html: str | None = None

    def html(self) -> str:
        """The page: one text, which needs no other file and nothing from the network."""
        if self._html is None:
            self._html = page(self.document)
        return self._html

    def save(self, path: Any) -> str:
        """Writes the page, atomically, to a file that ends in .html; returns its path."""
        render.check_path(path)
        if render.suffix_of(path) != '.html':
            raise misuse(ValueError(f'{path!r} is a page, so its name must end in .html.'))
        render.write(path, self.html().encode())
        return str(path)

    def _repr_html_(self) -> str:
        return (f'<iframe srcdoc="{escape(self.html())}" sandbox="allow-scripts" '
                f'title="{escape(self.document["title"])}" '
                'style="width:100%;height:640px;border:1px solid #8888"></iframe>')

    def __repr__(self) -> str:
        parts = [f'{len(self.document["nodes"])} nodes']
        parts += [f'{len(self.document[key])} {key}' for key in ('runs', 'recordings')
                  if self.document.get(key)]
        return f'<tf.viz.Page: {", ".join(parts)}>'


def explore(what: Any, path: Any = None, *, fetches: Any = None, feed_dict: Any = None,
            session: Any = None, recordings: Sequence = (), title: str | None = None) -> Page:
    """A page in which a graph is opened scope by scope, searched, and followed into its program.

    what        a Graph, Session, nodes (with what they need), Keras model, Estimator, GraphDef,
                `tf.graph_diff(...)`; or a file: .pb, .pbtxt, .meta, a checkpoint, a SavedModel
    path        .html file to write
    fetches     the page says what became of each node in the program that computes these, stage
                by stage; by default `what` itself if it is nodes
    feed_dict   with it, and a Session, the times of the program are measured
    recordings  of runs, whose values the page shows
    title       of the page

    Raises TypeError or ValueError for what has no graph, OSError for a missing file.
    """
    if path is not None:
        render.check_path(path)
    content = document(what, fetches, feed_dict, session, title)
    if recordings:
        content['recordings'] = [r.document(content) for r in recordings]
    made = Page(content)
    if path is not None:
        made.save(path)
    return made


__all__ = ['Page', 'explore']
