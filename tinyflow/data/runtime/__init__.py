"""The runtime of tf.data: datasets and their iterators as Python objects over NumPy.

A `Source` is a dataset: the value of an op, with its input Sources. Opening it
gives a `Cursor`: one pass over it, which yields elements (tuples of arrays, one per component) and
whose position can be saved and restored exactly. Nothing here depends on graphs or Sessions; a
function of an element is any callable from arrays to a list of arrays.
"""
