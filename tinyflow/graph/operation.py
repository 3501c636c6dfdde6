"""Operation (a node) and Tensor (an output of a node): plain data.

User code never changes a node. The gradients of cond and while_loop append inputs and outputs to
their nodes, and the import of a GraphDef appends control inputs.

Nothing here computes. The Python operators of Tensor are installed by ops/math/operators.py: each
of them creates nodes, and so depends on the op declarations.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tinyflow.graph import node_errors, shapes
from tinyflow.graph.devices import canonical_name, colocation_groups
from tinyflow.graph.foreign_attributes import refuse
from tinyflow.graph.numpy_misuse import refuse_numpy
from tinyflow.graph.signature import Marker
from tinyflow.graph.source_location import Site
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support.not_copied import NotCopied
from tinyflow.graph.tensor_operators import TensorOperators

if TYPE_CHECKING:
    from tinyflow.graph.dtypes import DType
    from tinyflow.graph.graph import Graph
    from tinyflow.graph.op import Op
    Definition = type[Op]


# `writes` of If and While: which inputs they write to depends on their functions, and the node's
# attribute _writes lists them.
WRITES_OF_FUNCTIONS = Marker('WRITES_OF_FUNCTIONS')


@refuse_numpy
class Tensor(TensorOperators):
    """A symbolic output of an Operation, with a dtype and a (partial) static shape.

    User code may set additional attributes, as in TensorFlow; `__dict__` is created for the first
    of them.
    """

    __slots__ = ('op', 'value_index', 'dtype', 'raw_shape', '_consumers', '_static',
                 '__dict__', '__weakref__')
    __array_priority__ = 100        # array + tensor calls Tensor.__radd__, not NumPy's add

    op: Operation
    value_index: int
    dtype: DType
    raw_shape: shapes.Shape     # None, or a tuple of int and None; .shape wraps it
    _consumers: list[Operation] | None

    def __init__(self, op, value_index, dtype, raw_shape):
        self.op = op
        self.value_index = value_index
        self.dtype = dtype
        self.raw_shape = raw_shape
        self._consumers = None

    @property
    def name(self) -> str:
        return f'{self.op.name}:{self.value_index}'

    @property
    def graph(self):
        return self.op.graph

    @property
    def device(self) -> str:
        return self.op.device

    @property
    def shape(self) -> shapes.TensorShape:
        """The static shape, as far as it is known at graph construction."""
        shape = shapes.TensorShape()
        shape.raw = self.raw_shape
        return shape

    def get_shape(self) -> shapes.TensorShape:
        """Same as `.shape`."""
        return self.shape

    @property
    def shape_text(self) -> str:
        return shapes.text(self.raw_shape)

    def set_shape(self, shape) -> None:
        """Refines the static shape. Raises ValueError if it contradicts the known one."""
        try:
            self.raw_shape = shapes.merge(self.raw_shape, shapes.raw(shape))
        except ValueError as error:
            raise node_errors.shape_contradicts(self, error) from None

    def consumers(self) -> list[Operation]:
        """The Operations that take this tensor as an input."""
        return list(dict.fromkeys(self._consumers or ()))

    def eval(self, feed_dict=None, session=None):
        """Its value, from `session` or the default Session."""
        return session_for(session, self.graph, f"'{self.name}'.eval()").run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"

    def __str__(self):
        shape = '' if self.raw_shape is None else f', shape={self.shape}'
        return f'Tensor("{self.name}"{shape}, dtype={self.dtype.name})'

    # Compared by identity, as in TF1: `a == b` is True if both are the same tensor.
    __hash__ = object.__hash__

    def __bool__(self):
        raise node_errors.no_truth_value(self)

    def __len__(self):
        raise node_errors.no_len(self)

    def __array__(self, dtype=None, copy=None):
        raise node_errors.no_array(self)

    def __iter__(self):
        raise node_errors.not_iterable(self)

    def __float__(self):
        raise node_errors.no_number(self)

    __int__ = __index__ = __complex__ = __float__

    def _as_graph_element(self):
        return self


refuse(Tensor, ('assign', 'assign_add', 'assign_sub', 'count_up_to', 'initialized_value',
                'initializer', 'load', 'read_value', 'scatter_add', 'scatter_sub',
                'scatter_update'), node_errors.not_a_variable)


class Operation(NotCopied, instead='copy its name, for graph.get_operation_by_name(name).'):
    """A node: op type, inputs (Tensors), attributes, control inputs. Created by `Op.apply` only."""

    __slots__ = ('graph', 'name', 'type', 'definition', 'inputs', 'outputs', 'attrs',
                 'control_inputs', 'device', 'colocated_with', 'id', '_site', '_gradient_override',
                 '__weakref__')

    has_run = False             # True of an op that ran at once
    graph: Graph
    definition: Definition
    type: str
    name: str
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    attrs: dict[str, Any]
    control_inputs: tuple[Operation, ...]
    device: str
    colocated_with: tuple[str, ...]     # names of nodes on whose device it is
    id: int                     # position in the graph's order of creation, from 1
    _site: tuple | None
    _gradient_override: str | None

    def __init__(self, graph, definition, name, inputs, attrs, control_inputs, site):
        self.graph = graph
        self.definition = definition
        self.type = definition.type
        self.name = name
        self.inputs = inputs
        self.attrs = attrs
        self.control_inputs = control_inputs
        self.device = ''
        self.colocated_with = ()
        self._site = site
        self._gradient_override = None
        self.outputs = ()

    @property
    def site(self) -> Site | None:
        """The line of the user's program that created this node."""
        return self._site and Site(*self._site)

    @property
    def traceback(self):
        """The same line in TF1's form: [(file, line, function, source)]."""
        site = self.site
        return [(site.file, site.line, site.code.co_name, site.source)] if site else []

    @property
    def writes(self) -> tuple[int, ...]:
        """Positions of the inputs (references to Variables) that running this node modifies."""
        written = self.definition.writes
        return self.attrs['_writes'] if written is WRITES_OF_FUNCTIONS else written

    def colocation_groups(self):
        """The groups of nodes that share a device, as [b'loc:@name']; by default its own name."""
        return colocation_groups(self)

    def _set_device(self, device):
        self.device = canonical_name(device)

    @property
    def op_def(self):
        """The op's declaration."""
        return self.definition

    @property
    def _id(self):
        return self.id

    def get_attr(self, name):
        """The value of an attribute. Raises ValueError if the op has no attribute of that name."""
        if name in self.attrs:
            return self.attrs[name]
        if name == '_class' and self.colocated_with:
            return colocation_groups(self)
        types = self.definition.type_attrs(self)
        if name in types:
            return types[name]
        raise node_errors.no_attribute(self, name, {*self.attrs, *types})

    def values(self):
        return tuple(self.outputs)

    def run(self, feed_dict=None, session=None):
        """Runs this operation in `session` or the default Session."""
        session_for(session, self.graph, f"'{self.name}'.run()").run(self, feed_dict)

    def __repr__(self):
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __str__(self):
        inputs = ', '.join([t.name for t in self.inputs]
                           + ['^' + c.name for c in self.control_inputs])
        outputs = ', '.join(f'{t.dtype.name} {t.shape_text}' for t in self.outputs)
        made = f'   made at {self.site}' if self._site else ''
        return f"{self.type} '{self.name}' ({inputs}) -> ({outputs}){made}"

    def _as_graph_element(self):
        return None             # an Operation is not a tensor


refuse(Operation, ('eval',), node_errors.not_a_tensor)
