"""model.summary(): the layers as a table."""
from __future__ import annotations

import numpy as np

__all__ = ['count_params', 'print_summary']


def count_params(weights):
    """The number of elements of the weights, each counted once."""
    unique = {id(w): w for w in weights}.values()
    return int(sum(np.prod(w.shape.as_list(), dtype=np.int64) for w in unique))


def print_summary(model, line_length=None, positions=None, print_fn=None):
    """Prints the table, then the frozen layers and the state that training updates."""
    print_fn = print_fn or print
    wired = model._topology if model._is_graph_network else model._traced
    straight = hasattr(model, '_stack') or wired is None or _is_linear_chain(wired)
    if straight:
        line_length = line_length or 65
        positions = positions or [.45, .85, 1.]
        titles = ['Layer (type)', 'Output Shape', 'Param #']
    else:
        line_length = line_length or 98
        positions = positions or [.33, .55, .67, 1.]
        titles = ['Layer (type)', 'Output Shape', 'Param #', 'Connected to']
    if positions[-1] <= 1:
        positions = [int(line_length * p) for p in positions]
    layers = model.layers if hasattr(model, '_stack') or wired is None else wired.layers
    print_fn(f'Model: "{model.name}"')
    print_fn('_' * line_length)
    _row(titles, positions, print_fn)
    print_fn('=' * line_length)
    for i, layer in enumerate(layers):
        cells = [f'{layer.name} ({type(layer).__name__})', _shape(layer), _params(layer)]
        if straight:
            _row(cells, positions, print_fn)
        else:
            connections = _connections(layer, wired)
            _row([*cells, connections[0] if connections else ''], positions, print_fn)
            for more in connections[1:]:
                _row(['', '', '', more], positions, print_fn)
        print_fn(('=' if i == len(layers) - 1 else '_') * line_length)
    _totals(model, layers, print_fn)
    print_fn('_' * line_length)


def _is_linear_chain(wired):
    """True if each depth has one call, so that no column of connections is needed."""
    return all(len(nodes) == 1 for nodes in wired.nodes_by_depth.values()) and \
        all(len(node.inbound_layers) < 2 for node in wired.node_order)


def _row(cells, positions, print_fn):
    line = ''
    for i, (cell, end) in enumerate(zip(cells, positions)):
        if i:
            line = line[:-1] + ' '
        line += str(cell)
        line = line[:end]
        line += ' ' * (end - len(line))
    print_fn(line)


def _shape(layer):
    try:
        shape = layer.output_shape
    except AttributeError:
        return 'multiple'
    except RuntimeError:
        return '?'
    if isinstance(shape, list):
        return str([tuple(s) for s in shape])
    return str(shape)


def _params(layer):
    return count_params(layer.weights) if layer.built else '0 (unused)'


def _connections(layer, wired):
    found = []
    for i, node in enumerate(layer._inbound_nodes):
        if f'{layer.name}_ib-{i}' not in wired.nodes:
            continue
        found += [f'{inbound.name}[{index}][{tensor_index}]'
                  for inbound, index, tensor_index, _ in node.iterate_inbound()]
    return found


def _totals(model, layers, print_fn):
    trainable = count_params(model.trainable_weights)
    other = count_params(model.non_trainable_weights)
    print_fn(f'Total params: {trainable + other:,}')
    print_fn(f'Trainable params: {trainable:,}')
    print_fn(f'Non-trainable params: {other:,}')
    frozen = [layer.name for layer in layers if not layer.trainable and layer.weights]
    if frozen:
        print_fn('Frozen (trainable=False): ' + ', '.join(frozen))
    updating = [f'{layer.name} ({len(set(layer.updates))})' for layer in layers if layer.updates]
    if updating:
        print_fn('State that training updates: ' + ', '.join(updating))
