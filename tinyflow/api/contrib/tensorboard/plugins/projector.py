"""tf.contrib.tensorboard.plugins.projector: configures the embedding projector.

    config = projector.ProjectorConfig()
    config.embeddings.add(tensor_name=embeddings.name, metadata_path='words.tsv')
    projector.visualize_embeddings(writer, config)      # and save a checkpoint in the same folder
"""
from __future__ import annotations

import importlib as _importlib
import os as _os

from tinyflow.formats.wire import reading as _reading
from tinyflow.graph.support.errors import misuse as _misuse
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = ['visualize_embeddings']

# Protocol buffers, imported on first use, because google.protobuf is slow to import.
_PROTOS = ('EmbeddingInfo', 'ProjectorConfig', 'SpriteMetadata')
_missing = _explain_missing(__name__, [*__all__, *_PROTOS])


def visualize_embeddings(summary_writer, config):
    """Writes `config`, a ProjectorConfig, to where TensorBoard looks for it: the writer's folder.

    ValueError for a writer without a folder.
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise _misuse(ValueError('Summary writer must have a logdir'))
    message = _reading.as_message(config, __getattr__('ProjectorConfig'))
    _reading.write(_os.path.join(logdir, 'projector_config.pbtxt'), message, as_text=True)


def __getattr__(name):
    if name in _PROTOS:
        module = _importlib.import_module('tinyflow.formats.protos.projector_config_pb2')
        value = globals()[name] = getattr(module, name)
        return value
    return _missing(name)


def __dir__():
    return [*__all__, *_PROTOS]
