"""Errors of building a pipeline, told with the user's line."""
from __future__ import annotations

from tinyflow.errors import report, worded
from tinyflow.graph.sites import Site, here

_MEND = '\n  Mend: '


def refused(error: Exception) -> Exception:
    """The error, with the user's line before its mend."""
    problem, _, mend = str(error).partition(_MEND)
    place = here(2)
    return worded(type(error)(report(problem, site=place and Site(*place), mend=mend or None)))
