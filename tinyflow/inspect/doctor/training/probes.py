"""find_probes: which values of a training step show whether it learns, found in its graph."""
from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from tinyflow.compiler.prune import prune
from tinyflow.compiler.warnings.unrun_warnings import is_training_step
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.variable_refs import is_variable_ref, storage_shape, variable_of
from tinyflow.inspect.doctor.training.kinds import LAYERS, PASS_ON, RELUS, SQUASH
from tinyflow.inspect.doctor.training.nested import Inside, look_inside

_NORMALISE = ('FusedBatchNorm', 'FusedBatchNormV2', 'FusedBatchNormV3', 'Rsqrt')
_SOFTMAX_LOSSES = ('SoftmaxCrossEntropyWithLogits', 'SparseSoftmaxCrossEntropyWithLogits')
_OF_ERROR = frozenset({'Square', 'Abs', 'Mul', 'Pow'})


@dataclass(frozen=True)
class Update:
    """A step of the optimizer: the Variable, its gradient (None if unknown), the update's node."""

    variable: Operation
    gradient: Tensor | None
    operation: Operation

    @property
    def name(self) -> str:
        return self.variable.name

    @property
    def op(self) -> Operation:
        return self.variable        # so that Session.variable_values takes an Update for a Variable

    @property
    def is_kernel(self) -> bool:
        """True for matrices and filters; biases and scales begin at 0 and say less."""
        shape = storage_shape(self.variable)
        return shape is not None and len(shape) >= 2


@dataclass(frozen=True)
class Layer:
    """A product of data and trainable weights."""

    operation: Operation
    variable: Operation
    data: Tensor


@dataclass(frozen=True)
class ClassLoss:
    """A cross entropy: its node, what it takes as logits (None if not found) and as labels."""

    operation: Operation
    logits: Tensor | None
    labels: Tensor

    @property
    def per_row(self) -> Tensor | None:
        return self.operation.outputs[0] if self.operation.type in _SOFTMAX_LOSSES else None


@dataclass
class Probes:
    """What to look at in one training step."""

    loss: Tensor | None
    updates: list[Update]
    layers: list[Layer] = field(default_factory=list)
    activations: list[Operation] = field(default_factory=list)      # hidden ones
    inputs: list[Tensor] = field(default_factory=list)              # of the first layers
    targets: list[Tensor] = field(default_factory=list)             # of regressions
    class_losses: list[ClassLoss] = field(default_factory=list)
    channels_first: bool = False
    inside: Inside = field(default_factory=Inside)                  # of loops and conds

    @property
    def all_activations(self) -> list[Operation]:
        """The hidden activations, also those inside of loops and conds."""
        return [*self.activations, *self.inside.activations]

    @property
    def all_inputs(self) -> list[Tensor]:
        """The inputs of the first layers, also inside of loops and conds."""
        return [*self.inputs, *self.inside.inputs]

    def tensors(self) -> list[Tensor]:
        """All that a sampled step fetches, without repetitions."""
        found = [*self.inputs, *self.targets, *[a.outputs[0] for a in self.activations],
                 *[u.gradient for u in self.updates if u.gradient is not None]]
        for one in self.class_losses:
            found += [t for t in (one.logits, one.labels, one.per_row) if t is not None]
        return list(dict.fromkeys(found))


def find_probes(elements: Iterable[Tensor | Operation], feeds: Iterable[Tensor],
                loss: Tensor | None = None) -> Probes | None:
    """The probes of a run of `elements`; None if it is no training step."""
    kept = prune(elements, feeds)
    writes = [op for op in kept if op.writes]
    if not writes:
        return None
    found = _loss_of(kept)
    if found is None and not any(map(is_training_step, writes)):
        return None                     # such as the initialisation
    updates = _updates(writes)
    if not updates:
        return None
    probes = Probes(loss if loss is not None else found, updates)
    if probes.loss is not None:
        _look_forward(probes, set(feeds))
    return probes


def _updates(writes: list[Operation]) -> list[Update]:
    """One update for each trained Variable: by an optimizer's op, or by any other that assigns."""
    trainable = {v.op for v in writes[0].graph.get_collection(GraphKeys.TRAINABLE_VARIABLES)
                 if hasattr(v, 'op')}
    found: dict[Operation, Update] = {}
    for operation in writes:
        update = _update(operation)
        if update is None or update.variable not in trainable and update.gradient is None:
            continue                    # a slot, or a counter
        known = found.get(update.variable)
        if known is None or known.gradient is None:
            found[update.variable] = update
    return list(found.values())


def _update(step: Operation) -> Update | None:
    variable = variable_of(step.inputs[step.writes[0]])
    if variable is None:
        return None
    inputs = dict(step.definition.labelled_inputs(step))
    gradient = inputs.get('grad', inputs.get('delta', inputs.get('gradient')))
    if gradient is not None and not gradient.dtype.is_floating:
        gradient = None
    return Update(variable, gradient, step)


def _loss_of(kept: list[Operation]) -> Tensor | None:
    """What was differentiated: the node whose gradient begins at the ones of tf.gradients."""
    for seed in kept:
        if seed.type == 'Fill' and len(seed.inputs) == 2 and \
                re.search(r'(^|/)grad_ys_\d+$', seed.inputs[1].op.name):
            scope = seed.name.rpartition('/')[0]
            for user in seed.outputs[0].consumers():
                found = _differentiated(user, scope)
                if found is not None:
                    return found
    return None


