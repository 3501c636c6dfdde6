"""A SavedModel as an object: its signatures are functions of arrays."""
from __future__ import annotations

import os

from tinyflow.formats.graphdef import scopes
from tinyflow.formats.graphdef.graph_util import extract_sub_graph
from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.eager_mode import executing_eagerly
from tinyflow.graph.graph import Graph
from tinyflow.graph.operation import Tensor
from tinyflow.graph.support.errors import misuse
from tinyflow.session.session import Session
from tinyflow.train.saved_model import constants, loader
from tinyflow.train.saved_model.utils import get_tensor_from_tensor_info


class LoadedModel:
    """A SavedModel in its own graph and Session.

    signatures: name -> Signature. graph, session, tags, meta_graph_def: the loaded graph.
    `close()`, or the end of a `with` block, frees the Session.
    """

    def __init__(self, export_dir, tags=None):
        export_dir = os.fsdecode(export_dir)
        saved_model = loader.read_saved_model(export_dir)
        proto = _only(saved_model, export_dir) if tags is None else \
            loader.find_meta_graph(saved_model, tags, export_dir)
        self.graph = Graph()
        self.session = Session(graph=self.graph)
        with self.graph.as_default():
            with loader.naming_damage(export_dir, 'its graph'):
                reduced = _reduced(proto)
            self.meta_graph_def = loader.load_graph(reduced, where=export_dir)
            loader.restore(self.session, self.meta_graph_def, export_dir)
        self.saved_meta_graph_def = proto       # with all that `meta_graph_def` leaves out
        self.tags = sorted(proto.meta_info_def.tags)
        reserved = (constants.INIT_OP_SIGNATURE_KEY, constants.TRAIN_OP_SIGNATURE_KEY)
        self.signatures = {}
        for name, signature in sorted(proto.signature_def.items()):
            if name not in reserved:
                with loader.naming_damage(export_dir, f"its signature '{name}'"):
                    self.signatures[name] = Signature(name, signature, self.graph, self.session)

    def close(self):
        """Frees the Session, and the values of the Variables with it."""
        self.session.close()

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.close()

    def __repr__(self):
        lines = '\n'.join(f'  {s}' for s in self.signatures.values())
        return f'<SavedModel {self.tags}\n{lines}>'


class Signature:
    """A function of arrays: signature(x=array) gives {name of an output: array}."""

    def __init__(self, name, proto, graph, session):
        self.name = name
        self.inputs = {k: get_tensor_from_tensor_info(i, graph) for k, i in proto.inputs.items()}
        self.outputs = {k: get_tensor_from_tensor_info(i, graph) for k, i in proto.outputs.items()}
        self._session = session

    def __call__(self, *args, **inputs):
        """Runs the graph; arrays, or tensors with eager execution.

        TypeError unless exactly the signature's inputs are given, by name.
        """
        if args:
            if len(args) != 1 or len(self.inputs) != 1 or inputs:
                raise misuse(TypeError(f'The inputs of {self} are given by name.'))
            inputs = dict(zip(self.inputs, args))
        if inputs.keys() != self.inputs.keys():
            raise misuse(TypeError(
                f"The signature '{self.name}' takes {_named(self.inputs)}; given: "
                f'{", ".join(sorted(inputs)) or "nothing"}.'))
        return self._run(inputs)

    def _run(self, inputs):
        feeds = {self.inputs[k]: v for k, v in inputs.items()}
        if not executing_eagerly():
            return self._session.run(self.outputs, feeds)
        found = self._session.run(self.outputs, {
            t: v.numpy() if isinstance(v, Tensor) else v for t, v in feeds.items()})
        return {k: convert_to_tensor(v, self.outputs[k].dtype) for k, v in found.items()}

    @property
    def structured_outputs(self):
        """The output tensors by name."""
        return dict(self.outputs)

    def __repr__(self):
        return f'{self.name}({_named(self.inputs)}) -> {_named(self.outputs)}'


def _named(tensors):
    return ', '.join(f'{k}: {t.dtype.name} {t.shape}' for k, t in sorted(tensors.items())) \
        or 'nothing'


def _only(saved_model, export_dir):
    """The only graph of a SavedModel, or the one for serving."""
    protos = list(saved_model.meta_graphs)
    if len(protos) == 1:
        return protos[0]
    serving = [p for p in protos if list(p.meta_info_def.tags) == ['serve']]
    if len(serving) == 1:
        return serving[0]
    there = ', '.join(repr(sorted(p.meta_info_def.tags)) for p in protos) or 'none'
    raise misuse(ValueError(f'The SavedModel {export_dir} has {len(protos)} graphs.\n  Hint: tags='
                            f'[...], one of: {there}.'))


def _reduced(proto):
    """The MetaGraphDef with the nodes that signatures, restoring and initialising need.

    A training graph, or one of TensorFlow 2, has others, of op types that are not run here.
    """
    wanted = loader.needed_names(proto)
    nodes = {node.name for node in proto.graph_def.node}
    result = type(proto)()
    result.CopyFrom(proto)
    wanted = [name for name in wanted if name.split(':')[0] in nodes]
    result.graph_def.CopyFrom(extract_sub_graph(proto.graph_def, wanted))
    for key in list(result.collection_def):
        if key not in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY, constants.ASSETS_KEY):
            del result.collection_def[key]
    return result


__all__ = ['LoadedModel', 'Signature', 'scopes']
