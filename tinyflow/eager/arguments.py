"""The arguments of a tf.function: what its graphs depend on, and what they are called with."""
from __future__ import annotations

import inspect

import numpy as np

from tinyflow.eager.tensor import EagerTensor
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.tensor_spec import TensorSpec

__all__ = ['checked_signature', 'fitting', 'kinds_of', 'kinds_of_tensors', 'leaves_of', 'names_of',
           'spec_of', 'up_to', 'with_parts']


def leaves_of(arguments):
    """The leaves of nested arguments; arrays are tensors, composites are their tensors."""
    return [convert_to_tensor(leaf) if isinstance(leaf, np.ndarray) else leaf
            for leaf in nest.flatten(arguments, expand_composites=True)]


def kinds_of(leaves, arguments):
    """What a graph depends on: dtype and shape of each tensor, other values themselves.

    A SparseTensor or RaggedTensor may have any number of values.
    """
    composites = [leaf for leaf in nest.flatten(arguments) if nest.is_sequence_or_composite(leaf)]
    # The last part tells how many dimensions or rows there are.
    any_size = {id(part) for composite in composites
                for part in nest.flatten(composite._nest_parts()[0][:-1], expand_composites=True)}
    return tuple([_kind(leaf, id(leaf) in any_size) for leaf in leaves])


def _kind(leaf, any_size):
    if isinstance(leaf, EagerTensor):
        shape = leaf.array.shape
        return leaf.dtype, (None, *shape[1:]) if any_size else shape
    if isinstance(leaf, TensorSpec):
        return leaf.dtype, leaf.shape.raw
    if isinstance(leaf, Tensor):
        raise misuse(TypeError(f'{leaf!r} is a tensor of a graph, which has no value here.'))
    try:
        hash(leaf)
    except TypeError:
        return id(leaf)
    return type(leaf), leaf


def kinds_of_tensors(args, kwargs):
    """dtype and shape of each argument; None if some are not EagerTensors, or have keywords."""
    kinds = tuple([(a.dtype, a.array.shape) for a in args if type(a) is EagerTensor])
    return None if kwargs or len(kinds) < len(args) else kinds


def spec_of(leaf, kind):
    """The TensorSpec of a tensor of that kind; another leaf as it is."""
    return TensorSpec(kind[1], kind[0]) if isinstance(leaf, Tensor) else leaf


def with_parts(arguments):
    """The arguments with tuples of tensors in place of composites."""
    return nest.map_structure(
        lambda leaf: tuple(nest.flatten(leaf, expand_composites=True))
        if nest.is_sequence_or_composite(leaf) else leaf, arguments)


def names_of(function, arguments):
    """The names of the placeholders: of an argument that is one tensor, that of the argument."""
    args, kwargs = arguments
    parameters = list(inspect.signature(function).parameters)
    parameters += [''] * (len(args) - len(parameters))
    names = []
    for name, value in [*zip(parameters, args), *kwargs.items()]:
        flat = nest.flatten(value, expand_composites=True)
        names += [name] if len(flat) == 1 and flat[0] is value else [''] * len(flat)
    return names


# ---- input_signature -------------------------------------------------------------------------


def checked_signature(signature):
    """The TensorSpecs of an input_signature. TypeError for anything else in it."""
    leaves = nest.flatten(signature)
    for leaf in leaves:
        if not isinstance(leaf, TensorSpec):
            raise misuse(TypeError(f'input_signature is a list of tf.TensorSpec, not {leaf!r}.'))
    return tuple(leaves)


def up_to(spec, value):
    """The parts of a value where the signature has TensorSpecs."""
    if isinstance(spec, TensorSpec):
        return [value]
    if isinstance(spec, dict) and isinstance(value, dict) and spec.keys() == value.keys():
        return [leaf for key in sorted(spec) for leaf in up_to(spec[key], value[key])]
    if isinstance(spec, (list, tuple)) and isinstance(value, (list, tuple)) \
            and len(spec) == len(value):
        return [leaf for s, v in zip(spec, value) for leaf in up_to(s, v)]
    return nest.flatten(value)


def fitting(values, signature):
    """The values as tensors for the signature. ValueError if they do not fit."""
    given = [_as_tensor_or_spec(value) for value in values]
    fits = len(given) == len(signature) and all(
        spec.is_compatible_with(value) for spec, value in zip(signature, given))
    if not fits:
        raise misuse(ValueError(
            'Python inputs incompatible with input_signature:\n  inputs: ('
            + ', '.join(map(_text, given)) + ')\n  input_signature: ('
            + ', '.join(map(repr, signature)) + ')\n  Hint: None in the signature for a size '
            'that differs.'))
    return given


def _as_tensor_or_spec(value):
    if isinstance(value, (Tensor, TensorSpec)):
        return value
    try:
        return convert_to_tensor(value)
    except (TypeError, ValueError):
        raise misuse(ValueError(
            'When input_signature is provided, all inputs to the Python function must be '
            f'convertible to tensors, not {value!r}')) from None


def _text(value):
    return repr(TensorSpec(value.shape, value.dtype)) if isinstance(value, Tensor) else repr(value)
