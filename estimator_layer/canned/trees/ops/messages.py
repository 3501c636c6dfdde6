"""An Ensemble as TensorFlow's message TreeEnsemble, which checkpoints hold, and back."""
from __future__ import annotations

from google.protobuf.message import DecodeError

from estimator_layer.canned.trees.ops.model import LEAF, Tree
from tinyflow.formats.protos import boosted_trees_pb2
from tinyflow.graph.support import errors


def serialized(ensemble):
    """The bytes of the message."""
    message = boosted_trees_pb2.TreeEnsemble()
    for tree in ensemble.trees:
        _write_tree(tree, message.trees.add())
        message.tree_weights.append(tree.weight)
        metadata = message.tree_metadata.add(is_finalized=tree.finalized,
                                             num_layers_grown=tree.layers)
        for node, change in tree.pruned:
            metadata.post_pruned_nodes_meta.add(new_node_id=node, logit_change=[change])
    if ensemble.layers_attempted or ensemble.end_node or ensemble.trees:
        growing = message.growing_metadata
        growing.num_trees_attempted = ensemble.trees_attempted
        growing.num_layers_attempted = ensemble.layers_attempted
        growing.last_layer_node_start = ensemble.first_node
        growing.last_layer_node_end = ensemble.end_node
    return message.SerializeToString(deterministic=True)


def _write_tree(tree, message):
    for node, feature in enumerate(tree.features):
        written = message.nodes.add()
        if feature == LEAF:
            written.leaf.scalar = tree.values[node]
            if tree.was_leaf[node]:
                written.metadata.SetInParent()
            continue
        split = written.bucketized_split
        split.feature_id, split.threshold = feature, tree.thresholds[node]
        split.left_id, split.right_id = tree.lefts[node], tree.rights[node]
        written.metadata.gain = tree.gains[node]
        if tree.was_leaf[node]:
            written.metadata.original_leaf.scalar = tree.values[node]


def restore(ensemble, stamp, data):
    """Restores `ensemble` from the bytes. ValueError for invalid ones."""
    message = boosted_trees_pb2.TreeEnsemble()
    try:
        message.ParseFromString(data)
    except DecodeError:
        raise ValueError('Unable to parse tree ensemble proto.') from None
    ensemble.clear()
    for written, weight, metadata in zip(message.trees, message.tree_weights,
                                         message.tree_metadata):
        tree = _read_tree(written)
        tree.weight = weight
        tree.layers, tree.finalized = metadata.num_layers_grown, metadata.is_finalized
        tree.pruned = [(meta.new_node_id, sum(meta.logit_change[:1]))
                       for meta in metadata.post_pruned_nodes_meta]
        ensemble.trees.append(tree)
    growing = message.growing_metadata
    ensemble.trees_attempted = growing.num_trees_attempted
    ensemble.layers_attempted = growing.num_layers_attempted
    ensemble.first_node = growing.last_layer_node_start
    ensemble.end_node = growing.last_layer_node_end
    ensemble.stamp, ensemble.made = int(stamp), True


def _read_tree(message):
    tree = Tree()
    for node in message.nodes:
        number = tree.add_leaf(_output(node))
        if node.WhichOneof('node') == 'leaf':
            continue
        if node.WhichOneof('node') != 'bucketized_split':
            raise errors.op_error(errors.UnimplementedError,
                                  f'a tree has a node of kind {node.WhichOneof("node")}',
                                  'tinyflow grows and reads trees whose splits are of buckets '
                                  '(indicator, bucketized and numeric columns), as TensorFlow 1 '
                                  'does.')
        split = node.bucketized_split
        if not (number < split.left_id < len(message.nodes)
                and number < split.right_id < len(message.nodes) and split.feature_id >= 0):
            raise ValueError(f'The tree ensemble is damaged: node {number} of a tree has the '
                             f'children {split.left_id} and {split.right_id}, and splits by '
                             f'feature {split.feature_id}.')
        tree.features[number], tree.thresholds[number] = split.feature_id, split.threshold
        tree.lefts[number], tree.rights[number] = split.left_id, split.right_id
        tree.gains[number] = type(tree.values[0])(node.metadata.gain)
        tree.was_leaf[number] = node.metadata.HasField('original_leaf')
    return tree


def _output(node):
    leaf = node.leaf if node.WhichOneof('node') == 'leaf' else node.metadata.original_leaf
    values = leaf.vector.value
    if len(values) > 1:
        raise errors.op_error(errors.UnimplementedError,
                              'the leaves of a tree have several outputs',
                              'as in TensorFlow 1, a tree has one: a model of one number, or of '
                              'two classes.')
    return values[0] if values else leaf.scalar
