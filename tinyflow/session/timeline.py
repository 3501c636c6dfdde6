"""RunMetadata.step_stats as a Chrome trace, as in tensorflow.python.client.timeline."""
from __future__ import annotations

import json
from typing import Any


class Timeline:
    """Turns the step_stats of a traced run into JSON for chrome://tracing."""

    def __init__(self, step_stats: Any, graph: Any = None) -> None:
        self._step_stats = step_stats

    def generate_chrome_trace_format(self, show_dataflow: bool = True,
                                     show_memory: bool = False) -> str:
        """A JSON text with one event per node that ran."""
        events = []
        for pid, device in enumerate(self._step_stats.dev_stats):
            events.append({'name': 'process_name', 'ph': 'M', 'pid': pid,
                           'args': {'name': f'{device.device} Compute'}})
            for stat in device.node_stats:
                label = stat.timeline_label
                kind = label.partition(' = ')[2].partition('(')[0] or 'unknown'
                events.append({
                    'ph': 'X', 'cat': 'Op', 'name': kind, 'pid': pid, 'tid': stat.thread_id,
                    'ts': stat.all_start_micros, 'dur': stat.all_end_rel_micros,
                    'args': {'name': stat.node_name, 'op': kind, 'label': label}})
        return json.dumps({'traceEvents': events}, indent=2)
