"""Queue-based input pipelines: string_input_producer, batch, shuffle_batch and similar functions.

Every function here makes a queue, adds a QueueRunner that fills it to the graph's collection, and
a summary of its fill level. tf.train.start_queue_runners(sess) starts the threads.
"""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import control_dependencies, name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.indexed_slices import convert_to_tensor_or_indexed_slices
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.shapes import as_shape
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, indexing
from tinyflow.ops.checks import assertions
from tinyflow.ops.control_flow import cond, grouping
from tinyflow.ops.files import file_ops
from tinyflow.ops.math import arithmetic, logic
from tinyflow.ops.queues.queues import FIFOQueue, PaddingFIFOQueue, RandomShuffleQueue
from tinyflow.ops.random import random_functions
from tinyflow.ops.summary import summaries
from tinyflow.ops.variables import variable_ops
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.queues.queue_running import QueueRunner, add_queue_runner

__all__ = [
    'batch', 'batch_join', 'input_producer', 'limit_epochs', 'match_filenames_once', 'maybe_batch',
    'maybe_batch_join', 'maybe_shuffle_batch', 'maybe_shuffle_batch_join', 'range_input_producer',
    'shuffle_batch', 'shuffle_batch_join', 'slice_input_producer', 'string_input_producer',
]


# ---- producers: the start of a pipeline -------------------------------------------------------

def match_filenames_once(pattern, name=None):
    """A local Variable with the names of the files that match `pattern` when it is initialised.

    Shapes: pattern [] or [patterns] -> [files]. tf.local_variables_initializer() looks them up.
    """
    with name_scope(name, 'matching_filenames', [pattern]) as scope:
        return Variable(file_ops.matching_files(pattern), name=scope, trainable=False,
                        validate_shape=False, collections=[GraphKeys.LOCAL_VARIABLES])


def limit_epochs(tensor, num_epochs=None, name=None):
    """`tensor`, which can be computed `num_epochs` times; then OutOfRangeError is raised.

    Shapes: tensor [*a] -> [*a]. The count is a local Variable: tf.local_variables_initializer().
    """
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise misuse(ValueError(f'num_epochs must be > 0 not {num_epochs}.'))
    with name_scope(name, 'limit_epochs', [tensor]) as scope:
        zero = constants.constant(0, dtypes.int64)
        epochs = Variable(zero, name='epochs', trainable=False,
                          collections=[GraphKeys.LOCAL_VARIABLES])
        with control_dependencies([variable_ops.count_up_to(epochs, num_epochs)]):
            return constants.identity(tensor, name=scope)


