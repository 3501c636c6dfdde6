"""Topology: the layers and calls between inputs and outputs of a model, in order."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.graph.support.errors import misuse, why


def node_key(layer, index):
    """The name of a call within a model."""
    return f'{layer.name}_ib-{index}'


class Topology:
    """The graph of layers between these inputs and outputs.

    `layers` and `nodes` (keys of calls) in the order in which weights are listed;
    `nodes_by_depth` and `layers_by_depth` from the outputs (0) up; `node_order` the calls in an
    order in which they can be computed.
    """

    def __init__(self, inputs, outputs):
        self.layer_indices = {}
        order = self._visit(outputs)
        self._measure(order, inputs)
        self._check_connected(inputs, outputs)
        self._check_names()

    def _visit(self, outputs):
        """All calls that the outputs depend on, in topological order."""
        finished, in_progress, order = set(), set(), []
        for output in tf.nest.flatten(outputs):
            stack = [(output, False)]
            while stack:
                tensor, left = stack.pop()
                layer, index, _ = tensor._keras_history
                node = layer._inbound_nodes[index]
                if left:
                    in_progress.discard(node)
                    finished.add(node)
                    order.append(node)
                    continue
                if node in finished or node in in_progress:
                    continue
                if layer not in self.layer_indices:
                    self.layer_indices[layer] = len(self.layer_indices)
                in_progress.add(node)
                stack.append((tensor, True))
                for _, _, _, needed in reversed(list(node.iterate_inbound())):
                    stack.append((needed, False))
        return order

    def _measure(self, order, inputs):
        """The depth of a call is its longest path to an output; of a layer, the maximum."""
        node_depths, layer_depths = {}, {}
        for node in reversed(order):
            depth = max(node_depths.setdefault(node, 0),
                        layer_depths.get(node.outbound_layer, 0))
            layer_depths[node.outbound_layer] = node_depths[node] = depth
            for layer, index, _, _ in node.iterate_inbound():
                inbound = layer._inbound_nodes[index]
                node_depths[inbound] = max(depth + 1, node_depths.get(inbound, 0))
        for tensor in tf.nest.flatten(inputs):
            layer, index, _ = tensor._keras_history
            if layer not in layer_depths:
                layer_depths[layer] = 0
                self.layer_indices[layer] = -1
                node_depths[layer._inbound_nodes[index]] = 0
        self.nodes_by_depth = _grouped(node_depths)
        self.layers_by_depth = {
            depth: sorted(layers, key=self.layer_indices.__getitem__)
            for depth, layers in _grouped(layer_depths).items()}
        self.layers = [layer for depth in sorted(self.layers_by_depth, reverse=True)
                       for layer in self.layers_by_depth[depth]]
        self.node_order = _in_order(self.nodes_by_depth)
        self.nodes = {node_key(n.outbound_layer, n.outbound_layer._inbound_nodes.index(n))
                      for n in node_depths}

    def insert(self, other, layer):
        """Adds the calls of another Topology, and those of `layer` on its outputs.

        No output of the model needs them, so each is one level below its lowest input, from -1 on.
        """
        nodes = [node for group in other.nodes_by_depth.values() for node in group]
        self.insert_nodes(nodes + layer._inbound_nodes, [*other.layers, layer])

    def insert_nodes(self, nodes, layers):
        """Adds calls, in any order, and the layers that are called."""
        depths = {node: depth for depth, group in self.nodes_by_depth.items() for node in group}
        waiting, added = list(nodes), set(nodes)
        while waiting:
            node = waiting.pop(0)
            needed = [layer._inbound_nodes[i] for layer, i, _, _ in node.iterate_inbound()]
            if any(n in added and n not in depths for n in needed):
                waiting.append(node)
                continue
            key = node_key(node.outbound_layer, node.outbound_layer._inbound_nodes.index(node))
            if key not in self.nodes:
                self.nodes.add(key)
                depths[node] = min([0, *(depths[n] for n in needed if n in depths)]) - 1
                self.nodes_by_depth.setdefault(depths[node], []).append(node)
        self.layers += [layer for layer in layers if layer not in self.layers]
        self.node_order = _in_order(self.nodes_by_depth)

    def _check_connected(self, inputs, outputs):
        known = {id(t) for t in tf.nest.flatten(inputs)}
        done = []
        for node in self.node_order:
            for _, _, _, tensor in node.iterate_inbound():
                if id(tensor) not in known:
                    raise _disconnected(tensor, node.outbound_layer, done)
            if node.inbound_layers:
                done.append(node.outbound_layer.name)
                known.update(id(t) for t in tf.nest.flatten(node.outputs))
        for tensor in tf.nest.flatten(outputs):         # an Input may be an output, too
            if id(tensor) not in known:
                raise _disconnected(tensor, tensor._keras_history.layer, done)

    def _check_names(self):
        names = [layer.name for layer in self.layers]
        for name in names:
            if names.count(name) != 1:
                raise misuse(ValueError(f'The name "{name}" is used {names.count(name)} times in '
                                        'the model. All layer names should be unique.'))


def _disconnected(tensor, layer, done):
    return misuse(ValueError(
        f'Graph disconnected: cannot obtain value for tensor {tensor} at layer "{layer.name}". The '
        f'following previous layers were accessed without issue: {done}\n  Hint: it depends '
        'on an Input that is not among the inputs of the model; add it to `inputs`.'
        + why('keras-disconnected')))


def _grouped(depths):
    groups = {}
    for item, depth in depths.items():
        groups.setdefault(depth, []).append(item)
    return groups


def _in_order(nodes_by_depth):
    return [node for depth in sorted(nodes_by_depth, reverse=True)
            for node in nodes_by_depth[depth]]
