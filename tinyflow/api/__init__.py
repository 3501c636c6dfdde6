"""The tf.* namespaces: `tf.losses` is tinyflow/api/losses.py, and so on.

The modules here re-export what is implemented in other folders under TensorFlow 1's names.
`namespaces.py` has the table from public name to module, including the namespaces that are folders
of tinyflow/ themselves (tf.train, tf.data, tf.layers ...); `aliases.py` answers
`import tensorflow`, `private_modules.py` imports such as `tensorflow.python.ops`.
"""
