"""Control flow in the graph, by name: choices, loops, and the lists that loops fill."""
from tinyflow.ops.conditionals import case, cond
from tinyflow.ops.functional import foldl, foldr, map_fn, scan
from tinyflow.ops.loops import while_loop
from tinyflow.ops.tensor_array import TensorArray

__all__ = ['TensorArray', 'case', 'cond', 'foldl', 'foldr', 'map_fn', 'scan', 'while_loop']
