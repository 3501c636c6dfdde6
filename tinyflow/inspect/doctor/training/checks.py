"""The checks of a training: functions that take what was Observed and yield Findings.

The thresholds are set so that networks which learn are silent: each is far outside what sound
training shows. causes.py leaves out what follows from another fault.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from tinyflow.gradients.diagnose import why_no_gradient
from tinyflow.gradients.registry import rule_of
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.op import NOT_DIFFERENTIABLE
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.inspect.doctor.report import Finding
from tinyflow.inspect.doctor.training.observed import Observed
from tinyflow.inspect.doctor.training.probes import Update
from tinyflow.inspect.recorder.names import path_of

_LARGE_INPUT, _SMALL_INPUT, _LARGE_TARGET = 20., 1e-3, 50.
_ONE_CLASS = 0.95               # the share of rows above which accuracy says little
DEAD, _SATURATED = 0.5, 0.8    # shares of units
_MOSTLY_DEAD = 0.9              # in a network that learns all the same
_EXPLODING = 100.               # norm of a gradient / norm of its weights
_VANISHING = 1e-4               # of the largest such ratio
_LARGE_UPDATE, _SMALL_UPDATE = 0.1, 1e-5        # norm of an update / norm of the weights
_FEW_STEPS = 100                # before which nothing is said of the loss standing still


def bad_inputs(seen: Observed) -> Iterator[Finding]:
    """Values far from 1, as they enter the first layer."""
    for tensor in seen.probes.all_inputs:
        data = seen.data[tensor]
        largest = max(abs(data.low), abs(data.high))
        if data.rows and (data.rms > _LARGE_INPUT or 0 < largest < _SMALL_INPUT):
            yield Finding(
                'input-scale', f"the first layer gets '{_name(tensor)}' with values from "
                f'{data.low:.4g} to {data.high:.4g} (root mean square {data.rms:.3g}).',
                'scale the inputs: divide pixels by 255, or subtract the mean of each feature and '
                'divide by its standard deviation.', tensor.op, data.rms)


def constant_features(seen: Observed) -> Iterator[Finding]:
    """Columns of the input that are the same in all rows; 0 and 1 may be meant."""
    for tensor in seen.probes.all_inputs:
        data = seen.data[tensor]
        if data.column_low is None or data.rows < 64 or not 1 <= len(data.column_low) <= 64:
            continue
        same = (data.column_low == data.column_high) & ~np.isin(data.column_low, (0., 1.))
        if same.any():
            first = int(np.flatnonzero(same)[0])
            yield Finding(
                'constant-feature', f"{int(same.sum())} of {len(same)} features of "
                f"'{_name(tensor)}' are the same in all of {data.rows} rows, such as column "
                f'{first}, {data.column_low[first]:.4g}.',
                'look at how the column is read and scaled; leave it out if it is constant.',
                tensor.op, float(same.mean()))


def bad_targets(seen: Observed) -> Iterator[Finding]:
    """Targets of a regression that are far from 1."""
    for tensor in seen.probes.targets:
        data = seen.data[tensor]
        if data.rows and data.rms > _LARGE_TARGET:
            yield Finding(
                'target-scale', f"the targets '{tensor.name}' go from {data.low:.4g} to "
                f'{data.high:.4g}: predictions begin near 0, so errors and gradients are large.',
                'train on (y - mean) / std of the training set, and undo it in the predictions.',
                tensor.op, data.rms)


def bad_labels(seen: Observed) -> Iterator[Finding]:
    """Labels of a cross entropy that are no probabilities."""
    for one in seen.probes.class_losses:
        data = seen.data.get(one.labels)
        if data is None or not data.rows or one.operation.type.startswith('Sparse'):
            continue
        outside = data.low < -1e-6 or data.high > 1 + 1e-6
        sums = one.logits is None or data.sums_to_one
        if outside or not sums:
            problem = f'has labels from {data.low:.4g} to {data.high:.4g}, outside [0, 1]' \
                if outside else 'has rows of labels that do not sum to 1'
            yield Finding(
                'label-range', f"the cross entropy '{one.operation.name}' {problem}.",
                'labels are probabilities: 0 or 1, not -1 or 2; tf.one_hot makes rows of class '
                'numbers; several classes at once need a sigmoid cross entropy.',
                one.labels.op, data.high if outside else None)


def one_class(seen: Observed) -> Iterator[Finding]:
    """Nearly all rows of one class."""
    for one in seen.probes.class_losses:
        counts = seen.data[one.labels].counts if one.labels in seen.data else {}
        rows = sum(counts.values())
        if rows < 400:
            continue
        label, most = max(counts.items(), key=lambda item: item[1])
        if most / rows >= _ONE_CLASS:
            yield Finding(
                'class-imbalance', f'{most / rows:.1%} of {rows} rows have the label {label:g}: '
                'always answering it is as accurate.',
                'look at precision and recall or AUC in place of accuracy; weight the rare class, '
                'or draw it more often.', one.labels.op, most / rows)


def softmax_of_probabilities(seen: Observed) -> Iterator[Finding]:
    """Logits that are probabilities."""
    for one in seen.probes.class_losses:
        data = None if one.logits is None else seen.data.get(one.logits)
        if data is not None and data.rows >= 32 and data.column_low is not None \
                and len(data.column_low) > 1 and data.low >= 0 and data.high <= 1 \
                and data.sums_to_one:
            yield Finding(
                'double-softmax', f"'{one.operation.name}' expects logits, but every row that "
                f"it gets of '{one.logits.name}' is a probability distribution.",
                'pass it what the softmax was taken of.', one.operation, data.high)


def saturated_softmax(seen: Observed) -> Iterator[Finding]:
    """Certain, and wrong: the gradient cannot tell how far off the logits are."""
    if len(seen.confident) < 3:
        return
    guess = max(2., np.log(max(seen.classes, 2)))
    sure, loss = max(seen.confident[0], tuple(np.median(seen.confident[-5:], axis=0)),
                     key=lambda figures: figures[0] * (figures[1] > guess))
    if sure > 0.7 and loss > guess:
        one = next(c for c in seen.probes.class_losses if c.logits is not None)
        data = seen.data[one.logits]
        yield Finding(
            'saturated-softmax', f"the softmax of '{one.operation.name}' is certain (above "
            f'0.99999) of its answer for {sure:.0%} of the rows, at a mean loss of {loss:.3g}; '
            f'logits go from {data.low:.4g} to {data.high:.4g}.',
            'smaller initial weights, above all in the last layer, or scaled inputs: logits should '
            'begin near 0.', one.operation, sure)


def not_finite(seen: Observed) -> Iterator[Finding]:
    """NaN or infinity in the loss."""
    if seen.not_finite_at is None:
        return
    text, operation = seen.origin or ('', None)
    where = f"{operation.type} '{path_of(operation)}' made it" if operation is not None else \
        'the operation that made it is not known'
    yield Finding(
        'nan', f'the loss is not finite from step {seen.not_finite_at} on: {where}.'
        + (f'\n{text}' if text else ''),
        'logarithms of 0, divisions by 0 and roots of 0 need a small number added; '
        'otherwise a smaller learning rate, or tf.clip_by_global_norm.',
        operation or (seen.probes.loss.op if seen.probes.loss is not None else None),
        float(seen.not_finite_at))


def dead_relus(seen: Observed) -> Iterator[Finding]:
    """Units that are 0 for all rows."""
    for op, units in seen.units.items():
        if len(units.fired) < 3 or units.rows < 32 or units.fired[-1].size < 4:
            continue
        dead = units.dead()
        if dead >= (_MOSTLY_DEAD if _learnt(seen) else DEAD):
            yield Finding(
                'dead-relu', f"{dead:.0%} of the {units.fired[-1].size} units of {op.type} "
                f"'{path_of(op)}' are 0 for every row: they get no gradient and cannot recover.",
                'a smaller learning rate, biases that do not begin below 0, He initialisation '
                '(tf.keras.initializers.he_normal), or tf.nn.leaky_relu.', op, dead)


def saturated_units(seen: Observed) -> Iterator[Finding]:
    """Hidden sigmoid and tanh units whose derivative is almost 0."""
    for op, units in seen.units.items():
        if len(units.saturated) >= 3:
            share = float(np.median(units.saturated[-3:]))
            # A network that has learnt may be certain; one that begins so has bad weights.
            if share >= _SATURATED and (not _learnt(seen) or units.saturated[0] >= _SATURATED):
                yield Finding(
                    'saturated-units', f'{share:.0%} of the values of {op.type} '
                    f"'{path_of(op)}' are within 0.01 of its limits, where the derivative is "
                    'almost 0.',
                    'smaller initial weights (glorot_uniform), inputs near 1, batch normalisation '
                    'before the activation; or ReLU.', op, share)


def exploding_gradients(seen: Observed) -> Iterator[Finding]:
    """Gradients much larger than the weights."""
    ratios = {u: _typical(r) for u, r in seen.gradients.items()
              if u.is_kernel and u not in seen.from_zero}
    if not ratios:
        return
    update, ratio = max(ratios.items(), key=lambda item: item[1])
    if ratio > exploding_limit(seen):
        yield Finding(
            'exploding-gradient', f"the gradient of '{update.name}' is {ratio:.3g} times as large "
            'as its weights.',
            'tf.clip_by_global_norm between compute_gradients and apply_gradients; smaller '
            'initial weights; for a recurrent network an orthogonal initializer.',
            update.variable, ratio)


def exploding_limit(seen: Observed) -> float:
    """The limit: the loss may be a sum over the rows of a batch."""
    return _EXPLODING * min(seen.rows, 100)


def vanishing_gradients(seen: Observed) -> Iterator[Finding]:
    """Gradients of the first layers that are tiny next to those of the last."""
    of = {update.variable: update for update in seen.gradients}
    layers = [of[v] for v in dict.fromkeys(layer.variable for layer in seen.probes.layers)
              if v in of]
    ratios = [(u, float(np.median(seen.gradients[u]))) for u in layers
              if len(seen.gradients[u]) >= 3]
    if len(ratios) < 3:
        return
    most, largest = max(ratios, key=lambda item: item[1])
    update, smallest = min(ratios, key=lambda item: item[1])
    if 0 < smallest < _VANISHING * largest and layers.index(update) < layers.index(most):
        yield Finding(
            'vanishing-gradient', f"the gradient of '{update.name}' is {smallest:.2g} of its "
            f"weights, that of '{most.name}' {largest:.2g}: it vanishes on the way back.",
            'ReLU in place of sigmoid, residual connections, batch normalisation, or fewer layers.',
            update.variable, smallest / largest)


def no_gradient(seen: Observed) -> Iterator[Finding]:
    """Trainable Variables that the loss uses, but that get no gradient, or always 0."""
    loss = seen.probes.loss
    for update, ratios in seen.gradients.items():
        if update.is_kernel and len(ratios) >= 3 and not any(ratios):
            yield Finding(
                'no-gradient', f"the gradient of '{update.name}' was 0 in all of "
                f'{len(ratios)} sampled steps.',
                'look for a factor of 0, a mask, or a saturated tf.clip_by_value between it and '
                'the loss.', update.variable, 0.)
    updated = {update.variable for update in seen.probes.updates}
    if loss is None:
        return
    for variable in loss.graph.get_collection(GraphKeys.TRAINABLE_VARIABLES):
        if variable.op in updated or not hasattr(variable, '_as_graph_element'):
            continue
        if _has_path(loss, variable.op):
            continue                    # left out by var_list, or another step trains it
        why = why_no_gradient(loss, variable)
        if not any(part in why for part in ('has a gradient', 'does not depend', 'StopGradient')):
            yield Finding('no-gradient', f"the trainable Variable '{variable.op.name}' gets no "
                          f'gradient. {why}', 'use a differentiable op there, or trainable=False.',
                          variable.op)


def _name(tensor: Tensor) -> str:
    return f'{path_of(tensor.op)}:{tensor.value_index}'


def _has_path(loss: Tensor, variable: Operation) -> bool:
    """True if a path of nodes with gradients leads from the Variable to the loss."""
    seen, stack = {loss.op}, [loss.op]
    while stack:
        operation = stack.pop()
        if operation is variable:
            return True
        if operation.inputs and rule_of(operation) is not NOT_DIFFERENTIABLE:
            for tensor in operation.inputs:
                if tensor.op not in seen and not tensor.dtype.base_dtype.is_integer:
                    seen.add(tensor.op)
                    stack.append(tensor.op)
    return False


def learning_rate_too_high(seen: Observed) -> Iterator[Finding]:
    """Large updates, and a loss that grows or goes up and down."""
    update, ratio = _largest_update(seen)
    if update is None or not seen.losses:
        return
    start, now = _start(seen), _now(seen)
    worst = max(value for _, value in seen.losses)
    largest = float(np.nanmax(seen.update_ratios[update]))
    # An update larger than its weights is too large even where the loss recovers from it.
    grew = now - start > 2 * abs(start) or worst - start > 10 * abs(start) and \
        (seen.not_finite_at is not None or now > start or largest > 1)
    stuck = len(seen.losses) >= 30 and ratio > 3 * _LARGE_UPDATE and now > start - 0.1 * abs(start)
    if grew and largest > _LARGE_UPDATE or stuck:
        nan = '' if seen.not_finite_at is None else \
            f', and is not finite from step {seen.not_finite_at} on'
        yield Finding(
            'learning-rate-high', f"an update changes '{update.name}' by up to {largest:.2g} of "
            f'its size, and the loss went from {start:.4g} up to {worst:.4g}, then to '
            f'{now:.4g}{nan}.',
            'a smaller learning rate, by 10 at first: updates of about 0.001 of the weights are '
            'usual.', update.variable, largest)


def learning_rate_too_low(seen: Observed) -> Iterator[Finding]:
    """Weights and loss that do not move although there are gradients."""
    moved = {u: m for u, m in seen.moved.items() if u.is_kernel and u in seen.gradients}
    if seen.steps < _FEW_STEPS or not moved or not seen.losses:
        return
    update, most = max(moved.items(), key=lambda item: item[1])
    start, now = _start(seen), _now(seen)
    pulls = max(float(np.median(seen.gradients[u])) for u in moved)
    if most < _SMALL_UPDATE * seen.steps and most < 0.01 and pulls > 1e-3 and \
            (now > start - 0.05 * abs(start) or _stands(seen)):
        yield Finding(
            'learning-rate-low', f'in {seen.steps} steps no matrix of weights has moved by more '
            f"than {most:.2g} of its size ('{update.name}'), and the loss is still {now:.4g}.",
            'a larger learning rate: updates of about 0.001 of the weights for each step are '
            'usual.', update.variable, most)


def standing_loss(seen: Observed) -> Iterator[Finding]:
    """A loss as bad as guessing although the weights move."""
    if seen.steps < _FEW_STEPS or not seen.losses:
        return
    start, now = _start(seen), _now(seen)
    guessing = _guessing(seen)
    if guessing is not None and now > 0.95 * guessing and _stands(seen):
        yield Finding(
            'loss-plateau', f'after {seen.steps} steps the loss is {now:.4g}, and was {start:.4g} '
            f'at the beginning; guessing gives {guessing:.4g}.',
            'check that rows and labels belong together (one shuffled without the other?), and '
            'train on 10 rows: they should be learnt by heart.', seen.probes.loss.op, now)


def _stands(seen: Observed) -> bool:
    """True if the loss has not fallen for the last half of the steps, by more than its noise."""
    if len(seen.losses) < 32:
        return False
    _, _, before, last = np.array_split([value for _, value in seen.losses], 4)
    noise = float(np.hypot(before.std() / len(before) ** 0.5, last.std() / len(last) ** 0.5))
    size = abs(float(before.mean()))
    return float(before.mean() - last.mean()) < max(0.01 * size, min(2 * noise, 0.03 * size))


def _guessing(seen: Observed) -> float | None:
    """The loss of an answer that does not look at the input; None if it is not known."""
    for one in seen.probes.class_losses:
        if one.logits is not None and seen.data[one.labels].counts:
            counts = np.array(list(seen.data[one.labels].counts.values()), float)
            share = counts / counts.sum()
            return float(-(share * np.log(share)).sum()) or None
    return None


def _learnt(seen: Observed) -> bool:
    return bool(seen.losses) and _now(seen) < 0.5 * _start(seen)


def _start(seen: Observed) -> float:
    return min(seen.first_losses[0], float(np.median(seen.first_losses)))


def _now(seen: Observed) -> float:
    return float(np.median([value for _, value in seen.losses[-max(5, len(seen.losses) // 10):]]))


def _typical(ratios: list[float]) -> float:
    """The median, or that of the first steps if it is larger (later ones may be at rest)."""
    known = [r for r in ratios if not np.isnan(r)] or [0.]
    return max(float(np.median(known)), float(np.median(known[:3])))


def _largest_update(seen: Observed) -> tuple[Update | None, float]:
    ratios = {u: float(np.median([x for x in r if np.isfinite(x)] or [0.]))
              for u, r in seen.update_ratios.items() if u.is_kernel}
    return max(ratios.items(), key=lambda item: item[1]) if ratios else (None, 0.)


CHECKS: tuple[Callable[[Observed], Iterator[Finding]], ...] = (
    bad_inputs, constant_features, bad_targets, bad_labels, one_class, softmax_of_probabilities,
    saturated_softmax, not_finite, dead_relus, saturated_units, exploding_gradients,
    vanishing_gradients, no_gradient, learning_rate_too_high, learning_rate_too_low,
    standing_loss)
