"""The doctor's checks, each a function from a Patient to Findings."""
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
from tinyflow.ops.control_flow.function_nodes import functions_of

_HUGE = 10 << 20                        # bytes
_SUMMARIES = ('ScalarSummary', 'HistogramSummary', 'ImageSummary', 'AudioSummary',
              'TensorSummaryV2')
_HAND_ON = frozenset({'Identity', 'Reshape', 'Squeeze', 'ExpandDims', 'Cast', 'StopGradient',
                      'Transpose', 'Pack', 'GatherV2', 'GatherNd', 'StridedSlice', 'Slice'})
_PROBABILITIES = ('Softmax', 'Sigmoid')


@dataclass(frozen=True)
class Patient:
    """A graph, what of it is going to run, and whether that was told (else it is everything)."""

    graph: Graph
    kept: list[Operation]
    fetched: bool

    @cached_property
    def inside(self) -> set[Operation]:
        return set(self.kept)

    @cached_property
    def everything(self) -> list[Operation]:
        """What runs, with the insides of conds and loops."""
        found = list(self.kept)
        for operation in found:
            for function in functions_of(operation):
                found += function.get_operations()
        return found


def broadcasting(patient: Patient) -> Iterator[Finding]:
    """A11: [n] with [n, 1] gives [n, n], and then a scalar is made of it."""
    for op in patient.everything:
        if not op.definition.elementwise or len(op.inputs) != 2 or '_grad/' in op.name:
            continue
        x, y = (t.raw_shape for t in op.inputs)
        if x and y and len(x) != len(y) and _vector_and_column(x, y) and _becomes_scalar(op):
            yield Finding(
                'A11', f"{op.type} '{op.name}' combines {shapes.text(x)} with {shapes.text(y)}: "
                f'every element meets every other, and a scalar is made of that.',
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


def unreached(patient: Patient) -> Iterator[Finding]:
    """A14: prints and summaries that no fetch reaches."""
    if not patient.fetched:
        return
    for op in patient.graph.get_operations():
        if op in patient.inside:
            continue
        if op.type in PRINTS:
            yield Finding('A14', f"{op.type} '{op.name}' prints nothing: no fetch needs it.",
                          'go on with what tf.Print returns, x = tf.Print(x, [x]); or fetch it, '
                          'too.', op)
        elif op.type in _SUMMARIES:
            yield Finding('A14', f"the summary '{op.name}' is not written: no fetch needs it.",
                          'fetch tf.summary.merge_all(), and give the result to '
                          'FileWriter.add_summary.', op)


def update_ops(patient: Patient) -> Iterator[Finding]:
    """A15: a training step that leaves out the updates of moving averages."""
    steps = [patient.inside] if patient.fetched else []
    for inside in steps:
        left_out = unrun_updates(inside, patient.graph)
        if left_out:
            yield Finding(
                'A15', f'the training step leaves {len(left_out)} of UPDATE_OPS unrun, such as '
                f"'{left_out[0].name}': moving averages stay as they are.",
                'with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)): '
                'train_op = optimizer.minimize(loss)', left_out[0])


def queues(patient: Patient) -> Iterator[Finding]:
    """A18: elements are taken from a queue that nothing fills."""
    filled = {op.inputs[0] for op in patient.graph.get_operations()
              if op.type.startswith('QueueEnqueue')}
    with_runner = {_queue_of(runner) for runner in
                   patient.graph.get_collection(GraphKeys.QUEUE_RUNNERS)}
    told = set()
    for op in patient.everything:
        if not op.type.startswith('QueueDequeue') or op.inputs[0] in told:
            continue
        queue = op.inputs[0]
        told.add(queue)
        if queue not in filled:
            yield Finding('A18', f"'{op.name}' takes elements from '{queue.op.name}', and no node "
                          'of the graph puts any in.', 'queue.enqueue(...), and run it.', op)
        elif queue.op.name not in with_runner:
            yield Finding('A18', f"'{op.name}' takes elements from '{queue.op.name}', for which "
                          'there is no QueueRunner.',
                          'run its enqueue operation before, or in a thread of your own; '
                          'tf.train.add_queue_runner.', op)
        else:
            yield Finding('A18', f"'{op.name}' waits for the runner of '{queue.op.name}'.",
                          'tf.train.start_queue_runners(sess) before the first run.', op)


def _queue_of(runner) -> str:
    queue = getattr(runner, 'queue', None)
    reference = getattr(queue, 'queue_ref', None)
    return reference.op.name if reference is not None else getattr(queue, 'name', '')


def huge_constants(patient: Patient) -> Iterator[Finding]:
    """A19: data that are part of the graph."""
    for op in patient.everything:
        if op.type == 'Const' and op.attrs['value'].nbytes > _HUGE:
            size = op.attrs['value'].nbytes / (1 << 20)
            yield Finding('A19', f"the constant '{op.name}' {op.outputs[0].shape_text} holds "
                          f'{size:.0f} MB, which go into every GraphDef that is written.',
                          'feed the data through a placeholder, or use tf.data.', op)


def softmax_twice(patient: Patient) -> Iterator[Finding]:
    """Probabilities where logits are wanted."""
    for op in patient.everything:
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
                'softmax', f"'{op.name}' takes logits, and gets the probabilities of "
                f"{source.op.type} '{source.op.name}'.",
                f'give it what goes into {source.op.type}; probabilities are for tf.argmax and '
                'for people.', op)


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


def logarithms(patient: Patient) -> Iterator[Finding]:
    """The logarithm of something that rounds to 0."""
    for op in patient.everything:
        if op.type != 'Log':
            continue
        source = _origin(op.inputs[0])
        if source.op.type == 'Sub' and _is_one(source.op.inputs[0]):
            source = _origin(source.op.inputs[1])
        if source.op.type in _PROBABILITIES:
            yield Finding(
                'log', f"Log '{op.name}' of {source.op.type} '{source.op.name}', which rounds to "
                '0 for confident predictions: the loss becomes infinite, its gradient NaN.',
                'tf.nn.softmax_cross_entropy_with_logits_v2 (or sigmoid_...) takes the logits; or '
                'tf.log(p + 1e-8).', op)


def unused_variables(patient: Patient) -> Iterator[Finding]:
    """Variables that a training step does not train."""
    if not patient.fetched or not any(map(is_training_step, patient.kept)):
        return
    for variable in patient.graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
        if variable.op not in patient.inside:
            yield Finding('A12', f"the trainable Variable '{variable.op.name}' is not part of the "
                          'training step: it keeps its initial value.',
                          'is it connected to the loss? trainable=False if that is meant.',
                          variable.op)


def _origin(tensor: Tensor) -> Tensor:
    """Where a value comes from, through operations that only hand it on."""
    while True:
        op = tensor.op
        if op.type in _HAND_ON and op.inputs and not op.inputs[0].dtype.is_ref:
            tensor = op.inputs[0]
            continue
        captured = None if op.graph.outer_graph is None else op.graph.source_of(tensor)
        if captured is None:
            return tensor
        tensor = captured


def _is_one(tensor: Tensor) -> bool:
    value = constant_value(tensor)
    return value is not None and bool((value == 1).all())


CHECKS: tuple[Callable[[Patient], Iterator[Finding]], ...] = (
    broadcasting, unreached, update_ops, queues, huge_constants, softmax_twice, logarithms,
    unused_variables)
