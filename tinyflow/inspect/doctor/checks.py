"""The checks of tf.doctor: functions that take a CheckedGraph and yield Findings."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

from tinyflow.compiler.warnings.unrun_warnings import PRINTS, is_training_step, unrun_updates
from tinyflow.graph import shapes
from tinyflow.graph.constant_value import constant_value
from tinyflow.graph.graph import Graph
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.inspect.doctor.report import Finding
from tinyflow.inspect.recorder.names import path_of
from tinyflow.ops.control_flow.function_nodes import functions_of

_HUGE = 10 << 20                        # bytes
_SUMMARIES = ('ScalarSummary', 'HistogramSummary', 'ImageSummary', 'AudioSummary',
              'TensorSummaryV2')
_PASS_THROUGH = frozenset({'Identity', 'Reshape', 'Squeeze', 'ExpandDims', 'Cast', 'StopGradient',
                           'Transpose', 'Pack', 'GatherV2', 'GatherNd', 'StridedSlice', 'Slice'})
_PROBABILITIES = ('Softmax', 'Sigmoid')


@dataclass(frozen=True)
class CheckedGraph:
    """A graph and the operations that will run: those that the fetches need, or all of them."""

    graph: Graph
    kept: list[Operation]
    fetched: bool                   # whether fetches were given

    @cached_property
    def kept_set(self) -> set[Operation]:
        return set(self.kept)

    @cached_property
    def kept_and_nested(self) -> list[Operation]:
        """The operations that will run, with those inside conds and loops."""
        found = list(self.kept)
        for operation in found:
            for function in functions_of(operation):
                found += function.get_operations()
        return found


def broadcasting(checked: CheckedGraph) -> Iterator[Finding]:
    """[n] combined with [n, 1] gives [n, n], which is then reduced to a scalar."""
    for op in checked.kept_and_nested:
        if not op.definition.elementwise or len(op.inputs) != 2 or '_grad/' in op.name:
            continue
        x, y = (t.raw_shape for t in op.inputs)
        if x and y and len(x) != len(y) and _vector_and_column(x, y) and _becomes_scalar(op):
            yield Finding(
                'silent-broadcast',
                f"{op.type} '{path_of(op)}' combines {shapes.text(x)} with {shapes.text(y)}: every "
                'element is combined with every other, and the result is reduced to a scalar.',
                'give both the same shape: tf.squeeze(x, -1) or tf.expand_dims(y, -1).', op)


def _vector_and_column(x: tuple, y: tuple) -> bool:
    long, short = (x, y) if len(x) > len(y) else (y, x)
    return long[:len(short)] == short and all(s == 1 for s in long[len(short):]) and \
        any(s != 1 for s in short)


def _becomes_scalar(op: Operation) -> bool:
    ahead = [op]
    for current in ahead:
        for tensor in current.outputs:
            if tensor.raw_shape == ():
                return True
            ahead += [c for c in tensor.consumers() if c not in ahead]
        if len(ahead) > 64:
            return False
    return False


def unreached(checked: CheckedGraph) -> Iterator[Finding]:
    """Prints and summaries that no fetch needs."""
    if not checked.fetched:
        return
    for op in checked.graph.get_operations():
        if op in checked.kept_set:
            continue
        if op.type in PRINTS:
            yield Finding('unfetched-print',
                          f"{op.type} '{op.name}' prints nothing: no fetch needs it.",
                          'use the result of tf.Print, x = tf.Print(x, [x]); or fetch it, too.',
                          op)
        elif op.type in _SUMMARIES:
            yield Finding('unfetched-summary',
                          f"the summary '{op.name}' is not written: no fetch needs it.",
                          'fetch tf.summary.merge_all(), and pass the result to '
                          'FileWriter.add_summary.', op)


def update_ops(checked: CheckedGraph) -> Iterator[Finding]:
    """A training step that does not run the updates of moving averages."""
    unrun = unrun_updates(checked.kept_set, checked.graph) if checked.fetched else []
    if unrun:
        yield Finding(
            'update-ops',
            f'the training step does not run {len(unrun)} of UPDATE_OPS, such as '
            f"'{unrun[0].name}': the moving averages are not updated.",
            'with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)): '
            'train_op = optimizer.minimize(loss)', unrun[0])


def queues(checked: CheckedGraph) -> Iterator[Finding]:
    """Dequeues from a queue that nothing fills."""
    filled = {op.inputs[0] for op in checked.graph.get_operations()
              if op.type.startswith('QueueEnqueue')}
    with_runner = {_queue_of(runner) for runner in
                   checked.graph.get_collection(GraphKeys.QUEUE_RUNNERS)}
    seen = set()
    for op in checked.kept_and_nested:
        if not op.type.startswith('QueueDequeue') or op.inputs[0] in seen:
            continue
        queue = op.inputs[0]
        seen.add(queue)
        if queue not in filled:
            yield Finding('queue-deadlock',
                          f"'{op.name}' takes elements from '{queue.op.name}', and no node of the "
                          'graph adds any.', 'make an enqueue op, queue.enqueue(...), and run it.',
                          op)
        elif queue.op.name not in with_runner:
            yield Finding('queue-deadlock',
                          f"'{op.name}' takes elements from '{queue.op.name}', for which there is "
                          'no QueueRunner.',
                          'run its enqueue operation first, or in another thread, or register a '
                          'runner with tf.train.add_queue_runner.', op)
        else:
            yield Finding('queue-deadlock',
                          f"'{op.name}' waits for the QueueRunner of '{queue.op.name}'.",
                          'call tf.train.start_queue_runners(sess) before the first run.', op)


def _queue_of(runner) -> str:
    queue = getattr(runner, 'queue', None)
    reference = getattr(queue, 'queue_ref', None)
    return reference.op.name if reference is not None else getattr(queue, 'name', '')


def huge_constants(checked: CheckedGraph) -> Iterator[Finding]:
    """Data stored in the graph itself."""
    for op in checked.kept_and_nested:
        if op.type == 'Const' and op.attrs['value'].nbytes > _HUGE:
            size = op.attrs['value'].nbytes / (1 << 20)
            yield Finding('large-constants',
                          f"the constant '{path_of(op)}' {op.outputs[0].shape_text} holds "
                          f'{size:.0f} MB, which are written with every GraphDef.',
                          'feed the data through a placeholder, or use tf.data.', op)


def softmax_twice(checked: CheckedGraph) -> Iterator[Finding]:
    """Probabilities passed where logits are expected."""
    for op in checked.kept_and_nested:
        if op.type in ('SoftmaxCrossEntropyWithLogits', 'SparseSoftmaxCrossEntropyWithLogits',
                       'Softmax', 'LogSoftmax'):
            logits = op.inputs[0]
        elif op.type == 'Log1p' and op.name.endswith('logistic_loss/Log1p'):
            logits = _logits_of_logistic_loss(op)
        else:
            continue
        source = None if logits is None else _origin(logits)
        if source is not None and source.op.type in (*_PROBABILITIES, 'LogSoftmax'):
            yield Finding(
                'double-softmax',
                f"'{path_of(op)}' expects logits, but gets the probabilities of {source.op.type} "
                f"'{path_of(source.op)}'.",
                f'pass it the input of {source.op.type} instead; use the probabilities only for '
                'predictions.', op)


def _logits_of_logistic_loss(op: Operation) -> Tensor | None:
    """x in log1p(exp(select(x >= 0, -x, x)))."""
    source = op
    for _ in range(3):
        if source.type in ('Select', 'SelectV2'):
            return source.inputs[2]
        if not source.inputs:
            return None
        source = source.inputs[0].op
    return source.inputs[2] if source.type in ('Select', 'SelectV2') else None


def logarithms(checked: CheckedGraph) -> Iterator[Finding]:
    """The logarithm of a probability, which may round to 0."""
    for op in checked.kept_and_nested:
        if op.type != 'Log':
            continue
        source = _origin(op.inputs[0])
        if source.op.type == 'Sub' and _is_one(source.op.inputs[0]):
            source = _origin(source.op.inputs[1])
        if source.op.type in _PROBABILITIES:
            yield Finding(
                'log-of-zero',
                f"Log '{path_of(op)}' takes {source.op.type} '{path_of(source.op)}', which rounds "
                'to 0 for confident predictions: the loss becomes infinite and its gradient NaN.',
                'use tf.nn.softmax_cross_entropy_with_logits_v2 (or sigmoid_...), which takes the '
                'logits; or tf.log(p + 1e-8).', op)


def unused_variables(checked: CheckedGraph) -> Iterator[Finding]:
    """Trainable Variables that the training step does not use."""
    if not checked.fetched or not any(map(is_training_step, checked.kept)):
        return
    for variable in checked.graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
        if variable.op not in checked.kept_set:
            yield Finding('untrained-variable',
                          f"the trainable Variable '{variable.op.name}' is not part of the "
                          'training step: it keeps its initial value.',
                          'check that it is connected to the loss; pass trainable=False if it '
                          'should not be trained.', variable.op)


def _origin(tensor: Tensor) -> Tensor:
    """The tensor that a value comes from, through ops that only pass it on."""
    while True:
        op = tensor.op
        if op.type in _PASS_THROUGH and op.inputs and not op.inputs[0].dtype.is_ref:
            tensor = op.inputs[0]
            continue
        captured = None if op.graph.outer_graph is None else op.graph.source_of(tensor)
        if captured is None:
            return tensor
        tensor = captured


def _is_one(tensor: Tensor) -> bool:
    value = constant_value(tensor)
    return value is not None and bool((value == 1).all())


CHECKS: tuple[Callable[[CheckedGraph], Iterator[Finding]], ...] = (
    broadcasting, unreached, update_ops, queues, huge_constants, softmax_twice, logarithms,
    unused_variables)
