"""run_checks: all findings about a training, without those that follow from another one."""
from __future__ import annotations

import numpy as np

from tinyflow.inspect.doctor.report import Finding
from tinyflow.inspect.doctor.training.checks import CHECKS, DEAD, exploding_limit
from tinyflow.inspect.doctor.training.observed import Observed

_DATA = ('input-scale', 'target-scale', 'label-range', 'double-softmax')
_START = ('saturated-softmax', 'exploding-gradient', 'dead-relu', 'saturated-units')
_LATER = frozenset({'learning-rate-high', 'nan'})
CAUSES: dict[str, tuple[str, ...]] = {
    'nan': (*_DATA, 'learning-rate-high', 'exploding-gradient'),
    'saturated-softmax': (*_DATA, 'learning-rate-high'),
    'exploding-gradient': (*_DATA, 'learning-rate-high', 'saturated-softmax', 'nan'),
    'learning-rate-high': (*_DATA, *_START),
    'dead-relu': (*_DATA, 'learning-rate-high', 'nan', 'exploding-gradient'),
    'saturated-units': (*_DATA, 'learning-rate-high', 'nan', 'exploding-gradient'),
    'vanishing-gradient': (*_DATA, *_START, 'learning-rate-high', 'nan'),
    'no-gradient': ('dead-relu', 'saturated-units', 'nan'),
    'learning-rate-low': (*_DATA, *_START, 'vanishing-gradient', 'nan', 'no-gradient'),
    'loss-plateau': (*_DATA, *_START, 'learning-rate-high', 'learning-rate-low',
                     'vanishing-gradient', 'no-gradient', 'nan', 'class-imbalance'),
}
"""By id: the faults that explain it, so that it is not reported next to them."""


def run_checks(seen: Observed) -> list[Finding]:
    """The findings about a training, without those that follow from another one."""
    with np.errstate(all='ignore'):
        found = [finding for check in CHECKS for finding in check(seen)]
        ids = {f.id for f in found}
        # What a high learning rate or a NaN has led to is not its cause, and the other way round.
        if ids & _LATER:
            found = [f for f in found if f.id not in _START or _began_so(seen, f)]
            ids = {f.id for f in found}
    return [f for f in found if not any(
        cause in ids and not (cause in _LATER and f.id in _START)
        for cause in CAUSES.get(f.id, ()))]


def _began_so(seen: Observed, finding: Finding) -> bool:
    """True if the fault was there at the first sampled step, before any update."""
    units = seen.units.get(finding.operation)
    if units is not None:
        shares = units.silent or units.saturated
        return bool(shares) and shares[0] >= DEAD
    if finding.id == 'exploding-gradient':
        first = [r[0] for u, r in seen.gradients.items() if u.is_kernel]
        return max(first) > exploding_limit(seen)
    if finding.id == 'saturated-softmax':
        return seen.confident[0][0] > 0.5
    return True
