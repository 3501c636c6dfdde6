"""The values of Variables in a Session, model or checkpoint, as a recording of one step."""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from tinyflow.graph.operation import Operation
from tinyflow.graph.support.errors import misuse
from tinyflow.inspect.explorer.document.nodes import Nodes
from tinyflow.inspect.recorder.kept import Kept
from tinyflow.inspect.recorder.to_document import value_document
from tinyflow.inspect.viz import select
from tinyflow.session.observed import session_of

_PART = '/part_0'           # a Variable in one part is saved without it


def weights(origin: Any, nodes: Nodes) -> dict[str, Any]:
    """The recording, of `origin`: a Session, Keras model, Estimator, checkpoint or SavedModel."""
    value_of = _reader(origin)
    order, places, values = [], [], []
    for n, op in enumerate(nodes.operations):
        array = value_of(op) if select.is_variable_ref(op) else None
        if array is not None:
            order.append([n, []])
            places.append([len(values)])
            values.append(value_document(Kept(np.asarray(array))))
    if not values and any(map(select.is_variable_ref, nodes.operations)):
        raise misuse(ValueError(f'explore: values has none of the Variables of this graph: '
                                f'{origin!r:.80}.\n  Hint: run the initializer, or train, first; '
                                'a checkpoint must be one of this graph.'))
    step = {'number': 0, 'nth': 0, 'fetches': ['the Variables'], 'order': 0, 'values': places,
            'changes': []}
    return {'title': 'values', 'said': f'the values of {len(values)} Variables',
            'orders': [order], 'steps': [step] if values else [], 'values': values}


def _reader(origin: Any) -> Callable[[Operation], Any]:
    """f(Variable's operation) -> its value, or None."""
    if isinstance(origin, (str, os.PathLike)):
        return _of_checkpoint(_prefix(os.fspath(origin)))
    if hasattr(origin, 'get_weights') and hasattr(origin, 'weights'):       # a Keras model
        known = dict(zip([v.op for v in origin.weights], origin.get_weights()))
        return known.get
    if hasattr(origin, 'latest_checkpoint') and hasattr(origin, 'model_fn'):    # an Estimator
        return _of_checkpoint(origin.latest_checkpoint())
    session = session_of(origin)
    if not hasattr(session, 'variable_values'):
        raise misuse(TypeError(
            f'explore: values=True, but a {type(origin).__name__} has no values of Variables.\n'
            '  Hint: values=session, or the prefix of a checkpoint.'))
    return lambda op: session.variable_values([op.outputs[0]])[0]


def _prefix(path: str) -> str:
    inside = os.path.join(path, 'variables', 'variables')       # of a SavedModel
    return inside if os.path.exists(f'{inside}.index') else path.removesuffix('.meta')


def _of_checkpoint(prefix: Any) -> Callable[[Operation], Any]:
    from tinyflow.train.checkpoints.inspection import load_checkpoint  # start-up time
    from tinyflow.train.checkpoints.object_graph import full_names_to_keys  # start-up time
    reader = load_checkpoint(prefix)

    keys = full_names_to_keys(reader._reader)   # of one that was saved by objects

    def value_of(op: Operation) -> Any:
        names = [op.name, op.name.removesuffix(_PART), keys.get(op.name, '')]
        name = next(filter(reader.has_tensor, names), None)
        return None if name is None else reader.get_tensor(name)
    return value_of


__all__ = ['weights']
