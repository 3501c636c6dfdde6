"""The native tier: what runs often and is bound by arithmetic or memory, computed by native code.

It needs the extra `tinyflow-graph[fast]`, and is loaded only by programs that have work for it
(tinyflow/session/tiers.py). NumPy programs run first and are the definition; `rise.py` replaces a
program's instructions by native ones after a few runs.

    library.py          oneDNN by ctypes: primitives, and the arrays that they work on
    convolutions.py     convolution and its two gradients
    raised.py           a Program with native instructions
    rise.py             when a program moves up
"""
