"""The ops of datasets that call a function: map, filter, flat_map, interleave, scan, reduce ...

The function is an attribute, a FuncGraph; its captures are the node's last inputs, and are passed
to it after the components of the element. They are read when the dataset is created, so a
Variable has the value that it has when the iterator is initialised.
"""
from __future__ import annotations

import os

import numpy as np

from tinyflow.data.ops.dataset_ops import OF_ELEMENTS, DatasetOp, components_of, positive
from tinyflow.data.runtime import batching, grouping, mapping, nesting, prefetch, sources
from tinyflow.data.runtime.base import opened
from tinyflow.data.runtime.replay import Replayable
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import OpFailure
from tinyflow.ops.control_flow.function_nodes import functions_of


def with_captures(function, captured):
    """function(*arrays, *captured) as a function of the arrays."""
    if not captured:
        return function
    fixed = [np.array(value) for value in captured]
    return lambda *arrays: function(*arrays, *fixed)


def random_node(*graphs):
    """The name of a stateful node in these functions (e.g. random numbers), or None."""
    return next((operation.name for graph in graphs for operation in _random_operations(graph)),
                None)


def _random_operations(graph):
    """The random operations of a function, and of those inside it."""
    for operation in graph.get_operations():
        if operation.definition.state is not None and 'seed' in operation.attrs:
            yield operation
        for function in functions_of(operation):
            yield from _random_operations(function)


def _replayable(function, captured, graph):
    """A function that makes a dataset; restoring a pass over that calls it again."""
    called, operations = with_captures(function, captured), list(_random_operations(graph))
    if not operations:
        return called
    return Replayable(called, lambda: {f'{operation.graph.name}/{operation.name}':
                                       function.store.state(operation)
                                       for operation in operations})


def _made(source, *graphs):
    """The handle of a dataset that calls functions."""
    source.random = random_node(*graphs)
    return boxed(source)


class MapDataset(DatasetOp):
    """f(element) for each element."""

    signature = 'input_dataset: variant, other_arguments: [Targuments] -> handle: variant'
    attrs = {'f': REQUIRED, 'Targuments': (), **OF_ELEMENTS, 'use_inter_op_parallelism': True,
             'preserve_cardinality': False}
    functions = ('f',)

    def kernel(function, input_dataset, other_arguments, *, f):
        function = with_captures(function, other_arguments)
        return _made(mapping.Mapped(input_dataset.item(), function), f)


class ParallelMapDataset(DatasetOp):
    """f(element) for each element, several at a time."""

    signature = ('input_dataset: variant, other_arguments: [Targuments], '
                 'num_parallel_calls: int32 -> handle: variant')
    attrs = {'f': REQUIRED, 'Targuments': (), **OF_ELEMENTS, 'use_inter_op_parallelism': True,
             'sloppy': False, 'preserve_cardinality': False}
    static = {'num_parallel_calls': 0}
    functions = ('f',)

    def kernel(function, input_dataset, other_arguments, num_parallel_calls, *, f):
        _check_calls(num_parallel_calls)
        function = with_captures(function, other_arguments)
        return _made(_parallel(input_dataset.item(), function, num_parallel_calls, f), f)


def _check_calls(number):
    if number < 1 and number != -1:
        raise OpFailure('num_parallel_calls must be greater than zero.',
                        'tf.data.experimental.AUTOTUNE (-1) means one per core.')


def _parallel(source, function, calls, graph):
    """A parallel map; sequential if the function draws random numbers."""
    if random_node(graph):
        return mapping.Mapped(source, function)
    return prefetch.ParallelMapped(source, function, calls)


class MapAndBatchDataset(DatasetOp):
    """f(element) for each element, then batched."""

    signature = ('input_dataset: variant, other_arguments: [Targuments], batch_size: int64, '
                 'num_parallel_calls: int64, drop_remainder: bool -> handle: variant')
    attrs = {'f': REQUIRED, 'Targuments': (), **OF_ELEMENTS, 'preserve_cardinality': False}
    static = {'batch_size': 0, 'num_parallel_calls': 0, 'drop_remainder': 0}
    functions = ('f',)

    def kernel(function, input_dataset, other_arguments, batch_size, num_parallel_calls,
               drop_remainder, *, f):
        positive('batch_size', batch_size)
        _check_calls(num_parallel_calls)
        function = with_captures(function, other_arguments)
        mapped = _parallel(input_dataset.item(), function, num_parallel_calls, f)
        mapped.random = random_node(f)
        return boxed(batching.Batched(mapped, batch_size, drop_remainder))


class FilterDataset(DatasetOp):
    """The elements for which the predicate is true."""

    signature = 'input_dataset: variant, other_arguments: [Targuments] -> handle: variant'
    attrs = {'predicate': REQUIRED, 'Targuments': (), **OF_ELEMENTS}
    functions = ('predicate',)

    def kernel(function, input_dataset, other_arguments, *, predicate):
        function = with_captures(function, other_arguments)
        return _made(mapping.Filtered(input_dataset.item(), function), predicate)


