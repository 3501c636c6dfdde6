"""Writes the results of an evaluation to the log and to event files for TensorBoard."""
from __future__ import annotations

import numpy as np

from tinyflow.graph.support import logging
from tinyflow.train.summary.writer import FileWriterCache

__all__ = ['write_eval_summaries']


def write_eval_summaries(directory, results, checkpoint_path):
    """Logs a dict of results and adds it to the events in `directory`, at its global step."""
    step = int(results['global_step'])
    values = ', '.join(f'{key} = {value!s}' for key, value in sorted(results.items())
                       if not isinstance(value, bytes))
    logging.info('Saving dict for global step %d: %s', step, values)
    writer = FileWriterCache.get(directory)
    writer.add_summary(_summary(results), step)
    if checkpoint_path:
        logging.info("Saving '%s' summary for global step %d: %s", 'checkpoint_path', step,
                     checkpoint_path)
        writer.add_summary(_path_summary(checkpoint_path), step)
    writer.flush()


def _summary(results):
    # Start-up time: protocol buffers are loaded when a file is written.
    from tinyflow.formats.protos.summary_pb2 import Summary  # start-up time
    from tinyflow.formats.wire.tensors import make_tensor_proto  # start-up time
    summary = Summary()
    for key, value in results.items():
        if value is None or key == 'global_step':
            continue
        if isinstance(value, (float, int, np.floating, np.integer)):
            summary.value.add(tag=key, simple_value=float(value))
        elif isinstance(value, bytes):
            _add_serialized(summary, key, value)
        elif isinstance(value, np.ndarray):
            summary.value.add(tag=key, node_name=key, tensor=make_tensor_proto(value))
            logging.info('Summary for np.ndarray is not visible in Tensorboard by default. '
                         'Consider using a Tensorboard plugin for visualization (see '
                         'https://github.com/tensorflow/tensorboard-plugin-example/blob/master/'
                         'README.md for more information).')
        else:
            logging.warn('Skipping summary for %s, must be a float, np.float32, np.int64, '
                         'np.int32 or int or np.ndarray or a serialized string of Summary.', key)
    return summary


def _add_serialized(summary, key, data):
    from google.protobuf.message import DecodeError  # start-up time
    try:
        parsed = type(summary).FromString(data)
    except DecodeError:
        logging.warn('Skipping summary for %s, cannot parse string to Summary.', key)
        return
    for number, value in enumerate(parsed.value):
        value.tag = f'{key}/{number}'
    summary.value.extend(parsed.value)


def _path_summary(checkpoint_path):
    # Start-up time: protocol buffers are loaded when a file is written.
    from tinyflow.formats.protos.summary_pb2 import Summary  # start-up time
    from tinyflow.formats.wire.tensors import make_tensor_proto  # start-up time
    summary = Summary()
    path = np.array(checkpoint_path.encode(), object)
    summary.value.add(tag='checkpoint_path', tensor=make_tensor_proto(path))
    return summary
