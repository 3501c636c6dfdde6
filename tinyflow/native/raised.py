"""A Program with native instructions in the place of those that native code computes faster."""
from __future__ import annotations

from tinyflow.compiler.ir import Program
from tinyflow.native import loops, onednn

__all__ = ['found', 'raised']

_PACKAGES = (onednn, loops)       # in the order in which they take instructions


def found() -> bool:
    """Whether a library is installed that computes anything."""
    return any(package.found() for package in _PACKAGES)


def raised(program: Program) -> Program:
    """The program with native kernels; the same object if there is nothing for them."""
    for package in _PACKAGES:
        if package.found():
            program = package.raised(program)
    return program