class TakeWhileDataset(DatasetOp):
    """The elements before the first for which the predicate is false."""

    signature = 'input_dataset: variant, other_arguments: [Targuments] -> handle: variant'
    attrs = {'predicate': REQUIRED, 'Targuments': (), **OF_ELEMENTS}
    functions = ('predicate',)

    def kernel(function, input_dataset, other_arguments, *, predicate):
        function = with_captures(function, other_arguments)
        return _made(mapping.TakenWhile(input_dataset.item(), function), predicate)


class FlatMapDataset(DatasetOp):
    """The elements of the datasets f(element), one after the other."""

    signature = 'input_dataset: variant, other_arguments: [Targuments] -> handle: variant'
    attrs = {'f': REQUIRED, 'Targuments': (), **OF_ELEMENTS}
    functions = ('f',)

    def kernel(function, input_dataset, other_arguments, *, f):
        function = _replayable(function, other_arguments, f)
        return _made(nesting.Flat(input_dataset.item(), function), f)


def _interleaved(function, input_dataset, other_arguments, cycle_length, block_length, f):
    if cycle_length == -1:                  # tf.data.experimental.AUTOTUNE, in TensorFlow 2
        cycle_length = os.cpu_count() or 1
    function = _replayable(function, other_arguments, f)
    return _made(nesting.Interleaved(
        input_dataset.item(), function, positive('cycle_length', cycle_length),
        positive('block_length', block_length)), f)


class InterleaveDataset(DatasetOp):
    """Blocks taken in turn from the datasets f(element) of several elements."""

    signature = ('input_dataset: variant, other_arguments: [Targuments], cycle_length: int64, '
                 'block_length: int64 -> handle: variant')
    attrs = {'f': REQUIRED, 'Targuments': (), **OF_ELEMENTS}
    static = {'cycle_length': 0, 'block_length': 0}
    functions = ('f',)

    def kernel(function, input_dataset, other_arguments, cycle_length, block_length, *, f):
        return _interleaved(function, input_dataset, other_arguments, cycle_length, block_length,
                            f)


class ParallelInterleaveDatasetV2(DatasetOp):
    """As InterleaveDataset; TensorFlow reads the datasets on several threads."""

    signature = ('input_dataset: variant, other_arguments: [Targuments], cycle_length: int64, '
                 'block_length: int64, num_parallel_calls: int64 -> handle: variant')
    attrs = {'f': REQUIRED, 'Targuments': (), **OF_ELEMENTS, 'sloppy': False}
    static = {'cycle_length': 0, 'block_length': 0, 'num_parallel_calls': 0}
    functions = ('f',)

    def kernel(function, input_dataset, other_arguments, cycle_length, block_length,
               num_parallel_calls, *, f):
        _check_calls(num_parallel_calls)
        return _interleaved(function, input_dataset, other_arguments, cycle_length, block_length,
                            f)


class ParallelInterleaveDataset(DatasetOp):
    """As InterleaveDataset, with TensorFlow's older arguments."""

    signature = ('input_dataset: variant, other_arguments: [Targuments], cycle_length: int64, '
                 'block_length: int64, sloppy: bool, buffer_output_elements: int64, '
                 'prefetch_input_elements: int64 -> handle: variant')
    attrs = {'f': REQUIRED, 'Targuments': (), **OF_ELEMENTS}
    static = {'cycle_length': 0, 'block_length': 0, 'sloppy': 0, 'buffer_output_elements': 0,
              'prefetch_input_elements': 0}
    functions = ('f',)

    def kernel(function, input_dataset, other_arguments, cycle_length, block_length, sloppy,
               buffer_output_elements, prefetch_input_elements, *, f):
        return _interleaved(function, input_dataset, other_arguments, cycle_length, block_length,
                            f)


# ---- functions that carry a state, or several functions ---------------------------------

class _SeveralLists(Op, abstract=True):
    """An op with one dataset and several lists of inputs, which need not be equally long.

    The kernel gets all of them in the first list; the attributes define their lengths.
    """

    @classmethod
    def nest(cls, flat):
        return [flat[0], list(flat[1:])] + [[] for _ in cls.inputs[2:]]

    @classmethod
    def parted(cls, attrs, nested):
        """The inputs in the lists of the signature."""
        return [nested[0], *_parts(nested[1], *[attrs[arg.type] for arg in cls.inputs[1:]])]

    @classmethod
    def type_attrs(cls, operation):
        return {arg.type: operation.attrs[arg.type] for arg in cls.inputs[1:]}


def _parts(values, *types):
    """A list of inputs split according to the lists of types."""
    parts, start = [], 0
    for types_of_part in types:
        parts.append(values[start:start + len(types_of_part)])
        start += len(types_of_part)
    return parts


class ScanDataset(_SeveralLists, DatasetOp):
    """f(state, element) gives the next state and an element, for each element."""

    signature = ('input_dataset: variant, initial_state: [Tstate], other_arguments: [Targuments] '
                 '-> handle: variant')
    attrs = {'f': REQUIRED, 'Tstate': (), 'Targuments': (), **OF_ELEMENTS,
             'preserve_cardinality': False}
    functions = ('f',)

    def kernel(function, input_dataset, initial_state, other_arguments, *, f, Tstate, Targuments):  # noqa: N803
        initial, captured = _parts(initial_state, Tstate, Targuments)
        return _made(mapping.Scanned(input_dataset.item(), [i.copy() for i in initial],
                                     with_captures(function, captured)), f)


