"""tf.saved_model.save of TensorFlow 2: an object's functions and Variables as a SavedModel.

Signatures are SignatureDefs, which TensorFlow 2 loads, too. The object's tf.functions are in a
collection that `loaded_at_once.py` reads.
"""
from __future__ import annotations

import json
import os
from contextlib import contextmanager

import numpy as np

from tinyflow.eager.concrete_function import ConcreteFunction
from tinyflow.eager.function import Function
from tinyflow.eager.symbolic import SymbolicGraph, session_of
from tinyflow.eager.traced_graph import SideEffects, TracedGraph
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.ops.array.identity_and_cast import identity
from tinyflow.ops.array.placeholders import placeholder
from tinyflow.ops.variables.variable import Variable
from tinyflow.train.checkpoints import object_graph
from tinyflow.train.checkpoints.saver import Saver
from tinyflow.train.saved_model import constants
from tinyflow.train.saved_model.builder import SavedModelBuilder
from tinyflow.train.saved_model.leftovers import replaced_export
from tinyflow.train.saved_model.signature_def_utils import (
    build_signature_def,
    predict_signature_def,
)
from tinyflow.train.saved_model.utils import build_tensor_info

__all__ = ['save']

_DEFAULT = 'serving_default'


def save(obj, export_dir, signatures=None):
    """Writes the Variables and functions of a tf.Module or another trackable object.

    signatures: a tf.function or ConcreteFunction, or a dict of them by name; each takes tensors and
    returns a tensor or a dict of tensors by name. Without it the object's only function with an
    input_signature is 'serving_default'. Functions that were called or have an input_signature can
    be called on the loaded object, as can the object if its `__call__` is one; what they write,
    print and assert is kept. Raises ValueError for what has no signature.
    """
    if hasattr(obj, '_export'):                 # a Keras model
        if signatures is not None:
            raise misuse(NotImplementedError(
                'tf.saved_model.save(keras_model, signatures=...): the model is saved with the '
                'signature serving_default.\n  Hint: a tf.Module with the model as an attribute '
                'and tf.functions that call it takes signatures.'))
        obj._export(export_dir)
        return
    if not executing_eagerly():
        raise misuse(RuntimeError('tf.saved_model.save needs eager execution.\n  Hint: '
                                  'tf.compat.v1.saved_model.simple_save(session, ...) saves a '
                                  'graph.'))
    if not object_graph.is_trackable(obj):
        raise misuse(ValueError(
            f'Expected a Trackable object for export. Got {obj!r}.\n  Hint: a tf.Module, '
            'tf.train.Checkpoint or Keras model.'))
    functions = _functions_of(obj)
    graph = _FunctionsGraph()
    with graph.as_default():
        variables = {}
        for path, variable in _variables(obj).items():
            handle = graph.capture(variable.handle)     # before the names of functions
            variables[handle.op.name] = variable
            graph.add_to_collection(constants.VARIABLES_KEY,
                                    f'{path}\0{handle.op.name}'.encode())
        defs = {name: _signature(graph, name, function)
                for name, function in _chosen(signatures, functions).items()}
        others = [(name, _function(graph, name, function, concrete))
                  for name, function in functions.items()
                  for concrete in function._traces.values()]
        for name, definition in others:
            graph.add_to_collection(constants.FUNCTIONS_KEY,
                                    name.encode() + b'\0' + definition.SerializeToString())
        with replaced_export(os.fspath(export_dir)) as path:
            builder = SavedModelBuilder(path)
            builder.add_meta_graph_and_variables(
                session_of(graph), ['serve'], signature_def_map=defs,
                saver=Saver(variables, allow_empty=True))
            builder.save()


def _functions_of(obj):
    """{attribute: tf.function} of an object, traced where a signature tells how."""
    found = {}
    for name in dir(obj):
        if name.startswith('__') and name != '__call__' \
                or isinstance(getattr(type(obj), name, None), property):
            continue
        value = getattr(obj, name, None)
        if isinstance(value, Function):
            if value._signature is not None:
                value.get_concrete_function()
            found[name] = value
    return found


def _chosen(signatures, functions):
    """{name: ConcreteFunction} of what is called by name."""
    if signatures is None:
        signed = [f for f in functions.values() if f._signature is not None]
        return {_DEFAULT: signed[0].get_concrete_function()} if len(signed) == 1 else {}
    if not isinstance(signatures, dict):
        signatures = {_DEFAULT: signatures}
    return {name: _concrete(name, function) for name, function in signatures.items()}


