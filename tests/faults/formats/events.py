"""Event files, as `summary_iterator` and BestExporter read them."""
from __future__ import annotations

import pathlib
import tempfile

import tinyflow as tf
from tests.faults.format import Wrong, file_format
from tests.faults.messages import damage_of


def _sources():
    with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), \
            tf.summary.FileWriter(folder, tf.get_default_graph()) as writer:
        for step in range(1, 6):
            value = [tf.Summary.Value(tag='loss', simple_value=1 / step),
                     tf.Summary.Value(tag='accuracy', simple_value=0.5)]
            writer.add_summary(tf.Summary(value=value), step)
        writer.flush()
        path, = pathlib.Path(folder).iterdir()
        return {'eval.tfevents.1': path.read_bytes()}


def _read(place, name, data):
    folder = pathlib.Path(place, 'eval')
    folder.mkdir()
    path = folder / name
    path.write_bytes(data)
    found = []
    try:
        for event in tf.train.summary_iterator(str(path)):
            found += [(event.step, value.tag, round(value.simple_value, 3))
                      for value in event.summary.value]
    finally:
        for step, tag, value in found:
            if value != {'loss': round(1 / max(step, 1), 3), 'accuracy': 0.5}.get(tag):
                raise Wrong(f'{tag} of step {step}: {value}')


file_format('events', _sources)(_read)


def _damaged_record(data, chance, marks):
    """A file whose checksums are valid, with one damaged Event."""
    with tempfile.TemporaryDirectory() as folder:
        path = f'{folder}/e'
        pathlib.Path(path).write_bytes(data)
        records = list(tf.python_io.tf_record_iterator(path))
        number = chance.randrange(len(records))
        records[number] = damage_of(tf.Event)(records[number], chance, marks)
        with tf.python_io.TFRecordWriter(path) as writer:
            for record in records:
                writer.write(record)
        return pathlib.Path(path).read_bytes()


@file_format('events, valid checksums', _sources, _damaged_record)
def _event(place, name, data):
    try:
        _read(place, name, data)
    except Wrong:
        pass


@file_format('evaluation results', _sources)
def _results(place, name, data):
    """What BestExporter finds in the event files of earlier evaluations."""
    folder = pathlib.Path(place, 'eval')
    folder.mkdir()
    (folder / name).write_bytes(data)
    exporter = tf.estimator.BestExporter(serving_input_receiver_fn=lambda: None)
    best = exporter._best_in_event_files(f'{place}/eval/*.tfevents.*', 0)
    if best is not None and not 0.2 <= best['loss'] <= 1:
        raise Wrong(f'{best}')
