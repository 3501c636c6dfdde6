"""Graph: the list of nodes, their names, and the scopes that are open while nodes are added.

Programs only add nodes, in a deterministic order: running the same program again builds the same
graph. The default graph is in graph/defaults.py.
"""
from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tinyflow.graph import graph_errors
from tinyflow.graph.control_flow_names import encloses, operation_inside, tensor_inside
from tinyflow.graph.devices import ANYWHERE, DeviceScopes, PlacedBy
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.source_location import Site, here
from tinyflow.graph.stacks import stacks
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.not_copied import NotCopied

_VALID_ROOT_NAME = re.compile(r'[A-Za-z0-9.][A-Za-z0-9_.\-/]*\Z')
_VALID_INNER_NAME = re.compile(r'[A-Za-z0-9_.\-/]*\Z')
_graph_numbers = itertools.count(1)


class _Controller:
    """An open `with control_dependencies(...)` block: its control inputs and the nodes inside."""

    __slots__ = ('waits_for', 'inside')

    def __init__(self, waits_for):
        self.waits_for = waits_for
        self.inside = set()


class Graph(NotCopied, instead=(
        'graph.as_graph_def() can be copied; tf.import_graph_def makes a graph of it.')):
    """A dataflow graph: operations in order of creation, with TF's naming and scoping rules."""

    def __init__(self):
        self.number = next(_graph_numbers)                # "graph 2" in messages
        self._site = here(2)            # where the program made it, 2 frames up
        self._operations: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._names_in_use: dict[str, int] = {}
        self._name_stack = ''
        self._scope_sites: dict[str, tuple] = {}    # scope -> (requested name, where it was opened)
        self._collections: dict[object, list] = {}
        self._controllers: list[_Controller] = []
        self._device_scopes: DeviceScopes | None = None    # None: all nodes go anywhere
        self._gradient_overrides: dict[str, str] = {}
        self._finalized_by = None
        self._last_id = 0
        self._lock = threading.RLock()
        self.seed = None
        self.seed_by_name = False
        # Data that other packages attach to this graph; each uses a separate key.
        self.annotations: dict[str, Any] = {}
        self.node_observers: list[Callable[[Operation], None]] = []     # called with each new node

    if TYPE_CHECKING:           # formats/graphdef/methods.py installs them
        def as_graph_def(self, from_version: int | None = None,
                         add_shapes: bool = False) -> Any: ...

        @property
        def graph_def_versions(self) -> Any: ...

    # ---- functions: FuncGraph overrides these ----------------------------------------------

    outer_graph = None          # the enclosing graph
    side_effects = None         # the order of nodes that act, inside of a tf.function
    scope = ''                  # the scope of the cond or loop that the function belongs to
    runs_at_once = False        # True of the graph of eager execution
    builds_models = False       # True of the graph of Keras' models meanwhile

    def takes_from(self, graph: Graph) -> bool:
        """True if nodes of this graph may use tensors of `graph`."""
        return graph is self

    # ---- nodes ---------------------------------------------------------------------------

    @property
    def version(self) -> int:
        """The number of nodes created so far."""
        return self._last_id

    def add(self, operation: Operation) -> None:
        """Appends a node; only `make_node` calls this. Raises RuntimeError once finalized."""
        if self._finalized_by is not None:
            raise graph_errors.is_finalized(self, operation)
        self._last_id += 1
        operation.id = self._last_id
        self._operations.append(operation)
        self._by_name[operation.name] = operation
        for controller in self._controllers:
            controller.inside.add(operation)
        for observe in self.node_observers:
            observe(operation)

    def get_operations(self) -> list[Operation]:
        """All operations in order of creation."""
        return list(self._operations)

    def finalize(self) -> None:
        """Makes the graph read-only: adding a node afterwards raises RuntimeError."""
        self._finalized_by = here(2)

    def _unsafe_unfinalize(self) -> None:
        self._finalized_by = None

    @property
    def finalized(self) -> bool:
        return self._finalized_by is not None

    def as_graph_element(self, obj, allow_tensor=True, allow_operation=True):
        """Converts `obj`, a node, its name or e.g. a Variable, to the Tensor or Operation it means.

        Raises ValueError for a node of another graph, KeyError for an unknown name, TypeError for
        anything else.
        """
        if isinstance(obj, str):
            return self._by_text(obj, allow_tensor, allow_operation)
        element = obj
        if not isinstance(obj, (Tensor, Operation)):
            convert = getattr(obj, '_as_graph_element', None)
            element = convert() if convert else None
        if isinstance(element, Tensor) and allow_tensor:
            self._check_own(element, element.op)
            return element
        if isinstance(element, Operation) and allow_operation:
            self._check_own(element, element)
            return element
        wanted = ' or '.join(['Tensor'] * allow_tensor + ['Operation'] * allow_operation)
        raise misuse(TypeError(f'Can not convert a {type(obj).__name__} into a {wanted}.'))

    def _check_own(self, element, operation):
        if operation.graph is not self:
            raise graph_errors.of_another_graph(self, element, operation)

    def _by_text(self, name, allow_tensor, allow_operation):
        node, colon, index = name.rpartition(':')
        if colon and allow_tensor:
            if not index.isdigit():
                raise graph_errors.no_output_number(name)
            operation = self._by_name.get(node)
            if operation is None:
                inside = tensor_inside(self, node, int(index))
                if inside is not None:
                    return inside
                raise graph_errors.no_such_node(self, 'Tensor', name, node)
            if int(index) >= len(operation.outputs):
                raise graph_errors.no_such_output(name, operation)
            return operation.outputs[int(index)]
        if colon:
            raise graph_errors.not_an_operation_name(name, node)
        if not allow_operation:
            raise graph_errors.not_a_tensor_name(name)
        operation = self._by_name.get(name) or operation_inside(self, name)
        if operation is None:
            raise graph_errors.no_such_node(self, 'Operation', name, name)
        return operation

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation of that name. KeyError if there is none."""
        if not isinstance(name, str):
            raise misuse(TypeError(f'Operation names are strings, not {type(name).__name__}.'))
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor of that name, such as 'dense/MatMul:0'. KeyError if there is none."""
        if not isinstance(name, str):
            raise misuse(TypeError(f'Tensor names are strings, not {type(name).__name__}.'))
        return self.as_graph_element(name, allow_operation=False)

    def is_feedable(self, tensor) -> bool:
        return self.is_fetchable(tensor)

    def is_fetchable(self, tensor) -> bool:
        """True of what is not inside a tf.cond or a tf.while_loop."""
        operation = getattr(tensor, 'op', tensor)
        return not (operation.graph is not self and encloses(self, operation))

    # ---- names ---------------------------------------------------------------------------

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` inside the open scopes, with _1, _2 ... appended if it is already in use.

        Names that differ only in case count as equal, as in TF: some file systems ignore case.
        """
        if self._name_stack:
            name = f'{self._name_stack}/{name}'
        key = name.lower()
        in_use = self._names_in_use
        taken = in_use.get(key, 0)
        if mark_as_used:
            in_use[key] = taken + 1
        if taken:
            base, candidate = key, key
            while candidate in in_use:
                candidate = f'{base}_{taken}'
                taken += 1
            if mark_as_used:
                in_use[candidate] = 1
            name = f'{name}_{taken - 1}'
        return name

    def _check_name(self, name):
        pattern = _VALID_INNER_NAME if self._name_stack else _VALID_ROOT_NAME
        if not pattern.match(name):
            raise graph_errors.not_a_scope_name(name)

    @contextmanager
    def name_scope(self, name):
        """Prefixes the names of new nodes; yields the scope's full name with a trailing '/'.

        A name ending in '/' re-enters an existing scope; None or '' returns to the root scope.
        """
        if name:
            check_is_string(name)
            if name[-1] != '/':
                self._check_name(name)
        outer = self._name_stack
        try:                # opening is inside the try: Ctrl-C may arrive at any line
            if not name:
                self._name_stack = ''
            elif name[-1] == '/':
                self._name_stack = name[:-1]
            else:
                self._name_stack = self.unique_name(name)
                self._scope_sites[self._name_stack] = name, here(3)
            yield self._name_stack and self._name_stack + '/'
        finally:
            self._name_stack = outer

    def get_name_scope(self) -> str:
        """The full name of the open scope, without a trailing '/'."""
        return self._name_stack

    # ---- collections ---------------------------------------------------------------------

    def add_to_collection(self, name, value) -> None:
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names, value) -> None:
        for name in ({names} if isinstance(names, str) else dict.fromkeys(names)):
            self.add_to_collection(name, value)

    def get_collection(self, name, scope=None) -> list:
        """A copy of the collection; `scope`, a regex, selects items by name."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        match = re.compile(scope).match
        return [item for item in items if hasattr(item, 'name') and match(item.name)]

    def get_collection_ref(self, name) -> list:
        """The collection itself, not a copy: changes to the list change the collection."""
        return self._collections.setdefault(name, [])

    def get_all_collection_keys(self) -> list:
        return [key for key in self._collections if isinstance(key, str)]

    @property
    def collections(self) -> list:
        return list(self._collections)

    def clear_collection(self, name) -> None:
        self._collections.pop(name, None)

    # ---- scopes that affect new nodes ----------------------------------------------------

    @contextmanager
    def as_default(self):
        """Makes this the default graph of the current thread inside the `with` block."""
        stack = stacks.graphs
        stack.append(self)
        try:
            yield self
        finally:
            if stack and stack[-1] is not self:     # empty: TestCase.setUp has left them all
                raise misuse(RuntimeError('`Graph.as_default()` blocks must be exited in the '
                                          'reverse order of entering them.'))
            del stack[-1:]

    @contextmanager
    def control_dependencies(self, control_inputs):
        """Nodes created inside run after `control_inputs`; None clears the outer dependencies."""
        if control_inputs is None:
            outer, self._controllers = self._controllers, []
            try:
                yield
            finally:
                self._controllers = outer
            return
        if not isinstance(control_inputs, Iterable):
            raise misuse(TypeError(
                f'control_dependencies takes a list of operations and tensors, not '
                f'{control_inputs!r}.\n  Hint: [...] around it.'))
        waits_for = []
        for item in control_inputs:
            item = getattr(item, 'values_for_control', item)    # of a resource variable: no read
            element = self.as_graph_element(item)
            operation = element.op if isinstance(element, Tensor) else element
            if operation not in waits_for:
                waits_for.append(operation)
        controller = _Controller(waits_for)
        self._controllers.append(controller)
        try:
            yield
        finally:
            self._controllers.remove(controller)

    def control_inputs_for(self, inputs) -> tuple:
        """The control inputs of a new node with these input tensors, from the open scopes.

        A scope adds nothing if one of the inputs was created inside it: that input has waited.
        """
        producers = {t.op for t in inputs}
        waits = []
        for controller in self._controllers:
            if producers.isdisjoint(controller.inside):
                waits += [c for c in controller.waits_for if c not in producers]
        return tuple(dict.fromkeys(waits))

    def device(self, device_name_or_function):
        """Places nodes made inside on a device: a string, DeviceSpec, or function of the Operation.

        Its parts that are left out come from the scopes around it; None ignores those.
        """
        return PlacedBy(self, (self._device_scopes or ANYWHERE).on(device_name_or_function))

    def initial_value_of(self, name):
        """For the nodes that compute the initial value of a Variable that is not made yet."""
        return PlacedBy(self, (self._device_scopes or ANYWHERE).for_initial_value(name))

    def colocate_with(self, op, ignore_existing=False):
        """Places nodes made inside where `op` is; with `ignore_existing`, not with others too."""
        if op is None and not ignore_existing:
            raise misuse(ValueError('Trying to reset colocation (op is None) but '
                                    'ignore_existing is not True'))
        if op is not None and not isinstance(op, Operation):
            op = op.op              # of a Tensor or Variable
        return PlacedBy(self, (self._device_scopes or ANYWHERE).with_operation(op, ignore_existing))

    @contextmanager
    def gradient_override_map(self, op_type_map):
        """Nodes of type `key` created inside use the gradient registered as `value`."""
        outer = self._gradient_overrides
        self._gradient_overrides = {**outer, **op_type_map}
        try:
            yield
        finally:
            self._gradient_overrides = outer

    def prevent_feeding(self, tensor):
        """Accepted for TF1 programs; no effect, every tensor stays feedable."""

    def __str__(self):
        made = f', made at {Site(*self._site)}' if self._site else ''
        count = len(self._operations)
        nodes = '1 node' if count == 1 else f'{count} nodes'
        return f'graph {self.number} ({nodes}{made})'

    def __repr__(self):
        return f'<tf.Graph {self.number}: {len(self._operations)} nodes>'


def check_is_string(name):
    """Raises TypeError if the name of a node or scope is not a string."""
    if not isinstance(name, str):
        raise misuse(TypeError(f'A name must be a string, not {name!r}.'))
