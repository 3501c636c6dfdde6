"""tf.viz.playground: an offline page on which one watches a small network learn.

    tf.viz.playground('playground.html')

Each combination of settings is trained by tinyflow while the page is made; the page has the
recorded weights, and computes from them what each neuron sees.
"""
from __future__ import annotations

from tinyflow.inspect.playground.page import playground
from tinyflow.inspect.playground.settings import Settings

__all__ = ['Settings', 'playground']
