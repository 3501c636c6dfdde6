"""tf.compat.v2: the names of TensorFlow 2.15, for what tinyflow has.

    namespace.py    finds a name: TensorFlow 1's object, or what replaces it
    version_1.py   what is taken from tinyflow as it is
    parameters.py   functions whose parameters have another order or other names in TensorFlow 2
    replaced/       what TensorFlow 2 has differently, a module for each namespace
    behavior.py     tf.enable_v2_behavior: eager execution, `==` by value, shapes of ints

`tf.compat.v2`, and `import tensorflow` after `install_as_tensorflow(2)`, are `namespace.ROOT`.
"""
