"""Public names of control flow: cond, case, while_loop, TensorArray, ..."""
from tinyflow.ops.control_flow.case import case
from tinyflow.ops.control_flow.cond import cond
from tinyflow.ops.control_flow.functional import foldl, foldr, map_fn, scan
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.control_flow.while_loop import while_loop

__all__ = ['TensorArray', 'case', 'cond', 'foldl', 'foldr', 'map_fn', 'scan', 'while_loop']
