"""Measures and draws labels in Graphviz' HTML, for a Graphviz that was built without them.

Text in B, FONT and BR, and TABLEs of any depth. Sizes are in points, y grows downwards.
"""
from __future__ import annotations

import unicodedata
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from html import escape
from typing import NamedTuple, Protocol

__all__ = ['Block', 'Font', 'Label', 'plain_text', 'text_width']

FAMILY = 'Helvetica,Arial,sans-serif'
LINE = 1.2                      # height of a line, in font sizes; its base is at 0.93
BASE = 0.93
# Widths in thousandths of the font size, from Adobe's metrics of the core fonts; the bold ones
# where they differ.
_REGULAR = {191: "'", 222: 'ijl', 260: '|', 278: ' !,./:;I[\\]ft', 333: '()-`r', 334: '{}',
            355: '"', 389: '*', 469: '^', 500: 'Jcksvxyz', 556: '#$0123456789?L_abdeghnopqu',
            584: '+<=>~', 611: 'FTZ', 667: '&ABEKPSVXY', 722: 'CDHNRUw', 778: 'GOQ', 833: 'Mm',
            889: '%', 944: 'W', 1015: '@'}
_BOLD = {238: "'", 278: 'ijl', 280: '|', 333: '!:;[]ft', 389: 'r{}', 474: '"', 556: 'Jcksvxy',
         584: '^', 611: '?Lbdghnopqu', 722: '&ABK', 778: 'w', 889: 'm', 975: '@'}
_WIDTHS = {False: {c: width for width, text in _REGULAR.items() for c in text}}
_WIDTHS[True] = _WIDTHS[False] | {c: width for width, text in _BOLD.items() for c in text}


class Font(NamedTuple):
    """How text is written: size in points, a colour, bold or not."""

    size: float = 14.
    color: str = '#000000'
    bold: bool = False


class Block(Protocol):
    """Something with a size that can draw itself into a larger rectangle."""

    width: float
    height: float

    def svg(self, x: float, y: float, width: float, height: float, align: str) -> Iterator[str]:
        """SVG elements, in the rectangle whose upper left corner is (x, y)."""


def text_width(text: str, font: Font) -> float:
    """The width of a line in points, as Helvetica has it."""
    widths = _WIDTHS[font.bold]
    return font.size / 1000 * sum(widths.get(c) or _other_width(c) for c in text)


def _other_width(character):
    if character == '\xa0':
        return 278
    return 1000 if unicodedata.east_asian_width(character) in 'WF' else \
        0 if unicodedata.combining(character) else 584


def plain_text(html: str) -> str:
    """The text of a label without its tags."""
    return ''.join(_parsed(html).itertext())


class Label:
    """A whole label: `width`, `height`, `svg(...)`."""

    def __init__(self, html: str, font: Font):
        self._block = _block(_parsed(html), font)
        self.width, self.height = self._block.width, self._block.height

    def svg(self, x: float, y: float, width: float, height: float, align: str = 'center') -> str:
        return '\n'.join(self._block.svg(x, y, width, height, align))


def _parsed(html):
    return ElementTree.fromstring(f'<LABEL>{html}</LABEL>')


def _block(element, font) -> Block:
    tables = [child for child in element if child.tag.upper() == 'TABLE']
    return _Table(tables[0], font) if tables else _Text(element, font)


class _Text:
    """Lines of text in several fonts."""

    def __init__(self, element, font):
        self._lines: list[list[tuple[str, Font]]] = [[]]
        self._add(element, font)
        self._lines = [line or [('', font)] for line in self._lines]
        self._widths = [sum(text_width(text, f) for text, f in line) for line in self._lines]
        self._heights = [LINE * max(f.size for _, f in line) for line in self._lines]
        self.width, self.height = max(self._widths), sum(self._heights)
        if not any(text for line in self._lines for text, _ in line):
            self.height = 0.

    def _add(self, element, font):
        tag = element.tag.upper()
        if tag == 'B':
            font = font._replace(bold=True)
        elif tag == 'FONT':
            font = Font(float(element.get('POINT-SIZE', font.size)),
                        element.get('COLOR', font.color), font.bold)
        elif tag == 'BR':
            self._lines.append([])
        elif tag not in ('LABEL', 'TD'):
            raise ValueError(f'A label with <{element.tag}> cannot be drawn here.')
        self._write(element.text, font)
        for child in element:
            self._add(child, font)
            self._write(child.tail, font)

    def _write(self, text, font):
        if text:
            self._lines[-1].append((text, font))

    def svg(self, x, y, width, height, align):
        y += (height - self.height) / 2
        for line, own, high in zip(self._lines, self._widths, self._heights):
            base = y + high / LINE * BASE
            if len(line) == 1 and align == 'center':
                yield _text(*line[0], x + width / 2, base, 'middle')
            else:
                left = x + (width - own) * {'left': 0., 'center': 0.5, 'right': 1.}[align]
                for text, font in line:
                    yield _text(text, font, left, base, 'start')
                    left += text_width(text, font)
            y += high


