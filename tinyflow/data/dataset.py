"""Dataset: a chain of transformations of elements, each of them a node of the graph."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinyflow.data import element_tensors, iterators, padding, structure
from tinyflow.data.dataset_seeds import seed_tensors
from tinyflow.data.element_spec import OfElements
from tinyflow.data.errors import refused
from tinyflow.data.function_graphs import Function
from tinyflow.data.generator import generator_node
from tinyflow.data.matching_files import matching_files
from tinyflow.data.ops import dataset_ops as ops, function_ops
from tinyflow.data.options import Options
from tinyflow.data.reduce import carried, reduced, types_of
from tinyflow.data.structure import DatasetSpecBase, of_elements
from tinyflow.graph import dtypes, shapes
from tinyflow.graph.constant_value import static_value
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_default_graph, name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.operation import Tensor
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.array import constants
from tinyflow.ops.math import arithmetic

_LIST_IS_NO_NEST = ' Nested structures do not support Python lists; please use a tuple instead.'


class Dataset(OfElements):
    """A sequence of elements of one structure, which iterators feed into the graph.

    An element is a tensor or a nest of tuples and dicts of tensors (a list is a value that becomes
    one tensor). A function given to a method is called once, with placeholders, to build the
    graph that then computes every element; tuples are passed as separate arguments. No method
    changes the dataset: each returns another.
    """

    def __init__(self) -> None:
        raise refused(TypeError('tf.data.Dataset is made by its static methods.\n  Hint: '
                                'tf.data.Dataset.from_tensor_slices(arrays), .range(n) or '
                                '.from_generator(function, output_types).'))

    # ---- from tensors --------------------------------------------------------------------

    @staticmethod
    def from_tensors(tensors: Any) -> Dataset:
        """One element: `tensors`, a nest of what can become tensors."""
        values, spec = element_tensors.components(tensors)
        return make(ops.TensorDataset, spec, values, output_shapes=structure.flat_shapes(spec),
                    _kept=element_tensors.kept(values))

    @staticmethod
    def from_tensor_slices(tensors: Any) -> Dataset:
        """Element i is row i of each component.

        Shapes: tensors a nest of [n, *rest] -> n elements [*rest]. ValueError where the components
        are known not to be equally long. A large NumPy array becomes a constant of the graph; it is
        held by reference, but written out with the graph.
        """
        values, spec = element_tensors.components(tensors, rows=True)
        spec = element_tensors.rows_of(values, spec)
        return make(ops.TensorSliceDataset, spec, values,
                    output_shapes=structure.flat_shapes(spec), _kept=element_tensors.kept(values))

    @staticmethod
    def from_sparse_tensor_slices(sparse_tensor: Any) -> Dataset:
        """Element i is row i of a SparseTensor, as a tuple of indices, values and shape."""
        tensors, spec = element_tensors.sparse_rows(sparse_tensor)
        return make(ops.SparseTensorSliceDataset, spec, *tensors)

    @staticmethod
    def from_generator(generator: Callable, output_types: Any, output_shapes: Any = None,
                       args: Any = None) -> Dataset:
        """The values that `generator(*args)` yields; called again in each pass.

        `output_types` and `output_shapes` (default: unknown) have the structure of a yielded value;
        each value is checked against them.
        """
        node, spec = generator_node(generator, output_types, output_shapes, args)
        # Each pass runs the graph of this flat_map's function, and so restarts the generator.
        return Dataset.from_tensors(0).flat_map(lambda _: DatasetV1Adapter(node(), spec))

    @staticmethod
    def range(*args: Any) -> Dataset:
        """range(stop), range(start, stop) or range(start, stop, step), as int64 scalars."""
        if not 1 <= len(args) <= 3:
            raise refused(ValueError(f'Invalid arguments to RangeDataset: {args}'))
        start, stop, step = (0, *args, 1)[:3] if len(args) == 1 else (*args, 1)[:3]
        ends = [convert_to_tensor(v, dtypes.int64, name)
                for v, name in ((start, 'start'), (stop, 'stop'), (step, 'step'))]
        return make(ops.RangeDataset, TensorSpec((), dtypes.int64), *ends)

    @staticmethod
    def zip(datasets: Any) -> Dataset:
        """Tuples of elements of several datasets, in the structure of `datasets` (not a list)."""
        leaves = structure.flatten(datasets)
        for dataset in leaves:
            if not isinstance(dataset, Dataset):
                raise refused(TypeError(
                    'The argument to `Dataset.zip()` must be a nested structure of `Dataset` '
                    'objects.' + (_LIST_IS_NO_NEST if isinstance(dataset, list) else '')))
        spec = structure.pack_as(datasets, [d.element_spec for d in leaves])
        return make(ops.ZipDataset, spec, [d._variant_tensor for d in leaves], inputs=leaves)

    @staticmethod
    def list_files(file_pattern: Any, shuffle: bool | None = None, seed: Any = None) -> Dataset:
        """The names of the files that match one of some patterns; in random order by default."""
        with name_scope('list_files'):
            names = matching_files(file_pattern)
            dataset = Dataset.from_tensor_slices(names)
            if shuffle is not None and not shuffle:
                return dataset
            size = arithmetic.maximum(constants.shape(names, out_type=dtypes.int64)[0], 1)
            return dataset._next(ops.ShuffleDataset, size, *seed_tensors(seed),
                                 reshuffle_each_iteration=True)

    # ---- counting ------------------------------------------------------------------------

    def repeat(self, count: Any = None) -> Dataset:
        """The dataset `count` times; None or -1: forever."""
        count = convert_to_tensor(-1 if count is None else count, dtypes.int64, 'count')
        return self._next(ops.RepeatDataset, count)

    def take(self, count: Any) -> Dataset:
        """The first `count` elements; -1: all."""
        return self._next(ops.TakeDataset, convert_to_tensor(count, dtypes.int64, 'count'))

    def skip(self, count: Any) -> Dataset:
        """All but the first `count` elements; -1: nothing."""
        return self._next(ops.SkipDataset, convert_to_tensor(count, dtypes.int64, 'count'))

    def shard(self, num_shards: Any, index: Any) -> Dataset:
        """Every `num_shards`-th element, from number `index` on."""
        return self._next(ops.ShardDataset,
                          convert_to_tensor(num_shards, dtypes.int64, 'num_shards'),
                          convert_to_tensor(index, dtypes.int64, 'index'))

    def enumerate(self, start: Any = 0) -> Dataset:
        """(number, element), counted from `start`."""
        return Dataset.zip((Dataset.range(start, dtypes.int64.max), self))

    def concatenate(self, dataset: Dataset) -> Dataset:
        """This dataset and then the other, of the same structure and dtypes."""
        mine, theirs = self.element_spec, dataset.element_spec
        types = structure.legacy_types(mine), structure.legacy_types(theirs)
        if not structure.same_structure(mine, theirs) or types[0] != types[1]:
            raise refused(TypeError(
                'Two datasets to concatenate have different types '
                f'{types[0]} and {types[1]}\n  Hint: map() one of them to the form of the other, '
                'e.g. with tf.cast.'))
        return make(ops.ConcatenateDataset, structure.relaxed(mine, theirs), self._variant_tensor,
                    dataset._variant_tensor, inputs=[self, dataset])

    # ---- packing -------------------------------------------------------------------------

    def batch(self, batch_size: Any, drop_remainder: Any = False) -> Dataset:
        """`batch_size` elements at a time, stacked; the last batch may be smaller, or is dropped.

        Shapes: elements [*rest] -> [batch_size, *rest].
        """
        size = convert_to_tensor(batch_size, dtypes.int64, 'batch_size')
        drop = convert_to_tensor(drop_remainder, dtypes.bool, 'drop_remainder')
        spec = structure.batched(self.element_spec, static_value(size) if static_value(drop)
                                 else None)
        return make(ops.BatchDatasetV2, spec, self._variant_tensor, size, drop, inputs=[self])

    def padded_batch(self, batch_size: Any, padded_shapes: Any = None,
                     padding_values: Any = None, drop_remainder: Any = False) -> Dataset:
        """As batch, with every component padded to a shape.

        `padded_shapes` has the structure of the elements; None (or -1) for a dimension is the size
        of the longest element of the batch. `padding_values` are 0 or '' if not given.
        """
        spec, values = padding.padded_batch_inputs(self.element_spec, batch_size, padded_shapes,
                                                   padding_values, drop_remainder)
        return make(ops.PaddedBatchDatasetV2, spec, self._variant_tensor, *values, inputs=[self],
                    output_shapes=structure.flat_shapes(spec))

    def unbatch(self) -> Dataset:
        """The rows of the components of each element.

        Shapes: elements [n, *rest] -> n elements [*rest].
        """
        spec = structure.unbatched(self.element_spec)
        # A map in which each sparse component becomes a tensor with a row for each of its rows.
        function = Function(lambda element: element, 'Dataset.unbatch()', self.element_spec,
                            unpack=False, rows=True)
        whole = self._calling(function_ops.MapDataset, function, function.spec)
        return make(ops.UnbatchDataset, spec, whole._variant_tensor, inputs=[self])

    def window(self, size: Any, shift: Any = None, stride: Any = 1,
               drop_remainder: Any = False) -> Dataset:
        """Datasets of `size` elements, each beginning `shift` (default: size) after the last one.

        An element is a nest of datasets, one for each component; flat_map makes tensors of them.
        """
        shift = size if shift is None else shift
        sizes = [convert_to_tensor(value, dtypes.int64, name) for value, name in
                 ((size, 'size'), (shift, 'shift'), (stride, 'stride'))]
        drop = convert_to_tensor(drop_remainder, dtypes.bool, 'drop_remainder')
        spec = structure.map_leaves(DatasetSpec, self.element_spec)
        return make(ops.WindowDataset, spec, self._variant_tensor, *sizes, drop, inputs=[self])

    # ---- functions -----------------------------------------------------------------------

    def map(self, map_func: Callable, num_parallel_calls: Any = None) -> Dataset:
        """map_func(element) for each element; with `num_parallel_calls`, several at a time.

        Order and results do not depend on `num_parallel_calls`.
        """
        function = Function(map_func, 'Dataset.map()', self.element_spec)
        if num_parallel_calls is None:
            return self._calling(function_ops.MapDataset, function, function.spec)
        calls = convert_to_tensor(num_parallel_calls, dtypes.int32, 'num_parallel_calls')
        return self._calling(function_ops.ParallelMapDataset, function, function.spec, calls,
                             sloppy=self.options().experimental_deterministic is False)

    def map_with_legacy_function(self, map_func: Callable,
                                 num_parallel_calls: Any = None) -> Dataset:
        """The same as map."""
        return self.map(map_func, num_parallel_calls)

    def flat_map(self, map_func: Callable) -> Dataset:
        """The elements of the datasets map_func(element), one after the other."""
        function = self._to_dataset(map_func, 'Dataset.flat_map()')
        return self._calling(function_ops.FlatMapDataset, function, function.spec.element_spec)

    def interleave(self, map_func: Callable, cycle_length: Any = -1, block_length: Any = 1,
                   num_parallel_calls: Any = None) -> Dataset:
        """`block_length` elements in turn of each of `cycle_length` datasets map_func(element).

        The default cycle_length, -1, is the number of processors.
        """
        function = self._to_dataset(map_func, 'Dataset.interleave()')
        spec = function.spec.element_spec
        if not isinstance(cycle_length, Tensor) and cycle_length == -1:
            cycle_length = element_tensors.processors()
        lengths = [convert_to_tensor(cycle_length, dtypes.int64, 'cycle_length'),
                   convert_to_tensor(block_length, dtypes.int64, 'block_length')]
        if num_parallel_calls is None:
            return self._calling(function_ops.InterleaveDataset, function, spec, *lengths)
        calls = convert_to_tensor(num_parallel_calls, dtypes.int64, 'num_parallel_calls')
        return self._calling(function_ops.ParallelInterleaveDatasetV2, function, spec, *lengths,
                             calls, sloppy=self.options().experimental_deterministic is False)

    def filter(self, predicate: Callable) -> Dataset:
        """The elements for which predicate(element), a bool scalar, is true."""
        function = self._predicate(predicate, 'Dataset.filter()')
        return self._calling(function_ops.FilterDataset, function, self.element_spec,
                             attribute='predicate')

    def filter_with_legacy_function(self, predicate: Callable) -> Dataset:
        """The same as filter."""
        return self.filter(predicate)

    def reduce(self, initial_state: Any, reduce_func: Callable) -> Any:
        """The state after reduce_func(state, element) -> state was called with every element.

        A nest of tensors like `initial_state`: the pass is made when they are run.
        """
        return reduced(self, initial_state, reduce_func)

    def apply(self, transformation_func: Callable) -> Dataset:
        """transformation_func(self), which must be a Dataset."""
        dataset = transformation_func(self)
        if not isinstance(dataset, Dataset):
            raise refused(TypeError('`transformation_func` must return a Dataset. Got '
                                    f'{dataset}.'))
        return dataset

    # ---- order, memory -------------------------------------------------------------------

    def shuffle(self, buffer_size: Any, seed: Any = None,
                reshuffle_each_iteration: bool | None = None) -> Dataset:
        """Elements drawn at random from a buffer of `buffer_size`, which the input keeps full.

        Only a buffer as large as the dataset makes all orders possible. With a seed the order is
        that of TensorFlow 1.15; each pass over this dataset (but with
        reshuffle_each_iteration=False) has another.
        """
        size = convert_to_tensor(buffer_size, dtypes.int64, 'buffer_size')
        seeds = seed_tensors(seed)
        return self._next(ops.ShuffleDataset, size, *seeds,
                          reshuffle_each_iteration=reshuffle_each_iteration is not False)

    def cache(self, filename: Any = '') -> Dataset:
        """The elements, cached in the first complete pass: in memory, or in a file.

        An existing file is used unchanged; delete it when the dataset changes.
        """
        return self._next(ops.CacheDataset, convert_to_tensor(filename, dtypes.string, 'filename'))

    def prefetch(self, buffer_size: Any) -> Dataset:
        """The elements, computed ahead on another thread, at most `buffer_size` of them."""
        size = convert_to_tensor(-1 if buffer_size is None else buffer_size, dtypes.int64,
                                 'buffer_size')
        return self._next(ops.PrefetchDataset, size)

    # ---- settings ------------------------------------------------------------------------

    def options(self) -> Options:
        """The settings of this dataset and of its inputs."""
        options = Options()
        for dataset in self._all_inputs():
            if dataset._options is not None:
                options = options.merge(dataset._options)
        return options

    def _all_inputs(self) -> list[Dataset]:
        """This dataset and all its inputs, each once."""
        found: dict[int, Dataset] = {}
        left: list[Dataset] = [self]
        while left:
            dataset = left.pop()
            if id(dataset) not in found:
                found[id(dataset)] = dataset
                left += dataset._inputs
        return list(found.values())

    def with_options(self, options: Options) -> Dataset:
        """The same dataset with settings. ValueError if they contradict earlier ones."""
        twin = DatasetV1Adapter(self._variant_tensor, self.element_spec, [self], self._functions)
        twin._options = options
        twin.options()
        return twin

    # ---- iterators -----------------------------------------------------------------------

    def make_one_shot_iterator(self) -> iterators.Iterator:
        """An iterator that needs no initializer and makes one pass."""
        if executing_eagerly():
            return iterators.EagerIterator(self)
        return iterators.one_shot(self)

    def make_initializable_iterator(self, shared_name: str | None = None) -> iterators.Iterator:
        """An iterator whose `initializer` must be run before each pass."""
        if executing_eagerly():
            raise refused(RuntimeError(
                'dataset.make_initializable_iterator is not supported when eager execution is '
                'enabled.\n  Hint: for element in dataset'))
        return iterators.initializable(self, shared_name)

    def __iter__(self) -> Any:
        if executing_eagerly():
            return iterators.EagerIterator(self)
        raise refused(RuntimeError(
            '__iter__() is only supported inside of tf.function or when eager execution is '
            'enabled.\n  Hint: element = dataset.make_one_shot_iterator().get_next(), and '
            'sess.run(element) in a loop until tf.errors.OutOfRangeError.'))

    # ---- repr ----------------------------------------------------------------------------

    def __repr__(self) -> str:
        def text(nest: Any) -> str:
            return str(nest).replace("'", '')
        return (f'<{type(self).__name__} shapes: '
                f'{text(structure.map_leaves(str, self.output_shapes))}, '
                f'types: {text(structure.map_leaves(repr, self.output_types))}>')

    # ---- creating nodes ------------------------------------------------------------------

    _variant_tensor: Tensor
    _spec: Any
    _inputs: list[Dataset]
    _functions: list[Function]
    _options: Options | None = None

    @property
    def _component_spec(self) -> DatasetSpec:
        """The spec of this dataset as a component of another one's elements."""
        return DatasetSpec(self._spec)

    def _next(self, op: Any, *values: Any, **attrs: Any) -> Dataset:
        """The dataset that `op` makes from this one, with elements of the same spec."""
        return make(op, self._spec, self._variant_tensor, *values, inputs=[self], **attrs)

    def _scanned(self, initial_state: Any, scan_func: Callable) -> Dataset:
        """The elements of scan_func(state, element) -> (next state, element)."""
        values, state_spec = element_tensors.components(initial_state)

        def state_of(spec: Any) -> Any:
            if not isinstance(spec, (tuple, list)) or len(spec) != 2:
                raise refused(TypeError('The scan function must return a pair comprising the new '
                                        f'state and the output value, but it returns {spec}.'))
            return spec[0]
        function = carried(scan_func, 'tf.data.experimental.scan()', state_spec, self._spec,
                           state_of)
        return make(function_ops.ScanDataset, function.spec[1], self._variant_tensor, values,
                    function.captured, inputs=[self], functions=[function], f=function.graph,
                    Tstate=types_of(values), Targuments=types_of(function.captured))

    def _reduce_while(self, initial_state: Any, step: Callable) -> Any:
        """The state after step(state, element) -> (going, next state) as long as it goes on."""
        def scan_func(state: Any, element: Any) -> Any:
            going, after = step(state, element)
            return after, (going, after)
        steps = self._scanned(initial_state, scan_func)
        going = steps._predicate(lambda going, _: going, 'for ... in dataset')
        taken = steps._calling(function_ops.TakeWhileDataset, going, steps.element_spec,
                               attribute='predicate')
        return reduced(taken, initial_state, lambda _, after: after[1])

    def _calling(self, op: Any, function: Function, spec: Any, *values: Any,
                 attribute: str = 'f', **attrs: Any) -> Dataset:
        """The dataset that `op` makes from this one with a function."""
        return make(op, spec, self._variant_tensor, function.captured, *values, inputs=[self],
                    functions=[function], **{attribute: function.graph}, **attrs)

    def _to_dataset(self, map_func: Callable, what: str) -> Function:
        function = Function(map_func, what, self._spec)
        if not isinstance(function.spec, DatasetSpecBase):
            found = function.result
            raise refused(TypeError(
                f'`map_func` must return a `Dataset` object. Got {type(found)}\n  Hint: map() for '
                'a function from element to element; or Dataset.from_tensor_slices(...) inside.'))
        return function

    def _predicate(self, predicate: Callable, what: str) -> Function:
        function = Function(predicate, what, self._spec)
        spec = function.spec
        if not (isinstance(spec, TensorSpec) and spec.dtype is dtypes.bool
                and shapes.compatible(spec.shape.raw, ())):
            raise refused(ValueError(
                '`predicate` return type must be convertible to a scalar boolean tensor. Was '
                f'{spec}.\n  Hint: a comparison, e.g. tf.greater(x, 0), or tf.reduce_all(...) of '
                'several.'))
        return function


