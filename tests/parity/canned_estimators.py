"""Run by its test in TensorFlow: ready-made estimators that go on with what tinyflow left.

    python canned_estimators.py train|read|serve FOLDER
"""
import json
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from tests.golden.estimator import canned_cases, head_cases  # noqa: E402


def train(folder):
    """Trains again, and writes the models' predictions."""
    for name in canned_cases.CHECKED:
        case = canned_cases.cases(tf)[name]
        model, _ = canned_cases.train(tf, case, os.path.join(folder, name))
        _write(folder, name, canned_cases.results(tf, case, model))


def read(folder):
    """Reads checkpoints that are there, writes what the models say, and trains three steps more."""
    for name in canned_cases.CHECKED:
        case = canned_cases.cases(tf)[name]
        model = case.make(canned_cases.Columns(tf), config=tf.estimator.RunConfig(
            model_dir=os.path.join(folder, name)))
        found = canned_cases.results(tf, case, model)
        model.train(canned_cases.input_fn(tf, case.labels, True), steps=3)
        found['steps'] = int(model.get_variable_value('global_step'))
        _write(folder, name, found)


def serve(folder):
    """Loads SavedModels and writes what their signature 'predict' says."""
    v1 = tf.compat.v1
    examples = np.load(os.path.join(folder, 'examples.npy'), allow_pickle=False)
    examples = [bytes(row[:size]) for row, size in zip(
        examples, np.load(os.path.join(folder, 'sizes.npy')))]
    for name in sorted(os.listdir(os.path.join(folder, 'saved'))):
        where, = (os.path.join(folder, 'saved', name, version)
                  for version in os.listdir(os.path.join(folder, 'saved', name)))
        with tf.Graph().as_default(), v1.Session() as session:
            meta = v1.saved_model.loader.load(session, ['serve'], where)
            signature = meta.signature_def['predict']
            fed, = signature.inputs.values()
            outputs = {key: output.name for key, output in signature.outputs.items()}
            found = session.run(outputs, {fed.name: examples})
        _write(folder, name, {key: head_cases.plain(value) for key, value in found.items()})


def _write(folder, name, found):
    with open(os.path.join(folder, name + '.json'), 'w') as file:
        json.dump(found, file)


if __name__ == '__main__':
    {'train': train, 'read': read, 'serve': serve}[sys.argv[1]](sys.argv[2])