def _text(text, font, x, y, anchor):
    weight = ' font-weight="bold"' if font.bold else ''
    return (f'<text xml:space="preserve" text-anchor="{anchor}" x="{x:.2f}" y="{y:.2f}" '
            f'font-family="{FAMILY}"{weight} font-size="{font.size:.2f}" fill="{font.color}">'
            f'{escape(text)}</text>')


class _Cell:
    """A cell: its contents with padding, and how many columns it spans."""

    def __init__(self, element, font, padding, border):
        attributes = {name.upper(): value for name, value in element.items()}
        self.align = attributes.get('ALIGN', 'center').lower()
        self.columns = int(attributes.get('COLSPAN', 1))
        self._room = padding + border
        self._block = _block(element, font)
        least = [float(attributes.get(name, 0)) for name in ('WIDTH', 'HEIGHT')]
        self.width = max(self._block.width + 2 * self._room, least[0])
        self.height = max(self._block.height + 2 * self._room, least[1])

    def svg(self, x, y, width, height):
        room = self._room
        return self._block.svg(x + room, y + room, width - 2 * room, height - 2 * room, self.align)


class _Table:
    """Rows of cells, with a frame."""

    def __init__(self, element, font):
        self._attributes = {name.upper(): value for name, value in element.items()}
        number = {name: float(self._attributes.get(name, default)) for name, default in
                  (('BORDER', 1), ('CELLPADDING', 2), ('CELLSPACING', 2))}
        self._border, self._spacing = number['BORDER'], number['CELLSPACING']
        if float(self._attributes.get('CELLBORDER', self._border)):
            raise ValueError('A table whose cells have frames cannot be drawn here.')
        self._rows = [[_Cell(cell, font, number['CELLPADDING'], 0) for cell in row]
                      for row in element]
        self._heights = [max(cell.height for cell in row) for row in self._rows]
        self._widths = self._column_widths()
        self.width = self._across(self._widths) + 2 * (self._spacing + self._border)
        self.height = self._across(self._heights) + 2 * (self._spacing + self._border)

    def _across(self, sizes):
        return sum(sizes) + self._spacing * (len(sizes) - 1)

    def _column_widths(self):
        widths = [0.] * max(sum(cell.columns for cell in row) for row in self._rows)
        for spanning in (False, True):
            for row in self._rows:
                column = 0
                for cell in row:
                    own = slice(column, column + cell.columns)
                    missing = cell.width - self._across(widths[own])
                    if missing > 0 and (cell.columns > 1) == spanning:
                        widths[own] = [w + missing / cell.columns for w in widths[own]]
                    column += cell.columns
        return widths

    def svg(self, x, y, width, height, align):
        x += (width - self.width) * {'left': 0., 'center': 0.5, 'right': 1.}[align]
        y += (height - self.height) / 2
        yield from self._frame(x, y)
        y += self._border + self._spacing
        for row, high in zip(self._rows, self._heights):
            left, column = x + self._border + self._spacing, 0
            for cell in row:
                wide = self._across(self._widths[column:column + cell.columns])
                yield from cell.svg(left, y, wide, high)
                left += wide + self._spacing
                column += cell.columns
            y += high + self._spacing

    def _frame(self, x, y):
        fill = self._attributes.get('BGCOLOR', 'none')
        if not self._border and fill == 'none':
            return
        style = self._attributes.get('STYLE', '').lower()
        round_ = f' rx="{min(6., self.height / 3):g}"' if 'rounded' in style else ''
        dashes = ' stroke-dasharray="4,2"' if 'dashed' in style else ''
        line = self._attributes.get('COLOR', '#000000') if self._border else 'none'
        half = self._border / 2
        yield (f'<rect x="{x + half:.2f}" y="{y + half:.2f}" '
               f'width="{self.width - self._border:.2f}" '
               f'height="{self.height - self._border:.2f}"{round_} fill="{fill}" stroke="{line}" '
               f'stroke-width="{self._border or 1:g}"{dashes}/>')
