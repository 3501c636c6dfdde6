"""Records checkpoints, their results, and the signatures of exports of TF 1.15 (Python 3.7):

    python tests/golden/estimator/record_files.py
"""
import glob
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402

from tests.golden.estimator import file_cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402

FILES = os.path.join(os.path.dirname(HERE), 'files', 'estimator')


def checkpoint(name, folder):
    """Keeps the last checkpoint of a training, without its graph."""
    estimator = file_cases.make(tf, name, folder)
    estimator.train(file_cases.input_fn(tf, name, True), steps=file_cases.STEPS)
    target = os.path.join(FILES, name)
    shutil.rmtree(target, ignore_errors=True)
    os.makedirs(target)
    for path in glob.glob(os.path.join(folder, 'model.ckpt-%d.*' % file_cases.STEPS)):
        if not path.endswith('.meta'):
            shutil.copy(path, target)
    with open(os.path.join(target, 'checkpoint'), 'w') as file:
        file.write('model_checkpoint_path: "model.ckpt-%d"\n' % file_cases.STEPS)
    return file_cases.results(tf, name, estimator)


def signatures(name, folder):
    where = file_cases.export(tf, name, folder)
    with tf.Graph().as_default(), tf.Session() as session:
        return file_cases.signatures(tf.saved_model.loader.load(session, ['serve'], where))


if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    folder_ = tempfile.mkdtemp()
    try:
        found = {'checkpoints': {name: checkpoint(name, os.path.join(folder_, name))
                                 for name in file_cases.CHECKPOINTS},
                 'signatures': {name: signatures(name, folder_) for name in file_cases.EXPORTS}}
    finally:
        shutil.rmtree(folder_)
    write_recorded('estimator.files', found, sort_keys=True)
