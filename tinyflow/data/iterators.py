"""Iterators: feed the elements of a dataset into the graph, one per run."""
from __future__ import annotations

import contextlib
import warnings
from typing import Any

from tinyflow.data import structure
from tinyflow.data.element_spec import OfElements
from tinyflow.data.errors import refused
from tinyflow.data.function_graphs import as_values, function_name
from tinyflow.data.iterator_saveable import IteratorSaveable
from tinyflow.data.ops import iterator_ops as ops, option_ops
from tinyflow.data.options import Options
from tinyflow.data.runtime.shuffling import as_made
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import colocate_with, device, get_default_graph, name_scope
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import nodes
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support.errors import (
    OutOfRangeError,
    TinyflowWarning,
    misuse,
    report,
    why,
)
from tinyflow.graph.support.v1_v2_switches import v2_enabled

GLOBAL_ITERATORS = 'iterators'
_MANY = 32              # calls of get_next on one iterator, after which it warns

_WHY_NOT_ONE_SHOT = (
    'Failed to create a one-shot iterator for a dataset. `Dataset.make_one_shot_iterator()` does '
    'not support datasets that capture stateful objects, such as a `Variable` or `LookupTable`. '
    'In these cases, use `Dataset.make_initializable_iterator()`. (Original error: Cannot capture '
    'a stateful node (name:{name}, type:{type}) by value.)')


class Iterator(OfElements):
    """One pass at a time over a dataset; each run of `get_next()` returns the next element."""

    def __init__(self, iterator_resource: Tensor, initializer: Operation | None,
                 output_types: Any, output_shapes: Any, output_classes: Any) -> None:
        self._iterator_resource = iterator_resource
        self._initializer = initializer
        self._spec = structure.from_legacy(output_types, output_shapes, output_classes)
        self._string_handle = ops.IteratorToStringHandle.apply(iterator_resource)
        self._calls = 0
        iterator_resource.op.graph.add_to_collection(GLOBAL_ITERATORS, iterator_resource)

    @staticmethod
    def from_structure(output_types: Any, output_shapes: Any = None,
                       shared_name: str | None = None, output_classes: Any = None) -> Iterator:
        """An iterator for any dataset of this structure; see make_initializer."""
        spec = structure.from_legacy(output_types, output_shapes, output_classes)
        with _on_cpu_unless_placed():
            resource = ops.IteratorV2.apply(shared_name=shared_name or '',
                                            **structure.of_elements(spec))
        return _iterator(resource, None, spec)

    @staticmethod
    def from_string_handle(string_handle: Any, output_types: Any, output_shapes: Any = None,
                           output_classes: Any = None) -> Iterator:
        """The iterator whose handle is fed; see string_handle."""
        spec = structure.from_legacy(output_types, output_shapes, output_classes)
        handle = convert_to_tensor(string_handle, dtypes.string)
        with _on_cpu_unless_placed():
            resource = ops.IteratorFromStringHandleV2.apply(handle, **structure.of_elements(spec))
        return _iterator(resource, None, spec)

    @property
    def initializer(self) -> Operation:
        """The Operation that starts a pass."""
        if self._initializer is None:
            raise refused(ValueError(
                'Iterator does not have an initializer.\n  Hint: a one-shot iterator needs none; '
                'one made by from_structure is started by make_initializer(dataset).'))
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """An Operation that starts a pass over `dataset`.

        TypeError if its elements are not of this iterator's structure, dtypes and shapes.
        """
        with name_scope(name, 'make_initializer') as scope:
            self._check_fits(dataset)
            with colocate_with(self._iterator_resource):
                return ops.MakeIterator.apply(dataset._variant_tensor, self._iterator_resource,
                                              name=scope)

    def _check_fits(self, dataset: Any) -> None:
        mine, theirs = self._spec, dataset.element_spec
        types = structure.legacy_types(mine), structure.legacy_types(theirs)
        if not structure.same_structure(mine, theirs) or types[0] != types[1]:
            raise refused(TypeError(f'Expected output types {types[0]!r} but got dataset with '
                                    f'output types {types[1]!r}.'))
        if not structure.compatible(mine, theirs):
            raise refused(TypeError(
                f'Expected output shapes compatible with {structure.legacy_shapes(mine)!r} but '
                f'got dataset with output shapes {structure.legacy_shapes(theirs)!r}.\n  Hint: '
                'None in from_structure\'s output_shapes for sizes that differ.'))

    def get_next(self, name: str | None = None) -> Any:
        """The tensors of the next element, in its structure. Make them once and run them often.

        A run raises tf.errors.OutOfRangeError after the last element, FailedPreconditionError
        before the iterator is initialized.
        """
        self._calls += 1
        if self._calls == _MANY + 1:
            warnings.warn(
                f'[repeated-get-next] get_next() of one iterator was called more than {_MANY} '
                'times. Each call makes new nodes, and every run is compiled again.\n  Hint: '
                'call get_next() once, before the loop, and sess.run() what it returned.'
                + why('repeated-get-next'),
                TinyflowWarning, stacklevel=2)
        outputs = ops.IteratorGetNext.apply(self._iterator_resource, name=name,
                                            **structure.of_elements(self._spec))
        return as_values(self._spec, outputs)

    def string_handle(self, name: str | None = None) -> Tensor:
        """A string handle of this iterator; run it and feed it to an iterator
        made by from_string_handle."""
        if name is None:
            return self._string_handle
        return ops.IteratorToStringHandle.apply(self._iterator_resource, name=name)

    def _gather_saveables_for_checkpoint(self) -> dict[str, Any]:
        """For tf.train.Checkpoint: the position of the pass."""
        return {'ITERATOR': lambda name: IteratorSaveable(self._iterator_resource, name)}


