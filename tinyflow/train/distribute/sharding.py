"""Which part of a dataset a worker reads: some of its files, or a part of each batch."""
from __future__ import annotations

from tinyflow.data import structure
from tinyflow.data.dataset import DatasetV1Adapter
from tinyflow.data.ops.dataset_ops import ShardDataset
from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.tensor_spec import TensorSpec
from tinyflow.ops.control_flow.function_nodes import functions_of
from tinyflow.train.distribute.inputs import rebatch

__all__ = ['of_worker']

_READERS = ('TextLineDataset', 'TFRecordDataset', 'FixedLengthRecordDatasetV2', 'CSVDataset')


def of_worker(dataset, workers, rank, divide=True):
    """The part of worker `rank`; batches are divided among the workers if `divide`.

    Where files are read, and there are as many as workers, each worker reads some of them; else it
    takes its share of each batch. Options().experimental_distribute.auto_shard = False: every
    worker reads all of it, for datasets that are sharded already.
    """
    if workers == 1:
        return dataset
    parts = rebatch(dataset, workers) if divide else dataset
    if dataset.options().experimental_distribute.auto_shard is False:
        return parts
    reader = _reader(parts)
    if reader is None:
        return parts.shard(workers, rank)
    names = _names(reader)
    count = names.op.inputs[0].raw_shape if names.op.inputs else None
    if count and count[0] is not None and count[0] < workers:
        return parts.shard(workers, rank)
    attrs = structure.of_elements(TensorSpec((), dtypes.string))
    own = ShardDataset.apply(names, convert_to_tensor(workers, dtypes.int64),
                             convert_to_tensor(rank, dtypes.int64), **attrs)
    variant = _with(parts._variant_tensor, names, own, {})
    return DatasetV1Adapter(variant, parts.element_spec, [parts], parts._functions)


def _datasets(operation):
    """The datasets among the inputs of a node."""
    return [tensor for tensor in operation.inputs if tensor.dtype is dtypes.variant]


def _reader(dataset):
    """The node of a chain whose function reads the files that its input names; None if none does.
    """
    left, seen = [dataset._variant_tensor.op], set()
    while left:
        operation = left.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if _datasets(operation) and _calls_reader(operation):
            return operation
        left += [tensor.op for tensor in _datasets(operation)]
    return None


def _calls_reader(operation):
    return any(node.type in _READERS or _calls_reader(node)
               for function in functions_of(operation) for node in function.get_operations())


def _names(reader):
    """The dataset of file names: below a shuffle, whose order differs between workers."""
    names = _datasets(reader)[0]
    while names.op.type.startswith('Shuffle') and _datasets(names.op):
        names = _datasets(names.op)[0]
    return names


def _with(tensor, old, new, made):
    """A copy of a chain of datasets in which `new` takes the place of `old`."""
    if tensor is old:
        return new
    operation = tensor.op
    if operation not in made:
        inputs = [_with(value, old, new, made) if value.dtype is dtypes.variant else value
                  for value in operation.inputs]
        if all(a is b for a, b in zip(inputs, operation.inputs)):
            made[operation] = operation
        else:
            definition = operation.definition
            parted = getattr(definition, 'parted', None)
            nested = parted(operation.attrs, inputs) if parted else \
                definition.nest(inputs) if definition.has_lists else inputs
            attrs = {key: value for key, value in operation.attrs.items()
                     if key in definition.attrs}
            made[operation] = definition.make(nested, attrs,
                                              f'{operation.name.rpartition("/")[2]}_of_worker')
    return made[operation].outputs[tensor.value_index]
