"""Reads the folder of a run that DumpingDebugWrapperSession wrote, here or in TensorFlow 1."""
from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import nearest_keyword

__all__ = ['DebugDumpDir', 'DebugTensorDatum', 'WatchKeyDoesNotExistInDebugDumpDirError',
           'load_tensor_from_event', 'load_tensor_from_event_file']

_DEVICE = '_tfdbg_device_'
_GRAPH = '_tfdbg_graph_'
_METADATA = '_tfdbg_core_metadata_'
_FETCHES, _FEEDS = '_tfdbg_fetches_info_', '_tfdbg_feed_keys_info_'
_DUMP = re.compile(r'(?P<node>.+)_(?P<slot>\d+)_(?P<op>\w+?)_(?P<stamp>\d+)$')
_COPY = ('__copy_', '__dbg_')       # nodes that TensorFlow adds to a graph that it debugs


class WatchKeyDoesNotExistInDebugDumpDirError(ValueError):
    """There are no values under that key."""


class CoreMetadata(NamedTuple):
    """What is known of the run as a whole."""

    global_step: int
    session_run_index: int
    executor_step_index: int
    input_names: list[str]
    output_names: list[str]
    target_nodes: list[str]


def load_tensor_from_event_file(event_file_path: str) -> np.ndarray | None:
    """The array in a dump file."""
    return load_tensor_from_event(_event(event_file_path))


def load_tensor_from_event(event: Any) -> np.ndarray | None:
    """The array in an Event; None for a tensor that had no value."""
    from tinyflow.formats.wire.tensors import make_ndarray  # start-up time
    tensor = event.summary.value[0].tensor
    return make_ndarray(tensor) if tensor.dtype else None


def _event(path):
    from google.protobuf.message import DecodeError  # start-up time

    from tinyflow.formats.protos.event_pb2 import Event  # start-up time
    with open(path, 'rb') as file:
        try:
            return Event.FromString(file.read())
        except DecodeError as error:
            raise misuse(ValueError(f'{path} is no debug dump: {error}.')) from None


class DebugTensorDatum:
    """One value in a dump: which it is, and `get_tensor()`."""

    def __init__(self, dump_root: str, debug_dump_rel_path: str) -> None:
        folder, _, rest = debug_dump_rel_path.replace('\\', '/').partition('/')
        found = _DUMP.match(rest)
        if not folder.startswith(_DEVICE) or not found:
            raise misuse(ValueError(f'{debug_dump_rel_path!r} is not the path of a dumped tensor.'))
        self.device_name = _device_of(folder)
        self.node_name = found['node']
        self.output_slot = int(found['slot'])
        self.debug_op = found['op']
        self.timestamp = int(found['stamp'])
        self.extended_timestamp = (self.timestamp, 0)
        self.file_path = os.path.join(dump_root, debug_dump_rel_path)
        self.dump_size_bytes = os.path.getsize(self.file_path)

    @property
    def tensor_name(self) -> str:
        return f'{self.node_name}:{self.output_slot}'

    @property
    def watch_key(self) -> str:
        return f'{self.tensor_name}:{self.debug_op}'

    def get_tensor(self) -> np.ndarray | None:
        """The value, read from the file."""
        return load_tensor_from_event_file(self.file_path)

    def __repr__(self) -> str:
        return (f'{{DebugTensorDatum ({self.device_name}) {self.tensor_name} @ {self.debug_op} @ '
                f'{self.timestamp}}}')

    __str__ = __repr__


