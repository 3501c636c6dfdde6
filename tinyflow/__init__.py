"""tinyflow: the TensorFlow 1 stack, small enough to read, quick enough to use.

    import tinyflow as tf

Every public name is listed here, by the module that it comes from.
"""
from tinyflow import errors
from tinyflow.graph.convert import convert_to_tensor, register_tensor_conversion_function
from tinyflow.graph.dtypes import (
    DType, as_dtype, bool, complex64, complex128, double, float16, float32, float64, half, int8,
    int16, int32, int64, resource, string, uint8, uint16, uint32, uint64, variant,
)
from tinyflow.graph.graph import (
    Graph, add_to_collection, add_to_collections, colocate_with, control_dependencies, device,
    get_collection, get_collection_ref, get_default_graph, get_default_session, name_scope,
    reset_default_graph, set_random_seed,
)
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.shapes import Dimension, TensorShape
from tinyflow.session import Session
