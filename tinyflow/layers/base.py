"""Layer: an object that makes its Variables when it is first called and shares them between calls.

The TF1 kind: a layer owns a variable scope, and its weights are made by `get_variable` there, so
that scopes, reuse and custom getters work for layers, too. RNN cells are such layers.
"""
from __future__ import annotations

import copy
import inspect
import threading
from functools import lru_cache

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import get_collection, name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.keys import GraphKeys
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.keywords import constructor_keywords, nearest_keyword
from tinyflow.layers.input_spec import InputSpec, check_inputs
from tinyflow.layers.layer_names import snake_case, unique_layer_name
from tinyflow.layers.layer_state import Contents, collect, depends, operation_of
from tinyflow.ops.array import identity_and_cast, shape_ops
from tinyflow.ops.random import tf1_node_count
from tinyflow.ops.variables.initializers import glorot_uniform_initializer, zeros_initializer
from tinyflow.ops.variables.partitioned_variable import parts_of
from tinyflow.ops.variables.variable import VariableAggregation, VariableSynchronization
from tinyflow.ops.variables.variable_scope import VariableScope, get_variable, variable_scope

_KERAS_ARGUMENTS = {'activity_regularizer', 'autocast', 'batch_input_shape', 'batch_size',
                    'dynamic', 'input_shape', 'weights'}


class _Calls(threading.local):
    """The layer calls that are being made, outermost first."""

    def __init__(self):
        self.open = []


class _Call:
    def __init__(self, layer, inputs, training):
        self.layer, self.inputs, self.training = layer, inputs, training


_calls = _Calls()


