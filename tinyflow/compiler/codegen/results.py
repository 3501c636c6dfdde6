"""What a run returns: arrays that nothing else references, so that the caller may change them."""
from __future__ import annotations

from typing import Any

import numpy as np

from tinyflow.compiler.ir import Value
from tinyflow.compiler.memory.plan import MemoryPlan


def results(plan: MemoryPlan) -> str:
    """The source of the list of fetched values: copied unless fresh, scalars as NumPy scalars.

    The results of a nested program (a branch, a loop's body) stay arrays.
    """
    items = []
    returned: set[Value] = set()
    for value in plan.program.fetches:
        if value is None:
            items.append('None')
            continue
        location = plan.locations[value]
        # What is fetched twice is copied once.
        fresh = location.kind == 'local' and is_fresh(value) and value not in returned
        returned.add(value)
        if not plan.program.nested and value.raw_shape is None:
            items.append(f'as_result({location.name}, {fresh})')
        elif not plan.program.nested and value.raw_shape == ():
            items.append(f'{location.name}[()]')
        else:
            items.append(location.name if fresh else f'np.array({location.name})')
    return f'[{", ".join(items)}]'


def as_result(value: Any, fresh: bool) -> Any:
    """A fetched value of a rank known only at run time, which the caller may keep."""
    array = np.asarray(value)
    return array[()] if array.ndim == 0 else array if fresh else array.copy()


def is_fresh(value: Value) -> bool:
    """True if this run allocated the array and nothing else references it."""
    producer = value.producer
    return producer is not None and (producer.copy or not producer.definition.view)


def may_be_kept(value: Value, plan: MemoryPlan) -> bool:
    """True if an op may keep the array beyond the run, because nothing will modify it."""
    location, program = plan.locations[value], plan.program
    if location.kind == 'feed':
        return program.feeds.index(value) in program.owned
    return location.kind == 'constant' or location.kind == 'local' and is_fresh(value)


__all__ = ['as_result', 'is_fresh', 'may_be_kept', 'results']
