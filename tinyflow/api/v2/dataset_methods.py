"""Methods that Datasets have in TensorFlow 2, and their transformations in tf.data.experimental."""
from __future__ import annotations

from tinyflow.data import experimental
from tinyflow.data.dataset import Dataset
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_spec import TensorSpec

__all__ = ['METHODS']

_from_generator = Dataset.from_generator


def _transformation(name):
    def method(self, *args, **settings):
        settings.pop('name', None)
        return self.apply(getattr(experimental, name)(*args, **settings))
    method.__name__ = name
    method.__doc__ = f'The Dataset after tf.data.experimental.{name}.'
    return method


def as_numpy_iterator(self):
    """Yields the elements as arrays."""
    for element in self:
        yield nest.map_structure(lambda t: t.numpy(), element)


def cardinality(self):
    """The number of elements, -1 if there is no end, -2 if it is not known."""
    return experimental.cardinality(self)


def length(self):
    """The number of elements. TypeError if it is not known."""
    count = int(cardinality(self))
    if count < 0:
        raise misuse(TypeError('The dataset is infinite.' if count == -1 else
                               'The dataset length is unknown.'))
    return count


def get_single_element(self, name=None):
    """The only element. InvalidArgumentError if there are none, or several."""
    return experimental.get_single_element(self)


def from_generator(generator, output_types=None, output_shapes=None, args=None,
                   output_signature=None, name=None):
    """The values that `generator(*args)` yields; `output_signature` is a nest of TensorSpecs."""
    if output_signature is not None:
        for spec in nest.flatten(output_signature):
            if not isinstance(spec, TensorSpec):
                raise misuse(TypeError('output_signature must contain tf.TensorSpec objects, not '
                                       f'{spec!r}.'))
        output_types = nest.map_structure(lambda s: s.dtype, output_signature)
        output_shapes = nest.map_structure(lambda s: s.shape, output_signature)
    return _from_generator(generator, output_types, output_shapes, args)


def _counter(start=0, step=1, dtype='int64', name=None):
    """start, start + step, ... without end."""
    return experimental.Counter(start, step, dtype)


def _random(seed=None, rerandomize_each_iteration=None, name=None):
    """Random int64 numbers without end."""
    return experimental.RandomDataset(seed)


def _describe(self):
    return f'<Dataset element_spec={self.element_spec}>'


METHODS = {
    **{name: _transformation(name) for name in (
        'bucket_by_sequence_length', 'group_by_window', 'ignore_errors', 'rejection_resample',
        'scan', 'take_while', 'unique')},
    '__bool__': lambda self: True,
    '__len__': length,
    '__repr__': _describe,
    'as_numpy_iterator': as_numpy_iterator,
    'cardinality': cardinality,
    'choose_from_datasets': staticmethod(experimental.choose_from_datasets),
    'counter': staticmethod(_counter),
    'from_generator': staticmethod(from_generator),
    'get_single_element': get_single_element,
    'random': staticmethod(_random),
    'sample_from_datasets': staticmethod(experimental.sample_from_datasets),
}