def input_producer(input_tensor, element_shape=None, num_epochs=None, shuffle=True, seed=None,
                   capacity=32, shared_name=None, summary_name=None, name=None, cancel_op=None):
    """A FIFOQueue of the rows of `input_tensor`, epoch after epoch, each in a new random order.

    Shapes: input_tensor [rows, *element_shape]; elements of the queue: element_shape.
    ValueError if that shape is not known.
    """
    _in_graphs_only()
    with name_scope(name, 'input_producer', [input_tensor]):
        input_tensor = convert_to_tensor(input_tensor, name='input_tensor')
        shape = input_tensor.shape[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise misuse(ValueError(report(
                'Either `input_tensor` must have a fully defined shape or `element_shape` must be '
                'specified', inputs=[('input_tensor', input_tensor)])))
        if shuffle:
            input_tensor = random_functions.random_shuffle(input_tensor, seed=seed)
        input_tensor = limit_epochs(input_tensor, num_epochs)
        queue = FIFOQueue(capacity, [input_tensor.dtype.base_dtype], [shape],
                          shared_name=shared_name, name=name)
        add_queue_runner(QueueRunner(queue, [queue.enqueue_many([input_tensor])],
                                     cancel_op=cancel_op))
        if summary_name is not None:
            _summarize(summary_name, queue.size(), capacity)
        return queue


def string_input_producer(string_tensor, num_epochs=None, shuffle=True, seed=None, capacity=32,
                          shared_name=None, name=None, cancel_op=None):
    """A queue of strings, such as names of files, for a reader.

    Shapes: string_tensor [strings]; elements of the queue []. ValueError for an empty list,
    InvalidArgumentError for a tensor that turns out empty. `num_epochs` makes a local Variable.
    """
    problem = 'string_input_producer requires a non-null input tensor'
    if not isinstance(string_tensor, Tensor) and not hasattr(string_tensor, '_as_graph_element') \
            and len(string_tensor) == 0:
        raise misuse(ValueError(f'{problem}: the list of strings is empty.\n  Hint: glob.glob or '
                                'tf.gfile.Glob shows which files a pattern finds.'))
    with name_scope(name, 'input_producer', [string_tensor]) as scope:
        string_tensor = convert_to_tensor(string_tensor, dtypes.string)
        some = logic.greater(constants.size(string_tensor), 0)
        with control_dependencies([assertions.Assert(some, [problem])]):
            string_tensor = constants.identity(string_tensor)
        return input_producer(string_tensor, [], num_epochs, shuffle, seed, capacity, shared_name,
                              f'fraction_of_{capacity}_full', scope, cancel_op)


def range_input_producer(limit, num_epochs=None, shuffle=True, seed=None, capacity=32,
                         shared_name=None, name=None):
    """A queue of the integers 0 ... limit - 1. Shapes: limit []; elements of the queue []."""
    with name_scope(name, 'input_producer', [limit]) as scope:
        return input_producer(constants.range(limit), [], num_epochs, shuffle, seed, capacity,
                              shared_name, f'fraction_of_{capacity}_full', scope)


def slice_input_producer(tensor_list, num_epochs=None, shuffle=True, seed=None, capacity=32,
                         shared_name=None, name=None):
    """One row of each tensor, at the same index; the index changes in each run.

    Shapes: tensors [rows, *a] -> [*a] each. ValueError for an empty list.
    """
    with name_scope(name, 'input_producer', tensor_list):
        tensors = _converted(tensor_list)
        if not tensors:
            raise misuse(ValueError('Expected at least one tensor in slice_input_producer().'))
        rows = constants.shape(tensors[0])[0]
        queue = range_input_producer(rows, num_epochs=num_epochs, shuffle=shuffle, seed=seed,
                                     capacity=capacity, shared_name=shared_name)
        index = queue.dequeue()
        return [indexing.gather(t, index) for t in tensors]


# ---- batches ----------------------------------------------------------------------------------

def batch(tensors, batch_size, num_threads=1, capacity=32, enqueue_many=False, shapes=None,
          dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """Batches of the values of `tensors` (a list or dict) in successive runs.

    Shapes: tensors [*a] -> [batch_size, *a]; with enqueue_many, tensors [n, *a] are n examples.
    With dynamic_pad examples of different sizes are filled up with zeros. ValueError where a
    shape is not known.
    """
    return maybe_batch(tensors, True, batch_size, num_threads, capacity, enqueue_many, shapes,
                       dynamic_pad, allow_smaller_final_batch, shared_name, name)


def maybe_batch(tensors, keep_input, batch_size, num_threads=1, capacity=32, enqueue_many=False,
                shapes=None, dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None,
                name=None):
    """As `batch`, of the examples for which `keep_input` is true.

    Shapes: keep_input [], or [n] with enqueue_many.
    """
    listed = _as_list(tensors)
    with name_scope(name, 'batch', [*listed, keep_input]) as scope:
        make = _fifo(capacity, dynamic_pad, shared_name)
        queue = _filled_queue([listed], keep_input, num_threads, enqueue_many, shapes, make)
        _summarize(f'fraction_of_{capacity}_full', queue.size(), capacity)
        return _dequeued(queue, batch_size, allow_smaller_final_batch, scope, tensors)


def batch_join(tensors_list, batch_size, capacity=32, enqueue_many=False, shapes=None,
               dynamic_pad=False, allow_smaller_final_batch=False, shared_name=None, name=None):
    """As `batch`, of several lists of tensors, each of which is run by its own thread."""
    return maybe_batch_join(tensors_list, True, batch_size, capacity, enqueue_many, shapes,
                            dynamic_pad, allow_smaller_final_batch, shared_name, name)


def maybe_batch_join(tensors_list, keep_input, batch_size, capacity=32, enqueue_many=False,
                     shapes=None, dynamic_pad=False, allow_smaller_final_batch=False,
                     shared_name=None, name=None):
    """As `batch_join`, of the examples for which `keep_input` is true."""
    lists = _as_lists(tensors_list)
    with name_scope(name, 'batch_join', [*_flat(lists), keep_input]) as scope:
        make = _fifo(capacity, dynamic_pad, shared_name)
        queue = _filled_queue(lists, keep_input, None, enqueue_many, shapes, make)
        _summarize(f'fraction_of_{capacity}_full', queue.size(), capacity)
        return _dequeued(queue, batch_size, allow_smaller_final_batch, scope, tensors_list[0])


def shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, num_threads=1, seed=None,
                  enqueue_many=False, shapes=None, allow_smaller_final_batch=False,
                  shared_name=None, name=None):
    """Batches of examples in random order, drawn from a RandomShuffleQueue.

    Shapes: tensors [*a] -> [batch_size, *a]; with enqueue_many, tensors [n, *a] are n examples.
    At least `min_after_dequeue` examples stay in the queue to choose from.
    """
    return maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, True, num_threads,
                               seed, enqueue_many, shapes, allow_smaller_final_batch, shared_name,
                               name)


