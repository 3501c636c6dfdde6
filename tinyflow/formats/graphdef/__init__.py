"""Graphs as TensorFlow's protocol buffers, and back.

    attributes.py       attributes of nodes <-> AttrValue
    functions.py        FuncGraph -> FunctionDef
    names.py            names of nodes and tensors
    lowered.py          If and While -> Switch, Merge, Enter ... where TensorFlow needs that
    ordering.py         control dependencies that a training graph needs
    export.py           Graph -> GraphDef
    nodes.py            NodeDefs as light records; old and new op types -> those of tinyflow
    old_control_flow.py Switch, Merge, Enter ... of TensorFlow 1 -> If and While, by
                        folded_loops.py and folded_branches.py
    builder.py          light records -> Operations; wiring.py has its small steps
    importing.py        tf.import_graph_def
    meta_graph.py       a Graph with its collections <-> MetaGraphDef; with collections.py,
                        op_defs.py, variable_defs.py and scopes.py
    graph_io.py         tf.io.write_graph
    methods.py          Graph.as_graph_def, Operation.node_def, Variable.to_proto ...
"""
