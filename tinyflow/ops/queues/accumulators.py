"""tf.ConditionalAccumulator: the mean of gradients from several workers, without stale ones.

The ResourceConditionalAccumulator node gives a handle, an array of no dimensions that holds the
Session's Accumulator. Gradients of a step before that of the accumulator are dropped; taking
waits until there are enough, then increments the step.
"""
from __future__ import annotations

import threading

import numpy as np

from tinyflow.graph import dtypes, shapes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.object_scalars import boxed
from tinyflow.graph.op import NOT_DIFFERENTIABLE, REQUIRED, Op
from tinyflow.graph.support import errors
from tinyflow.graph.support.errors import misuse, report
from tinyflow.graph.support.waits import may_wait, served
from tinyflow.ops.array import identity_and_cast
from tinyflow.ops.queues.waiting import Waiter, Watch, registered

__all__ = ['ConditionalAccumulator', 'ConditionalAccumulatorBase']


class AccumulatorBase:
    """Counts gradients and drops old ones; subclasses say how gradients are added up."""

    def __init__(self, operation):
        attrs = operation.attrs
        self._name = operation.name
        self._dtype = attrs['dtype']
        self._shape = shapes.raw(attrs['shape'])
        self._reduction = attrs['reduction_type']
        self._mean = self._reduction == 'MEAN'
        self._changed = threading.Condition()
        self._cancelled = False
        self.step = self.count = 0
        self._added_by = []             # the runs of other processes that have added gradients

    def _check(self, *gradient):
        """ValueError for a gradient that does not fit."""

    def _add(self, *gradient):
        """Adds a gradient; the first one since the last take if `count` is 0."""

    def _taken(self):
        """The mean or sum."""

    def apply(self, step, *gradient):
        """Adds a gradient, unless it is older than the accumulator."""
        self._check(*gradient)
        run = served.get(threading.get_ident()) if served else None
        with self._changed:
            if run is not None and run.repeats(self._added_by, step < self.step) \
                    or step < self.step:
                return
            self._add(*gradient)
            self.count += 1
            if run is not None:
                self._added_by.append(run)
            self._changed.notify_all()

    def take(self, required):
        """Waits for `required` gradients; their mean (or sum)."""
        if required <= 0:
            raise ValueError(f'Argument num_required must be positive, but was {required}')
        with self._changed:
            if self.count < required:
                self._wait(required)
            if served:
                self._note_take()
            result = self._taken()
            self.step, self.count, self._added_by = self.step + 1, 0, []
        return result

    def _note_take(self):
        """A run for another process learns how to put back what it takes."""
        run = served.get(threading.get_ident())
        if run is not None:
            before = {name: value for name, value in vars(self).items() if name != '_cancelled'}
            run.undo.append(lambda: self._put_back(before))

    def _put_back(self, before):
        """Undoes a take, unless gradients of the next step have been added."""
        with self._changed:
            if self.step == before['step'] + 1 and not self.count:
                vars(self).update(before)
                self._changed.notify_all()

    def shared_with(self, other):
        """What differs between this accumulator and one of the same shared_name, or None."""
        for what in ('dtype', 'shape', 'reduction'):
            mine, others = getattr(self, f'_{what}'), getattr(other, f'_{what}')
            if mine != others:
                return f'{what} {mine}, but the requested one is {others}'
        return None

    def set_step(self, step):
        """Gradients of earlier steps are dropped from now on."""
        with self._changed:
            self.step = step

    def cancel(self):
        """The Session ends: waiting threads get a CancelledError."""
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    @may_wait
    def _wait(self, required):
        waiter = Waiter(lambda: self._what(required))
        watch = Watch(waiter, lambda: self._deadlock_error(required), lambda: None)
        with registered(waiter):
            while self.count < required:
                if self._cancelled:
                    raise errors.CancelledError(None, None, 'TakeGrad operation was cancelled')
                if not self._changed.wait(watch.seconds()) and self.count < required:
                    watch.look()
            waiter.done = True

    def _what(self, required):
        senders = ', '.join(run.sender for run in list(self._added_by))
        return (f"'{self._name}' has {self.count} of {required} gradients"
                + (f', from {senders}' if senders else ''))

    def _deadlock_error(self, required):
        return errors.op_error(errors.FailedPreconditionError,
                               f"[queue-deadlock] the accumulator '{self._name}' has {self.count} "
                               f'gradients, {required} are required, no other thread can add more, '
                               'so this would wait forever',
                               'run the Operation of apply_grad first, with a local_step that is '
                               f'not below {self.step}, the step of the accumulator.')


class Accumulator(AccumulatorBase):
    """The sum of the gradients added since the last take."""

    _total = None

    def _check(self, gradient):
        if self._shape is not None and not shapes.compatible(gradient.shape, self._shape):
            raise ValueError(f'Shape mismatch: expected {shapes.compact(self._shape)}, got '
                             f'{shapes.compact(gradient.shape)}.')

    def _add(self, gradient):
        if not self.count:
            self._total = np.array(gradient)
        elif gradient.shape != self._total.shape:
            raise ValueError(f'Shape mismatch: expected {list(self._total.shape)}, got '
                             f'{list(gradient.shape)}.')
        else:
            self._total += gradient

    def _taken(self):
        total, self._total = self._total, None
        return np.asarray(total / total.dtype.type(self.count) if self._mean else total)


