"""Eager execution: ops that run as they are called, on the same declarations as nodes.

    graph.py        the graph of eager execution, which keeps no node
    tensor.py       EagerTensor
    execute.py      runs an op; node_builder.make_node calls it
    tape.py         GradientTape
    custom_gradient.py  tf.custom_gradient
    variable.py     Variables that have their value
    runtime.py      where the values are
    enabling.py     tf.enable_eager_execution
"""
