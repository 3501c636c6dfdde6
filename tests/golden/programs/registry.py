"""The list of golden programs and the contract each of them keeps.

A program is a function ``build(tf, np)``. The framework is an argument, so that the same lines
run under TensorFlow 1.15 (to record) and under tinyflow (to compare). It builds into the current
default graph, a fresh one, and returns a list of runs: pairs ``(fetches, feeds)`` made with
`run`, executed in this order in one Session. An initializer is a run like any other.

- A fetch is whatever ``Session.run`` accepts; operations yield None.
- Within one run no fetch may race with an assignment: what a step changed, a later run fetches.
- Randomness is seeded. Random ops that rely on a graph-level seed stand before any gradient,
  since the op seed counts nodes and the inside of a gradient scope is allowed to differ.
"""
from collections import OrderedDict

PROGRAMS = OrderedDict()


def program(build):
    """Register `build` under its own name; names are unique across all modules."""
    if build.__name__ in PROGRAMS:
        raise ValueError('two golden programs are called %r' % build.__name__)
    PROGRAMS[build.__name__] = build
    return build


def functional(build):
    """As `program`, recorded with TF's functional control flow (If and While, no Switch and Merge).

    tinyflow has no other form.
    """
    build.functional = True
    return program(build)


def family(build):
    """The module that a program stands in, e.g. 'variables'."""
    return build.__module__.rpartition('.')[2]


def run(fetches, feeds=None):
    """One call of Session.run."""
    return fetches, feeds or {}