def shared_state(kind):
    """A function that makes the state of an accumulator's node.

    Nodes of one shared_name have one accumulator.
    """
    def make(operation, shared):
        made = kind(operation)
        if not operation.attrs['shared_name']:
            return made
        found = shared.setdefault(
            ('accumulator', operation.attrs['container'], operation.attrs['shared_name']), made)
        difference = f'a {type(found).__name__}' if type(found) is not kind else \
            found.shared_with(made)
        if difference:
            raise errors.op_error(
                errors.InvalidArgumentError,
                f"Shared conditional accumulator '{operation.attrs['shared_name']}' has "
                f'{difference}', 'nodes of one shared_name share an accumulator: use equal '
                'arguments, or other names.')
        return found
    return make


class ResourceConditionalAccumulator(Op):
    """The handle of an accumulator."""

    signature = '-> handle: resource'
    attrs = {'dtype': REQUIRED, 'shape': REQUIRED, 'container': '', 'shared_name': '',
             'reduction_type': 'MEAN'}
    pure = False
    state_of_node = True
    state = shared_state(Accumulator)
    gradient = NOT_DIFFERENTIABLE

    def shape():
        return (2,)             # as in TF, as if it were a pair of names

    def kernel(accumulator):
        return boxed(accumulator)


class AccumulatorOp(Op, abstract=True):
    """Base of the ops that use an accumulator."""

    pure = False
    partial_rank = True
    gradient = NOT_DIFFERENTIABLE


class ResourceAccumulatorNumAccumulated(AccumulatorOp):
    """The number of accumulated gradients."""

    signature = 'handle: resource -> num_accumulated: int32'

    def shape(handle):
        return ()

    def kernel(handle):
        return np.array(handle.item().count, np.int32)


class ResourceAccumulatorSetGlobalStep(AccumulatorOp):
    """Sets the step below which gradients are too old."""

    signature = 'handle: resource, new_global_step: int64 ->'

    def kernel(handle, new_global_step):
        handle.item().set_step(int(new_global_step))


class ResourceAccumulatorApplyGradient(AccumulatorOp):
    """Adds a gradient of a step."""

    signature = 'handle: resource, local_step: int64, gradient: dtype ->'
    types = {'dtype': dtypes.NUMBERS}

    def kernel(handle, local_step, gradient):
        handle.item().apply(int(local_step), gradient)


class ResourceAccumulatorTakeGradient(AccumulatorOp):
    """Waits for gradients and takes their mean."""

    signature = 'handle: resource, num_required: int32 -> average: dtype'
    attrs = {'dtype': REQUIRED}

    def kernel(handle, num_required):
        return handle.item().take(int(num_required))


class ConditionalAccumulatorBase:
    """Base of accumulators: dtype, name, step and number of gradients."""

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype = dtypes.as_dtype(dtype)
        self._shape = shapes.as_shape(shape)
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.rpartition('/')[2]

    @property
    def accumulator_ref(self):
        """The handle tensor of the accumulator."""
        return self._accumulator_ref

    @property
    def name(self):
        """The name of the node, without its scopes."""
        return self._name

    @property
    def dtype(self):
        """The dtype of the gradients."""
        return self._dtype

    def num_accumulated(self, name=None):
        """The number of gradients that can be taken. Shapes: -> []."""
        return ResourceAccumulatorNumAccumulated.apply(
            self._accumulator_ref, name=name or f'{self._name}_NumAccumulated')

    def set_global_step(self, new_global_step, name=None):
        """An Operation; gradients of earlier steps are dropped from then on."""
        step = identity_and_cast.cast(convert_to_tensor(new_global_step), dtypes.int64)
        return ResourceAccumulatorSetGlobalStep.apply(self._accumulator_ref, step, name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Accumulates gradients until there are enough, and returns their mean.

    Each Session has a separate one. Shapes: gradients are of `shape`, where it is given.
    """

    def __init__(self, dtype, shape=None, shared_name=None, name='conditional_accumulator',
                 reduction_type='MEAN'):
        if reduction_type not in ('MEAN', 'SUM'):
            raise misuse(ValueError(
                f"reduction_type must be 'MEAN' or 'SUM', not {reduction_type!r}"))
        super().__init__(dtype, shape, ResourceConditionalAccumulator.apply(
            dtype=dtypes.as_dtype(dtype), shape=shapes.as_shape(shape),
            shared_name=shared_name or '', name=name, reduction_type=reduction_type))

    def apply_grad(self, grad, local_step=0, name=None):
        """An Operation that adds a gradient, unless local_step is before the accumulator's step.

        ValueError for a gradient of another shape.
        """
        grad = convert_to_tensor(grad, self._dtype)
        if not grad.shape.is_compatible_with(self._shape):
            raise misuse(ValueError(report(
                f"ResourceAccumulatorApplyGradient: Shapes {grad.shape} and {self._shape} are "
                'incompatible', inputs=[('grad', grad)],
                hint='the accumulator takes gradients of the shape that it was made with.')))
        step = identity_and_cast.cast(convert_to_tensor(local_step), dtypes.int64)
        return ResourceAccumulatorApplyGradient.apply(self._accumulator_ref, step, grad, name=name)

    def take_grad(self, num_required, name=None):
        """Waits for num_required gradients; their mean, after which none are left.

        Shapes: -> shape. The accumulator's step is incremented. InvalidArgumentError for
        num_required < 1.
        """
        mean = ResourceAccumulatorTakeGradient.apply(self._accumulator_ref, num_required,
                                                     dtype=self._dtype, name=name)
        mean.set_shape(self._shape)
        return mean
