"""How long the threads of NumPy's BLAS wait for more work before they sleep.

OpenBLAS's threads look for work without a pause for 2 ** 28 cycles or so, a tenth of a second, and
keep the processors from what else could run there: tinyflow's own threads, between two products.
It reads its settings when NumPy loads it, so this has an effect where tinyflow is imported first,
and nowhere else; whoever has set the variable is left alone.
"""
import os
import sys

_CYCLES = 22            # as a power of two: 1.5 ms; with fewer, steps of one product wait for it

if 'numpy' not in sys.modules:
    os.environ.setdefault('OPENBLAS_THREAD_TIMEOUT', str(_CYCLES))