def _on_cpu_unless_placed() -> Any:
    """A scope of the CPU, if no scope of a device is open."""
    scopes = get_default_graph()._device_scopes
    return contextlib.nullcontext() if scopes and scopes.devices else device('/cpu:0')


def _iterator(resource: Tensor, initializer: Operation | None, spec: Any) -> Iterator:
    return Iterator(resource, initializer, structure.legacy_types(spec),
                    structure.legacy_shapes(spec), structure.legacy_classes(spec))


# ---- out of datasets ---------------------------------------------------------------------

def with_settings(dataset: Any, variant: Tensor) -> Tensor:
    """The dataset of `variant`, rewritten according to its options."""
    options = dataset.options()
    attrs = structure.of_elements(dataset.element_spec)
    threading = options.experimental_threading
    if threading.max_intra_op_parallelism is not None:
        limit = convert_to_tensor(threading.max_intra_op_parallelism, dtypes.int64,
                                  'max_intra_op_parallelism')
        variant = option_ops.MaxIntraOpParallelismDataset.apply(variant, limit, **attrs)
    if threading.private_threadpool_size is not None:
        size = convert_to_tensor(threading.private_threadpool_size, dtypes.int64, 'num_threads')
        variant = option_ops.PrivateThreadPoolDataset.apply(variant, size, **attrs)
    return _optimized(options, variant, attrs, _captures_variable(dataset))


def _captures_variable(dataset: Any) -> bool:
    """True if a function of a chain of datasets uses a Variable with a reference for its handle.

    TensorFlow leaves such a chain as it is.
    """
    left = [t for source in dataset._all_inputs() for f in source._functions for t in f.captured]
    seen = set()
    while left:
        tensor = left.pop()
        if tensor.dtype.is_ref:
            return True
        if tensor.op not in seen:
            seen.add(tensor.op)
            left += tensor.op.inputs
    return False


def _optimized(options: Options, variant: Tensor, attrs: dict, as_it_is: bool) -> Tensor:
    chosen = options.experimental_optimization.chosen()
    if chosen and not as_it_is:
        names = convert_to_tensor(chosen, dtypes.string, 'optimizations')
        variant = option_ops.OptimizeDataset.apply(
            variant, names, optimization_configs=('map_vectorization:use_choose_fastest:false',),
            **attrs)
    if options.experimental_optimization.autotune is not False:
        variant = option_ops.ModelDataset.apply(variant, **attrs)
    return variant


