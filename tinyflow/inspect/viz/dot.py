"""Writes a Model in the DOT language. Every kind of node has its own shape and colour.

The fills are light tints of the Okabe-Ito colours, which are distinguishable with any colour
vision; the shapes distinguish them in greyscale prints.
"""
from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import NamedTuple

from tinyflow.inspect.viz import labels
from tinyflow.inspect.viz.model import Model
from tinyflow.inspect.viz.select import GRADIENT, INIT, OPTIMIZER

_FONT = 'Helvetica,Arial,sans-serif'
_TEXT, _QUIET = '#1a1a1a', '#555555'
_ACCENT = '#d55e00'
_LARGE = 300                # nodes: above this Graphviz gets faster, coarser settings


class Look(NamedTuple):
    """How one kind of node is drawn, and what the legend calls it."""

    shape: str
    fill: str
    line: str
    legend: str
    style: str = 'filled'
    margin: str = '0.10,0.05'
    lines: str = '1'                    # number of outlines


LOOKS = {
    'placeholder': Look('polygon', '#cfe8f7', '#0072b2', 'placeholder', margin='0,0'),
    'variable': Look('cylinder', '#ffe1a3', '#b37700', 'variable', margin='0.12,0.06'),
    'constant': Look('ellipse', '#f2f2f2', '#777777', 'constant', margin='0.02,0.01'),
    'op': Look('box', '#ffffff', '#333333', 'operation', 'filled,rounded'),
    'gradient': Look('hexagon', '#efd3e4', '#a0447d', 'gradient', margin='0,0'),
    'optimizer': Look('component', '#bfe6d8', '#00795a', 'optimizer', margin='0.14,0.06'),
    'init': Look('note', '#fbf6cd', '#8a7f1d', 'initial value, saving'),
    'choice': Look('diamond', '#e0e4ff', '#4348b5', 'choice of a branch', margin='0.02,0.02'),
    'parameter': Look('box', '#e0e4ff', '#4348b5', 'loop variable, argument', lines='2'),
    'scope': Look('folder', '#e3e5ee', '#4d5473', 'closed name scope', margin='0.12,0.06'),
    'run': Look('box3d', '#e3e5ee', '#4d5473', 'several nodes folded', margin='0.12,0.06'),
}
_BOX_FILLS = {GRADIENT: ('#faf1f7', '#d9b3cb'), OPTIMIZER: ('#eff9f5', '#a6d3c4'),
              INIT: ('#fdfbea', '#d8d29b')}
_FUNCTIONS = {'if': ('#f1f2ff', '#7a7fd0', 'if'), 'while': ('#f1f2ff', '#7a7fd0', 'while loop'),
              'call': ('#f1f2ff', '#7a7fd0', ''), 'function': ('#fbfbff', '#a9addf', '')}
# In a comparison: fill, line, and what the legend says. Removed nodes are outlines.
_MARKS = {'added': ('#c6ecd0', '#11753a', 'added'), 'changed': ('#ffdfb0', '#c45a00', 'changed'),
          'renamed': ('#d6e4ff', '#2456b8', 'renamed'),
          'removed': ('#ffffff', '#b3261e', 'removed')}
_BACKWARD = (GRADIENT, OPTIMIZER)
_SLANTED = {'sides': '4', 'skew': '0.25'}
_EDGES = {
    'data': {'color': '#444444'},
    'control': {'color': '#777777', 'style': 'dashed', 'arrowhead': 'open'},
    'update': {'color': '#00795a', 'dir': 'both', 'arrowtail': 'normal', 'penwidth': '1.3'},
    'bridge': {'color': '#777777', 'style': 'dotted', 'penwidth': '1.3'},
    'next': {'color': '#4348b5', 'style': 'dashed'},
    'choice': {'color': '#4348b5', 'style': 'dotted', 'penwidth': '1.3', 'arrowhead': 'diamond'},
    'removed': {'color': '#b3261e', 'style': 'dashed'},
}
_EDGE_MEANINGS = {'data': 'a tensor', 'control': 'runs after', 'update': 'reads and updates',
                  'bridge': 'through hidden nodes', 'next': 'value in the next iteration',
                  'choice': 'runs the box', 'removed': 'removed'}


