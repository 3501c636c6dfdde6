"""Variables in the collections of tf.contrib: model variables and local ones."""
from __future__ import annotations

import functools
import itertools

from tinyflow.api.contrib.framework.argument_scopes import add_arg_scope
from tinyflow.graph import dtypes
from tinyflow.graph.defaults import add_to_collection, device as on_device, get_collection
from tinyflow.graph.devices import DeviceSpec
from tinyflow.graph.keys import GraphKeys
from tinyflow.ops.variables.variable import Variable, VariableAggregation, VariableSynchronization
from tinyflow.ops.variables.variable_scope import get_variable, get_variable_scope


class VariableDeviceChooser:
    """A device function for Variables: the tasks of a job in turn, or without tasks one device."""

    def __init__(self, num_tasks=0, job_name='ps', device_type='CPU', device_index=0,
                 replica=None):
        self._device = DeviceSpec(replica=replica, device_type=device_type,
                                  device_index=device_index)
        self._job, self._tasks = job_name, itertools.cycle(range(num_tasks))

    def __call__(self, op):
        task = next(self._tasks, None)
        device = self._device if task is None else self._device.replace(job=self._job, task=task)
        return device.to_string()


@add_arg_scope
def variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True,
             collections=None, caching_device=None, device=None, partitioner=None,
             custom_getter=None, use_resource=None,
             synchronization=VariableSynchronization.AUTO,
             aggregation=VariableAggregation.NONE):
    """`tf.get_variable` with a device, and optionally a getter for this Variable only."""
    if collections is None:
        collections = [GraphKeys.GLOBAL_VARIABLES]
    getter = get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=get_variable_scope().reuse)
    with on_device(device or ''):
        return getter(name, shape=shape, dtype=dtype, initializer=initializer,
                      regularizer=regularizer, trainable=trainable,
                      collections=list(dict.fromkeys(collections)),
                      caching_device=caching_device, partitioner=partitioner,
                      use_resource=use_resource, synchronization=synchronization,
                      aggregation=aggregation)


@add_arg_scope
def model_variable(name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None,
                   trainable=True, collections=None, caching_device=None, device=None,
                   partitioner=None, custom_getter=None, use_resource=None,
                   synchronization=VariableSynchronization.AUTO,
                   aggregation=VariableAggregation.NONE):
    """A Variable that is also in GraphKeys.MODEL_VARIABLES."""
    collections = [*(collections or ()), GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(name, shape=shape, dtype=dtype, initializer=initializer,
                    regularizer=regularizer, trainable=trainable, collections=collections,
                    caching_device=caching_device, device=device, partitioner=partitioner,
                    custom_getter=custom_getter, use_resource=use_resource,
                    synchronization=synchronization, aggregation=aggregation)


def add_model_variable(var):
    """Adds a Variable to GraphKeys.MODEL_VARIABLES, if it is not there yet."""
    if not any(v is var for v in get_collection(GraphKeys.MODEL_VARIABLES)):
        add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A Variable in GraphKeys.LOCAL_VARIABLES: not trained, not saved."""
    return Variable(initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES],
                    validate_shape=validate_shape, name=name, use_resource=use_resource)


__all__ = ['VariableDeviceChooser', 'add_model_variable', 'local_variable', 'model_variable',
           'variable']
