"""Writes the values of each run to files, in the layout of TensorFlow's debug dumps.

    SESSION_ROOT/run_<microseconds>_<number>/
        _tfdbg_fetches_info_, _tfdbg_feed_keys_info_, _tfdbg_core_metadata_sessionrun<number>_<time>
        _tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0/
            _tfdbg_graph_hash<number>_<time>
            <node name>_<output>_DebugIdentity_<time>

Each file is one Event. TensorFlow writes the graph as its executor runs it, with _Arg and _Retval
nodes; here it has the nodes of the program.
"""
from __future__ import annotations

import json
import os
import re
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.recorder.names import full_name
from tinyflow.session.observed import Frame, Observer

__all__ = ['DEVICE', 'DEVICE_FOLDER', 'DumpWriter', 'WatchOptions']

DEVICE = '/job:localhost/replica:0/task:0/device:CPU:0'
DEVICE_FOLDER = '_tfdbg_device_' + DEVICE.replace('/', ',').replace(':', '_')


class WatchOptions:
    """Which values of a run are written: patterns that names, op types and dtypes match."""

    def __init__(self, debug_ops: Any = None, node_name_regex_whitelist: str | None = None,
                 op_type_regex_whitelist: str | None = None,
                 tensor_dtype_regex_whitelist: str | None = None,
                 tolerate_debug_op_creation_failures: bool = False) -> None:
        self.debug_ops = debug_ops or ['DebugIdentity']
        self.node_name_regex_whitelist = node_name_regex_whitelist
        self.op_type_regex_whitelist = op_type_regex_whitelist
        self.tensor_dtype_regex_whitelist = tensor_dtype_regex_whitelist
        self.tolerate_debug_op_creation_failures = tolerate_debug_op_creation_failures

    def include(self, name: str, op_type: str, dtype: str) -> bool:
        """True if the value of a node is written."""
        return all(pattern is None or re.match(pattern, text) for pattern, text in (
            (self.node_name_regex_whitelist, name), (self.op_type_regex_whitelist, op_type),
            (self.tensor_dtype_regex_whitelist, dtype)))


class DumpWriter(Observer):
    """The observer that writes files; raises ValueError for a root that is in use."""

    def __init__(self, session_root: str, watch_fn: Callable | None = None,
                 thread_name_filter: str | None = None) -> None:
        self.root = os.path.abspath(os.path.expanduser(os.fspath(session_root)))
        if os.path.isfile(self.root):
            raise misuse(ValueError(f'session_root path points to a file: {session_root}'))
        if os.path.isdir(self.root) and os.listdir(self.root):
            raise misuse(ValueError(
                f'session_root path points to a non-empty directory: {session_root}\n  Hint: '
                'another folder, or one that is removed first with shutil.rmtree.'))
        if watch_fn is not None and not callable(watch_fn):
            raise misuse(TypeError('watch_fn is not callable.'))
        self._watch = watch_fn
        self._threads = re.compile(thread_name_filter) if thread_name_filter else None
        self._local = threading.local()
        self._lock = threading.Lock()
        self._runs = 0

    def wants(self, fetches: Sequence[Tensor | Operation]) -> bool:
        return not self._threads or \
            bool(self._threads.match(threading.current_thread().name))

    def begin(self, fetches: Sequence[Tensor | Operation],
              feeds: dict[Tensor, np.ndarray]) -> None:
        runs = vars(self._local).setdefault('runs', [])
        runs.append(None)                       # `end` is called even if what follows fails
        options = WatchOptions() if self._watch is None else \
            _options(self._watch(fetches, feeds))
        with self._lock:
            number, self._runs = self._runs, self._runs + 1
        folder = os.path.join(self.root, f'run_{_now()}_{number}')
        run = runs[-1] = _Run(folder, options)
        run.write_text('_tfdbg_fetches_info_', repr(fetches[0] if len(fetches) == 1
                                                    else list(fetches)))
        run.write_text('_tfdbg_feed_keys_info_', repr(feeds.keys()))
        run.write_text(f'_tfdbg_core_metadata_sessionrun{number:014d}_{_now()}', json.dumps({
            'global_step': -1, 'session_run_index': number, 'executor_step_index': 0,
            'input_names': [t.name for t in feeds],
            'output_names': [t.name for t in fetches if isinstance(t, Tensor)],
            'target_nodes': [o.name for o in fetches if isinstance(o, Operation)]},
            separators=(',', ':')))

    def value(self, operation: Operation, arrays: list[np.ndarray | None],
              frames: tuple[Frame, ...]) -> None:
        self._local.runs[-1].write_values(operation, arrays, frames)

    def end(self, error: BaseException | None) -> None:
        run = self._local.runs.pop()
        if run is not None:
            run.write_graph()


