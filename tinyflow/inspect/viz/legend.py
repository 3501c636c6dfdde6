"""The legend: samples of just the kinds, edges and marks that occur, in small rows."""
from __future__ import annotations

from html import escape

from tinyflow.inspect.viz.looks import ACCENT, EDGE_MEANINGS, EDGES, LOOKS, MARKS, QUIET
from tinyflow.inspect.viz.model import Model

_ACROSS = 4                 # samples in a row


def table(model: Model) -> str:
    """The legend as a table in Graphviz' HTML."""
    samples = _nodes(model) + _edges(model)
    rows = [''.join(samples[i:i + _ACROSS]) for i in range(0, len(samples), _ACROSS)]
    rows += [f'<TD ALIGN="LEFT" COLSPAN="{2 * _ACROSS}">{_small(text)}</TD>'
             for text in _sentences(model)]
    return ('<TABLE ID="legend" BORDER="1" COLOR="#cccccc" STYLE="ROUNDED" CELLBORDER="0" '
            'CELLPADDING="1" CELLSPACING="3">'
            + ''.join(f'<TR>{row}</TR>' for row in rows) + '</TABLE>')


def _small(text):
    return f'<FONT POINT-SIZE="8" COLOR="{QUIET}">{escape(text)}</FONT>'


def _nodes(model):
    """A swatch in the colours of each kind, and its meaning."""
    kinds = {n.kind for n in model.nodes}
    found = [_swatch(look.fill, look.line, look.legend, 'ROUNDED' if kind == 'op' else '')
             for kind, look in LOOKS.items() if kind in kinds]
    variable = LOOKS['variable']
    if any(n.trainable is False for n in model.nodes):
        found.append(_swatch(variable.fill, variable.line, 'not trainable', 'DASHED'))
    found += [_swatch(fill, line, text, 'DASHED' if mark == 'removed' else '')
              for mark, (fill, line, text) in MARKS.items()
              if any(n.mark == mark for n in model.nodes)]
    if any(n.fetched for n in model.nodes):
        found.append(_swatch('#ffffff', '#333333', 'fetched', width=2))
    if any(n.highlighted for n in model.nodes):
        found.append(_swatch('#ffffff', ACCENT, 'highlighted', width=2))
    return found


def _swatch(fill, line, text, style='', width=1):
    # A cell in a table of its own keeps its size, however high its row is.
    style = f' STYLE="{style}"' if style else ''
    return (f'<TD><TABLE BORDER="{width}" COLOR="{line}" BGCOLOR="{fill}"{style} CELLBORDER="0" '
            'CELLPADDING="0" CELLSPACING="0"><TR><TD WIDTH="14" HEIGHT="8" FIXEDSIZE="TRUE">'
            f'</TD></TR></TABLE></TD><TD ALIGN="LEFT">{_small(text)}</TD>')


def _edges(model):
    return [f'<TD><FONT POINT-SIZE="9" COLOR="{EDGES[style]["color"]}">{_line(style)}</FONT></TD>'
            f'<TD ALIGN="LEFT">{_small(EDGE_MEANINGS[style])}</TD>'
            for style in dict.fromkeys(e.style for e in model.edges if e.style != 'data')]


def _line(style):
    look = EDGES[style]
    piece = {'dashed': '- - ', 'dotted': '. . '}.get(look.get('style', ''), '—')
    ends = {'none': '—', 'diamond': '◆'}.get(look.get('arrowhead', ''), '→')
    return ('←' if look.get('dir') == 'both' else piece) + ends


def _sentences(model):
    """An explanation of the edge labels."""
    texts = [e.label for e in model.edges] + [d for n in model.nodes for d in n.details]
    lines = []
    if any('[' in t or 'scalar' in t for t in texts):
        lines.append('[shape], float32 unless shown')
    if any('?' in t for t in texts):
        lines.append('?: known at run time')
    return ['; '.join(lines)] if lines else []
