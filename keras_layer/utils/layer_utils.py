"""Helpers about layers and their tensors."""
from __future__ import annotations

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from tinyflow.graph.support.errors import misuse

__all__ = ['convert_all_kernels_in_model', 'convert_dense_weights_data_format', 'convert_kernel',
           'get_source_inputs', 'multi_gpu_model']


def get_source_inputs(tensor, layer=None, node_index=None):
    """The Inputs that a Keras tensor is computed from, in the order in which layers take them.

    With `layer`, those of its call number `node_index` (by default its first).
    """
    if layer is None:
        layer, node_index, _ = tensor._keras_history
    found, stack = [], [layer._inbound_nodes[node_index or 0]]
    while stack:
        node = stack.pop()
        if not node.inbound_layers:
            ends = node.outputs if node.inputs is None else node.inputs
            found += [t for t in tf.nest.flatten(ends) if all(t is not f for f in found)]
        else:
            stack += reversed([owner._inbound_nodes[index]
                               for owner, index, _, _ in node.iterate_inbound()])
    return found


def multi_gpu_model(model, gpus=None, cpu_merge=True, cpu_relocation=False):
    """Raises ValueError: tinyflow has no GPU support."""
    raise misuse(ValueError('multi_gpu_model: tinyflow runs on the CPU; use the model itself.'))


def convert_kernel(kernel):
    """A convolution kernel with flipped spatial axes: converts from and to Theano.

    Shapes: kernel [*window, channels, filters] -> the same. ValueError for other ranks.
    """
    kernel = np.asarray(kernel)
    if not 3 <= kernel.ndim <= 5:
        raise misuse(ValueError(f'Invalid kernel shape: {kernel.shape}'))
    return np.copy(np.flip(kernel, range(kernel.ndim - 2)))


def convert_dense_weights_data_format(dense, previous_feature_map_shape,
                                      target_data_format='channels_first'):
    """Reorders the rows of the Dense layer behind a Flatten for feature maps of the other format.

    `previous_feature_map_shape` is the shape of the maps in the new format.
    """
    to_first = target_data_format == 'channels_first'
    first, second, third = previous_feature_map_shape
    before, axes = ((second, third, first), (2, 0, 1, 3)) if to_first else \
        ((third, first, second), (1, 2, 0, 3))
    kernel, bias = dense.get_weights()
    maps = kernel.reshape((*before, -1)).transpose(axes)
    dense.set_weights([maps.reshape(kernel.shape), bias])


def convert_all_kernels_in_model(model):
    """Flips the kernels of all convolutions of a model; see `convert_kernel`."""
    convolutions = [layer for layer in model.layers if type(layer).__name__ in (
        'Conv1D', 'Conv2D', 'Conv3D', 'Conv2DTranspose')]
    K.batch_set_value([(layer.kernel, convert_kernel(K.get_value(layer.kernel)))
                       for layer in convolutions])
