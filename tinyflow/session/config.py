"""ConfigProto, RunOptions and RunMetadata: settings and results of Sessions and runs.

Most settings control devices that tinyflow does not have: they are accepted, their names are
checked, and they have no effect. Settings that have an effect say so.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword


class Record:
    """Named settings with defaults; an unknown name raises an error that lists the known ones."""

    _fields: dict[str, Any] = {}

    def __init__(self, **settings: Any) -> None:
        for name, default in self._fields.items():
            object.__setattr__(self, name, default() if isinstance(default, type) else default)
        for name, value in settings.items():
            if value is not None or self._fields.get(name) is None:     # None: the default
                setattr(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self._fields:
            raise misuse(AttributeError(f'{type(self).__name__} has no setting {name!r}; it has: '
                                        f'{", ".join(self._fields)}.'
                                        + nearest_keyword(name, self._fields)))
        if type(self._fields[name]) is int and type(value) is not int:
            value = _whole_number(name, value)
        if name.endswith('_in_ms') and not -1 << 63 <= value < 1 << 63:
            raise misuse(ValueError(f'{name}: Value out of range: {value}\n'
                                    '  Hint: less than 2**63 milliseconds; 0 is no limit.'))
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        inside = ', '.join(f'{n}={getattr(self, n)!r}' for n in self._fields)
        return f'{type(self).__name__}({inside})'

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and vars(other) == vars(self)

    __hash__ = None             # type: ignore[assignment]

    def CopyFrom(self, other: Record) -> None:                              # noqa: N802 (protobuf's name)
        """Takes over all settings of another record."""
        self.__dict__.update(other.__dict__)


def _whole_number(name: str, value: Any) -> int:
    """The value as an int, as protocol buffers take it: True is 1. TypeError for other types."""
    if isinstance(value, np.ndarray) or not (hasattr(value, '__index__')
                                             or isinstance(value, np.bool_)):
        unit = ' of milliseconds' if name.endswith('_in_ms') else ''
        raise misuse(TypeError(f'{name} is a whole number{unit}, not {value!r}.'))
    return int(value)


class GPUOptions(Record):
    """Accepted and without effect: there is no GPU."""

    _fields = {'per_process_gpu_memory_fraction': 0.0, 'allow_growth': False, 'allocator_type': '',
               'deferred_deletion_bytes': 0, 'visible_device_list': '',
               'polling_active_delay_usecs': 0, 'force_gpu_compatible': False}


class OptimizerOptions(Record):
    """Accepted and without effect: tinyflow decides on optimisations itself."""

    L1, L0 = 0, -1
    OFF, ON_1, ON_2 = -1, 1, 2
    _fields = {'do_common_subexpression_elimination': True, 'do_constant_folding': True,
               'opt_level': 0, 'global_jit_level': 0}


class RewriterConfig(Record):
    """Accepted and without effect, as OptimizerOptions."""

    DEFAULT, ON, OFF, AGGRESSIVE = range(4)
    DEFAULT_NUM_ITERS, ONE, TWO = range(3)
    (DEFAULT_MEM_OPT, NO_MEM_OPT, MANUAL, HEURISTICS, SWAPPING_HEURISTICS,
     RECOMPUTATION_HEURISTICS, SCHEDULING_HEURISTICS) = range(7)
    _fields = {**dict.fromkeys((
        'layout_optimizer', 'constant_folding', 'shape_optimization', 'remapping',
        'arithmetic_optimization', 'dependency_optimization', 'loop_optimization',
        'function_optimization', 'debug_stripper', 'scoped_allocator_optimization',
        'pin_to_host_optimization', 'implementation_selector', 'auto_mixed_precision',
        'meta_optimizer_iterations', 'min_graph_nodes', 'memory_optimization',
        'meta_optimizer_timeout_ms'), 0),
        'disable_model_pruning': False, 'disable_meta_optimizer': False,
        'fail_on_optimizer_errors': False, 'memory_optimizer_target_node_name_scope': '',
        'optimizers': list}


class GraphOptions(Record):
    """Accepted; the graph is always optimised."""

    _fields = {'optimizer_options': OptimizerOptions, 'rewrite_options': RewriterConfig,
               'enable_recv_scheduling': False, 'infer_shapes': True,
               'place_pruned_graph': False, 'build_cost_model': 0, 'timeline_step': 0}


class ConfigProto(Record):
    """Settings of a Session; operation_timeout_in_ms ends each run that takes longer.

    Each operation uses `intra_op_parallelism_threads` threads at most, whatever else the machine
    does; 0: as many as pay, and as other programs leave processors free.
    """

    operation_timeout_in_ms: int
    intra_op_parallelism_threads: int
    _fields = {'allow_soft_placement': False, 'log_device_placement': False, 'device_count': dict,
               'intra_op_parallelism_threads': 0, 'inter_op_parallelism_threads': 0,
               'use_per_session_threads': False, 'session_inter_op_thread_pool': list,
               'gpu_options': GPUOptions, 'graph_options': GraphOptions,
               'operation_timeout_in_ms': 0, 'cluster_def': None, 'isolate_session_state': False,
               'device_filters': list, 'placement_period': 0, 'experimental': None}


class RunOptions(Record):
    """Settings of one run; trace_level=RunOptions.FULL_TRACE times every node.

    A run that takes longer than timeout_in_ms raises DeadlineExceededError; 0 is no limit. It stops
    at a wait, in a loop, or between two nodes, but finishes the writes of Variables it has begun.
    """

    trace_level: int
    timeout_in_ms: int
    output_partition_graphs: bool
    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)
    _fields = {'trace_level': 0, 'timeout_in_ms': 0, 'inter_op_thread_pool': 0,
               'output_partition_graphs': False, 'debug_options': None,
               'report_tensor_allocations_upon_oom': False}


@dataclass
class NodeExecStats:
    """When one node ran: microseconds, absolute start and lengths relative to it."""

    node_name: str
    all_start_micros: int
    op_start_rel_micros: float
    op_end_rel_micros: float
    all_end_rel_micros: float
    timeline_label: str = ''
    thread_id: int = 0
    output_bytes: int = 0


@dataclass
class DeviceStepStats:
    """The nodes that ran on one device."""

    device: str
    node_stats: list[NodeExecStats] = field(default_factory=list)


@dataclass
class StepStats:
    """The nodes that one run ran, by device."""

    dev_stats: list[DeviceStepStats] = field(default_factory=list)


@dataclass
class RunMetadata:
    """What `Session.run(..., run_metadata=m)` fills in; `step_stats` feeds a Timeline."""

    step_stats: StepStats = field(default_factory=StepStats)
    partition_graphs: list = field(default_factory=list)

    def SerializeToString(self) -> bytes:                            # noqa: N802 (protobuf's name)
        """The bytes of TensorFlow's RunMetadata message, as TensorBoard reads it."""
        from tinyflow.formats.wire.run_metadata import to_proto  # start-up time
        return to_proto(self).SerializeToString()
