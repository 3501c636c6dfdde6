"""tf.data.experimental.scan: a map that carries a state from element to element."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinyflow.data import element_tensors
from tinyflow.data.dataset import Dataset, make
from tinyflow.data.errors import refused
from tinyflow.data.ops import function_ops
from tinyflow.data.reduce import carried, types_of
from tinyflow.data.transformations import Transformation


def scan(initial_state: Any, scan_func: Callable) -> Transformation:
    """For apply(): scan_func(state, element) -> (next state, element), for each element."""
    return lambda dataset: scanned(dataset, initial_state, scan_func)


def scanned(dataset: Dataset, initial_state: Any, scan_func: Callable) -> Dataset:
    """The dataset of tf.data.experimental.scan."""
    values, state_spec = element_tensors.components(initial_state)

    def state_of(spec: Any) -> Any:
        if not isinstance(spec, (tuple, list)) or len(spec) != 2:
            raise refused(TypeError('The scan function must return a pair comprising the new state '
                                    f'and the output value, but it returns {spec}.'))
        return spec[0]

    function = carried(scan_func, 'tf.data.experimental.scan()', state_spec,
                       dataset.element_spec, state_of)
    return make(function_ops.ScanDataset, function.spec[1], dataset._variant_tensor, values,
                function.captured, inputs=[dataset], functions=[function], f=function.graph,
                Tstate=types_of(values), Targuments=types_of(function.captured))
