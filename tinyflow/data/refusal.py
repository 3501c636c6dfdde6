"""Errors of building a pipeline, told with the user's line."""
from __future__ import annotations

from tinyflow.errors import report, worded
from tinyflow.graph.sites import user_site

_MEND = '\n  Mend: '


def refused(error: Exception) -> Exception:
    """The error, with the user's line before its mend."""
    problem, _, mend = str(error).partition(_MEND)
    return worded(type(error)(report(problem, site=user_site(), mend=mend or None)))
