"""Graphs as TensorFlow's protocol buffers, and back.

    attributes.py       attributes of nodes <-> AttrValue
    functions.py        FuncGraph -> FunctionDef
    export.py           Graph -> GraphDef
    nodes.py            NodeDefs as light records; old op types and resource variables made new
    old_control_flow.py Switch, Merge, Enter ... of TensorFlow 1 -> If and While
    builder.py          light records -> Operations
    importing.py        tf.import_graph_def
    meta_graph.py       a Graph with its collections <-> MetaGraphDef
    methods.py          Graph.as_graph_def, Operation.node_def, Variable.to_proto ...
"""