class _Run:
    """The files of one run."""

    def __init__(self, folder: str, options: WatchOptions) -> None:
        self._folder = folder
        self._options = options
        self._nodes: dict[str, tuple[Operation, bool]] = {}
        self._last = 0

    def write_values(self, operation, arrays, frames):
        name = full_name(operation, frames)
        self._nodes[name] = operation, bool(frames)
        for slot, (array, tensor) in enumerate(zip(arrays, operation.outputs)):
            if array is not None and tensor.dtype.name != 'variant' and self._options.include(
                    name, operation.type, tensor.dtype.base_dtype.name):
                self._write_value(name, slot, array, tensor.dtype.base_dtype)

    def _write_value(self, name, slot, array, dtype):
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        from tinyflow.formats.wire.tensors import fill_tensor  # start-up time
        stamp = self._last = max(_now(), self._last + 1)        # those of a loop differ
        event = Event(wall_time=stamp)
        value = event.summary.value.add(tag=name, node_name=f'{name}:{slot}:DebugIdentity')
        fill_tensor(value.tensor, np.asarray(array), dtype)
        value.metadata.plugin_data.plugin_name = 'debugger'
        value.metadata.plugin_data.content = json.dumps(
            {'device': DEVICE, 'outputSlot': slot, 'numChunks': 1, 'chunkIndex': 0},
            separators=(',', ':')).encode()
        self._write(os.path.join(DEVICE_FOLDER, f'{name}_{slot}_DebugIdentity_{stamp}'), event)

    def write_graph(self):
        """Writes the nodes of the run as a GraphDef; those inside of functions have no inputs."""
        from tinyflow.formats.graphdef.export import node_def  # start-up time
        from tinyflow.formats.protos.event_pb2 import Event  # start-up time
        from tinyflow.formats.protos.graph_pb2 import GraphDef  # start-up time
        graph = GraphDef()
        for name, (operation, inside) in self._nodes.items():
            node = graph.node.add()
            node.CopyFrom(node_def(operation))
            if inside:
                node.name = name
                del node.input[:]
            node.device = node.device or DEVICE
        stamp = _now()
        self._write(os.path.join(DEVICE_FOLDER, f'_tfdbg_graph_hash{hash(tuple(self._nodes))}'
                                                f'_{stamp}'),
                    Event(wall_time=stamp, graph_def=graph.SerializeToString()))

    def write_text(self, name, text):
        from tinyflow.formats.protos.event_pb2 import Event, LogMessage  # start-up time
        self._write(name, Event(log_message=LogMessage(message=text)))

    def _write(self, name, event):
        path = os.path.join(self._folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'wb') as file:
            file.write(event.SerializeToString())


def _options(answer: Any) -> WatchOptions:
    if isinstance(answer, WatchOptions):
        return answer
    if isinstance(answer, tuple) and len(answer) in (1, 2, 3):
        return WatchOptions(*answer)
    raise misuse(TypeError(f'watch_fn must return WatchOptions, or a tuple of debug ops and '
                           f'patterns of node names and op types, not {answer!r}.'))


def _now() -> int:
    """Microseconds since 1970."""
    return time.time_ns() // 1000
