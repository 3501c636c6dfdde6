"""map_fn, scan, foldl and foldr: apply a function along the first axis of tensors."""
from __future__ import annotations

from tinyflow.graph import shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report
from tinyflow.ops.array import constants, shape_ops
from tinyflow.ops.control_flow.tensor_array import TensorArray
from tinyflow.ops.control_flow.while_loop import while_loop
from tinyflow.ops.variables.variable_scope import cached_reads

__all__ = ['foldl', 'foldr', 'map_fn', 'scan']


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False,
           infer_shape=True, name=None):
    """[fn(elems[0]), fn(elems[1]), ...] as one tensor (or nest of tensors).

    `elems` may be a nest of tensors of one length; fn then gets a nest of slices. `dtype`, a dtype
    or a nest of them, is needed where fn returns another structure or other dtypes than it gets.

    Shapes: elems [n, *a] -> [n, *shape of fn(slice)].

    Raises TypeError if fn is not callable or elems is sparse, ValueError for scalars and for
    lengths that differ.
    """
    _check_callable(fn)
    if isinstance(elems, SparseTensor):
        raise misuse(TypeError('map_fn: elems is a SparseTensor.\n  Hint: map over x.values, and '
                               'make a SparseTensor of the results.'))
    with name_scope(name, 'map', nest.flatten(elems)), cached_reads():
        tensors = _elements(elems)
        result_dtypes = nest.map_structure(lambda t: t.dtype.base_dtype,
                                           nest.pack_sequence_as(elems, tensors)) if dtype is None \
            else dtype
        count = _static_count(tensors[0]) or _count(tensors[0])
        arrays = _unstacked(tensors, count)
        start = constants.constant(0)
        results = [TensorArray(d, size=count, infer_shape=infer_shape)
                   for d in nest.flatten(result_dtypes)]

        def body(i, results):
            value = fn(nest.pack_sequence_as(elems, [a.read(i) for a in arrays]))
            nest.assert_same_structure(result_dtypes, value)
            return i + 1, [a.write(i, v) for a, v in zip(results, nest.flatten(value))]
        _, results = while_loop(
            lambda i, _: i < count, body, (start, results),
            parallel_iterations=parallel_iterations or 10, maximum_iterations=count)
        return nest.pack_sequence_as(result_dtypes, _stacked(results, tensors))


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """fn(... fn(fn(initializer, elems[0]), elems[1]) ..., elems[n - 1]).

    Without an initializer the first element is the start. `elems` and `initializer` may be nests.

    Shapes: elems [n, *a], initializer [*b] -> [*b]. Raises TypeError if fn is not callable.
    """
    return _fold('foldl', fn, elems, initializer, parallel_iterations, name, backwards=False)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
          name=None):
    """fn(... fn(fn(initializer, elems[n - 1]), elems[n - 2]) ..., elems[0]).

    Without an initializer the last element is the start. `elems` and `initializer` may be nests.

    Shapes: elems [n, *a], initializer [*b] -> [*b]. Raises TypeError if fn is not callable.
    """
    return _fold('foldr', fn, elems, initializer, parallel_iterations, name, backwards=True)


def _fold(label, fn, elems, initializer, parallel_iterations, name, backwards):
    _check_callable(fn)
    with name_scope(name, label, nest.flatten(elems)), cached_reads():
        tensors = _elements(elems)
        count = _static_count(tensors[0]) or _count(tensors[0])
        arrays = _unstacked(tensors, count)

        def element(i):
            return nest.pack_sequence_as(elems, [a.read(i) for a in arrays])
        if backwards:
            return _fold_backwards(fn, element, count, initializer, parallel_iterations)
        if initializer is None:
            value, start = element(0), constants.constant(1)
        else:
            value, start = initializer, constants.constant(0)
        _, value = while_loop(
            lambda i, _: i < count, lambda i, a: [i + 1, fn(a, element(i))], [start, value],
            parallel_iterations=parallel_iterations, maximum_iterations=count)
        return value


