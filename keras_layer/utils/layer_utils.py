"""Helpers about layers and their tensors."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.errors import worded

__all__ = ['get_source_inputs', 'multi_gpu_model']


def get_source_inputs(tensor, layer=None, node_index=None):
    """The Inputs that a Keras tensor is computed from."""
    found, stack = [], [tensor]
    while stack:
        tensor = stack.pop()
        owner, index, _ = tensor._keras_history
        node = owner._inbound_nodes[index]
        if not node.inbound_layers:
            found += [t for t in tf.nest.flatten(node.output_tensors)
                      if all(t is not f for f in found)]
        else:
            stack += [t for _, _, _, t in node.iterate_inbound()]
    return found


def multi_gpu_model(model, gpus=None, cpu_merge=True, cpu_relocation=False):
    """Refused: there is no GPU below tinyflow."""
    raise worded(ValueError('multi_gpu_model: tinyflow runs on the CPU; use the model itself.'))
