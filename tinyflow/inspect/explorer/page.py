"""Makes the explorer's page: one HTML text with the document, the style and the scripts in it."""
from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import Any

__all__ = ['page']

_FILES = Path(__file__).with_name('page')
# In this order: each uses what is before it. The panels, start.js and live.js follow.
_SCRIPTS = ('basics', 'model', 'edges', 'layers', 'places', 'columns', 'labels', 'layout', 'draw',
            'view', 'scopes', 'select', 'links', 'search', 'keys', 'colours', 'panels', 'values',
            'recorded', 'updates')
_PANELS = ('node', 'passes', 'time_travel', 'weights', 'doctor')   # as their tabs are shown


def page(document: Mapping[str, Any]) -> str:
    """The page of a document, to be opened from the disk or shown in a notebook's frame.

    Nothing in the document can end the element that holds it, since no `<` is left in its text.
    """
    text = json.dumps(document, separators=(',', ':')).replace('<', '\\u003c')
    parts = {'/*TITLE*/': escape(str(document['title'])[:200]), '/*STYLE*/': _read('style.css'),
             '/*DOCUMENT*/': text, '/*SCRIPTS*/': '\n'.join(map(_script, scripts()))}
    html = _read('page.html')
    made = []
    for place, part in parts.items():           # in the order in which page.html has them
        before, html = html.split(place)
        made += [before, part]
    return ''.join([*made, html])


def scripts() -> list[Path]:
    """The page's scripts in the order in which they run."""
    panels = {path.stem: path for path in sorted((_FILES / 'panels').glob('*.js'))}
    order = sorted(panels, key=lambda name: _PANELS.index(name) if name in _PANELS else 99)
    return [*(_FILES / f'{name}.js' for name in _SCRIPTS), *(panels[name] for name in order),
            _FILES / 'start.js', _FILES / 'live.js']


def _script(path: Path) -> str:
    """A script element in which a file has a scope of its own."""
    return f"<script>(() => {{ 'use strict';\n{path.read_text(encoding='utf-8')}}})();</script>"


def _read(name: str) -> str:
    return (_FILES / name).read_text(encoding='utf-8')
