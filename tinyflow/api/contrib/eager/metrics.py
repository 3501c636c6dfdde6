"""tf.contrib.eager.metrics: metrics that are called with each batch."""
from __future__ import annotations

from tinyflow.graph import dtypes
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.support.errors import InvalidArgumentError, misuse
from tinyflow.ops.array.constants import ones_like, size, zeros
from tinyflow.ops.array.identity_and_cast import cast
from tinyflow.ops.array.ranking import argmax
from tinyflow.ops.math import arithmetic, logic, reduction
from tinyflow.ops.variables.variable import Variable

__all__ = ['Accuracy', 'BinaryAccuracy', 'CategoricalAccuracy', 'Mean', 'Metric', 'SparseAccuracy']


class Metric:
    """Base class: `call` takes a batch into account, `result` is the value so far.

    A subclass makes its Variables in `build` by `add_variable`.
    """

    def __init__(self, name=None):
        self._name = name or type(self).__name__
        self._built, self._variables = False, []

    @property
    def name(self):
        return self._name

    @property
    def variables(self):
        """The Variables that hold the sums."""
        return list(self._variables)

    def __call__(self, *args, **kwargs):
        if not self._built:
            self.build(*args, **kwargs)
            self._built = True
        return self.call(*args, **kwargs)

    def build(self, *args, **kwargs):
        """Makes the Variables, at the first call."""

    def call(self, *args, **kwargs):
        raise NotImplementedError(f'{type(self).__name__} has no call()')

    def result(self):
        raise NotImplementedError(f'{type(self).__name__} has no result()')

    def value(self):
        """Same as `result`."""
        return self.result()

    def init_variables(self):
        """Begins again."""
        for variable in self._variables:
            variable.assign(zeros(variable.shape, variable.dtype))

    def add_variable(self, name, shape=(), dtype=dtypes.float64):
        """A new Variable of zeros, `<name of the metric>/<name>`."""
        variable = Variable(lambda: zeros(shape, dtype), trainable=False,
                            name=f'{self._name}/{name}')
        self._variables.append(variable)
        return variable


class Mean(Metric):
    """The weighted mean of all values so far, in float64."""

    def __init__(self, name=None, dtype=dtypes.float64, use_global_variables=False):
        super().__init__(name)
        self.dtype = dtype

    def build(self, *args, **kwargs):
        self.numer = self.add_variable('numer', (), self.dtype)
        self.denom = self.add_variable('denom', (), self.dtype)

    def call(self, values, weights=None):
        """Adds `values`; returns their sum, or (values * weights, weights), as TensorFlow does."""
        values = convert_to_tensor(values)
        if weights is None:
            total = reduction.reduce_sum(values)
            self.denom.assign_add(cast(size(values), self.dtype))
            self.numer.assign_add(cast(total, self.dtype))
            return total
        values = cast(values, self.dtype)
        weights = ones_like(values) * cast(convert_to_tensor(weights), self.dtype)
        self.denom.assign_add(reduction.reduce_sum(weights))
        self.numer.assign_add(reduction.reduce_sum(values * weights))
        return values * weights, weights

    def result(self):
        return arithmetic.truediv(self.numer, self.denom)


class Accuracy(Mean):
    """How often predictions equal labels."""

    def call(self, labels, predictions, weights=None):
        """Adds a batch; returns (labels, predictions), and the weights if there are any."""
        self._add(convert_to_tensor(labels), convert_to_tensor(predictions), weights)
        return _given(labels, predictions, weights)

    def _add(self, labels, predictions, weights):
        if labels.raw_shape != predictions.raw_shape:
            raise misuse(InvalidArgumentError(
                None, None, 'Shapes of labels and predictions are unequal: '
                f'{labels.shape} and {predictions.shape}'))
        super().call(cast(logic.equal(labels, predictions), self.dtype), weights)


def _given(labels, predictions, weights):
    return (labels, predictions) if weights is None else (labels, predictions, weights)


class CategoricalAccuracy(Accuracy):
    """How often the largest prediction is at the 1 of one-hot labels [batch, classes]."""

    def call(self, labels, predictions, weights=None):
        labels, predictions = argmax(labels, -1), argmax(predictions, -1)
        self._add(labels, predictions, weights)
        return _given(labels, predictions, weights)


class BinaryAccuracy(Accuracy):
    """How often predictions above `threshold` have labels above it."""

    def __init__(self, threshold, name=None, dtype=dtypes.float64):
        super().__init__(name, dtype)
        self.threshold = threshold

    def call(self, labels, predictions, weights=None):
        labels = convert_to_tensor(labels) > self.threshold
        predictions = convert_to_tensor(predictions) > self.threshold
        self._add(labels, predictions, weights)
        return _given(labels, predictions, weights)


class SparseAccuracy(Accuracy):
    """How often the largest prediction is at the label's number."""

    def call(self, labels, predictions, weights=None):
        labels = convert_to_tensor(labels)
        predictions = argmax(predictions, -1)
        labels = cast(labels, predictions.dtype)
        self._add(labels, predictions, weights)
        return _given(labels, predictions, weights)


def __dir__():
    return __all__
