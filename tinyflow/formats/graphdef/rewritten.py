"""Rewrites nodes of older and newer TensorFlow for which changing the op type is not enough.

Each rule makes one node into several, or changes its inputs; nodes.py has those that only need
another op type. The node that replaces the old one keeps its name, so that its consumers find
its outputs; names of helper nodes begin with it.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tinyflow.formats.graphdef.nodes import Function, Node, Ref
from tinyflow.graph import dtypes
from tinyflow.graph.support.errors import misuse


def rewrite(nodes, library):
    """The nodes, rewritten by their rules; `library` has the Functions by name."""
    rules = [_rule(node) for node in nodes]
    if not any(rules):
        return nodes
    result = []
    for node, rule in zip(nodes, rules):
        if rule is None:
            result.append(node)
            continue
        try:
            result.extend(rule(node, library))
        except (IndexError, KeyError, ValueError) as error:
            if getattr(error, 'raised_by_tinyflow', False):
                raise
            raise misuse(ValueError(f"The node '{node.name}' ({node.op}) is damaged: it has "
                                    f'{len(node.inputs)} inputs and misses some that {node.op} '
                                    f'needs.')) from error
    return result


def _rule(node):
    """The rule for a node, by its op type or by a newer attribute; None if there is none."""
    if node.op in _RULES:
        return _RULES[node.op]
    return next((rule for name, rule in _RULES_OF_ATTRS.items() if name in node.attrs), None)


def _with(node, op, inputs, **attrs):
    """The node with another op type and other inputs, and with more attributes."""
    return replace(node, op=op, inputs=list(inputs), controls=list(node.controls),
                   attrs={**node.attrs, **attrs})


def _const(node, name, value, dtype=dtypes.int32):
    return Node(f'{node.name}/{name}', 'Const', device=node.device,
                attrs={'value': np.array(value, dtype.np), 'dtype': dtype})


# ---- inputs of some versions only -------------------------------------------------------


def _adding(op, name, value, dtype=dtypes.int32):
    """A rule: adds an input, a constant."""
    def rule(node, library):
        added = _const(node, name, value, dtype)
        return [added, _with(node, op, [*node.inputs, Ref(added.name)])]
    return rule


def _dropping(op, positions, least):
    """A rule: drops the inputs at `positions`, counted from the end, of `least` or more."""
    def rule(node, library):
        if len(node.inputs) < least:
            raise IndexError
        gone = {len(node.inputs) + position for position in positions}
        return [_with(node, op, [ref for i, ref in enumerate(node.inputs) if i not in gone])]
    return rule


def _narrow_ids(node, library):
    """Ids of sparse segments are int32 in TensorFlow 1, and may be int64 in TensorFlow 2."""
    if getattr(node.attrs['Tsegmentids'], 'type', None) != dtypes.int64.as_datatype_enum \
            or not node.op.startswith('SparseSegment'):
        return [node]
    data, indices, ids, *rest = node.inputs
    cast = Node(f'{node.name}/segment_ids', 'Cast', [ids], device=node.device,
                attrs={'SrcT': dtypes.int64, 'DstT': dtypes.int32})
    narrow = _with(node, node.op, [data, indices, Ref(cast.name), *rest])
    del narrow.attrs['Tsegmentids']
    return [cast, narrow]


def _growing(node, library):
    """A write of TensorFlow 2 may grow the list; here the list is resized before."""
    if node.op != 'TensorListSetItem':
        return [node]
    items, index, item = node.inputs
    attrs = {'T': dtypes.int32}
    one = _const(node, 'one', 1)
    wanted = Node(f'{node.name}/wanted', 'Add', [index, Ref(one.name)], [], attrs, node.device)
    size = Node(f'{node.name}/size', 'TensorListLength', [items], device=node.device)
    larger = Node(f'{node.name}/larger', 'Maximum', [Ref(size.name), Ref(wanted.name)], [], attrs,
                  node.device)
    grown = Node(f'{node.name}/grown', 'TensorListResize', [items, Ref(larger.name)],
                 device=node.device)
    write = _with(node, node.op, [Ref(grown.name), index, item])
    grows = write.attrs.pop('resize_if_index_out_of_bounds')
    return [one, wanted, size, larger, grown, write] if grows.b else [
        replace(write, inputs=node.inputs)]


def _legacy_interleave(node, library):
    """TensorFlow 2 has an attribute instead of the input `sloppy`; here order is always kept."""
    *others, buffered, fetched = node.inputs
    sloppy = _const(node, 'sloppy', False, dtypes.bool)
    return [sloppy, _with(node, 'ParallelInterleaveDataset',
                          [*others, Ref(sloppy.name), buffered, fetched])]


def _csv(node, library):
    """The last input, columns to exclude, must be empty: TensorFlow 1 does not support it.

    This is checked at run time.
    """
    *others, excluded = node.inputs
    size = Node(f'{node.name}/excluded', 'Size', [excluded], device=node.device)
    none = _const(node, 'none', 0)
    equal = Node(f'{node.name}/none_excluded', 'Equal', [Ref(size.name), Ref(none.name)],
                 device=node.device)
    message = _const(node, 'message',
                     b'tinyflow does not implement exclude_cols; use select_cols.',
                     dtypes.string)
    check = Node(f'{node.name}/check', 'Assert', [Ref(equal.name), Ref(message.name)],
                 device=node.device, attrs={'T': (dtypes.string,), 'summarize': 3})
    checked = _with(node, 'CSVDataset', others)
    checked.controls.append(check.name)
    return [size, none, equal, message, check, checked]


def _concat(node, library):
    axis, *values = node.inputs
    return [_with(node, 'ConcatV2', [*values, axis])]


def _top_k(node, library):
    count = _const(node, 'k', node.attrs['k'].i)
    return [count, _with(node, 'TopKV2', [node.inputs[0], Ref(count.name)])]


def _parallel_map(node, library):
    """In TensorFlow 2 the number of calls is an int64."""
    *others, calls = node.inputs
    cast = Node(f'{node.name}/num_parallel_calls', 'Cast', [calls], device=node.device,
                attrs={'SrcT': dtypes.int64, 'DstT': dtypes.int32})
    return [cast, _with(node, 'ParallelMapDataset', [*others, Ref(cast.name)])]


# ---- batch normalisation ------------------------------------------------------------------


def _fused_gradient(node, library):
    """The first two versions have no third reserved space, which only GPUs use."""
    rest = _const(node, 'reserve_space_3', 0, dtypes.float32)
    return [rest, _with(node, 'FusedBatchNormGradV3', [*node.inputs[:5], Ref(rest.name)])]


def _global_normalization(node, library):
    """TensorFlow's first batch normalisation op: the moments are inputs."""
    x, mean, variance, offset, scale = node.inputs
    made = []
    if not node.attrs['scale_after_normalization'].b:
        made.append(Node(f'{node.name}/scale', 'OnesLike', [scale], device=node.device))
        scale = Ref(made[0].name)
    return [*made, _with(node, 'FusedBatchNormV3', [x, scale, offset, mean, variance],
                         epsilon=node.attrs['variance_epsilon'], is_training=False)]


