"""Writes a Model in the DOT language."""
from __future__ import annotations

from html import escape
from textwrap import wrap
from typing import NamedTuple

from tinyflow.inspect.viz import labels, legend
from tinyflow.inspect.viz.looks import ACCENT, EDGES, LOOKS, MARKS, QUIET, TEXT
from tinyflow.inspect.viz.model import Model
from tinyflow.inspect.viz.select import GRADIENT, INIT, OPTIMIZER

_FONT = 'Helvetica,Arial,sans-serif'
_LARGE = 300                # nodes: above this Graphviz gets faster, coarser settings


_BOX_FILLS = {GRADIENT: ('#faf1f7', '#d9b3cb'), OPTIMIZER: ('#eff9f5', '#a6d3c4'),
              INIT: ('#fdfbea', '#d8d29b')}
_FUNCTIONS = {'if': ('#f1f2ff', '#7a7fd0', 'if'), 'while': ('#f1f2ff', '#7a7fd0', 'while loop'),
              'call': ('#f1f2ff', '#7a7fd0', ''), 'function': ('#fbfbff', '#a9addf', '')}
_BACKWARD = (GRADIENT, OPTIMIZER)
_SIDEWAYS = {'color': '#999999', 'penwidth': '0.6', 'arrowsize': '0.5'}


class Layout(NamedTuple):
    """Settings that decide where nodes are placed.

    `mirrored` draws the backward half upwards next to the forward one; `newrank` chooses
    Graphviz' other way to assign heights; `room` is between neighbours, in inches.
    """

    mirrored: bool = True
    newrank: bool = False
    room: float = 0.22


def source(model: Model, layout: Layout | None = None) -> str:
    """The picture in the DOT language."""
    layout = layout or Layout(newrank=bool(model.ties))
    import graphviz  # start-up time
    graph = graphviz.Digraph('tinyflow')
    graph.attr('graph', nodesep=f'{layout.room}', **_graph_attributes(model))
    if layout.newrank:
        graph.attr('graph', newrank='true')
    graph.attr('node', fontname=_FONT, fontsize='11', fontcolor=TEXT, height='0.3', width='0.4',
               penwidth='1')
    graph.attr('edge', fontname=_FONT, fontsize='9', fontcolor=QUIET, arrowsize='0.6',
               color='#444444')
    _box(graph, model.root)
    backward = {n.key for n in model.nodes if layout.mirrored and n.part in _BACKWARD}
    for number, edge in enumerate(model.edges):
        _edge(graph, edge, f'e{number}', edge.tail in backward, edge.head in backward)
    rungs = {(e.tail, e.head) for e in model.edges if e.style == 'gradient'}
    for tail, head in model.ties if layout.mirrored else ():
        if (tail, head) not in rungs:
            graph.edge(tail, head, style='invis', minlen='0', weight='1')
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
    elif edge.style == 'gradient' and to_backward or edge.style == 'update' and to_backward:
        attributes |= {'minlen': '0', 'weight': '2'}
        attributes.pop('label', None)
    elif from_backward != to_backward:
        attributes['constraint'] = 'false'
        attributes.pop('label', None)       # the forward edges already show it
        if edge.style == 'data' and not edge.highlighted:
            attributes |= _SIDEWAYS
    graph.edge(*ends, id=key, **attributes)


def _graph_attributes(model):
    attributes = {
        'rankdir': model.direction, 'fontname': _FONT, 'fontsize': '11', 'fontcolor': TEXT,
        'labelloc': 't', 'labeljust': 'l', 'ranksep': '0.28', 'pad': '0.15',
        'bgcolor': 'white'}
    if any(e.into for e in model.edges):
        attributes['compound'] = 'true'
    heading = _heading(model)
    if heading:
        attributes['label'] = _html(heading)
    if len(model.nodes) > _LARGE:
        attributes |= {'splines': 'polyline', 'nslimit': '1', 'nslimit1': '1', 'mclimit': '0.3'}
    return attributes


def _heading(model):
    """Title, notes and legend, above the picture."""
    lines = [f'<B>{escape(model.title)}</B>'] if model.title else []
    lines += [f'<FONT POINT-SIZE="9" COLOR="{QUIET}">{escape(note)}</FONT>'
              for note in _wrapped(model.notes)]
    rows = [f'<TR><TD ALIGN="LEFT">{line}</TD></TR>' for line in lines]
    if model.legend and model.nodes:
        rows.append(f'<TR><TD ALIGN="LEFT">{legend.table(model)}</TD></TR>')
    return '' if not rows else \
        f'<TABLE BORDER="0" CELLBORDER="0" CELLPADDING="0" CELLSPACING="2">{"".join(rows)}</TABLE>'


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
                         fontcolor=QUIET, labeljust=inner.title_side, margin='9')
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
        attributes |= {'sides': '4', 'skew': '0.25'}
    if node.highlighted:
        attributes['color'] = ACCENT
        width = 3.0
    if node.mark:
        attributes['fillcolor'], attributes['color'], _ = MARKS[node.mark]
        width = 2.0
    if node.mark == 'removed':
        style += ',dashed'
        attributes['fontcolor'] = attributes['color']
    return {**attributes, 'style': style, 'penwidth': f'{width:g}'}


def _line_style(look):
    return {} if look.lines == '1' else {'peripheries': look.lines}


def _label(node):
    small = f'<FONT POINT-SIZE="9" COLOR="{QUIET}">'
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
    attributes = dict(EDGES[edge.style])
    if edge.label:
        attributes['label'] = _html(f' {escape(edge.label)} ')
    if edge.tooltip:
        attributes['tooltip'] = _plain(edge.tooltip)
    if edge.highlighted:
        attributes |= {'color': ACCENT, 'penwidth': '2.6'}
    return attributes


def _plain(text):
    """Text for a DOT attribute, without HTML and escapes."""
    import graphviz  # start-up time
    return graphviz.escape(text)
