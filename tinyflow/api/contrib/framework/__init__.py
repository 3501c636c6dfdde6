"""tf.contrib.framework: argument scopes, Variables of a model and queries for them, checks."""
from tinyflow.api.contrib.framework.argument_scopes import (
    add_arg_scope,
    arg_scope,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from tinyflow.api.contrib.framework.deprecation import (
    deprecated,
    deprecated_arg_values,
    deprecated_args,
)
from tinyflow.api.contrib.framework.model_variables import (
    VariableDeviceChooser,
    add_model_variable,
    local_variable,
    model_variable,
    variable,
)
from tinyflow.api.contrib.framework.smart_case import smart_case
from tinyflow.api.contrib.framework.tensor_checks import (
    assert_scalar_int,
    get_graph_from_inputs,
    get_name_scope,
    get_placeholders,
    prepend_name_scope,
    py_func,
    reduce_sum_n,
    strip_name_scope,
    with_same_shape,
    with_shape,
)
from tinyflow.api.contrib.framework.variable_queries import (
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
    filter_variables,
    get_local_variables,
    get_model_variables,
    get_trainable_variables,
    get_unique_variable,
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
)
from tinyflow.graph.sparse_tensor import convert_to_tensor_or_sparse_tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.array.sorting import argsort, sort
from tinyflow.ops.checks.shape_checks import assert_scalar
from tinyflow.ops.checks.type_checks import assert_same_float_dtype, is_tensor
from tinyflow.ops.control_flow.smart_cond import smart_cond, smart_constant_value
from tinyflow.ops.math.confusion import remove_squeezable_dimensions
from tinyflow.train.checkpoints.inspection import list_variables, load_checkpoint, load_variable
from tinyflow.train.checkpoints.warm_start import init_from_checkpoint
from tinyflow.train.training_util import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
)

__all__ = [
    'TensorSpec', 'VariableDeviceChooser', 'add_arg_scope', 'add_model_variable', 'arg_scope',
    'arg_scoped_arguments', 'argsort', 'assert_global_step', 'assert_same_float_dtype',
    'assert_scalar', 'assert_scalar_int', 'assign_from_checkpoint', 'assign_from_checkpoint_fn',
    'assign_from_values', 'assign_from_values_fn', 'convert_to_tensor_or_sparse_tensor',
    'create_global_step', 'current_arg_scope', 'deprecated', 'deprecated_arg_values',
    'deprecated_args', 'filter_variables', 'get_global_step', 'get_graph_from_inputs',
    'get_local_variables', 'get_model_variables', 'get_name_scope', 'get_or_create_global_step',
    'get_placeholders', 'get_trainable_variables', 'get_unique_variable',
    'get_variable_full_name', 'get_variables', 'get_variables_by_name',
    'get_variables_by_suffix', 'get_variables_to_restore', 'global_variable', 'has_arg_scope',
    'init_from_checkpoint', 'is_tensor', 'list_variables', 'load_checkpoint', 'load_variable',
    'local_variable', 'model_variable', 'nest', 'prepend_name_scope', 'py_func', 'reduce_sum_n',
    'remove_squeezable_dimensions', 'smart_case', 'smart_cond', 'smart_constant_value', 'sort',
    'strip_name_scope', 'variable', 'with_same_shape', 'with_shape',
]

__getattr__ = _explain_missing(__name__, __all__)
_hide_modules(globals(), {'nest'})


def __dir__():
    return __all__