def _concrete(name, function):
    if isinstance(function, ConcreteFunction):
        return function
    if not isinstance(function, Function):
        raise misuse(ValueError(f'Expected a TensorFlow function for which to generate a signature '
                                f'{name!r}, but got {function!r}.\n  Hint: tf.function(f, '
                                'input_signature=[tf.TensorSpec(...)]).'))
    if function._signature is None and len(function._traces) != 1:
        raise misuse(ValueError(
            f'The signature {name!r} is a tf.function with {len(function._traces)} traces.\n  '
            'Hint: f.get_concrete_function(tf.TensorSpec([None, 3])), or input_signature=.'))
    return function.get_concrete_function() if function._signature is not None \
        else next(iter(function._traces.values()))


class _FunctionsGraph(SymbolicGraph, TracedGraph):
    """A graph of functions, each of which does what it does in the order in which it is written."""

    def __init__(self):
        super().__init__()
        self.side_effects = None

    @contextmanager
    def function(self):
        """One function's nodes: they wait for each other, and not for those of other functions."""
        self.side_effects = SideEffects()
        yield
        self.acting = self.side_effects.acting      # of the last function
        self.side_effects = None


def _signature(graph, name, concrete):
    """The SignatureDef: inputs by the names of parameters, outputs by their keys."""
    inputs, result = _built(graph, name, concrete)
    outputs = result if isinstance(result, dict) else {
        f'output_{i}': t for i, t in enumerate(nest.flatten(result)) if t is not None}
    if not all(isinstance(t, Tensor) for t in outputs.values()):
        raise misuse(ValueError(f'The signature {name!r} returns {result!r}; it must be a tensor '
                                'or a dict of tensors.'))
    return predict_signature_def(inputs, outputs)


def _function(graph, name, function, concrete):
    """The SignatureDef of one trace; its method says in JSON how it is called and what it returns.
    """
    inputs, result = _built(graph, name, concrete)
    tensors = [t for t in nest.flatten(result) if isinstance(t, Tensor)]
    if not tensors:                     # the function is called for what it does
        with graph.control_dependencies(graph.acting):
            tensors = [identity(np.int32(0))]
    keys = sorted(result) if isinstance(result, dict) else ()      # the order of nest.flatten
    return build_signature_def(
        *[{f'{i:03d}': build_tensor_info(t) for i, t in enumerate(those)}
          for those in (inputs.values(), tensors)],
        json.dumps({'returns': type(result).__name__, 'keys': keys,
                    'call': _call_of(function, concrete)}))


def _call_of(function, concrete):
    """{'takes': [[parameter, constants.TENSOR or a Python value], ...], 'defaults': {name: value}}.

    None for a function of lists, dicts or other objects: it is called with its tensors by position.
    """
    args, kwargs = concrete._arguments
    parameters = function._parameters.parameters
    values = {**dict(zip(parameters, args)), **kwargs}
    takes = [[name, constants.TENSOR if isinstance(value, Tensor) else value]
             for name, value in values.items()]
    defaults = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
    plain = all(value is None or isinstance(value, (bool, int, float, str))
                for value in (*dict(takes).values(), *defaults.values()))
    return {'takes': takes, 'defaults': defaults} if plain and len(takes) == len(parameters) \
        else None


def _built(graph, name, concrete):
    """(placeholders by the names of parameters, result) of a function built once more here.

    The result waits for what the function does.
    """
    with graph.function(), name_scope(name.strip('_')):
        own = {}
        for i, parameter in enumerate(concrete._own):
            key = parameter.op.name
            own[key if key not in own else f'{key}_{i}'] = placeholder(
                parameter.dtype, parameter.shape, name=key)
        leaves = iter(own.values())
        arguments = nest.map_structure(
            lambda leaf: next(leaves) if isinstance(leaf, Tensor) else leaf,
            concrete._arguments, expand_composites=True)
        args, kwargs = arguments
        result = concrete._python_function(*args, **kwargs)
        with graph.control_dependencies(graph.side_effects.acting):
            return own, nest.map_structure(
                lambda t: identity(t) if isinstance(t, (Tensor, Variable)) else t, result)


def _variables(obj):
    """{path: Variable} of the object's Variables."""
    return {'/'.join(path): value for value, path in object_graph.walk(obj)
            if isinstance(value, Variable)}