# ---- Case --------------------------------------------------------------------------------


def _case(node, library):
    """A Case as an If whose other branch contains the next If; the last branch is the default."""
    names = [f.name for f in node.attrs['branches'].list.func]
    missing = [name for name in names if name not in library]
    if not names or missing:
        raise misuse(ValueError(f"The node '{node.name}' is damaged: its branches "
                                f"{', '.join(missing)} are not in the graph's library."))
    attrs = {k: v for k, v in node.attrs.items() if k not in ('branches', 'Tin')}
    if len(names) == 1:
        return [replace(node, op=names[0], inputs=node.inputs[1:], attrs={})]
    return _choice(node.name, node.inputs, names, 0, library,
                   replace(node, op=node.op.replace('Case', 'If'), attrs=attrs))


def _choice(prefix, inputs, names, position, library, node):
    """Nodes that select among names[place:]; `node` is the template of the If."""
    wanted = _const(node, 'branch', position)
    equal = Node(f'{node.name}/is_branch', 'Equal', [inputs[0], Ref(wanted.name)],
                 device=node.device)
    inner = f'{prefix}_from_{position + 1}'.replace('/', '_')
    then = _calling(f'{prefix}_branch_{position}'.replace('/', '_'), names[position], len(inputs),
                    library)
    if position + 2 == len(names):
        rest = _calling(inner, names[-1], len(inputs), library)
    else:
        parameters = _parameters(len(inputs))
        choice = replace(node, name='choice', controls=[])
        nodes = _choice(prefix, [Ref(p) for p in parameters], names, position + 1, library, choice)
        count = len(library[names[0]].results)
        rest = Function(inner, parameters, nodes, [Ref('choice', i) for i in range(count)])
    return [wanted, equal, replace(
        node, inputs=[Ref(equal.name), *inputs],
        attrs={**node.attrs, 'then_branch': then, 'else_branch': rest})]