class Layer(Contents):
    """Base class of layers: make Variables in `build`, nodes in `call`, and call the object.

    `dtype` is that of the weights; without one it is that of the first input. `name` is part of
    the weights' names: `dense/kernel`. TypeError for unknown arguments.
    """

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        scope, self._reuse = kwargs.pop('_scope', None), kwargs.pop('_reuse', None)
        self._activity_regularizer = kwargs.pop('activity_regularizer', None)
        for key in kwargs:
            if key not in _KERAS_ARGUMENTS:
                known = _KERAS_ARGUMENTS | constructor_keywords(type(self))
                raise misuse(TypeError(f'Keyword argument not understood: {key!r} '
                                       f'({type(self).__name__}).' + nearest_keyword(key, known)))
        self._trainable = trainable
        self.stateful = False
        self.built = False
        self._input_spec = None
        self._set_name(name)
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        self._trainable_weights, self._non_trainable_weights = [], []
        self._updates, self._losses, self._weight_losses = [], [], []
        self._nodes_of_weight_losses = tf1_node_count.RepeatedNodes()
        self._history = []                  # (inputs, outputs) of each call
        self._scope = self._current_scope = self._shared_scope = None
        if scope:
            with variable_scope(scope) as self._scope:
                pass

    def _set_name(self, name):
        own = snake_case(type(self).__name__)
        if name and not isinstance(name, VariableScope):
            self._name = self._base_name = name
            return
        self._name = unique_layer_name(own)
        self._base_name = name.name if name else own

    # ---- for subclasses ------------------------------------------------------------------

    def build(self, input_shape):
        """Makes the Variables; called once, before the first `call`. Subclasses override it."""
        self.built = True

    def call(self, inputs, **kwargs):
        """Makes the nodes that compute the outputs from the inputs. Subclasses override it."""
        return inputs

    def compute_output_shape(self, input_shape):
        """The shape of the output for inputs of that shape; NotImplementedError if not known."""
        raise NotImplementedError(f'{type(self).__name__}.compute_output_shape')

    def add_weight(self, name, shape=None, dtype=None, initializer=None, regularizer=None,
                   trainable=None, constraint=None, use_resource=None,
                   synchronization=VariableSynchronization.AUTO,
                   aggregation=VariableAggregation.NONE, partitioner=None, **kwargs):
        """The layer's Variable of that name: a new one, or with reuse the existing one.

        The loss of `regularizer` goes to GraphKeys.REGULARIZATION_LOSSES. ValueError if the scope
        has such a Variable and does not share.
        """
        for key in kwargs:
            if key not in ('experimental_autocast', 'collections', 'getter'):
                known = inspect.signature(self.add_weight).parameters
                raise misuse(TypeError(f'Unknown keyword argument: {key!r}.'
                                       + nearest_keyword(key, known)))
        trainable = _is_trainable(trainable, synchronization)
        dtype = dtypes.as_dtype(dtype or self._dtype or dtypes.float32)
        self._dtype = self._dtype or dtype.base_dtype
        existing = {id(v) for v in get_collection(GraphKeys.GLOBAL_VARIABLES)}
        self._set_scope()
        with variable_scope(self._scope, reuse=self.built or self._reuse,
                            auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with name_scope(self._name_scope()):
                variable = kwargs.get('getter', get_variable)(
                    name=name, shape=() if shape is None else shape, dtype=dtype,
                    initializer=self._initializer_for(name, initializer, scope, dtype),
                    trainable=trainable and self.trainable, constraint=constraint,
                    partitioner=partitioner, use_resource=use_resource or scope.use_resource,
                    collections=kwargs.get('collections'), synchronization=synchronization,
                    aggregation=aggregation)
                for part in parts_of(variable):
                    if regularizer and id(part) not in existing:
                        self._regularize(name, part, regularizer)
        for part in parts_of(variable):
            self._keep(part, trainable and self.trainable)
        return variable

    def add_variable(self, *args, **kwargs):
        """`add_weight` by its older name (deprecated in TF1)."""
        return self.add_weight(*args, **kwargs)

    def _initializer_for(self, name, initializer, scope, dtype):
        initializer = scope.initializer if initializer is None else initializer
        if initializer is not None:
            return initializer
        if dtype.is_floating:
            return glorot_uniform_initializer()
        if dtype.is_integer or dtype.is_bool:
            return zeros_initializer()
        raise misuse(ValueError(f'An initializer for variable {name} of type {dtype} is required '
                                f'for layer {self.name}'))

    def _regularize(self, name, variable, regularizer):
        with name_scope(name + '/Regularizer'), self._nodes_of_weight_losses.counted():
            loss = regularizer(variable)
        if loss is not None:
            loss = convert_to_tensor(loss)
            self._weight_losses.append(loss)
            collect([loss], GraphKeys.REGULARIZATION_LOSSES)

    def _keep(self, variable, trainable):
        """A shared Variable that is not trained stays so, regardless of this layer's arguments."""
        if trainable and not executing_eagerly():       # eager Variables are in no collection
            trainable = any(variable is v for v in
                            get_collection(GraphKeys.TRAINABLE_VARIABLES))
        kept = self._trainable_weights if trainable else self._non_trainable_weights
        kept.append(variable)

    def add_loss(self, losses, inputs=None):
        """Adds losses, also to GraphKeys.REGULARIZATION_LOSSES.

        A loss is a scalar tensor or a function that makes one. `inputs`, if given, says that they
        depend on these.
        """
        added = []
        for loss in nest.flatten(losses):
            own = self._weight_losses if callable(loss) else self._losses
            if callable(loss):
                with self._nodes_of_weight_losses.counted():
                    loss = loss()
            if loss is not None:
                loss = convert_to_tensor(loss)
                if own is self._weight_losses and inputs is not None:
                    own = self._losses
                own.append(loss if own is self._weight_losses else (loss, inputs is not None))
                added.append(loss)
        collect(added, GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates, inputs=None):
        """Adds operations to be run with each training step, such as those of moving averages.

        After the call they are in GraphKeys.UPDATE_OPS. Their dependencies are found in the graph.
        """
        fed = nest.flatten(_calls.open[-1].inputs) if _calls.open else \
            nest.flatten([i for i, _ in self._history])
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            update = operation_of(update() if callable(update) else update)
            self._updates.append((update, depends(update, fed)))

    # ---- calling -------------------------------------------------------------------------

    def __call__(self, inputs, *args, **kwargs):
        """The outputs for these inputs: builds the layer first, if necessary."""
        self._set_scope(kwargs.pop('scope', None))
        with self._opened_scope() as scope:
            self._current_scope = scope
            accepted, takes_any = _parameters(self.call)
            if 'scope' in accepted:
                kwargs['scope'] = scope
            inputs = nest.map_structure(_tensor_if_plain, inputs)
            training = self._training(accepted, takes_any, args, kwargs)
            outputs = self._make_nodes(inputs, training, args, kwargs)
        self._history.append((inputs, outputs))
        collect(self.updates, GraphKeys.UPDATE_OPS)
        return outputs

    def apply(self, inputs, *args, **kwargs):
        """The same as calling the layer (deprecated in TF1)."""
        return self(inputs, *args, **kwargs)

    def _make_nodes(self, inputs, training, args, kwargs):
        _calls.open.append(_Call(self, inputs, training))
        try:
            check_inputs(self.input_spec, inputs, self.name)
            with name_scope(self._name_scope()):
                self._maybe_build(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                if outputs is None:
                    raise misuse(ValueError(
                        "A layer's `call` method should return a Tensor or a list of Tensors, not "
                        f'None (layer: {self.name}).'))
                self._regularize_activity(inputs, outputs)
        finally:
            _calls.open.pop()
        return outputs

    def _training(self, accepted, takes_any, args, kwargs):
        """The `training` of this call; if not passed, that of the enclosing layer."""
        expected = takes_any or 'training' in accepted
        position = accepted.index('training') - 1 if 'training' in accepted else None
        if 'training' in kwargs:
            return kwargs['training'] if expected else kwargs.pop('training')
        if position is not None and position < len(args):
            return args[position]
        training = _calls.open[-1].training if _calls.open else None
        if expected and training is not None:
            training = kwargs['training'] = identity_and_cast.cast(training, dtypes.bool) \
                if isinstance(training, Tensor) else bool(training)
        return training

    def _maybe_build(self, inputs):
        if self.built:
            return
        flat = nest.flatten(inputs)
        if flat and self._dtype is None and hasattr(flat[0], 'dtype'):
            self._dtype = flat[0].dtype.base_dtype
        shapes = None
        if all(hasattr(x, 'shape') for x in flat):
            shapes = nest.map_structure(lambda x: x.shape, inputs)
        self.build(shapes)
        self.built = True

    def _explained(self, problem, hint):
        """The text of an error about the inputs of the call that is being made."""
        inputs = nest.flatten(_calls.open[-1].inputs) if _calls.open else []
        return report(problem, inputs=[('input', t) for t in inputs if isinstance(t, Tensor)],
                      hint=hint)

    def _regularize_activity(self, inputs, outputs):
        if not self._activity_regularizer:
            return
        with name_scope('ActivityRegularizer'):
            for output in nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                batch = identity_and_cast.cast(shape_ops.shape(output)[0], loss.dtype)
                self.add_loss(loss / batch, inputs=inputs)

    # ---- scopes --------------------------------------------------------------------------

    def _set_scope(self, scope=None):
        """Opens the layer's variable scope for the first time, which decides its name."""
        if self._scope is not None:
            return
        if self._reuse:
            context = variable_scope(self._base_name if scope is None else scope)
        else:
            context = variable_scope(scope, default_name=self._base_name)
        with context as self._scope:
            pass

    def _opened_scope(self):
        if not self.built:
            return variable_scope(self._scope, reuse=self._reuse, auxiliary_name_scope=False)
        if self._shared_scope is None:
            self._shared_scope = variable_scope(self._scope, reuse=True,
                                                auxiliary_name_scope=False)
        return self._shared_scope

    def _name_scope(self):
        return self._current_scope.original_name_scope

    @property
    def scope_name(self):
        """The name of the layer's variable scope; ValueError before the first call."""
        if not self._scope:
            raise misuse(ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                'used yet. The scope name is determined the first time the layer instance is '
                'called. You must therefore call the layer before querying `scope_name`.'))
        return self._scope.name

    # ---- properties ----------------------------------------------------------------------

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        """The name of the weights' dtype; None until the first input determines it."""
        return self._dtype and self._dtype.name

    @property
    def graph(self):
        """The graph of the first call; None before (deprecated in TF1)."""
        made = self.weights or [t for _, outputs in self._history for t in nest.flatten(outputs)]
        return made[0].graph if made else None

    @property
    def trainable(self):
        return self._trainable

    @trainable.setter
    def trainable(self, value):
        self._trainable = value

    @property
    def activity_regularizer(self):
        """The function of an output that gives its loss, or None."""
        return self._activity_regularizer

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer):
        self._activity_regularizer = regularizer

    @property
    def input_spec(self):
        """The InputSpec (or list of them) that inputs must meet, or None."""
        return self._input_spec

    @input_spec.setter
    def input_spec(self, value):
        for spec in nest.flatten(value):
            if spec is not None and not isinstance(spec, InputSpec):
                raise misuse(TypeError('Layer input_spec must be an instance of InputSpec. Got: '
                                       f'{spec}'))
        self._input_spec = value

    def __deepcopy__(self, memo):
        """A copy with its own settings; nodes, Variables and scopes are shared, not copied."""
        result = memo[id(self)] = type(self).__new__(type(self))
        for key, value in vars(self).items():
            if key in ('_scope', '_shared_scope', '_current_scope'):
                value = copy.copy(value)
            elif key not in ('_history', '_updates', '_losses', '_weight_losses',
                             '_trainable_weights', '_non_trainable_weights'):
                value = value if _is_of_graph(value) else copy.deepcopy(value, memo)
            else:
                value = list(value)
            setattr(result, key, value)
        return result


def _is_trainable(trainable, synchronization):
    if synchronization is not VariableSynchronization.ON_READ:
        return True if trainable is None else trainable
    if trainable:
        raise misuse(ValueError(
            'Synchronization value can be set to VariableSynchronization.ON_READ only for '
            'non-trainable variables. You have specified trainable=True and '
            'synchronization=VariableSynchronization.ON_READ.'))
    return False


def _parameters(function):
    """Names of a function's positional and keyword arguments, and whether it has **kwargs."""
    unbound = getattr(function, '__func__', None)
    if unbound is None:
        return _parameters_of(function)
    names, takes_any = _parameters_of(unbound)
    return names[1:], takes_any             # without self


@lru_cache(maxsize=256)
def _parameters_of(function):
    parameters = inspect.signature(function).parameters.values()
    return ([p.name for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)],
            any(p.kind is p.VAR_KEYWORD for p in parameters))


def _tensor_if_plain(value):
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, float, int)) else value


def _is_of_graph(value):
    parts = nest.flatten(value)
    return bool(parts) and all(hasattr(part, 'op') for part in parts)


__all__ = ['Layer']
