"""Graphs, nodes and Sessions that show themselves as pictures in a notebook."""
from __future__ import annotations


def install(*classes: type) -> None:
    """Gives the classes the method by which Jupyter asks an object for its picture.

    Done from above, because the graph's own floor must not know that pictures exist.
    """
    for kind in classes:
        setattr(kind, '_repr_svg_', _repr_svg)  # noqa: B010 (no type declares it)


def _repr_svg(self):
    """The picture as SVG, or None (the notebook shows text) where there is no Graphviz."""
    from tinyflow.inspect.viz.picture import draw  # loaded on first use
    try:
        return draw(self).svg()
    except RuntimeError:
        return None