def _parameters(count):
    return [f'input_{i}' for i in range(count)]


def _calling(name, function, count, library):
    """A Function of the index and the inputs, which calls `function` with the inputs."""
    parameters = _parameters(count)
    call = Node('call', function, [Ref(p) for p in parameters[1:]])
    return Function(name, parameters, [call],
                    [Ref('call', i) for i in range(len(library[function].results))])


_RULES: dict[str, Callable] = {
    # older than TensorFlow 1.15
    'Concat': _concat,
    'Gather': _adding('GatherV2', 'axis', 0),
    'TopK': _top_k,
    'FusedBatchNorm': lambda node, library: [_with(node, 'FusedBatchNormV3', node.inputs)],
    'FusedBatchNormV2': lambda node, library: [_with(node, 'FusedBatchNormV3', node.inputs)],
    'FusedBatchNormGrad': _fused_gradient,
    'FusedBatchNormGradV2': _fused_gradient,
    'BatchNormWithGlobalNormalization': _global_normalization,
    'BatchDataset': _adding('BatchDatasetV2', 'drop_remainder', False, dtypes.bool),
    'PaddedBatchDataset': _adding('PaddedBatchDatasetV2', 'drop_remainder', False, dtypes.bool),
    'FixedLengthRecordDataset': _adding('FixedLengthRecordDatasetV2', 'compression_type', b'',
                                        dtypes.string),
    # newer than TensorFlow 1.15
    'Case': _case,
    'StatelessCase': _case,
    'ParallelMapDatasetV2': _parallel_map,
    'ParallelInterleaveDatasetV4': _dropping('ParallelInterleaveDatasetV2', (-3, -2), 6),
    'ParallelFilterDataset': _dropping('FilterDataset', (-1,), 2),
    'ParallelBatchDataset': _dropping('BatchDatasetV2', (-2,), 4),
    'LegacyParallelInterleaveDatasetV2': _legacy_interleave,
    'CSVDatasetV2': _csv,
    'ShuffleDatasetV3': _dropping('ShuffleDataset', (-1,), 5),
    'ShuffleAndRepeatDatasetV2': _dropping('ShuffleAndRepeatDataset', (-1,), 6),
    'CacheDatasetV2': _dropping('CacheDataset', (-1,), 3),
    'AssertCardinalityDataset': _dropping('ModelDataset', (-1,), 2),
    'RewriteDataset': _dropping('ModelDataset', (-1,), 2),
    'OptionsDataset': _dropping('ModelDataset', (), 1),
    'FinalizeDataset': _dropping('ModelDataset', (), 1),
    # handles that only the dropped inputs use
    'DummyMemoryCache': lambda node, library: [_with(node, 'NoOp', ())],
    'DummySeedGenerator': lambda node, library: [_with(node, 'NoOp', ())],
}
REWRITTEN = frozenset(_RULES)
_RULES_OF_ATTRS: dict[str, Callable] = {
    'Tsegmentids': _narrow_ids,
    'resize_if_index_out_of_bounds': _growing,
}
