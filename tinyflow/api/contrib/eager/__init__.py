"""tf.contrib.eager: what programs of eager execution use of it."""
from tinyflow.api.contrib.eager import metrics
from tinyflow.api.contrib.eager.gradients import (
    gradients_function,
    implicit_gradients,
    implicit_value_and_gradients,
    value_and_gradients_function,
)
from tinyflow.api.contrib.eager.network import Network, Sequential
from tinyflow.api.contrib.eager.running import (
    Iterator,
    get_optimizer_variables,
    list_devices,
    num_gpus,
    run,
    run_all_tests_in_graph_and_eager_modes,
    run_test_in_graph_and_eager_modes,
)
from tinyflow.api.contrib.eager.saver import Saver, restore_variables_on_create
from tinyflow.eager.enabling import enable_eager_execution
from tinyflow.eager.function import function
from tinyflow.eager.python_function import py_function as py_func
from tinyflow.gradients.tape import GradientTape
from tinyflow.gradients.wrappers import custom_gradient
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.variables.eager_variable_store import EagerVariableStore
from tinyflow.ops.variables.template import make_template
from tinyflow.ops.variables.variable import Variable
from tinyflow.train import Checkpoint

defun = function
in_eager_mode = executing_eagerly

# What enable_eager_execution takes, with TensorFlow's numbers: there is one device, and each op
# has run when its call returns.
DEVICE_PLACEMENT_EXPLICIT, DEVICE_PLACEMENT_WARN, DEVICE_PLACEMENT_SILENT = 0, 1, 2
SYNC, ASYNC = 0, 1

__all__ = [
    'ASYNC', 'Checkpoint', 'DEVICE_PLACEMENT_EXPLICIT', 'DEVICE_PLACEMENT_SILENT',
    'DEVICE_PLACEMENT_WARN', 'EagerVariableStore', 'GradientTape', 'Iterator', 'Network', 'SYNC',
    'Saver', 'Sequential', 'TensorSpec', 'Variable', 'custom_gradient', 'defun',
    'enable_eager_execution', 'executing_eagerly', 'function', 'get_optimizer_variables',
    'gradients_function',
    'implicit_gradients', 'implicit_value_and_gradients', 'in_eager_mode', 'list_devices',
    'make_template', 'metrics', 'num_gpus', 'py_func', 'restore_variables_on_create', 'run',
    'run_all_tests_in_graph_and_eager_modes', 'run_test_in_graph_and_eager_modes',
    'value_and_gradients_function',
]
__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
