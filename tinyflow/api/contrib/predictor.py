"""tf.contrib.predictor: a function of arrays, from a SavedModel or a trained Estimator."""
from __future__ import annotations

import os

from tinyflow.graph.graph import Graph
from tinyflow.graph.support import logging
from tinyflow.graph.support.errors import misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.session.session import Session
from tinyflow.train.saved_model import loader, tag_constants
from tinyflow.train.saved_model.signature_constants import DEFAULT_SERVING_SIGNATURE_DEF_KEY
from tinyflow.train.sessions.monitored_session import MonitoredSession
from tinyflow.train.sessions.session_creators import ChiefSessionCreator

__all__ = ['from_contrib_estimator', 'from_estimator', 'from_saved_model']


class Predictor:
    """Feeds arrays by name and fetches the outputs by name, in a separate session."""

    def __init__(self, graph, session, feed_tensors, fetch_tensors):
        self._graph, self._session = graph, session
        self._feed_tensors = {name: graph.get_tensor_by_name(tensor)
                              for name, tensor in feed_tensors.items()}
        self._fetch_tensors = {name: graph.get_tensor_by_name(tensor)
                               for name, tensor in fetch_tensors.items()}

    @property
    def graph(self):
        return self._graph

    @property
    def session(self):
        return self._session

    @property
    def feed_tensors(self):
        """{name: tensor} of the inputs of a call."""
        return self._feed_tensors

    @property
    def fetch_tensors(self):
        """{name: tensor} of the results of a call."""
        return self._fetch_tensors

    def __repr__(self):
        return (f'{type(self).__name__} with feed tensors {self._feed_tensors} and fetch_tensors '
                f'{self._fetch_tensors}')

    def __call__(self, input_dict):
        """{name: array} of the outputs. ValueError for unknown input names."""
        if not isinstance(input_dict, dict):
            raise misuse(ValueError(
                f'A predictor takes a dict; got {type(input_dict).__name__}.\n  Hint: '
                f'predictor({{{", ".join(f"{name!r}: ..." for name in self._feed_tensors)}}}).'))
        unexpected = set(input_dict) - set(self._feed_tensors)
        if unexpected:
            raise misuse(ValueError(
                f'Got unexpected keys in input_dict: {unexpected}\nexpected: '
                f'{set(self._feed_tensors)}'))
        feeds = {self._feed_tensors[name]: value for name, value in input_dict.items()}
        return self._session.run(self._fetch_tensors, feeds)


class SavedModelPredictor(Predictor):
    """The Predictor of a SavedModel."""


class CoreEstimatorPredictor(Predictor):
    """The Predictor of an Estimator's latest checkpoint."""


def from_saved_model(export_dir, signature_def_key=None, signature_def=None, input_names=None,
                     output_names=None, tags=None, graph=None, config=None):
    """The Predictor of one signature of a SavedModel ('serving_default' if none is named).

    Args:
      export_dir: the directory with saved_model.pb.
      signature_def_key, signature_def: the name of a signature, or a SignatureDef.
      input_names, output_names: {name: tensor name}, instead of a signature.
      tags: those of the graph, separated by commas ('serve').

    Raises ValueError for an unknown signature or tag, or more than one way to name the tensors.
    """
    _check_one_way(signature_def_key, signature_def, input_names, output_names)
    export_dir, tags = os.fsdecode(export_dir), tags or tag_constants.SERVING
    graph = graph or Graph()
    with graph.as_default():
        session = Session(config=config)
        proto = _loaded(session, tags, export_dir)
    if input_names is None:
        signature = signature_def or _signature(proto, signature_def_key, export_dir)
        input_names, output_names = _names(signature)
    return SavedModelPredictor(graph, session, input_names, output_names)


def _check_one_way(key, signature, inputs, outputs):
    if (inputs is None) != (outputs is None):
        raise misuse(ValueError('input_names and output_names must both be specified or both be '
                                'unspecified.'))
    if sum(given is not None for given in (key, signature, inputs)) > 1:
        raise misuse(ValueError(
            'You must specify at most one of signature_def_key OR signature_def OR(input_names '
            'AND output_names).'))


def _loaded(session, tags, export_dir):
    try:
        return loader.load(session, tags.split(','), export_dir)
    except RuntimeError as error:
        raise misuse(ValueError(f'Could not find MetaGraphDef with tags {tags}\n{error}')) from None


def _signature(proto, key, export_dir):
    key = DEFAULT_SERVING_SIGNATURE_DEF_KEY if key is None else key
    for name in (key, f'default_input_alternative:{key}'):
        if name in proto.signature_def:
            if name != key:
                logging.warning('Could not find signature def "%s". Using "%s" instead', key, name)
            return proto.signature_def[name]
    names = sorted(proto.signature_def)
    there = ', '.join(map(repr, names)) or 'none at all'
    raise misuse(ValueError(
        f'Got signature_def_key "{key}". Available signatures are {there}. In: {export_dir}\n'
        + (f'  Hint: signature_def_key={names[0]!r}.' if names else
           '  Hint: export_outputs in the EstimatorSpec of mode PREDICT.')))


def _names(signature):
    return ({name: info.name for name, info in signature.inputs.items()},
            {name: info.name for name, info in signature.outputs.items()})


def from_estimator(estimator, serving_input_receiver_fn, output_key=None, graph=None, config=None):
    """The Predictor of a trained Estimator, by its export output `output_key` or the default one.

    Args:
      serving_input_receiver_fn: as for export_saved_model; its receiver tensors are the inputs.

    Raises KeyError for an output that the model does not have.
    """
    output_key = output_key or DEFAULT_SERVING_SIGNATURE_DEF_KEY
    graph = graph or Graph()
    with graph.as_default():
        receiver = serving_input_receiver_fn()
        spec = estimator._call_model_fn(receiver.features, None, 'infer', estimator.config)
        outputs = spec.export_outputs or {}
        if output_key not in outputs:
            raise misuse(KeyError(f'output_key must be one of {sorted(outputs)}; got {output_key}'))
        names = _names(outputs[output_key].as_signature_def(receiver.receiver_tensors))
        session = MonitoredSession(session_creator=ChiefSessionCreator(
            config=config, checkpoint_dir=estimator.model_dir))
    return CoreEstimatorPredictor(graph, session, *names)


def from_contrib_estimator(estimator, prediction_input_fn, input_alternative_key=None,
                           output_alternative_key=None, graph=None, config=None):
    """Not implemented, like tf.contrib.learn's estimators: raises NotImplementedError."""
    raise misuse(NotImplementedError(
        "from_contrib_estimator: tinyflow does not implement tf.contrib.learn's estimators.\n  "
        'Hint: from_estimator(estimator, serving_input_receiver_fn), with one of tf.estimator.'))


__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
