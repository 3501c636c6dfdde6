"""Run by its test in TensorFlow 1.15 or 2.15: Estimators' checkpoints and exports.

    python estimator_files.py read|serve FOLDER

read (1.15): continues, evaluates and predicts from FOLDER/<name>, a model_dir.
serve: loads FOLDER/<name>/saved and runs every signature on the inputs of its case.
Both write FOLDER/<name>.json.
"""
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

import tensorflow.compat.v1 as tf  # noqa: E402

from tests.golden.encoding import encode  # noqa: E402
from tests.golden.estimator import file_cases  # noqa: E402


def read(folder):
    for name in file_cases.CHECKPOINTS:
        estimator = file_cases.make(tf, name, os.path.join(folder, name), seed=8)
        found = file_cases.results(tf, name, estimator)
        estimator.train(file_cases.input_fn(tf, name, True), steps=30)
        found['step'] = int(estimator.get_variable_value('global_step'))
        found['later'] = file_cases.results(tf, name, estimator)
        write(folder, name, found)


def serve(folder):
    for name in file_cases.EXPORTS:
        inputs = file_cases.fed(tf, name)
        with tf.Graph().as_default(), tf.Session() as session:
            meta = tf.saved_model.loader.load(session, ['serve'],
                                              os.path.join(folder, name, 'saved'))
            found = {}
            for key, signature in meta.signature_def.items():
                # A classification or regression has one input, whatever its key.
                one, = inputs.values() if len(inputs) == 1 else [None]
                feeds = {info.name: inputs[k] if k in inputs else one
                         for k, info in signature.inputs.items()}
                outputs = {k: info.name for k, info in signature.outputs.items()}
                found[key] = encode(session.run(outputs, feeds))
        write(folder, name, found)


def write(folder, name, found):
    with open(os.path.join(folder, name + '.json'), 'w') as file:
        json.dump(found, file)


if __name__ == '__main__':
    tf.disable_v2_behavior()
    tf.logging.set_verbosity(tf.logging.ERROR)
    {'read': read, 'serve': serve}[sys.argv[1]](sys.argv[2])
