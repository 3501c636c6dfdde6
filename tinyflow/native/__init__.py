"""The native tier: what runs often and is bound by arithmetic or memory, computed by native code.

It needs the extra `tinyflow-graph[fast]`, and is loaded only by programs that have work for it
(tinyflow/session/tiers.py). NumPy programs run first and are the definition; `rise.py` replaces a
program's instructions by native ones after a few runs.

    rise.py             when a program moves up
    raised.py           a Program with native instructions: each package below in turn
    uses.py             who uses which value of a Program
    instructions.py     an Instruction with a native kernel; the arrays that kernels get
    onednn/             convolution, pooling and normalization of images, by oneDNN

A package has two functions: `found()` says whether its library is installed, and
`raised(program)` returns the program with its native instructions and a Note about them, or the
same object if there is nothing to do. The ops that it computes are listed in session/tiers.py.
"""
