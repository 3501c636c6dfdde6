"""Ops in which all workers take part: CollectiveReduce, CollectiveGather, CollectiveBroadcast.

Each worker runs the same nodes in the same order, since all have built the same graph. That is
checked once for each node and Session: the error names the first Variable that differs.
"""
from __future__ import annotations

import hashlib

import numpy as np

from tinyflow.cluster.process_group import process_group
from tinyflow.data.ops.iterator_ops import IteratorGetNext
from tinyflow.graph import dtypes
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.op import REQUIRED, Op
from tinyflow.graph.support.errors import OpFailure, OutOfRangeError, op_error

__all__ = ['CollectiveBroadcast', 'CollectiveGather', 'CollectiveGetNext', 'CollectiveReduce']

_MERGE = {'Add': 'sum', 'Mul': 'prod', 'Max': 'max', 'Min': 'min'}


class _ComparedNode:
    """What a node keeps in a Session: whether the workers have compared this node."""

    def __init__(self, operation, shared):
        self.operation, self.compared = operation, False
        self.what = f"{operation.type} '{operation.name}'"

    def group(self, size):
        """The group, whose workers all are at this node."""
        group = process_group()
        if group.size != size:
            raise OpFailure(f'the node was made for {size} workers, and this program has '
                            f'{group.size}',
                            'build the graph in the program that runs it, inside '
                            'strategy.scope().')
        if not self.compared:
            self._compare(group)
            self.compared = True
        return group

    def _compare(self, group):
        mine = _described(self.operation)
        variables = [_described(v.op, v) for v in
                     self.operation.graph.get_collection(GraphKeys.GLOBAL_VARIABLES)
                     if hasattr(v, 'op')]
        texts = [mine, *variables]
        digest = hashlib.blake2b('\n'.join(texts).encode(), digest_size=16).digest()
        digests = group.all_gather_bytes(digest, self.what)
        if len(set(digests)) == 1:
            return
        all_texts = [data.decode().split('\n') for data in
                     group.all_gather_bytes('\n'.join(texts).encode(), self.what)]
        raise OpFailure(_first_difference(all_texts),
                        'every worker must build the same graph: no node may depend on the '
                        'index of the worker.')

    # Nothing to resume: after a restart the workers compare again.

    def get_state(self):
        return None

    def set_state(self, state):
        pass


def _described(operation, variable=None):
    tensor = operation.outputs[0]
    if variable is not None:
        return (f"the Variable '{operation.name}' {variable.dtype.base_dtype.name} "
                f'{variable.shape}')
    return f"{operation.type} '{operation.name}' {tensor.dtype.name} {tensor.shape}"


def _first_difference(texts):
    """'... on worker 0, ... on worker 1', of the first Variable that differs, else of the node."""
    for number in [*range(1, max(map(len, texts))), 0]:
        here = [text[number] if number < len(text) else 'no Variable' for text in texts]
        for rank, other in enumerate(here):
            if other != here[0]:
                return (f'the workers have built different graphs: {here[0]} on worker 0 is '
                        f'{other} on worker {rank}')
    return 'the workers have built different graphs'


class _Collective(Op, abstract=True):
    pure = False
    state_of_node = True
    state = _ComparedNode
    types = {'T': dtypes.NUMBERS | {dtypes.bool}}


class CollectiveReduce(_Collective):
    """The sum, product, minimum or maximum (`merge_op`) of the workers' arrays, on each of them.

    Shapes: [*shape] -> [*shape]. With `final_op='Div'` it is divided by the number of workers. The
    sum is taken in the same order in each run.
    """

    signature = 'input: T -> data: T'
    attrs = {'group_size': REQUIRED, 'group_key': 0, 'instance_key': 0, 'merge_op': 'Add',
             'final_op': 'Id', 'subdiv_offsets': (), 'wait_for': (), 'communication_hint': 'auto'}
    overwrites = (0,)
    partial_rank = True

    def shape(input):
        return input

    def kernel(state, input, out=None, *, group_size, merge_op, final_op):
        group = state.group(group_size)
        source = np.ascontiguousarray(input).reshape(np.shape(input))
        if out is None or not out.flags.c_contiguous:
            out = np.empty_like(source)
        elif np.may_share_memory(out, source):
            source = out
        group.all_reduce(source, out, _MERGE[merge_op], state.what)
        if final_op == 'Div':
            np.divide(out, group.size, out=out) if out.dtype.kind in 'fc' else \
                np.floor_divide(out, group.size, out=out)
        return out

    def gradient(op, dy):
        return CollectiveReduce.apply(dy, **{key: op.attrs[key] for key in (
            'group_size', 'group_key', 'merge_op', 'final_op')})


class CollectiveGather(_Collective):
    """The workers' arrays, one after the other along dimension 0.

    Shapes: [rows, *rest], where the workers may have different numbers of rows -> [all, *rest].
    """

    signature = 'input: T -> data: T'
    attrs = {'group_size': REQUIRED, 'group_key': 0, 'instance_key': 0,
             'communication_hint': 'auto'}

    def shape(input):
        if not input:
            raise OpFailure('a scalar has no dimension 0 to join along', 'x[tf.newaxis]')
        return (None, *input[1:])

    def kernel(state, input, *, group_size):
        return np.concatenate(state.group(group_size).all_gather(input, state.what))


class CollectiveBroadcast(_Collective):
    """The array of worker 0, on all workers. Shapes: [*shape] -> [*shape]."""

    signature = 'input: T -> data: T'
    attrs = {'group_size': REQUIRED, 'group_key': 0}
    partial_rank = True

    def shape(input):
        return input

    def kernel(state, input, *, group_size):
        group = state.group(group_size)
        out = np.array(input)
        group.broadcast(out, state.what)
        return out


class CollectiveGetNext(IteratorGetNext):
    """IteratorGetNext that ends, OutOfRangeError, on all workers where one has no element left."""

    attrs = IteratorGetNext.attrs

    def kernel(iterator, *, output_shapes):
        element = None
        try:
            element = IteratorGetNext.kernel(iterator, output_shapes=output_shapes)
        except OutOfRangeError as error:
            end = error
        group = process_group()
        have = np.array([element is not None], np.int32)
        group.all_reduce(have, have, 'min', 'the next batch of all workers')
        if have[0]:
            return element
        if element is None:
            raise end
        raise op_error(OutOfRangeError, 'End of sequence: another worker has no batch left')

