"""tf.ragged: ragged tensors, rows of different lengths."""
from tinyflow.api.ragged import dispatch  # noqa: F401  (RaggedTensor's operators)
from tinyflow.api.ragged.functions import (
    boolean_mask,
    map_flat_values,
    stack,
    stack_dynamic_partitions,
)
from tinyflow.api.ragged.making import (
    constant,
    constant_value,
    placeholder,
    ragged_range as range,
    row_splits_to_segment_ids,
    segment_ids_to_row_splits,
)
from tinyflow.api.ragged.tensor import RaggedTensor  # noqa: F401
from tinyflow.api.ragged.value import RaggedTensorValue
from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)

__all__ = ['RaggedTensorValue', 'boolean_mask', 'constant', 'constant_value', 'map_flat_values',
           'placeholder', 'range', 'row_splits_to_segment_ids', 'segment_ids_to_row_splits',
           'stack', 'stack_dynamic_partitions']

_hide_modules(globals())
__getattr__ = _explain_missing(__name__, __all__)