def source(model: Model, mirrored: bool = True, newrank: bool = False) -> str:
    """The picture in the DOT language.

    `mirrored` draws the backward half upwards next to the forward one; `newrank` chooses
    Graphviz' other way to assign heights.
    """
    import graphviz  # start-up time
    graph = graphviz.Digraph('tinyflow')
    graph.attr('graph', **_graph_attributes(model))
    if newrank:
        graph.attr('graph', newrank='true')
    graph.attr('node', fontname=_FONT, fontsize='11', fontcolor=_TEXT, height='0.3', width='0.4',
               penwidth='1')
    graph.attr('edge', fontname=_FONT, fontsize='9', fontcolor=_QUIET, arrowsize='0.6',
               color='#444444')
    _box(graph, model.root)
    backward = {n.key for n in model.nodes if mirrored and n.part in _BACKWARD}
    for number, edge in enumerate(model.edges):
        _edge(graph, edge, f'e{number}', edge.tail in backward, edge.head in backward)
    if model.legend and model.nodes:
        _legend(graph, model)
    return graph.source


def _edge(graph, edge, key, from_backward, to_backward):
    """The backward half flows against the forward one, next to it: each gradient is drawn at the
    height of what it is the gradient of. Graphviz gets its edges reversed, and edges into it do
    not affect the layout.
    """
    attributes = _edge_attributes(edge)
    ends = edge.tail, edge.head
    if edge.into:
        attributes['lhead'] = f'cluster_{edge.into}'
    if (edge.style == 'next') != (from_backward and to_backward):
        ends = edge.head, edge.tail
        attributes |= {'ltail': attributes.pop('lhead')} if edge.into else {}
        attributes['dir'] = attributes.get('dir', 'back')
        if 'arrowhead' in attributes:
            attributes['arrowtail'] = attributes.pop('arrowhead')
    elif from_backward != to_backward:
        attributes['constraint'] = 'false'
        attributes.pop('label', None)       # the forward edges already show it
    graph.edge(*ends, id=key, **attributes)


def _graph_attributes(model):
    attributes = {
        'rankdir': model.direction, 'fontname': _FONT, 'fontsize': '11', 'fontcolor': _TEXT,
        'labelloc': 't', 'labeljust': 'l', 'nodesep': '0.22', 'ranksep': '0.28', 'pad': '0.15',
        'bgcolor': 'white'}
    if any(e.into for e in model.edges):
        attributes['compound'] = 'true'
    lines = _spaced([f'<B>{escape(model.title)}</B>'] if model.title else [],
                    [f'<FONT POINT-SIZE="9" COLOR="{_QUIET}">{escape(note)}</FONT>'
                     for note in _wrapped(model.notes)])
    if lines:
        attributes['label'] = _html('<BR ALIGN="LEFT"/>'.join(lines) + '<BR ALIGN="LEFT"/>')
    if len(model.nodes) > _LARGE:
        attributes |= {'splines': 'polyline', 'nslimit': '1', 'nslimit1': '1', 'mclimit': '0.3'}
    return attributes


def _wrapped(notes, width=76):
    """Notes as short lines: one long line would make the whole picture wide."""
    return [line for note in notes for line in wrap(note, width)]


def _html(text):
    return f'<{text}>'


def _box(graph, box):
    for node in box.nodes:
        graph.node(node.key, **_node_attributes(node))
    for inner in box.boxes:
        fill, line, title = _box_look(inner)
        with graph.subgraph(name=f'cluster_{inner.key}') as cluster:
            cluster.attr('graph', id=inner.key, label=_html(_padded(title, inner)),
                         style='filled,rounded', fillcolor=fill, color=line, fontsize='10',
                         fontcolor=_QUIET, labeljust=inner.title_side, margin='9')
            _box(cluster, inner)


