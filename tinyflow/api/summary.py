"""tf.summary: scalars, histograms, images, audio and text of a training, for TensorBoard.

    tf.summary.scalar('loss', loss)                         a node that makes a summary
    merged = tf.summary.merge_all()
    writer = tf.summary.FileWriter('logs', sess.graph)
    writer.add_summary(sess.run(merged), step)              tensorboard --logdir logs
"""
from __future__ import annotations

import importlib as _importlib

from tinyflow.graph.support.missing import (
    explain_missing as _explain_missing,
    hide_modules as _hide_modules,
)
from tinyflow.ops.summary.media_summaries import audio, image
from tinyflow.ops.summary.summaries import histogram, merge, merge_all, scalar, tensor_summary, text
from tinyflow.train.summary.descriptions import get_summary_description
from tinyflow.train.summary.writer import FileWriter, FileWriterCache

__all__ = ['FileWriter', 'FileWriterCache', 'audio', 'get_summary_description', 'histogram',
           'image', 'merge', 'merge_all', 'scalar', 'tensor_summary', 'text']

# Protocol buffers, imported on first use, because google.protobuf is slow to import.
_PROTOS = {'Event': 'event', 'SessionLog': 'event', 'Summary': 'summary',
           'SummaryDescription': 'summary', 'TaggedRunMetadata': 'event'}
# For summaries that ops write themselves.
_OF_CONTRIB = {'all_v2_summary_ops': 'all_summary_ops', 'initialize': 'initialize'}
_missing = _explain_missing(__name__, [*__all__, *_PROTOS, *_OF_CONTRIB])


def __getattr__(name):
    if name in _OF_CONTRIB:
        module = _importlib.import_module('tinyflow.api.contrib.summary')
        return getattr(module, _OF_CONTRIB[name])
    if name in _PROTOS:
        module = _importlib.import_module(f'tinyflow.formats.protos.{_PROTOS[name]}_pb2')
        value = globals()[name] = getattr(module, name)
        return value
    return _missing(name)


_hide_modules(globals())


def __dir__():
    return [*__all__, *_PROTOS, *_OF_CONTRIB]