def _differentiated(gradient: Operation, scope: str) -> Tensor | None:
    """The tensor whose gradient rule made this node, 'gradients/loss_grad/Neg'."""
    name = gradient.name.removeprefix(scope + '/')
    for match in re.finditer(r'_grad(_\d+)?(?=/|$)', name):
        operation = gradient.graph._by_name.get(name[:match.start()])
        if operation is not None and operation.outputs:
            return operation.outputs[0]
    return None


def _look_forward(probes: Probes, fed: set[Tensor]) -> None:
    """Fills in what lies between the data and the loss."""
    trained = {update.variable for update in probes.updates}
    forward = _ancestors(probes.loss, fed)
    learned: set[Operation] = set()         # what depends on a trained Variable
    for op in forward:
        if op in trained or any(t.op in learned for t in op.inputs if t not in fed):
            learned.add(op)
    inside = set(forward)
    for op in forward:
        if op.type in LAYERS:
            layer = _layer(op, trained)
            if layer is not None:
                probes.layers.append(layer)
        elif op.type in _SOFTMAX_LOSSES:
            probes.class_losses.append(ClassLoss(op, op.inputs[0], op.inputs[1]))
        elif op.type == 'Log1p' and op.name.endswith('logistic_loss/Log1p'):
            labels = _labels_of_logistic_loss(op)
            if labels is not None and labels.op not in learned:
                probes.class_losses.append(ClassLoss(op, None, labels))
    probes.channels_first = any(layer.operation.attrs.get('data_format') == 'NCHW'
                                for layer in probes.layers)
    before_layers = _before({layer.operation for layer in probes.layers}, forward)
    probes.activations = [op for op in forward if op.type in RELUS + SQUASH
                          and op in learned and op in before_layers]
    probes.inputs = list(dict.fromkeys(
        layer.data for layer in probes.layers
        if layer.data.dtype.is_floating and layer.data.op not in learned
        and layer.data.op.type != 'Const' and not _is_normalised(layer.operation, inside)))
    probes.inside = look_inside(forward, learned, before_layers, trained)
    if not probes.class_losses:
        probes.targets = _targets(forward, learned, inside)


def _ancestors(loss: Tensor, fed: set[Tensor]) -> list[Operation]:
    """The operations that the loss is computed from, in order of creation."""
    found, stack = {loss.op}, [loss.op]
    while stack:
        for tensor in stack.pop().inputs:
            if tensor not in fed and tensor.op not in found:
                found.add(tensor.op)
                stack.append(tensor.op)
    return sorted(found, key=lambda op: op.id)


def _before(targets: set[Operation], forward: list[Operation]) -> set[Operation]:
    """The operations from which a path leads to one of `targets`."""
    found: set[Operation] = set()
    inside = set(forward)
    for op in reversed(forward):
        if any(user in targets or user in found for t in op.outputs for user in t.consumers()
               if user in inside):
            found.add(op)
    return found


def _layer(op: Operation, trained: set[Operation]) -> Layer | None:
    sides = [_variable_behind(tensor, trained) for tensor in op.inputs]
    of_weights = [i for i, variable in enumerate(sides) if variable is not None]
    if len(of_weights) != 1:
        return None
    position = of_weights[0]
    if op.type == 'Conv2DBackpropInput':
        return Layer(op, sides[position], op.inputs[2])
    return Layer(op, sides[position], op.inputs[1 - position])


def _variable_behind(tensor: Tensor, trained: set[Operation]) -> Operation | None:
    """The trained Variable that a tensor is a read of, as it is or in another shape."""
    while True:
        if is_variable_ref(tensor):
            variable = variable_of(tensor)
            return variable if variable in trained else None
        if tensor.op.type not in PASS_ON or not tensor.op.inputs:
            return None
        tensor = tensor.op.inputs[0]


def _is_normalised(layer: Operation, inside: set[Operation]) -> bool:
    """True if batch normalisation follows, which makes the scale of the data irrelevant."""
    level = [layer]
    for _ in range(3):
        level = [user for op in level for t in op.outputs for user in t.consumers()
                 if user in inside]
        if any(op.type in _NORMALISE or 'batch_norm' in op.name.lower() for op in level):
            return True
    return False


def _labels_of_logistic_loss(log1p: Operation) -> Tensor | None:
    """z in max(x, 0) - x z + log(1 + exp(-|x|)): the labels of a sigmoid cross entropy."""
    scope = log1p.name.rpartition('/')[0]
    product = log1p.graph._by_name.get(f'{scope}/mul')
    return None if product is None or len(product.inputs) != 2 else product.inputs[1]


def _targets(forward: list[Operation], learned: set[Operation],
             inside: set[Operation]) -> list[Tensor]:
    """What predictions are subtracted from, where the difference is squared or its absolute
    value taken.
    """
    found = []
    for op in forward:
        if op.type not in ('Sub', 'SquaredDifference') or op not in learned:
            continue
        others = [t for t in op.inputs if t.op not in learned and t.op.type != 'Const'
                  and t.dtype.is_floating]
        squared = op.type == 'SquaredDifference' or any(
            user.type in _OF_ERROR for user in op.outputs[0].consumers() if user in inside)
        if len(others) == 1 and squared:
            found += others
    return list(dict.fromkeys(found))