class ReduceDataset(_SeveralLists, Op):
    """The state that f(state, element) ends with, after all elements."""

    signature = ('input_dataset: variant, initial_state: [Tstate], other_arguments: [Targuments] '
                 '-> components: [output_types]')
    attrs = {'f': REQUIRED, 'Tstate': (), 'Targuments': (), **OF_ELEMENTS,
             'use_inter_op_parallelism': True}
    functions = ('f',)
    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE

    def shape(input_dataset, initial_state, other_arguments, *, output_shapes):
        return [s.raw for s in output_shapes]

    def kernel(function, input_dataset, initial_state, other_arguments, *, Tstate, Targuments):  # noqa: N803
        state, captured = _parts(initial_state, Tstate, Targuments)
        function = with_captures(function, captured)
        cursor = opened(input_dataset.item())
        try:
            for element in cursor:
                state = function(*state, *element)
        except errors.OutOfRangeError:
            pass                        # a function ends the pass by raising it
        finally:
            cursor.close()
        return [np.array(s) for s in state] if state is initial_state else components_of(state)


class GroupByWindowDataset(_SeveralLists, DatasetOp):
    """Elements of equal key, a window at a time, each window reduced to a dataset."""

    signature = ('input_dataset: variant, key_func_other_arguments: [Tkey_func_other_arguments], '
                 'reduce_func_other_arguments: [Treduce_func_other_arguments], '
                 'window_size_func_other_arguments: [Twindow_size_func_other_arguments] '
                 '-> handle: variant')
    attrs = {'key_func': REQUIRED, 'reduce_func': REQUIRED, 'window_size_func': REQUIRED,
             'Tkey_func_other_arguments': (), 'Treduce_func_other_arguments': (),
             'Twindow_size_func_other_arguments': (), **OF_ELEMENTS}
    functions = ('key_func', 'reduce_func', 'window_size_func')

    def kernel(key, reduce, size, input_dataset, captured, of_reduce, of_size, *, key_func,
               reduce_func, window_size_func, Tkey_func_other_arguments,              # noqa: N803
               Treduce_func_other_arguments, Twindow_size_func_other_arguments):      # noqa: N803
        parts = _parts(captured, Tkey_func_other_arguments, Treduce_func_other_arguments,
                       Twindow_size_func_other_arguments)
        return _made(grouping.Grouped(
            input_dataset.item(), with_captures(key, parts[0]),
            _replayable(reduce, parts[1], reduce_func), with_captures(size, parts[2])),
            key_func, reduce_func, window_size_func)


class GroupByReducerDataset(_SeveralLists, DatasetOp,
                            type='ExperimentalGroupByReducerDataset'):
    """One element per key: the reduced elements of that key."""

    signature = ('input_dataset: variant, key_func_other_arguments: [Tkey_func_other_arguments], '
                 'init_func_other_arguments: [Tinit_func_other_arguments], '
                 'reduce_func_other_arguments: [Treduce_func_other_arguments], '
                 'finalize_func_other_arguments: [Tfinalize_func_other_arguments] '
                 '-> handle: variant')
    attrs = {'key_func': REQUIRED, 'init_func': REQUIRED, 'reduce_func': REQUIRED,
             'finalize_func': REQUIRED, 'Tkey_func_other_arguments': (),
             'Tinit_func_other_arguments': (), 'Treduce_func_other_arguments': (),
             'Tfinalize_func_other_arguments': (), **OF_ELEMENTS}
    functions = ('key_func', 'init_func', 'reduce_func', 'finalize_func')

    def kernel(key, init, reduce, finalize, input_dataset, captured, of_init, of_reduce,
               of_finalize, *, key_func, init_func, reduce_func, finalize_func,
               Tkey_func_other_arguments, Tinit_func_other_arguments,                  # noqa: N803
               Treduce_func_other_arguments, Tfinalize_func_other_arguments):          # noqa: N803
        parts = _parts(captured, Tkey_func_other_arguments, Tinit_func_other_arguments,
                       Treduce_func_other_arguments, Tfinalize_func_other_arguments)
        called = [with_captures(f, part)
                  for f, part in zip((key, init, reduce, finalize), parts)]
        return _made(grouping.ReducedByKey(input_dataset.item(), *called), key_func, init_func,
                     reduce_func, finalize_func)


class GeneratorDataset(DatasetOp):
    """The values of a Python generator; its graph runs only in the process that built it.

    `_generator` is called with the inputs; `_convert(value, index)` converts a yielded value to
    arrays.
    """

    signature = 'init_func_other_args: [Tinit_func_args] -> handle: variant'
    attrs = {'Tinit_func_args': (), **OF_ELEMENTS, '_generator': REQUIRED, '_convert': REQUIRED}

    def kernel(arguments, *, _generator, _convert):
        given = [np.array(a)[()] for a in arguments]
        return boxed(sources.Generated(lambda: _generator(*given), _convert))