class DebugDumpDir:
    """The values of a run, in the order of time, and its graph. IOError without such a folder."""

    def __init__(self, dump_root: str, partition_graphs: Any = None, validate: bool = True) -> None:
        if not os.path.isdir(dump_root):
            raise misuse(OSError(f'Dump root directory {dump_root} does not exist'))
        self._root = dump_root
        self._python_graph: Any = None
        self._graphs: dict[str, Any] = {}
        data, metadata = [], []
        for folder, _, files in os.walk(dump_root):
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), dump_root).replace('\\', '/')
                if name.startswith(_METADATA):
                    metadata.append(path)
                elif not path.startswith(_DEVICE):
                    continue
                elif name.startswith(_GRAPH):
                    self._add_graph(path)
                elif _DUMP.match(path.partition('/')[2]):
                    data.append(DebugTensorDatum(dump_root, path))
        if not data and not self._graphs:
            runs = [n for n in sorted(os.listdir(dump_root)) if n.startswith('run_')]
            hint = f'\n  Hint: its runs are {", ".join(runs[:3])}.' if runs else ''
            raise misuse(OSError(f'No debug dump of a run is in {dump_root}.{hint}'))
        self.dumped_tensor_data: list[DebugTensorDatum] = sorted(
            data, key=lambda d: (d.timestamp, d.node_name, d.output_slot))
        self.core_metadata = self._metadata(sorted(metadata)[0]) if metadata else None
        self.run_fetches_info = self._text(_FETCHES)
        self.run_feed_keys_info = self._text(_FEEDS)
        for given in partition_graphs or ():
            self._graphs.setdefault(given.node[0].device if given.node else '', given)
        self._nodes = {device: _plain_nodes(graph) for device, graph in self._graphs.items()}

    def _add_graph(self, path):
        from tinyflow.formats.protos.graph_pb2 import GraphDef  # start-up time
        graph = GraphDef.FromString(_event(os.path.join(self._root, path)).graph_def)
        self._graphs[_device_of(path.partition('/')[0])] = graph

    def _metadata(self, path):
        known = json.loads(_event(os.path.join(self._root, path)).log_message.message)
        return CoreMetadata(*(known[name] for name in CoreMetadata._fields))

    def _text(self, name):
        path = os.path.join(self._root, name)
        return _event(path).log_message.message if os.path.exists(path) else None

    # ---- the values ----------------------------------------------------------------------

    @property
    def size(self) -> int:
        """How many values there are."""
        return len(self.dumped_tensor_data)

    @property
    def t0(self) -> int | None:
        """The time of the first value, in microseconds."""
        return self.dumped_tensor_data[0].timestamp if self.dumped_tensor_data else None

    def find(self, predicate: Callable[[Any, Any], Any], first_n: int = 0,
             device_name: str | None = None,
             exclude_node_names: str | None = None) -> list[DebugTensorDatum]:
        """The values for which predicate(datum, tensor) holds, at most `first_n` unless it is 0."""
        found = []
        for datum in self.dumped_tensor_data:
            if device_name and datum.device_name != device_name or exclude_node_names and \
                    re.match(exclude_node_names, datum.node_name):
                continue
            if predicate(datum, datum.get_tensor()):
                found.append(datum)
                if len(found) == first_n:
                    break
        return found

    def debug_watch_keys(self, node_name: str, device_name: str | None = None) -> list[str]:
        """The keys of a node's values: 'dense/MatMul:0:DebugIdentity'."""
        return list(dict.fromkeys(d.watch_key for d in self.dumped_tensor_data
                                  if d.node_name == node_name))

    def watch_key_to_data(self, debug_watch_key: str,
                          device_name: str | None = None) -> list[DebugTensorDatum]:
        """The values under a key, in the order of time."""
        return [d for d in self.dumped_tensor_data if d.watch_key == debug_watch_key]

    def _data(self, node_name, output_slot, debug_op) -> list[DebugTensorDatum]:
        key = f'{node_name}:{output_slot}:{debug_op}'
        found = self.watch_key_to_data(key)
        if not found:
            keys = [d.watch_key for d in self.dumped_tensor_data]
            raise misuse(WatchKeyDoesNotExistInDebugDumpDirError(
                f'Watch key "{key}" does not exist in the debug dump'
                f'{nearest_keyword(key, keys)}'))
        return found

    def get_tensors(self, node_name: str, output_slot: int, debug_op: str,
                    device_name: str | None = None) -> list[np.ndarray | None]:
        """The values of one output of a node."""
        return [d.get_tensor() for d in self._data(node_name, output_slot, debug_op)]

    def get_tensor_file_paths(self, node_name: str, output_slot: int, debug_op: str,
                              device_name: str | None = None) -> list[str]:
        """Their files."""
        return [d.file_path for d in self._data(node_name, output_slot, debug_op)]

    def get_rel_timestamps(self, node_name: str, output_slot: int, debug_op: str,
                           device_name: str | None = None) -> list[int]:
        """Their times in microseconds after the first value of the run."""
        return [d.timestamp - (self.t0 or 0) for d in self._data(node_name, output_slot, debug_op)]

    def get_dump_sizes_bytes(self, node_name: str, output_slot: int, debug_op: str,
                             device_name: str | None = None) -> list[int]:
        """The sizes of their files."""
        return [d.dump_size_bytes for d in self._data(node_name, output_slot, debug_op)]

    # ---- the graph -----------------------------------------------------------------------

    def devices(self) -> list[str]:
        """Names of the devices."""
        return list(self._graphs)

    def partition_graphs(self) -> list[Any]:
        """The GraphDefs as they were written, one for each device."""
        return list(self._graphs.values())

    def reconstructed_non_debug_partition_graphs(self) -> dict[str, Any]:
        """The GraphDefs by device, without what a debugger adds."""
        from tinyflow.formats.protos.graph_pb2 import GraphDef  # start-up time
        return {device: GraphDef(node=nodes.values()) for device, nodes in self._nodes.items()}

    def loaded_partition_graphs(self) -> bool:
        """True if there are graphs."""
        return bool(self._graphs)

    def nodes(self, device_name: str | None = None) -> list[str]:
        """Names of the nodes."""
        return [name for device, nodes in self._nodes.items()
                if device_name in (None, device) for name in nodes]

    def node_exists(self, node_name: str, device_name: str | None = None) -> bool:
        """True if there is a node of that name."""
        return node_name in self.nodes(device_name)

    def _node(self, name):
        for nodes in self._nodes.values():
            if name in nodes:
                return nodes[name]
        raise misuse(ValueError(f"Node '{name}' does not exist in partition graph(s)."
                                f'{nearest_keyword(name, self.nodes())}'))

    def node_op_type(self, node_name: str, device_name: str | None = None) -> str:
        """The op of a node."""
        return self._node(node_name).op

    def node_attributes(self, node_name: str, device_name: str | None = None) -> Any:
        """The attributes of a node, as in its NodeDef."""
        return self._node(node_name).attr

    def node_device(self, node_name: str) -> str:
        """The device of a node."""
        self._node(node_name)
        return next(d for d, nodes in self._nodes.items() if node_name in nodes)

    def node_inputs(self, node_name: str, is_control: bool = False,
                    device_name: str | None = None) -> list[str]:
        """Names of the nodes that a node uses, or (is_control) waits for."""
        return list(_inputs(self._node(node_name), is_control))

    def node_recipients(self, node_name: str, is_control: bool = False,
                        device_name: str | None = None) -> list[str]:
        """Names of the nodes that use a node, or (is_control) wait for it."""
        self._node(node_name)
        return [name for nodes in self._nodes.values() for name, node in nodes.items()
                if node_name in _inputs(node, is_control)]

    def transitive_inputs(self, node_name: str, include_control: bool = True,
                          include_reversed_ref: bool = False,
                          device_name: str | None = None) -> list[str]:
        """Names of all nodes on which a node depends, those farthest away first."""
        order: list[str] = []
        stack, seen = [(node_name, False)], set()
        while stack:
            name, left = stack.pop()
            if left:
                order.append(name)
            elif name not in seen and self.node_exists(name):
                seen.add(name)
                stack.append((name, True))
                node = self._node(name)
                stack += [(i, False) for i in [*_inputs(node, False),
                                               *(_inputs(node, True) if include_control else ())]]
        return order[:-1]

    # ---- with the Python graph -----------------------------------------------------------

    @property
    def python_graph(self) -> Any:
        """The tf.Graph of `set_python_graph`."""
        return self._python_graph

    def set_python_graph(self, python_graph: Any) -> None:
        """Tells which tf.Graph was run: then `node_traceback` works."""
        self._python_graph = python_graph

    def node_traceback(self, element_name: str) -> list:
        """Where the program made a node: [(file, line, function, text)]. LookupError without a
        graph."""
        if self._python_graph is None:
            raise misuse(LookupError('Python graph is not available for traceback lookup.\n  Hint: '
                                     'set_python_graph(sess.graph).'))
        return self._python_graph.get_operation_by_name(element_name.partition(':')[0]).traceback


def _device_of(folder: str) -> str:
    """'/job:localhost/replica:0/task:0/device:CPU:0' of '_tfdbg_device_,job_localhost,...'."""
    parts = [part.partition('_') for part in folder[len(_DEVICE):].split(',') if part]
    return ''.join(f'/{name}:{rest.replace("_", ":") if name == "device" else rest}'
                   for name, _, rest in parts)


def _plain_nodes(graph) -> dict[str, Any]:
    """The nodes of a GraphDef by name, without those that TensorFlow's debugger adds."""
    copied = {node.name: node.input[0] for node in graph.node if node.name.startswith('__copy_')}
    nodes = {}
    for node in graph.node:
        if node.name.startswith(_COPY):
            continue
        plain = type(node)()
        plain.CopyFrom(node)
        del plain.input[:]
        plain.input.extend([copied.get(i.partition(':')[0], i) for i in node.input
                            if not i.lstrip('^').startswith('__dbg_')])
        nodes[node.name] = plain
    return nodes


def _inputs(node, control: bool) -> Iterator[str]:
    for text in node.input:
        if text.startswith('^') == control:
            yield text.lstrip('^').partition(':')[0]
