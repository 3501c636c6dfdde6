"""TrainingReport: what the training doctor found, as text and as data for pictures."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyflow.inspect.doctor.report import Finding, Report
from tinyflow.inspect.doctor.training.causes import run_checks
from tinyflow.inspect.doctor.training.observed import Observed
from tinyflow.inspect.recorder.names import path_of

_POINTS = 400           # of a curve
_BARS = 30
_MOST_VALUES = 1 << 18  # that a histogram counts


@dataclass(frozen=True, repr=False)
class TrainingReport(Report):
    """Findings about a training, with the curves and histograms that they come from."""

    observed: tuple[Observed, ...] = ()

    @classmethod
    def of(cls, observed: Sequence[Observed]) -> TrainingReport:
        """Runs all checks on what was observed."""
        findings = [finding for seen in observed for finding in run_checks(seen)]
        steps = sum(seen.steps for seen in observed)
        sampled = sum(len(seen.sampled) for seen in observed)
        text = f'{steps} training steps, {sampled} of them sampled' if steps else \
            'no training step was run'
        return cls(tuple(findings), text, tuple(observed))

    def as_document(self) -> dict[str, Any]:
        """Findings, curves and histograms as plain data: numbers, strings, lists and dicts."""
        curves: dict[str, list] = {}
        histograms: dict[str, dict] = {}
        for number, seen in enumerate(self.observed):
            ending = f' ({number + 1})' if number else ''
            for name, points in _curves(seen).items():
                curves[name + ending] = _thinned(points)
            for name, array in _arrays(seen).items():
                histogram = _histogram(array)
                if histogram is not None:
                    histograms[name + ending] = histogram
        return {'findings': [_as_data(finding) for finding in self.findings], 'curves': curves,
                'histograms': histograms}


def _as_data(finding: Finding) -> dict[str, Any]:
    site = finding.operation.site if finding.operation is not None else None
    return {'id': finding.id, 'node': path_of(finding.operation) if finding.operation else None,
            'figure': None if finding.figure is None or not np.isfinite(finding.figure)
            else float(finding.figure),
            'text': finding.problem, 'hint': finding.hint,
            'site': None if site is None else [site.file, site.line, site.code.co_name]}


def _curves(seen: Observed) -> dict[str, list]:
    curves: dict[str, list] = {'loss': seen.losses}
    for label, ratios in (('update/weight', seen.update_ratios),
                          ('gradient/weight', seen.gradients)):
        for update, values in ratios.items():
            curves[f'{label} {update.name}'] = list(zip(seen.sampled[-len(values):], values))
    for op, units in seen.units.items():
        shares, label = (units.silent, 'silent units') if units.silent else \
            (units.saturated, 'saturated values')
        curves[f'{label} {path_of(op)}'] = list(zip(units.steps, shares))
    return {name: points for name, points in curves.items() if points}


def _arrays(seen: Observed) -> dict[str, np.ndarray]:
    activations = {f'activations {path_of(op)}': units.last for op, units in seen.units.items()
                   if units.last is not None}
    return {**seen.last_values, **activations}


def _thinned(points: list) -> list[list]:
    every = max(1, len(points) // _POINTS)
    kept = points[::every]
    if points and kept[-1] is not points[-1]:
        kept = [*kept, points[-1]]
    return [[int(step), float(value)] for step, value in kept if np.isfinite(value)]


def _histogram(array: np.ndarray) -> dict[str, Any] | None:
    flat = np.asarray(array).reshape(-1)
    flat = flat[::max(1, flat.size // _MOST_VALUES)].astype(np.float64)
    flat = flat[np.isfinite(flat)]
    if not flat.size:
        return None
    counts, edges = np.histogram(flat, _BARS)
    return {'counts': counts.tolist(), 'from': float(edges[0]), 'to': float(edges[-1])}
