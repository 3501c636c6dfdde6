"""Pictures of the static graph: `draw`, `path_between`, and `to_networkx` for analysis.

`explore` makes a page in which a graph is opened scope by scope; `playground` one on which one
watches small networks learn.

    tf.viz.draw(loss, 'loss.svg')

Importing tinyflow loads only the names; Graphviz and networkx are imported with the first
picture.
"""
from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tinyflow.graph.support.missing import explain_missing as _explain_missing

if TYPE_CHECKING:
    from tinyflow.inspect.explorer.explore import Page, explore
    from tinyflow.inspect.playground import playground
    from tinyflow.inspect.recorder.recording import load_recording
    from tinyflow.inspect.viz.networkx_export import to_networkx
    from tinyflow.inspect.viz.picture import Picture, draw
    from tinyflow.inspect.viz.select import path_between, register_drawable

__all__ = ['Page', 'Picture', 'draw', 'explore', 'load_recording', 'path_between', 'playground',
           'register_drawable', 'to_networkx']

_missing = _explain_missing('tinyflow.viz', __all__)
_HOMES = {'Picture': 'picture', 'draw': 'picture', 'path_between': 'select',
          'register_drawable': 'select', 'to_networkx': 'networkx_export',
          'playground': 'tinyflow.inspect.playground',
          'load_recording': 'tinyflow.inspect.recorder.recording',
         'Page': 'tinyflow.inspect.explorer.explore',
         'explore': 'tinyflow.inspect.explorer.explore'}


def __getattr__(name):
    if name not in _HOMES:
        return _missing(name)
    home = _HOMES[name]
    module = home if '.' in home else f'{__name__}.{home}'
    value = globals()[name] = getattr(import_module(module), name)
    return value


def __dir__():
    return __all__
