"""freeze_graph: writes a graph with the Variables of a checkpoint as constants."""
from __future__ import annotations

from tinyflow.formats.graphdef.graph_util import convert_variables_to_constants
from tinyflow.formats.graphdef.importing import import_graph_def
from tinyflow.formats.protos.graph_pb2 import GraphDef
from tinyflow.formats.wire import reading
from tinyflow.graph.graph import Graph
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.variables.resource_variable_ops import ReadVariableOp
from tinyflow.session.session import Session
from tinyflow.train.checkpoints.inspection import NewCheckpointReader
from tinyflow.train.checkpoints.saver import Saver, import_meta_graph
from tinyflow.train.saved_model import loader

__all__ = ['freeze_graph']


def freeze_graph(input_graph, input_saver, input_binary, input_checkpoint, output_node_names,
                 restore_op_name, filename_tensor_name, output_graph, clear_devices,
                 initializer_nodes, variable_names_whitelist='', variable_names_blacklist='',
                 input_meta_graph=None, input_saved_model_dir=None, saved_model_tags='serve',
                 checkpoint_version=2):
    """Writes the frozen subgraph that `output_node_names` need to `output_graph`; returns a
    GraphDef.

    The graph is that of the file `input_graph` (text unless `input_binary`), `input_meta_graph` or
    `input_saved_model_dir`; names are separated by commas. `restore_op_name`,
    `filename_tensor_name`, `input_saver`, `clear_devices` and `checkpoint_version` have no effect
    here: all checkpoint versions are read, and devices are only recorded. ValueError without
    output nodes; NotFoundError or DataLossError name a file that cannot be read.
    """
    if not output_node_names:
        raise misuse(ValueError('You need to supply the name of a node to --output_node_names.'))
    with Graph().as_default() as graph, Session(graph=graph) as session:
        if input_saved_model_dir:
            loader.load(session, saved_model_tags.split(','), input_saved_model_dir)
        elif input_meta_graph:
            import_meta_graph(input_meta_graph).restore(session, input_checkpoint)
        else:
            import_graph_def(reading.read(input_graph, GraphDef, bool(input_binary)), name='')
            Saver(_variables_of(graph, input_checkpoint)).restore(session, input_checkpoint)
        if initializer_nodes:
            session.run(initializer_nodes.replace(' ', '').split(','))
        frozen = convert_variables_to_constants(
            session, graph.as_graph_def(), output_node_names.replace(' ', '').split(','),
            _names(variable_names_whitelist), _names(variable_names_blacklist))
    if output_graph:
        reading.write(output_graph, frozen)
    return frozen


def _variables_of(graph, checkpoint):
    """name -> the storage, or the read of the handle, of each Variable in the checkpoint."""
    names = NewCheckpointReader(checkpoint).get_variable_to_shape_map()
    found = {}
    for op in graph.get_operations():
        if op.name in names and op.type == 'VarHandleOp':
            found[op.name] = ReadVariableOp.apply(op.outputs[0], dtype=op.attrs['dtype'])
        elif op.name in names and op.type in ('VariableV2', 'Variable'):
            found[op.name] = op.outputs[0]
    return found


def _names(text):
    return text.replace(' ', '').split(',') if text else None
