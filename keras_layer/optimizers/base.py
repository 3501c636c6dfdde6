"""Optimizer: base of Keras' optimizers, creates the update ops of a training step."""
from __future__ import annotations

import warnings

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.optimizers import schedules
from keras_layer.optimizers.program_rules import ProgramRules
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.keywords import constructor_keywords, nearest_keyword

__all__ = ['Optimizer']


class _CallableList(list):
    def __call__(self):
        return list(self)


class Optimizer(ProgramRules):
    """Base of Keras' optimizers, those of TF 1.15 (`OptimizerV2`).

    `clipnorm` and `clipvalue` limit each gradient; `decay` divides the learning rate by 1 + decay
    times the number of steps. Hyperparameters become Variables on first use, so that
    `K.set_value(optimizer.lr, 0.01)` changes them in training.

    A subclass names its slots in `slots` and defines the updates in `_dense` and `_sparse`.
    """

    slots: tuple[str, ...] = ()
    _combine = None             # adds up the gradients of several workers: training/workers.py

    def __init__(self, name, **kwargs):
        self.__dict__['_hyper'] = {}
        self.__dict__['_made'] = {}
        self._name = name
        self._initial_decay = kwargs.pop('decay', 0.0)
        for key, value in kwargs.items():
            if key not in ('clipnorm', 'clipvalue', 'lr'):
                known = {'clipnorm', 'clipvalue', 'decay', *constructor_keywords(type(self))}
                raise misuse(TypeError(f'Unexpected keyword argument passed to optimizer: {key}'
                                       + nearest_keyword(key, known)))
            self._check_number(key, value)
            if value is not None and value < 0:
                raise misuse(ValueError(f'Expected {key} >= 0, received: {value}'))
        self._check_number('decay', self._initial_decay)
        if self._initial_decay < 0:
            raise misuse(ValueError(f'decay cannot be less than 0: {self._initial_decay}'))
        self.clipnorm, self.clipvalue = kwargs.get('clipnorm'), kwargs.get('clipvalue')
        self._iterations = None
        self._weights = []
        self._slots = {}

    # ---- hyperparameters ----------------------------------------------------------------

    def _check_number(self, name, value):
        """TypeError for a hyperparameter that is no number, Tensor or schedule."""
        if isinstance(value, (str, bytes, dict, list, tuple)):
            raise misuse(TypeError(f'{type(self).__name__}: {name} must be a number, but is '
                                   f'{value!r}.'))

    def _set_hyper(self, name, value):
        self._check_number(name, value)
        if name in self._made:
            if callable(value):
                raise misuse(ValueError(f'{name} is a number in this optimizer already; a schedule '
                                        'is passed to the constructor.'))
            K.set_value(self._made[name], value)
        self._hyper[name] = value

    def _get_hyper(self, name, dtype=None):
        """A hyperparameter: its Variable, or a schedule."""
        self._create_hypers()
        value = self._made.get(name, self._hyper[name])
        if callable(value) and not isinstance(value, tf.Variable):
            return value
        return tf.cast(value, dtype) if dtype is not None and value.dtype != dtype else value

    def _create_hypers(self):
        if self._made or not self._hyper:
            return
        _ = self.iterations
        for name, value in sorted(self._hyper.items()):
            if callable(value) or K.is_tensor(value):
                self._made[name] = value
            else:
                self._made[name] = self._variable(name, (), 'float32', value)

    def _variable(self, name, shape, dtype, initial):
        """A Variable of the optimizer; `initial` is a number, 'zeros' or an initializer."""
        dtype = tf.as_dtype(dtype)
        make = tf.zeros_initializer() if initial == 'zeros' else initial
        value = (lambda: make(shape, dtype=dtype)) if callable(make) else make
        made = tf.Variable(value, dtype=dtype, name=name, trainable=False, use_resource=True)
        K.track_variable(made)
        return made

    def __getattr__(self, name):
        name = 'learning_rate' if name == 'lr' else name
        hyper = self.__dict__.get('_hyper', {})
        if name in hyper:
            return self._get_hyper(name)
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')

    def __setattr__(self, name, value):
        hyper = self.__dict__.get('_hyper', {})
        name = 'learning_rate' if name == 'lr' and 'learning_rate' in hyper else name
        if name in hyper:
            self._set_hyper(name, value)
        else:
            object.__setattr__(self, name, value)

    def __dir__(self):
        return [*super().__dir__(), *self._hyper, 'lr']

    @property
    def iterations(self):
        """The int64 Variable that counts training steps."""
        if self._iterations is None:
            self._iterations = self._variable('iter', (), 'int64', 'zeros')
            self._weights.append(self._iterations)
        return self._iterations

    @iterations.setter
    def iterations(self, variable):
        if self._iterations is not None:
            raise misuse(RuntimeError('Cannot set `iterations` to a new Variable after the '
                                      'Optimizer weights have been created'))
        self._iterations = variable
        self._weights.append(variable)

    def _decayed_lr(self, dtype):
        rate = self._get_hyper('learning_rate', dtype)
        if callable(rate) and not isinstance(rate, tf.Variable):
            rate = tf.cast(rate(tf.cast(self.iterations, dtype)), dtype)
        if self._initial_decay > 0.:
            step = tf.cast(self.iterations, dtype)
            rate = rate / (1. + self._get_hyper('decay', dtype) * step)
        return rate

    # ---- a step --------------------------------------------------------------------------

    def get_gradients(self, loss, params):
        """The gradients of the loss, clipped. ValueError if a weight has none."""
        with K.name_scope(self._name + '/gradients'):
            found = tf.gradients(loss, params)
            for gradient, param in zip(found, params):
                if gradient is None:
                    raise misuse(ValueError(
                        f'Variable {param.name} has `None` for gradient: the loss does not depend '
                        'on it, or only through ops without a gradient (argmax, round, ==).\n'
                        '  Hint: use its layer between input and output, or set the layer\'s '
                        'trainable to False.'))
            return self._clipped(self._combine(found) if self._combine else found)

    def _clipped(self, gradients):
        if self.clipnorm is not None:
            gradients = [g if g is None else _clip_norm(g, self.clipnorm) for g in gradients]
        if self.clipvalue is not None:
            gradients = [g if g is None else _clip_value(g, self.clipvalue) for g in gradients]
        return gradients

    def get_updates(self, loss, params):
        """The operations of one training step."""
        gradients = self.get_gradients(loss, params)
        return [self.apply_gradients(zip(gradients, params))]

    def minimize(self, loss, var_list, grad_loss=None, name=None):
        """One training step that minimizes the tensor `loss`, as an operation.

        `grad_loss` is the gradient with respect to `loss`, by default 1. A Variable on which the
        loss does not depend is unchanged, with a warning; ValueError if it depends on none.
        """
        if callable(loss) and tf.executing_eagerly():
            return self.apply_gradients(self._by_tape(loss, var_list, grad_loss), name)
        variables = _listed(var_list)
        loss = loss() if callable(loss) else loss
        with K.name_scope(self._name + '/gradients'):
            gradients = self._clipped(tf.gradients(loss, variables, grad_ys=grad_loss))
        return self.apply_gradients(zip(gradients, variables), name)

    def _by_tape(self, loss, var_list, grad_loss):
        """(gradient, Variable) pairs while ops run at once."""
        with tf.GradientTape() as tape:
            if not callable(var_list):
                tape.watch(_listed(var_list))
            value = loss()
        variables = _listed(var_list)
        return zip(self._clipped(tape.gradient(value, variables, grad_loss)), variables)

    def apply_gradients(self, grads_and_vars, name=None):
        """The step for given (gradient, Variable) pairs, as an operation."""
        given = list(grads_and_vars)
        pairs = [(g, v) for g, v in given if g is not None]
        if given and not pairs:
            raise misuse(ValueError('No gradients provided for any variable.'))
        if len(pairs) < len(given):
            warnings.warn('Gradients do not exist for variables '
                          f'{[v.name for g, v in given if g is None]} when minimizing the loss.',
                          stacklevel=3)
        variables = [v for _, v in pairs]
        for variable in variables:
            if not hasattr(variable, 'handle'):
                raise misuse(ValueError(
                    f"Keras optimizers update resource Variables, but '{variable.name}' is of "
                    f'dtype {variable.dtype.name}.\n  Hint: tf.Variable(..., use_resource=True), '
                    'or an optimizer of tf.train.'))
        with K.name_scope(self._name):
            with K.init_scope():
                _ = self.iterations
                self._create_hypers()
                self._create_slots(variables)
            state = {d: self._shared(d) for d in dict.fromkeys(v.dtype.base_dtype
                                                                for v in variables)}
            with K.name_scope(name or self._name):
                updates = [self._update(g, v, state[v.dtype.base_dtype]) for g, v in pairs]
                with tf.control_dependencies(updates):
                    return self.iterations.assign_add(1).op

    def _create_slots(self, variables):
        for slot in self.slots:
            for variable in variables:
                self.add_slot(variable, slot)

    def add_slot(self, var, slot_name, initializer='zeros'):
        """The slot of that name of a Variable: of its shape, and kept with the optimizer."""
        own = self._slots.setdefault(slot_name, {})
        if id(var) not in own:
            own[id(var)] = self._variable(f'{var.op.name}/{slot_name}', var.shape.as_list(),
                                          var.dtype.base_dtype.name, initializer)
            self._weights.append(own[id(var)])
        return own[id(var)]

    def get_slot(self, var, slot_name):
        """The slot of that name of a Variable."""
        return self._slots[slot_name][id(var)]

    def get_slot_names(self):
        """The names of the slots."""
        return list(self._slots)

    def _shared(self, dtype):
        """Tensors that all Variables of a dtype share in a step, as a dict."""
        if 'learning_rate' not in self._hyper:
            return {}
        return {'lr': tf.identity(self._decayed_lr(dtype))}

    def _update(self, gradient, variable, state):
        with K.name_scope('update_' + variable.op.name):
            if isinstance(gradient, tf.IndexedSlices):
                values, indices = self._sum_rows(gradient.values, gradient.indices)
                update = self._update_rows(values, variable, indices, state)
            else:
                update = self._update_dense(gradient, variable, state)
            if variable.constraint is not None:
                with tf.control_dependencies([update]):
                    return variable.assign(variable.constraint(variable)).op
            return update

    def _sum_rows(self, values, indices):
        """The rows of a sparse gradient, summed for duplicate indices."""
        return K.sum_duplicate_rows(values, indices)

    def _dense(self, gradient, variable, state):
        raise NotImplementedError(f'{type(self).__name__}._dense')

    def _sparse(self, gradient, variable, indices, state):
        raise NotImplementedError(f'{type(self).__name__} has no rule for sparse gradients, such '
                                  f"as an Embedding's: {variable.name}.")

    # ---- state and configuration ---------------------------------------------------------

    @property
    def weights(self):
        """The Variables of the optimizer's state: `iterations`, then the slots."""
        return self._weights

    @property
    def variables(self):
        """The same as `weights`, also by a call: a method in TensorFlow 1, later a property."""
        return _CallableList(self._weights)

    def get_weights(self):
        """The values of `weights`."""
        return K.batch_get_value(self.weights)

    def set_weights(self, weights):
        """Sets the values of `weights`. ValueError if number or shapes differ."""
        if len(weights) != len(self.weights):
            raise misuse(ValueError(
                f'You called `set_weights(weights)` on optimizer {self._name} with a weight list '
                f'of length {len(weights)}, but the optimizer was expecting {len(self.weights)} '
                'weights.'))
        for variable, value in zip(self.weights, weights):
            if tuple(variable.shape.as_list()) != np.shape(value):
                raise misuse(ValueError(f'Optimizer weight shape {variable.shape} of '
                                        f"'{variable.name}' not compatible with provided weight "
                                        f'shape {np.shape(value)}'))
        K.batch_set_value(list(zip(self.weights, weights)))

    @property
    def _checkpoint_dependencies(self):
        found = [('iter', self.iterations)]
        return found + [(n, v) for n, v in self._made.items() if isinstance(v, tf.Variable)]

    def get_config(self):
        """The constructor's arguments."""
        config = {'name': self._name}
        if self.clipnorm is not None:
            config['clipnorm'] = self.clipnorm
        if self.clipvalue is not None:
            config['clipvalue'] = self.clipvalue
        return config

    def _plain(self, name):
        """A hyperparameter as a number, or a schedule as its configuration."""
        value = self._made.get(name, self._hyper[name])
        if isinstance(value, (tf.Variable, tf.Tensor)):
            return K.get_value(value).item()
        if callable(value):
            return {'class_name': type(value).__name__, 'config': value.get_config()}
        return value

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """The optimizer of that configuration."""
        config = dict(config)
        if 'lr' in config:
            config['learning_rate'] = config.pop('lr')
        if isinstance(config.get('learning_rate'), dict):
            config['learning_rate'] = schedules.deserialize(config['learning_rate'],
                                                            custom_objects)
        return cls(**config)


def _listed(var_list):
    return var_list() if callable(var_list) else list(tf.nest.flatten(var_list))


def _clip_norm(gradient, norm):
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(tf.clip_by_norm(gradient.values, norm), gradient.indices,
                                gradient.dense_shape)
    return tf.clip_by_norm(gradient, norm)


def _clip_value(gradient, limit):
    if isinstance(gradient, tf.IndexedSlices):
        return tf.IndexedSlices(tf.clip_by_value(gradient.values, -limit, limit),
                                gradient.indices, gradient.dense_shape)
    return tf.clip_by_value(gradient, -limit, limit)