def maybe_shuffle_batch(tensors, batch_size, capacity, min_after_dequeue, keep_input,
                        num_threads=1, seed=None, enqueue_many=False, shapes=None,
                        allow_smaller_final_batch=False, shared_name=None, name=None):
    """As `shuffle_batch`, of the examples for which `keep_input` is true."""
    listed = _as_list(tensors)
    with name_scope(name, 'shuffle_batch', [*listed, keep_input]) as scope:
        _check_capacity(capacity, min_after_dequeue)
        make = _shuffling(capacity, min_after_dequeue, seed, shared_name)
        queue = _filled_queue([listed], keep_input, num_threads, enqueue_many, shapes, make)
        _summarize_surplus(queue, capacity, min_after_dequeue)
        return _dequeued(queue, batch_size, allow_smaller_final_batch, scope, tensors)


def shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, seed=None,
                       enqueue_many=False, shapes=None, allow_smaller_final_batch=False,
                       shared_name=None, name=None):
    """As `shuffle_batch`, of several lists of tensors, each run by its own thread."""
    return maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, True,
                                    seed, enqueue_many, shapes, allow_smaller_final_batch,
                                    shared_name, name)


def maybe_shuffle_batch_join(tensors_list, batch_size, capacity, min_after_dequeue, keep_input,
                             seed=None, enqueue_many=False, shapes=None,
                             allow_smaller_final_batch=False, shared_name=None, name=None):
    """As `shuffle_batch_join`, of the examples for which `keep_input` is true."""
    lists = _as_lists(tensors_list)
    with name_scope(name, 'shuffle_batch_join', [*_flat(lists), keep_input]) as scope:
        make = _shuffling(capacity, min_after_dequeue, seed, shared_name)
        queue = _filled_queue(lists, keep_input, None, enqueue_many, shapes, make)
        _summarize_surplus(queue, capacity, min_after_dequeue)
        return _dequeued(queue, batch_size, allow_smaller_final_batch, scope, tensors_list[0])


# ---- helpers, in the order in which they create nodes -----------------------------------------

def _in_graphs_only():
    if executing_eagerly():
        raise misuse(RuntimeError(
            'Input pipelines based on Queues are not supported when eager execution is enabled. '
            'Please use tf.data to ingest data into your model instead.\n  Hint: '
            'tf.data.Dataset.from_tensor_slices(names), and .batch(n).'))


def _filled_queue(lists, keep_input, num_threads, enqueue_many, shapes, make):
    """A queue created by `make`, with a QueueRunner of one thread for each of `lists`.

    With `num_threads` there is one list, which that many threads enqueue.
    """
    _in_graphs_only()
    lists = [_converted(tensors) for tensors in lists]
    if not lists or not lists[0]:
        raise misuse(ValueError('Expected at least one tensor in batch().'))
    keep = _checked_keep(keep_input, enqueue_many)
    queue = make(_common_types(lists), _common_shapes(lists, shapes, enqueue_many))
    enqueue_ops = [_enqueue(queue, tensors, enqueue_many, keep) for tensors in lists]
    add_queue_runner(QueueRunner(queue, enqueue_ops * (1 if num_threads is None else num_threads)))
    return queue


def _enqueue(queue, tensors, enqueue_many, keep):
    enqueue = queue.enqueue_many if enqueue_many else queue.enqueue
    if keep.shape.ndims == 1:
        part = constants.cast(keep, dtypes.int32)
        return enqueue([indexing.dynamic_partition(t, part, 2)[1] for t in tensors])
    known = constant_value(keep)
    if known is None:
        return cond.cond(keep, lambda: enqueue(tensors), grouping.no_op)
    return enqueue(tensors) if known else grouping.no_op()