def _fold_backwards(fn, element, count, initializer, parallel_iterations):
    if initializer is None:
        start = count - 1
        value = element(start)
    else:
        start, value = count, initializer

    def body(i, a):
        i -= 1
        return [i, fn(a, element(i))]
    _, value = while_loop(lambda i, _: i > 0, body, [start, value],
                          parallel_iterations=parallel_iterations, maximum_iterations=count)
    return value


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False,
         infer_shape=True, reverse=False, name=None):
    """All intermediate values of a fold: a[i] = fn(a[i - 1], elems[i]), a[-1] = initializer.

    Without an initializer the first element is a[0]. With `reverse` it goes from the last element
    to the first. `elems` and `initializer` may be nests.

    Shapes: elems [n, *a], initializer [*b] -> [n, *b]. Raises TypeError if fn is not callable,
    ValueError if fn returns another structure.
    """
    _check_callable(fn)
    with name_scope(name, 'scan', nest.flatten(elems)), cached_reads():
        tensors = _elements(elems)
        count = _static_count(tensors[0])
        if count is None:
            count = _count(tensors[0])
        arrays = [TensorArray(t.dtype, size=count, element_shape=shapes.TensorShape(
            None if t.raw_shape is None else t.raw_shape[1:])) for t in tensors]
        arrays = [a.unstack(t) for a, t in zip(arrays, tensors)]
        structure = elems if initializer is None else initializer
        # Recomputed on every use, as in TF: node counts determine the default seeds of later ops.
        values = [a.read(count - 1 if reverse else 0) for a in arrays] if initializer is None \
            else [convert_to_tensor(v) for v in nest.flatten(initializer)]
        results = [TensorArray(v.dtype, size=count, infer_shape=infer_shape,
                               element_shape=v.shape if infer_shape else None) for v in values]
        if initializer is None:
            results = [a.write(count - 1 if reverse else 0, v)
                       for a, v in zip(results, values)]
        done = 1 if initializer is None else 0

        def body(i, values, results):
            x = nest.pack_sequence_as(elems, [a.read(i) for a in arrays])
            value = fn(nest.pack_sequence_as(structure, values), x)
            nest.assert_same_structure(structure, value)
            values = nest.flatten(value)
            results = [a.write(i, v) for a, v in zip(results, values)]
            return (i - 1 if reverse else i + 1), values, results
        if reverse:
            start, condition = count - 1 - done, lambda i, *_: i >= 0
        else:
            start, condition = done, lambda i, *_: i < count
        _, _, results = while_loop(condition, body, (start, values, results),
                                   parallel_iterations=parallel_iterations,
                                   maximum_iterations=count)
        return nest.pack_sequence_as(structure, _stacked(results, tensors))


# ---- shared helpers --------------------------------------------------------------------------

def _check_callable(fn):
    if not callable(fn):
        raise misuse(TypeError(f'fn must be callable, not {fn!r}.'))


def _elements(elems):
    """`elems` as flat tensors of one length."""
    tensors = [convert_to_tensor(e, name='elem') for e in nest.flatten(elems)]
    if not tensors:
        raise misuse(ValueError('elems must contain at least one tensor.'))
    length = None
    for tensor in tensors:
        if tensor.raw_shape == ():
            raise misuse(ValueError(report(
                'elems must be a 1+ dimensional Tensor, not a scalar.', inputs=[('elems', tensor)],
                hint='the function is called for each slice along the first axis; a scalar has '
                     'none.')))
        size = _static_count(tensor)
        if length is not None and size is not None and size != length:
            raise misuse(ValueError(report(
                f'The tensors in elems have {length} and {size} slices.',
                inputs=[('elems', t) for t in tensors])))
        length = size if length is None else length
    return tensors


def _static_count(tensor):
    return tensor.raw_shape[0] if tensor.raw_shape else None


def _count(tensor):
    return shape_ops.shape(tensor)[0]


def _unstacked(tensors, count):
    arrays = [TensorArray(t.dtype, size=count) for t in tensors]
    return [a.unstack(t) for a, t in zip(arrays, tensors)]


def _stacked(arrays, tensors):
    """The arrays as tensors, of the length of `tensors` where that is known."""
    length = next((size for t in tensors if (size := _static_count(t)) is not None), None)
    stacked = [a.stack() for a in arrays]
    for tensor in stacked:
        if tensor.raw_shape is not None:
            tensor.set_shape((length, *tensor.raw_shape[1:]))
    return stacked

