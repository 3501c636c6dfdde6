"""`explore` and the Page that it returns."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from tinyflow.graph.operation import Operation
from tinyflow.graph.support import render
from tinyflow.graph.support.errors import OpError, misuse
from tinyflow.graph.support.keywords import nearest_keyword
from tinyflow.inspect.explorer.document import document
from tinyflow.inspect.explorer.page import page
from tinyflow.inspect.recorder import Recording
from tinyflow.inspect.viz import select
from tinyflow.session.fetches import FetchPlan


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
        counts = [(key, len(self.document.get(key, ()))) for key in ('nodes', 'runs', 'recordings')]
        parts = [f'{count} {key if count != 1 else key[:-1]}' for key, count in counts
                 if count or key == 'nodes']
        return f'<tf.viz.Page: {", ".join(parts)}>'


def explore_with_run(graph: Any, fetches: Sequence, path: Any) -> Page:
    """The page of a graph with an account of that of several runs which needs most nodes.

    Only `fetches` of each run are known; one that cannot be compiled so is left out.
    """
    def size(each):
        elements = FetchPlan(graph, each).elements
        return len(select.needed([f if isinstance(f, Operation) else f.op for f in elements]))

    distinct = list({repr(each): each for each in fetches}.values())
    try:
        return explore(graph, path, fetches=max(distinct, key=size, default=None))
    except (OpError, TypeError, ValueError):    # such as a run with a wrong name
        return explore(graph, path)


def explore(what: Any, path: Any = None, *, fetches: Any = None, feed_dict: Any = None,
            session: Any = None, recordings: Sequence | Mapping = (), values: Any = None,
            training: Any = None, title: str | None = None, **unknown: Any) -> Page:
    """A page in which a graph is opened scope by scope, searched, and followed into its program.

    what        a Graph, Session, nodes (with what they need), Keras model, Estimator, GraphDef,
                `tf.graph_diff(...)`; or a file: .pb, .pbtxt, .meta, a checkpoint, a SavedModel
    path        .html file to write
    fetches     the page says what became of each node in the program that computes these, stage
                by stage; by default what was recorded, or `what` itself if it is nodes
    feed_dict   with it, and a Session, the times of the program are measured
    recordings  of runs (`tf.record`), whose values and times the page shows: one, a list, or
                {name: recording}; steps of several are compared
    values      of the Variables: a Session, Keras model, Estimator, checkpoint or SavedModel that
                has them, or True: `what` has them
    training    of `tf.doctor(session)` and the like, or its report: findings, curves, histograms
    title       of the page

    Raises TypeError or ValueError for what has no graph, OSError for a missing file.
    """
    for name in unknown:
        raise misuse(TypeError(f'explore() got an unexpected keyword argument {name!r}'
                               + nearest_keyword(name, _OPTIONS)))
    if path is not None:
        render.check_path(path)
    if isinstance(what, Recording):
        raise misuse(TypeError('explore shows a recording on its graph.\n  Hint: '
                               'tf.viz.explore(sess, path, recordings=[r]).'))
    findings = None if training is None else _report_of(training)
    content = document(what, fetches, feed_dict, session, title, _listed(recordings), values)
    if findings is not None:
        content['training'] = findings
    made = Page(content)
    if path is not None:
        made.save(path)
    return made


_OPTIONS = ('fetches', 'feed_dict', 'session', 'recordings', 'values', 'training', 'title')


def _report_of(training):
    """The findings of a training doctor or of its report as data. TypeError for what is none."""
    report = training.report() if hasattr(training, 'report') else training
    if not hasattr(report, 'as_document'):
        raise misuse(TypeError(f'training is a doctor of a training, or its report, not '
                               f'{training!r:.80}.\n  Hint: `with tf.doctor(sess) as doctor:` '
                               'around the training, and training=doctor.report().'))
    return report.as_document()


def _listed(recordings):
    """The recordings as a list or dict. TypeError for what is none."""
    found = [recordings] if isinstance(recordings, Recording) else recordings
    try:
        each = [found] if isinstance(found, str) else \
            list(found.values() if isinstance(found, Mapping) else found)
    except TypeError:
        each = [found]
    for one in each:
        if not isinstance(one, Recording):
            raise misuse(TypeError(f'recordings are those of tf.record, not {one!r}.\n  Hint: '
                                   + ('tf.viz.load_recording(path) reads one from a file.'
                                      if isinstance(one, str) else
                                      '`with tf.record(sess) as r:`, and recordings=[r].')))
    return found


__all__ = ['Page', 'explore', 'explore_with_run']