def _checked_keep(keep_input, enqueue_many):
    keep = convert_to_tensor(keep_input)
    rank = keep.shape.ndims
    if rank is None:
        raise misuse(ValueError('`keep_input` dimensions must be known at graph construction.'))
    if not enqueue_many and rank == 1:
        raise misuse(ValueError('`keep_input` cannot be a vector when `enqueue_many=False`.'))
    if rank > 1:
        raise misuse(ValueError('`keep_input` must be 0 or 1 dimensions.'))
    return keep


def _fifo(capacity, dynamic_pad, shared_name):
    kind = PaddingFIFOQueue if dynamic_pad else FIFOQueue
    return lambda types, shapes: kind(capacity, types, shapes, shared_name=shared_name)


def _shuffling(capacity, min_after_dequeue, seed, shared_name):
    return lambda types, shapes: RandomShuffleQueue(capacity, min_after_dequeue, types, shapes,
                                                    seed=seed, shared_name=shared_name)


def _check_capacity(capacity, min_after_dequeue):
    if capacity <= min_after_dequeue:
        raise misuse(ValueError(f'capacity {capacity} must be bigger than min_after_dequeue '
                                f'{min_after_dequeue}.'))


def _summarize(name, size, capacity):
    summaries.scalar(name, constants.cast(size, dtypes.float32) * (1. / capacity))


def _summarize_surplus(queue, capacity, least):
    surplus = arithmetic.maximum(0, queue.size() - least)
    _summarize(f'fraction_over_{least}_of_{capacity - least}_full', surplus, capacity - least)


def _dequeued(queue, batch_size, allow_fewer, scope, original):
    dequeue = queue.dequeue_up_to if allow_fewer else queue.dequeue_many
    found = dequeue(batch_size, name=scope)
    if not isinstance(original, dict):
        return found
    found = [found] if len(original) == 1 else found
    return dict(zip(sorted(original, key=str), found))


def _as_list(tensors):
    return [tensors[k] for k in sorted(tensors, key=str)] if isinstance(tensors, dict) \
        else list(tensors)


def _as_lists(tensors_list):
    if not tensors_list:
        raise misuse(ValueError('Expected at least one set of tensors'))
    if isinstance(tensors_list[0], dict):
        keys = set(tensors_list[0])
        if any(set(tensors) != keys for tensors in tensors_list[1:]):
            raise misuse(ValueError('All dictionaries in tensors_list must have the same keys'))
    return [_as_list(tensors) for tensors in tensors_list]


def _flat(lists):
    return [tensor for tensors in lists for tensor in tensors]


def _converted(tensors):
    if any(isinstance(t, SparseTensor) for t in tensors):
        raise misuse(NotImplementedError(
            'tinyflow does not implement queues of SparseTensors.\n  Hint: '
            'tf.sparse_tensor_to_dense(x) and dynamic_pad=True; or tf.data, which batches '
            'SparseTensors.'))
    return [convert_to_tensor_or_indexed_slices(t) for t in tensors]


def _common_types(lists):
    types = [t.dtype for t in lists[0]]
    for tensors in lists[1:]:
        others = [t.dtype for t in tensors]
        if others != types:
            raise misuse(TypeError('Expected types to be consistent: '
                                   f'{", ".join(d.name for d in others)} vs. '
                                   f'{", ".join(d.name for d in types)}.'))
    return types


def _common_shapes(lists, shapes, enqueue_many):
    """The shapes of one example; `shapes` itself if it is given."""
    if shapes is not None:
        return shapes
    for tensor in _flat(lists):
        if tensor.shape.ndims is None:
            raise misuse(ValueError(report(
                f"Cannot infer Tensor's rank: {tensor}", inputs=[('tensor', tensor)],
                hint='tensor.set_shape([...]) sets it, or shapes=[...] here.')))
    return [_merged([tensors[i].shape for tensors in lists], enqueue_many)
            for i in range(len(lists[0]))]


def _merged(found, enqueue_many):
    if enqueue_many:
        found = [s.with_rank_at_least(1)[1:] for s in found]
    merged = as_shape(found[0])
    for shape in found[1:]:
        merged.assert_is_compatible_with(shape)
    return merged.as_list()