class DatasetV1Adapter(Dataset):
    """The dataset of a variant tensor."""

    def __init__(self, variant_tensor: Tensor, spec: Any, inputs: Any = (),
                 functions: Any = ()) -> None:
        self._variant_tensor = variant_tensor
        self._spec = spec
        self._inputs = list(inputs)
        self._functions = list(functions)


class DatasetSpec(DatasetSpecBase):
    """The spec of a component that is a dataset with elements of `element_spec`."""

    @property
    def value_type(self) -> type:
        return Dataset

    def _value_of(self, variant: Tensor) -> Dataset:
        return DatasetV1Adapter(variant, self.element_spec)


def make(op: Any, spec: Any, *values: Any, inputs: Any = (), functions: Any = (),
         **attrs: Any) -> Dataset:
    """The dataset that a new node of type `op` gives, with elements of the given spec."""
    for dataset in inputs:
        _check_graph(dataset)
    of_op = {name: value for name, value in of_elements(spec).items() if name in op.attrs}
    return DatasetV1Adapter(op.apply(*values, **{**of_op, **attrs}), spec, inputs, functions)


def _check_graph(dataset: Dataset) -> None:
    graph, here = dataset._variant_tensor.op.graph, get_default_graph()
    takes_from = getattr(here, 'takes_from', None)
    if graph is not here and not (takes_from and takes_from(graph)):
        raise refused(ValueError(
            f'The dataset was made in {graph}, and the default graph now is {here}.\n  Hint: make '
            'the whole chain inside one `with graph.as_default():`.'))


__all__ = ['Dataset', 'DatasetSpec', 'DatasetV1Adapter', 'make']