class EagerIterator(Iterator):
    """A pass over a dataset while ops run at once: an iterator of Python's."""

    def __init__(self, dataset: Any) -> None:
        spec = dataset.element_spec
        resource = ops.IteratorV2.apply(**structure.of_elements(spec))
        super().__init__(resource, None, structure.legacy_types(spec),
                         structure.legacy_shapes(spec), structure.legacy_classes(spec))
        self._spec = spec
        self._dataset = dataset         # while this iterator is in use
        variant: Any = with_settings(dataset, dataset._variant_tensor)
        if not v2_enabled():            # in TensorFlow 1 each pass begins with the same seeds
            variant = nodes.Const(value=boxed(as_made(variant.array.item())),
                                  dtype=dtypes.variant)
        ops.MakeIterator.apply(variant, resource)

    def get_next(self, name: str | None = None) -> Any:
        """The next element. OutOfRangeError after the last."""
        self._calls = 0                 # no node is made
        return super().get_next(name)

    def __iter__(self) -> EagerIterator:
        return self

    def __next__(self) -> Any:
        try:
            return self.get_next()
        except OutOfRangeError:
            raise StopIteration from None

    next = __next__


def initializable(dataset: Any, shared_name: str | None = None) -> Iterator:
    """An iterator whose `initializer` must be run before each pass."""
    graph = dataset._variant_tensor.op.graph
    if graph is not get_default_graph():
        raise refused(ValueError(
            f'The dataset was made in {graph}, and the iterator would be in '
            f'{get_default_graph()}.\n  Hint: make both inside one `with graph.as_default():`.'))
    variant = with_settings(dataset, dataset._variant_tensor)
    spec = dataset.element_spec
    resource = ops.IteratorV2.apply(shared_name=shared_name or '', **structure.of_elements(spec))
    with colocate_with(resource):
        initializer = ops.MakeIterator.apply(variant, resource)
    return _iterator(resource, initializer, spec)


def one_shot(dataset: Any) -> Iterator:
    """An iterator that needs no initializer and makes one pass.

    The chain of datasets is copied into a function; ValueError if it depends on a placeholder
    or a Variable.
    """
    factory = FuncGraph(function_name('make_dataset'))
    with factory.as_default():
        variant = _Copy(factory).tensor(dataset._variant_tensor)
        factory.outputs = [with_settings(dataset, variant)]
    spec = dataset.element_spec
    resource = ops.OneShotIterator.apply(dataset_factory=factory, **structure.of_elements(spec))
    return _iterator(resource, None, spec)


class _Copy:
    """Copies of nodes, and of all their inputs, in another graph."""

    def __init__(self, graph: FuncGraph) -> None:
        self.graph = graph
        self.made: dict[Operation, Operation] = {}

    def tensor(self, tensor: Tensor) -> Tensor:
        for operation in self._needed(tensor.op):
            self._copy(operation)
        return self.made[tensor.op].outputs[tensor.value_index]

    def _needed(self, last: Operation) -> list[Operation]:
        """`last` and its inputs, in order of creation; no control inputs from outside."""
        found, left = {last}, [last]
        while left:
            operation = left.pop()
            needed = {t.op for t in operation.inputs}
            left += needed - found
            found |= needed
        return sorted(found, key=lambda operation: operation.id)

    def _copy(self, operation: Operation) -> None:
        self._check(operation)
        attrs = {k: v for k, v in operation.attrs.items()
                 if k in operation.definition.attrs}
        flat = [self.made[t.op].outputs[t.value_index] for t in operation.inputs]
        nested = operation.definition.nest(flat) if operation.definition.has_lists else flat
        copy = operation.definition.make(self._parted(operation, nested), attrs,
                                         operation.name.rpartition('/')[2])
        copy._site = operation._site
        self.made[operation] = copy

    def _parted(self, operation: Operation, nested: list) -> list:
        """The inputs as arguments of `make`, for an op whose lists differ in length."""
        definition = operation.definition
        parted = getattr(definition, 'parted', None)
        return nested if parted is None else parted(operation.attrs, nested)

    def _check(self, operation: Operation) -> None:
        if operation.type in ('Placeholder', 'PlaceholderWithDefault'):
            raise misuse(ValueError(report(
                f'Cannot capture a placeholder (name:{operation.name}, type:{operation.type}) by '
                'value.', op=operation,
                hint='make_initializable_iterator(), and sess.run(iterator.initializer, '
                     'feed_dict={...}) feeds it.')))
        if operation.outputs and (operation.outputs[0].dtype.is_ref
                                  or operation.outputs[0].dtype is dtypes.resource):
            raise misuse(ValueError(report(
                _WHY_NOT_ONE_SHOT.format(name=operation.name, type=operation.type), op=operation,
                hint='it = dataset.make_initializable_iterator(), and sess.run(it.initializer) '
                     'after the variables are initialized.')))
