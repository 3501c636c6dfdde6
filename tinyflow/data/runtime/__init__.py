"""The runtime of tf.data: datasets and their iterators as Python objects over NumPy.

A `Source` is a dataset: a value that an op made, with the Sources that it draws from. Opening it
gives a `Cursor`: one pass over it, which yields elements (tuples of arrays, one per component) and
whose position can be saved and restored exactly. Nothing here knows graphs or Sessions; a function
of an element is any callable from arrays to a list of arrays.
"""
