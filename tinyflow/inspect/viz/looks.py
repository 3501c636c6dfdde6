"""How nodes and edges are drawn. Every kind of node has its own shape and colour.

The fills are light tints of the Okabe-Ito colours, which are distinguishable with any colour
vision; the shapes distinguish them in greyscale prints.
"""
from __future__ import annotations

from typing import NamedTuple

TEXT, QUIET, ACCENT = '#1a1a1a', '#555555', '#d55e00'


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
# In a comparison: fill, line, and what the legend says. Removed nodes are outlines.
MARKS = {'added': ('#c6ecd0', '#11753a', 'added'), 'changed': ('#ffdfb0', '#c45a00', 'changed'),
          'renamed': ('#d6e4ff', '#2456b8', 'renamed'),
          'removed': ('#ffffff', '#b3261e', 'removed')}
EDGES = {
    'data': {'color': '#444444'},
    'control': {'color': '#777777', 'style': 'dashed', 'arrowhead': 'open'},
    'update': {'color': '#00795a', 'dir': 'both', 'arrowtail': 'normal', 'penwidth': '1.3'},
    'bridge': {'color': '#777777', 'style': 'dotted', 'penwidth': '1.3'},
    'next': {'color': '#4348b5', 'style': 'dashed'},
    'choice': {'color': '#4348b5', 'style': 'dotted', 'penwidth': '1.3', 'arrowhead': 'diamond'},
    'removed': {'color': '#b3261e', 'style': 'dashed'},
    'gradient': {'color': '#c98fb2', 'penwidth': '0.6', 'arrowhead': 'none'},
}
EDGE_MEANINGS = {'data': 'a tensor', 'control': 'runs after', 'update': 'reads and updates',
                  'bridge': 'through hidden nodes', 'next': 'value in the next iteration',
                  'choice': 'runs the box', 'removed': 'removed', 'gradient': 'its gradient'}
