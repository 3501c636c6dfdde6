"""Errors of building a pipeline, with the line of the user's program."""
from __future__ import annotations

from tinyflow.graph.source_location import user_site
from tinyflow.graph.support.errors import misuse, report

_HINT = '\n  Hint: '


def refused(error: Exception) -> Exception:
    """The error, with the user's line before its hint."""
    problem, _, hint = str(error).partition(_HINT)
    return misuse(type(error)(report(problem, site=user_site(), hint=hint or None)))
