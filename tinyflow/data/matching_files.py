"""The names of files that match patterns, for Dataset.list_files."""
from __future__ import annotations

from typing import Any

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.ops.array import constants
from tinyflow.ops.checks import assertions
from tinyflow.ops.files import file_ops
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.strings import joins


def matching_files(file_pattern: Any) -> Tensor:
    """The names of the files that match one of the patterns, at least one.

    Shapes: file_pattern [] or [patterns] -> [names].
    """
    pattern = convert_to_tensor(file_pattern, dtypes.string, 'file_pattern')
    matching = file_ops.matching_files(pattern)
    found = logic.greater(constants.shape(matching)[0], 0, name='match_not_empty')
    message = arithmetic.add('No files matched pattern: ',
                             joins.reduce_join(pattern, separator=', '), name='message')
    check: Operation = assertions.Assert(found, [message], summarize=1, name='assert_not_empty')
    with control_dependencies([check]):
        return constants.identity(matching)
