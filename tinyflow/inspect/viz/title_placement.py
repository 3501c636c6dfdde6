"""Places the titles of boxes left, right or in the middle, clear of the edges."""
from __future__ import annotations

import re
from math import hypot

_GROUP = re.compile(r'<g id="(\w+)" class="(cluster|edge)">(.*?)</g>\s*(?=<g id=|<!--|</g>)', re.S)
_PATH = re.compile(r'(?:\bd|points)="([^"]*)"')
_NUMBER = re.compile(r'-?\d+(?:\.\d+)?')
_TEXT = re.compile(r'<text [^>]*x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)</text>')
_STEP = 4                   # approximate maximum distance between points of an edge
_LETTER, _HEIGHT, _MARGIN = 6.2, 11, 8


def sides(boxes, svg: bytes) -> tuple[int, dict[str, str]]:
    """The number of crossings of box titles in a layout, and for each box, by its key, the side
    with the fewest crossings: 'l', 'c' or 'r'.
    """
    text = svg.decode('utf-8')
    frames, obstacles = {}, []
    for key, kind, content in _GROUP.findall(text):
        if kind == 'cluster':
            frames[key] = content
        else:
            obstacles += _points(content)
    crossed, best = 0, {}
    for box in boxes:
        if box.key in frames:
            hits = _hits_by_side(frames[box.key], obstacles)
            crossed += hits[box.title_side]
            best[box.key] = min(hits, key=lambda side: hits[side])
    return crossed, best


def _hits_by_side(frame, obstacles) -> dict[str, int]:
    xs = [x for x, _ in _corners(frame)]
    words = [(float(y), t.replace('&#160;', '').strip()) for _, y, t in _TEXT.findall(frame)]
    if not xs or not words:
        return dict.fromkeys('lrc', 0)
    y, width = words[0][0], _LETTER * len(' '.join(t for _, t in words).strip())
    left, right = min(xs) + _MARGIN, max(xs) - _MARGIN
    middle = (left + right) / 2
    return {'l': _hits(obstacles, left, left + width, y),
            'r': _hits(obstacles, right - width, right, y),
            'c': _hits(obstacles, middle - width / 2, middle + width / 2, y)}


def _hits(points, left, right, base):
    return sum(left <= x <= right and base - _HEIGHT <= y <= base + 3 for x, y in points)


def _corners(content):
    found = _PATH.search(content)
    numbers = [float(n) for n in _NUMBER.findall(found[1])] if found else []
    return list(zip(numbers[::2], numbers[1::2]))


def _points(content):
    """Points along an edge, and those of its label."""
    corners = _corners(content)
    points = []
    for start in range(0, len(corners) - 3, 3):
        points += _curve(corners[start:start + 4])
    for x, y, t in _TEXT.findall(content):
        half = len(t.strip()) * _LETTER / 2
        points += [(float(x) + half * k / 2, float(y) - 4) for k in range(-2, 3)]
    return points


def _curve(corners):
    """Points of a cubic Bezier curve, by Bernstein's polynomials."""
    length = sum(hypot(b[0] - a[0], b[1] - a[1]) for a, b in zip(corners, corners[1:]))
    steps = 2 + int(length / _STEP)
    for step in range(steps):
        t = step / steps
        weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t ** 3
        yield (sum(w * x for w, (x, _) in zip(weights, corners)),
               sum(w * y for w, (_, y) in zip(weights, corners)))
