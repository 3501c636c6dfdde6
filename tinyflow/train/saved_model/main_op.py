"""The operation that prepares a loaded SavedModel, such as filling its tables."""
from __future__ import annotations

from tinyflow.graph.defaults import control_dependencies, get_collection, get_default_graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.control_flow.grouping import group
from tinyflow.ops.variables.variable_lists import (
    global_variables_initializer,
    local_variables_initializer,
)

__all__ = ['main_op', 'main_op_with_restore']


def main_op():
    """An operation that initialises all Variables and tables."""
    return group(global_variables_initializer(), local_variables_initializer(),
                 _tables_initializer())


def _tables_initializer():
    initializers = get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name='init_all_tables')


def main_op_with_restore(restore_op_name):
    """An operation that initialises all, and then runs the operation `restore_op_name`."""
    with control_dependencies([main_op()]):
        restore = restore_op_name
        if isinstance(restore, str):
            restore = get_default_graph().as_graph_element(restore)
        return group(restore)


__getattr__ = _explain_missing('tinyflow.saved_model.main_op', __all__)
