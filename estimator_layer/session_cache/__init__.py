"""Cache of graphs and sessions that evaluate and predict reuse between calls.

`cache.py` has the cache and the base class of a cached model; `evaluation.py` and `prediction.py`
are its two kinds; `input_batches.py` reads an input_fn as arrays to feed; `side_effects.py`
decides whether a graph may be reused.
"""
