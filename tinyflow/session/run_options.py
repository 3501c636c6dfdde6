"""Runs with RunOptions: traced, or with a time limit."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinyflow.graph.support.waits import check_deadline, deadline
from tinyflow.session.config import RunMetadata, RunOptions, StepStats
from tinyflow.session.executable import Executable
from tinyflow.session.profiled_run import fill_metadata

__all__ = ['run_with_options']


def run_with_options(executable: Any, arrays: Sequence[np.ndarray], options: RunOptions | None,
                     run_metadata: RunMetadata | None) -> list:
    """The fetched arrays; DeadlineExceededError if the run takes longer than its timeout.

    `run_metadata` holds this run alone afterwards.
    """
    options = options or RunOptions()
    if not isinstance(executable, Executable):          # stages on a cluster
        return executable.run_with_options(arrays, options, run_metadata)
    if run_metadata is not None:
        run_metadata.step_stats = StepStats()
        run_metadata.partition_graphs = _graphs_of(executable) \
            if options.output_partition_graphs else []
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


def _graphs_of(executable: Executable) -> list:
    """The GraphDef of the nodes that a run computes, and of their inputs; none if it has none."""
    operations = {i.operation for i in executable.program.instructions}
    operations |= {tensor.op for operation in operations for tensor in operation.inputs}
    if not operations:
        return []
    whole = next(iter(operations)).graph.as_graph_def()
    names = {operation.name for operation in operations}
    part = type(whole)(versions=whole.versions, library=whole.library)
    part.node.extend([node for node in whole.node if node.name in names])
    return [part]
