"""The ops of iterators. A handle is a scalar array that holds the Session's iterator."""
from __future__ import annotations

from tinyflow.data.ops.dataset_ops import OF_ELEMENTS
from tinyflow.data.runtime.iterators import IteratorState, by_handle
from tinyflow.graph import shapes
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure


class _IteratorOp(Op, abstract=True):
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(*inputs):
        return ()


def _state_of(operation, shared):
    """The state of an iterator node; nodes with one shared_name share it."""
    name = operation.attrs['shared_name']
    state = shared.get(('iterator', name)) if name else None
    if state is None:
        state = IteratorState(name or operation.name)
        state.of_elements = _of_elements(operation.attrs)
        if name:
            shared['iterator', name] = state
    return state


def _of_elements(attrs):
    return attrs['output_types'], attrs['output_shapes']


class IteratorV2(_IteratorOp):
    """The Session's iterator of this node, not initialized until a MakeIterator runs."""

    signature = '-> handle: resource'
    attrs = {'shared_name': '', 'container': '', **OF_ELEMENTS}
    state = _state_of
    state_of_node = True

    def kernel(state):
        return boxed(state)


class OneShotIterator(_IteratorOp):
    """The Session's iterator of this node over the dataset that a function makes."""

    signature = '-> handle: resource'
    attrs = {'dataset_factory': REQUIRED, **OF_ELEMENTS, 'container': '', 'shared_name': ''}
    state = _state_of
    state_of_node = True
    functions = ('dataset_factory',)

    def kernel(state, factory):
        if state.make is None:
            state.make = lambda: factory()[0].item()
        return boxed(state)


class MakeIterator(_IteratorOp):
    """Starts a pass over a dataset."""

    signature = 'dataset: variant, iterator: resource ->'

    def kernel(dataset, iterator):
        iterator.item().start(dataset.item())
        return ()


class IteratorGetNext(_IteratorOp):
    """The next element; OutOfRangeError where there is none."""

    signature = 'iterator: resource -> components: [output_types]'
    attrs = OF_ELEMENTS

    def shape(iterator, *, output_shapes):
        return [s.raw for s in output_shapes]

    def kernel(iterator, *, output_shapes):
        element = iterator.item().take()
        for component, expected in zip(element, output_shapes, strict=True):
            if not shapes.compatible(component.shape, expected.raw):
                raise _other_shapes(element, output_shapes)
        return element


class IteratorGetNextSync(IteratorGetNext):
    """As IteratorGetNext; TensorFlow takes it on the calling thread."""

    attrs = OF_ELEMENTS


def _other_shapes(element, output_shapes):
    found = ', '.join(shapes.text(c.shape) for c in element)
    expected = ', '.join(shapes.text(s.raw) for s in output_shapes)
    return OpFailure(f'Incompatible shapes at element: expected {expected} but got {found}',
                     'the iterator was made for other shapes than this dataset has; set_shape() in '
                     'a map function defines shapes that cannot be inferred.')


class IteratorToStringHandle(_IteratorOp):
    """A name for the iterator, to feed to IteratorFromStringHandleV2."""

    signature = 'resource_handle: resource -> string_handle: string'

    def kernel(resource_handle):
        return boxed(resource_handle.item().handle)


class IteratorFromStringHandleV2(_IteratorOp):
    """The iterator of that name."""

    signature = 'string_handle: string -> resource_handle: resource'
    attrs = {'output_types': (), 'output_shapes': ()}

    def kernel(string_handle, *, output_types, output_shapes):
        state = by_handle(string_handle.item())
        types, made_shapes = state.of_elements
        if output_types and tuple(types) != tuple(output_types):
            raise OpFailure('Number of components or their types do not match: expected '
                            f'{_names(output_types)} but the iterator gives {_names(types)}',
                            'output_types of from_string_handle are those of the dataset.')
        if not all(shapes.compatible(a.raw, b.raw) for a, b in zip(made_shapes, output_shapes)):
            raise OpFailure('Incompatible shapes: expected '
                            f'{", ".join(shapes.text(s.raw) for s in output_shapes)} but the '
                            f'iterator gives {", ".join(shapes.text(s.raw) for s in made_shapes)}',
                            'output_shapes of from_string_handle are those of the dataset.')
        return boxed(state)


def _names(types):
    return ', '.join(t.name for t in types)


class SerializeIterator(_IteratorOp):
    """The position of the pass, in tinyflow's own byte format."""

    signature = 'resource_handle: resource -> serialized: variant'

    def kernel(resource_handle):
        return boxed(resource_handle.item().to_bytes())


class DeserializeIterator(_IteratorOp):
    """Restores the serialized position of the pass."""

    signature = 'resource_handle: resource, serialized: variant ->'

    def kernel(resource_handle, serialized):
        resource_handle.item().from_bytes(serialized.item())
        return ()
