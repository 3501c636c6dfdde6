"""What the networks of slim share: their scopes and their end points."""
from __future__ import annotations

import collections
import contextlib

from tinyflow.api.contrib import layers
from tinyflow.api.contrib.framework import arg_scope
from tinyflow.api.contrib.layers.utils import aliases_of
from tinyflow.graph.defaults import get_collection
from tinyflow.ops.array.shaping import squeeze
from tinyflow.ops.variables.variable_scope import variable_scope


@contextlib.contextmanager
def network(scope, name, inputs, functions, reuse=None, slash=True):
    """The scope of a network; yields a function that returns its end points, a dict.

    The outputs of `functions` are end points, named by their scopes.
    """
    with variable_scope(scope, name, [inputs], reuse=reuse) as sc:
        collection = (sc.original_name_scope if slash else sc.name) + '_end_points'

        def ends():
            return collections.OrderedDict(
                (alias, tensor) for tensor in get_collection(collection)
                for alias in aliases_of(tensor))
        with arg_scope(functions, outputs_collections=collection):
            yield sc, ends


def penalised(weight_decay, functions=(layers.conv2d, layers.fully_connected), **more):
    """The arg_scope of layers with an L2 penalty on their weights."""
    return arg_scope(list(functions), weights_regularizer=layers.l2_regularizer(weight_decay),
                     **more)


def squeezed(x, ends, sc, spatial_squeeze):
    """The scores without the axes of the image, under the name fc8."""
    if spatial_squeeze:
        x = squeeze(x, [1, 2], name='fc8/squeezed')
        ends[sc.name + '/fc8'] = x
    return x


def scores(x, num_classes, spatial_squeeze, scope='Conv2d_1c_1x1'):
    """A linear convolution to the classes.

    Shapes: x [n, h, w, c] -> [n, h, w, num_classes], with `spatial_squeeze` [n, num_classes].
    """
    x = layers.conv2d(x, num_classes, [1, 1], activation_fn=None, normalizer_fn=None, scope=scope)
    return squeeze(x, [1, 2], name='SpatialSqueeze') if spatial_squeeze else x


def reduced_window(x, size):
    """The size of a window, not larger than the image."""
    known = [n.value for n in x.shape[1:3]]
    return size if None in known else [min(a, b) for a, b in zip(known, size)]


__all__ = ['network', 'penalised', 'reduced_window', 'scores', 'squeezed']
