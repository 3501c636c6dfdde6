"""Shared helpers of the layers: collections, names of Variables, sizes."""
from __future__ import annotations

import weakref

from tinyflow.api.contrib.framework.model_variables import model_variable
from tinyflow.graph.defaults import add_to_collection, add_to_collections, get_collection
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.variable import VariableAggregation, VariableSynchronization

_aliases: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()


def collect_named_outputs(collections, alias, outputs):
    """`outputs`, after they were added to the collections under the name `alias`."""
    if collections:
        names = _aliases.setdefault(outputs, [])
        if alias.rstrip('/') not in names:
            names.append(alias.rstrip('/'))
        add_to_collections(collections, outputs)
    return outputs


def aliases_of(tensor):
    """The names under which a layer's output was collected."""
    return _aliases.get(tensor, [tensor.op.name])


def get_variable_collections(variables_collections, name):
    """The collections for the Variable of that short name: one list for all, or a dict."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def add_to_variable_collections(variable, variables_collections, name):
    """Adds a layer's Variable to the collections for that short name."""
    for key in get_variable_collections(variables_collections, name) or []:
        if not any(v is variable for v in get_collection(key)):
            add_to_collection(key, variable)


def variable_getter(rename=None):
    """A custom getter that makes model variables, renamed according to `rename`."""
    def getter(getter, name, shape=None, dtype=None, initializer=None, regularizer=None,
               trainable=True, collections=None, caching_device=None, partitioner=None,
               use_resource=None, synchronization=VariableSynchronization.AUTO,
               aggregation=VariableAggregation.NONE, **_):
        scope, slash, short = name.rpartition('/')
        name = scope + slash + (rename or {}).get(short, short)
        return model_variable(
            name, shape, dtype, initializer, regularizer, trainable, collections, caching_device,
            partitioner=partitioner, custom_getter=getter, use_resource=use_resource,
            synchronization=synchronization, aggregation=aggregation)
    return getter


def check_data_format(data_format, known=('NCHW', 'NHWC')):
    """'channels_first' or 'channels_last'; ValueError for unknown formats."""
    if data_format not in known:
        raise misuse(ValueError(f'data_format has to be either {" or ".join(known)}.'))
    return channels(data_format)


def channels(data_format):
    """The data format in the notation of tf.layers."""
    return 'channels_first' if data_format and data_format.startswith('NC') else 'channels_last'


def known_size(shape, axis, min_rank=1):
    """The size of an axis; ValueError if it is not known."""
    if shape.ndims is None:
        raise misuse(ValueError('dims of shape must be known but is None'))
    if shape.ndims < min_rank:
        raise misuse(ValueError(f'rank of shape must be at least {min_rank} not: {shape.ndims}'))
    size = shape.as_list()[axis]
    if size is None:
        raise misuse(ValueError(f'dimension {axis} of shape must be known but is None: {shape}'))
    return size


def pair(value):
    """`value` as two integers; one number is used for both."""
    if isinstance(value, int):
        return value, value
    if len(value) != 2:
        raise misuse(ValueError(f'Must be a list with 2 elements: {value}'))
    return int(value[0]), int(value[1])


def finished(outputs, normalizer_fn, normalizer_params, activation_fn):
    """The outputs after the normalizer and the activation function, if any."""
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    return outputs if activation_fn is None else activation_fn(outputs)
