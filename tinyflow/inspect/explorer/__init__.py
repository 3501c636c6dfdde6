"""tf.viz.explore: one offline page in which a graph is opened, searched and followed.

    tf.viz.explore(graph).save('graph.html')

`document/` makes the data that the page shows, `page.py` and the scripts of `page/` the page.
"""
from __future__ import annotations

from tinyflow.inspect.explorer.explore import Page, explore

__all__ = ['Page', 'explore']