def _padded(title, box):
    """The title of a box, with blanks that keep the middle, where edges enter, free of text."""
    if len(box.nodes) + len(box.boxes) > 5:
        return title
    half = '&#160;' * (len(box.path[-1]) + 3)
    return {'l': title + half + half, 'c': half + title + half, 'r': half + half + title}[
        box.title_side]


def _box_look(box):
    """Fill, line and title of a box."""
    title = f'<B>{escape(box.path[-1])}</B>'
    if box.kind in _FUNCTIONS:
        fill, line, noun = _FUNCTIONS[box.kind]
        if box.part in _BOX_FILLS:
            fill, line = _BOX_FILLS[box.part]
        if box.kind == 'function':
            fill = '#ffffff'
        return fill, line, f'{title}  {noun}' if noun else title
    fill, line = _BOX_FILLS.get(box.part) or \
        ('#f6f7fa' if len(box.path) % 2 else '#edeff5', '#b9bdcc')
    return fill, line, title


def _node_attributes(node):
    look = colours = LOOKS[node.kind]
    if node.kind in ('scope', 'run', 'choice', 'parameter') and node.part in LOOKS:
        colours = LOOKS[node.part]
    style, width = look.style, 1.0
    if node.trainable is False:
        style += ',dashed'
    attributes = {'label': _label(node), 'id': node.key, 'shape': look.shape, 'margin': look.margin,
                  'fillcolor': colours.fill, 'color': colours.line, 'tooltip': _plain(node.tooltip),
                  **_line_style(look)}
    if node.fetched:
        width = 2.4
    if look.shape == 'polygon':
        attributes |= _SLANTED
    if node.highlighted:
        attributes['color'] = _ACCENT
        width = 3.0
    if node.mark:
        attributes['fillcolor'], attributes['color'], _ = _MARKS[node.mark]
        width = 2.0
    if node.mark == 'removed':
        style += ',dashed'
        attributes['fontcolor'] = attributes['color']
    return {**attributes, 'style': style, 'penwidth': f'{width:g}'}


def _line_style(look):
    return {} if look.lines == '1' else {'peripheries': look.lines}


def _label(node):
    small = f'<FONT POINT-SIZE="9" COLOR="{_QUIET}">'
    name = escape(labels.shortened(node.name))
    if node.kind == 'constant':
        return _html(small + '<BR/>'.join(
            escape(t) for t in dict.fromkeys([labels.shortened(node.name), *node.details]))
            + '</FONT>')
    if node.fetched or node.kind in ('scope', 'variable', 'placeholder'):
        name = f'<B>{name}</B>'
    details = [f'{small}{escape(labels.shortened(text, 52))}</FONT>' for text in node.details]
    if node.kind == 'placeholder':      # slanted shapes look good only while they are low
        name, details = ' '.join([name, *details]), []
    lines = [name, *details]
    return _html(_rows(lines))


def _rows(lines):
    """Lines as table rows, which are spaced farther apart than line breaks."""
    if len(lines) == 1:
        return lines[0]
    rows = ''.join(f'<TR><TD>{line}</TD></TR>' for line in lines)
    return ('<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="1">'
            f'{rows}</TABLE>')


def _edge_attributes(edge):
    attributes = dict(_EDGES[edge.style])
    if edge.label:
        attributes['label'] = _html(f' {escape(edge.label)} ')
    if edge.tooltip:
        attributes['tooltip'] = _plain(edge.tooltip)
    if edge.highlighted:
        attributes |= {'color': _ACCENT, 'penwidth': '2.6'}
    return attributes


def _plain(text):
    """Text for a DOT attribute, without HTML and escapes."""
    import graphviz  # start-up time
    return graphviz.escape(text)


