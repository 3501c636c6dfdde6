"""Tensors as TensorInfos: how a SavedModel names the inputs and outputs of a signature."""
from __future__ import annotations

from tinyflow.formats.graphdef import scopes
from tinyflow.graph.defaults import get_default_graph
from tinyflow.graph.dtypes import as_dtype
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['build_tensor_info', 'get_tensor_from_tensor_info']


def build_tensor_info(tensor):
    """The TensorInfo of a Tensor, Variable or SparseTensor: name, dtype, static shape."""
    from tinyflow.formats.protos.meta_graph_pb2 import TensorInfo  # start-up time
    if not (hasattr(tensor, 'dtype') and hasattr(tensor, 'get_shape')):
        raise misuse(TypeError(f'A signature consists of tensors of the graph, not {tensor!r}.'))
    info = TensorInfo(dtype=as_dtype(tensor.dtype).as_datatype_enum,
                      tensor_shape=tensor.get_shape().as_proto())
    if isinstance(tensor, SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(tensor_info, graph=None, import_scope=None):
    """The Tensor or SparseTensor of a TensorInfo in `graph`.

    Raises KeyError if the tensor is not in the graph, ValueError for a TensorInfo without a name.
    """
    graph = graph or get_default_graph()

    def tensor(name):
        return graph.get_tensor_by_name(scopes.prepend(name, import_scope))
    encoding = tensor_info.WhichOneof('encoding')
    if encoding == 'name':
        return tensor(tensor_info.name)
    if encoding == 'coo_sparse':
        sparse = tensor_info.coo_sparse
        return SparseTensor(tensor(sparse.indices_tensor_name), tensor(sparse.values_tensor_name),
                            tensor(sparse.dense_shape_tensor_name))
    raise misuse(ValueError(f'Invalid TensorInfo.encoding: {encoding}'))


__getattr__ = _explain_missing('tinyflow.saved_model.utils', __all__)


def __dir__():
    return __all__
