"""Record TensorFlow 1.15.5's messages: python tests/golden/record_protos.py

For each message: number, kind, label and oneof of its fields. tests/formats/test_protos.py compares
tinyflow's .proto files with them.
"""
from __future__ import print_function

import importlib
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from golden.proto_tables import describe_file, write_table  # noqa: E402

MODULES = """
core.framework.types core.framework.tensor_shape core.framework.tensor core.framework.attr_value
core.framework.node_def core.framework.op_def core.framework.function core.framework.versions
core.framework.graph core.framework.variable core.framework.resource_handle
core.framework.tensor_slice core.framework.step_stats core.framework.cost_graph
core.framework.summary core.framework.device_attributes core.protobuf.saver
core.protobuf.meta_graph core.protobuf.saved_model core.protobuf.struct
core.protobuf.saved_object_graph core.protobuf.trackable_object_graph
core.protobuf.tensor_bundle core.protobuf.control_flow core.protobuf.queue_runner
core.protobuf.config core.protobuf.tensorflow_server core.util.event
core.util.saved_tensor_slice core.example.example
core.example.feature core.kernels.boosted_trees.boosted_trees
python.training.checkpoint_state
contrib.tensorboard.plugins.projector.projector_config
""".split()


def main():
    table = {}
    for name in MODULES:
        module = importlib.import_module('tensorflow.%s_pb2' % name)
        add(module.DESCRIPTOR, table)
    write_table(table)


def add(file, table):
    if file.name.startswith('google/') or any(file.name == f for f in _seen):
        return
    _seen.append(file.name)
    for other in file.dependencies:
        add(other, table)
    table.update(describe_file(file))


_seen = []

if __name__ == '__main__':
    import tensorflow  # noqa: F401
    main()
