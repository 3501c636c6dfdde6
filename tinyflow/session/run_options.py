"""Runs with RunOptions: traced, or with a time limit."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinyflow.graph.support.waits import check_deadline, deadline
from tinyflow.session.config import RunMetadata, RunOptions
from tinyflow.session.executable import Executable
from tinyflow.session.profiled_run import fill_metadata

__all__ = ['run_with_options']


def run_with_options(executable: Any, arrays: Sequence[np.ndarray], options: RunOptions,
                     run_metadata: RunMetadata | None) -> list:
    """The fetched arrays; DeadlineExceededError if the run takes longer than its timeout."""
    if not isinstance(executable, Executable):          # stages on a cluster
        return executable.run_with_options(arrays, options, run_metadata)
    metadata = run_metadata if options.trace_level else None
    if options.timeout_in_ms <= 0:
        return executable(arrays) if metadata is None else \
            fill_metadata(executable, arrays, metadata)
    from tinyflow.session.deadline_checks import with_deadline_checks  # start-up time
    checked = with_deadline_checks(executable, metadata is not None)
    with deadline(options.timeout_in_ms):
        results = checked(arrays) if metadata is None else \
            fill_metadata(checked, arrays, metadata)
        check_deadline(completed=True)
    return results
