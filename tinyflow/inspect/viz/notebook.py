"""Notebook display: graphs, nodes and Sessions are shown as pictures."""
from __future__ import annotations


def install(*classes: type) -> None:
    """Adds `_repr_svg_`, which Jupyter calls to display an object, to the classes.

    It is added here because tinyflow.graph must not depend on tinyflow.inspect.
    """
    for kind in classes:
        setattr(kind, '_repr_svg_', _repr_svg)  # noqa: B010 (no type declares it)


def _repr_svg(self):
    """The picture as SVG, or None (the notebook shows text) where there is no Graphviz."""
    from tinyflow.inspect.viz.picture import draw  # start-up time
    try:
        return draw(self).svg()
    except RuntimeError:
        return None
