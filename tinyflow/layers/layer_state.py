"""The state of a layer: weights, losses, updates, and the inputs it was called with."""
from __future__ import annotations

import math

import numpy as np

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_collection_ref
from tinyflow.graph.operation import Operation
from tinyflow.graph.stacks import session_for
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse


class Contents:
    """The part of Layer that gives access to the results of `build` and `call`."""

    @property
    def trainable_weights(self):
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self):
        if self.trainable:
            return list(self._non_trainable_weights)
        return self._trainable_weights + self._non_trainable_weights

    @property
    def weights(self):
        """All Variables of the layer, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def variables(self):
        return self.weights

    @property
    def trainable_variables(self):
        return self.trainable_weights

    @property
    def non_trainable_variables(self):
        return self.non_trainable_weights

    @property
    def losses(self):
        """The losses of activities and of `add_loss`, then those of weights."""
        self._nodes_of_weight_losses.again()
        return [loss for loss, _ in self._losses] + self._weight_losses

    @property
    def updates(self):
        """The operations of `add_update`; none where the layer is not trainable."""
        if not self.trainable and not self.stateful:
            return []
        return [update for update, _ in self._updates]

    def get_losses_for(self, inputs):
        """The losses that depend on `inputs`; for None those that depend on no input."""
        self._nodes_of_weight_losses.again()
        if inputs is None:
            return [loss for loss, on_inputs in self._losses if not on_inputs] + \
                self._weight_losses
        return [loss for loss, on_inputs in self._losses
                if on_inputs and depends(loss.op, nest.flatten(inputs))]

    def get_updates_for(self, inputs):
        """The updates that depend on `inputs`; for None those that depend on no input."""
        if inputs is None:
            return [u for u in self.updates if (u, False) in self._updates]
        return [u for u in self.updates if (u, True) in self._updates
                and depends(u, nest.flatten(inputs))]

    @property
    def input(self):
        """The input of the only call. AttributeError if there were none or several."""
        return self._only('input')[0]

    @property
    def output(self):
        """The output of the only call. AttributeError if there were none or several."""
        return self._only('output')[1]

    def _only(self, what):
        if not self._history:
            raise misuse(AttributeError(f'Layer {self.name} is not connected, no {what} to '
                                        'return.'))
        if len(self._history) > 1:
            raise misuse(AttributeError(
                f'Layer {self.name} was called {len(self._history)} times, so there is no single '
                f'{what}.\n  Hint: keep the return value of each call.'))
        return self._history[0]

    def count_params(self):
        """The number of elements of all weights. ValueError if the layer is not built."""
        if not self.built:
            raise misuse(ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. You "
                f'can build it manually via: `{self.name}.build(batch_input_shape)`.'))
        return sum(math.prod(w.shape.as_list()) for w in self.weights)

    def get_weights(self):
        """The values of the weights in the default Session, as a list of arrays."""
        if not self.weights:
            return []
        return session_for(None, self.graph, f'{self.name}.get_weights()').run(self.weights)

    def set_weights(self, weights):
        """Sets the values of the weights in the default Session; ValueError if shapes differ."""
        own = self.weights
        if len(own) != len(weights):
            raise misuse(ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a  weight list of '
                f'length {len(weights)}, but the layer was expecting {len(own)} weights.'))
        for variable, value in zip(own, weights):
            if not variable.shape.is_compatible_with(np.shape(value)):
                raise misuse(ValueError(f'Layer weight shape {variable.shape} not compatible with '
                                        f'provided weight shape {np.shape(value)}'))
        for variable, value in zip(own, weights):
            variable.load(value)


def depends(operation, tensors):
    """True if a path of tensors leads from one of `tensors` to the operation."""
    sources = {t.op for t in tensors if hasattr(t, 'op')}
    seen, todo = {operation}, [operation]
    while todo:
        op = todo.pop()
        if op in sources:
            return True
        for tensor in op.inputs:
            if tensor.op not in seen:
                seen.add(tensor.op)
                todo.append(tensor.op)
    return False


def operation_of(update):
    """The operation of a tensor or Variable; an operation is returned unchanged."""
    if isinstance(update, Operation):
        return update
    return update.op if hasattr(update, 'op') else convert_to_tensor(update).op


def collect(items, key):
    """Adds items to a collection unless they are in it already."""
    collection = get_collection_ref(key) if items else []
    present = {id(item) for item in collection}
    for item in items:
        if id(item) not in present:
            present.add(id(item))
            collection.append(item)
