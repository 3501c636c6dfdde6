"""tensorflow.python.training.basic_session_run_hooks: how many steps one call of run makes."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.defaults import get_collection
from tinyflow.graph.keys import GraphKeys
from tinyflow.ops.variables.initializers import ones_initializer
from tinyflow.ops.variables.variable_scope import AUTO_REUSE, get_variable, variable_scope

__all__ = ['get_or_create_steps_per_run_variable']

_SCOPE, _NAME = 'hooks', 'steps_per_run'


def get_or_create_steps_per_run_variable():
    """The local Variable with the number of training steps of one call of run, 1 at first."""
    collection = f'{_SCOPE}_{_NAME}'
    made = get_collection(collection)
    if made:
        return made[0]
    with variable_scope(_SCOPE, reuse=AUTO_REUSE):
        return get_variable(_NAME, shape=[], dtype=dtypes.int32, initializer=ones_initializer(),
                            trainable=False, use_resource=True,
                            collections=[collection, GraphKeys.LOCAL_VARIABLES])
