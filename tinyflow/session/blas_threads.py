"""Sets OPENBLAS_THREAD_TIMEOUT: how long the threads of NumPy's BLAS spin before they sleep.

By default OpenBLAS's threads spin for about 2 ** 28 cycles, a tenth of a second, and so occupy the
processors that tinyflow's own threads need between two products. OpenBLAS reads the variable when
NumPy loads it, so this only has an effect if tinyflow is imported before NumPy. A value that is
already set is not changed.
"""
import os
import sys

_CYCLES = 22            # as a power of two: 1.5 ms; with fewer, steps of one product wait for it

if 'numpy' not in sys.modules:
    os.environ.setdefault('OPENBLAS_THREAD_TIMEOUT', str(_CYCLES))