# ---- legend ----------------------------------------------------------------------------------

def _legend(graph, model):
    """Samples of just the kinds, edges and marks that occur, in a box next to the picture."""
    samples = _samples(model)
    across = 1 if model.direction in ('TB', 'BT') else len(samples)
    with graph.subgraph(name='cluster_legend') as box:
        box.attr('graph', label=_html('<BR ALIGN="LEFT"/>'.join(
            _spaced(['<B>legend</B>'], [*map(escape, _sentences(model))])) + '<BR ALIGN="LEFT"/>'),
            style='rounded', color='#cccccc', fontsize='9', fontcolor=_QUIET, labeljust='l',
            id='legend', margin='8')
        columns = _columns(samples, 2 if across == 1 and len(samples) in (1, 2, 4) else 3)
        for column in columns:
            for key, attributes in column:
                box.node(key, **{'fontsize': '9', 'height': '0.22', **attributes})
            for (upper, _), (lower, _) in zip(column, column[1:]):
                box.edge(upper, lower, style='invis', weight='9')
        _edge_samples(box, model)


def _spaced(heading, lines):
    """A heading and the lines below it, with some room before and after these."""
    space = '<FONT POINT-SIZE="4"> </FONT>'
    return [*heading, *([space] if heading and lines else []), *lines, *([space] if lines else [])]


def _columns(samples, number):
    return [samples[i::number] for i in range(number) if samples[i::number]]


def _samples(model):
    found = []
    for kind, look in LOOKS.items():
        if any(n.kind == kind for n in model.nodes):
            found.append((f'legend_{kind}', {
                'label': look.legend, 'shape': look.shape, 'style': look.style,
                'fillcolor': look.fill, 'color': look.line, 'margin': look.margin,
                **_line_style(look), **(_SLANTED if look.shape == 'polygon' else {})}))
    plain = {'shape': 'box', 'fillcolor': 'white', 'style': 'filled,rounded'}
    if any(n.trainable is False for n in model.nodes):
        look = LOOKS['variable']
        found.append(('legend_fixed', {'label': 'not trainable', 'shape': look.shape,
                                       'style': 'filled,dashed', 'fillcolor': look.fill,
                                       'color': look.line, 'margin': look.margin}))
    for mark, (fill, line, text) in _MARKS.items():
        if any(n.mark == mark for n in model.nodes):
            found.append((f'legend_{mark}', {
                **plain, 'label': text, 'fillcolor': fill, 'color': line, 'penwidth': '2',
                'style': 'filled,rounded' + (',dashed' if mark == 'removed' else '')}))
    if any(n.fetched for n in model.nodes):
        found.append(('legend_fetch', {**plain, 'label': _html('<B>fetched</B>'),
                                       'penwidth': '2.4', 'color': '#333333'}))
    if any(n.highlighted for n in model.nodes):
        found.append(('legend_mark', {**plain, 'label': 'highlighted', 'penwidth': '3',
                                      'color': _ACCENT}))
    return found


def _sentences(model):
    """An explanation of the edge labels; short lines keep the legend narrow."""
    texts = [e.label for e in model.edges] + [d for n in model.nodes for d in n.details]
    lines = []
    if any('[' in t or 'scalar' in t for t in texts):
        lines.append('[shape], float32 unless shown')
    if any('?' in t for t in texts):
        lines.append('?: known at run time')
    return lines


def _edge_samples(box, model):
    styles = dict.fromkeys(e.style for e in model.edges if e.style != 'data')
    for style in styles:
        ends = f'legend_{style}_from', f'legend_{style}_to'
        for end, text in zip(ends, ('', _EDGE_MEANINGS[style])):
            box.node(end, label=text, shape='plaintext', fontsize='9', height='0.1', width='0.1',
                     margin='0.02')
        box.edge(*ends, **_EDGES[style])
