"""Calls of single functions by family; importing a module registers its cases.

A new module is imported here, and recorded by `python tests/golden/record.py ops:<module>`.
"""
from . import (  # noqa: F401  (importing a module registers its cases)
    convolution,
    images,
    queues,
    sampling,
    saving,
    strings,
    summaries,
)
from ..op_cases import CASES, FAMILIES

__all__ = ['CASES', 'FAMILIES']
