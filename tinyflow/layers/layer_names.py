"""Default names of layers: their class, with a number."""
from __future__ import annotations

import re
from collections import Counter

from tinyflow.ops.variables.scope_store import one_per_graph


def snake_case(name):
    """'BasicLSTMCell' -> 'basic_lstm_cell'."""
    name = re.sub(r'(.)([A-Z][a-z0-9]+)', r'\1_\2', name)
    name = re.sub(r'([a-z])([A-Z])', r'\1_\2', name).lower()
    return 'private' + name if name.startswith('_') else name


def unique_layer_name(base):
    """`base`_1, _2 ...: the number of layers of that kind in the graph."""
    counts = one_per_graph(('__layer_names',), Counter)
    counts[base] += 1
    return f'{base}_{counts[base]}'
