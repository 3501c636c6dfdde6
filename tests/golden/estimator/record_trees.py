"""Records TF 1.15's boosted trees (Python 3.7):

    python tests/golden/estimator/record_trees.py [kernels | name ...]
"""
import os
import re
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402
from tensorflow.python.ops import control_flow_util, gen_boosted_trees_ops  # noqa: E402

from tests.golden.estimator import trees_cases, trees_kernels  # noqa: E402
from tests.golden.store import read_recorded, write_recorded  # noqa: E402

# Whose checkpoint, and whose SavedModel, tinyflow loads.
KEPT, SAVED = 'classifier_in_memory_numeric', 'classifier_numeric'
FILES = os.path.join(os.path.dirname(HERE), 'files', 'trees')


def op(name, *inputs, **attrs):
    """A raw op; TF infers the number of features itself."""
    if name == 'BoostedTreesBucketize':
        attrs.pop('num_features')
    function = re.sub('(?<!^)(?=[A-Z])', '_', name).lower()
    return getattr(gen_boosted_trees_ops, function)(*inputs, **attrs)


def record(name, case):
    directory = tempfile.mkdtemp()
    try:
        estimator, losses = trees_cases.train(tf, case, directory)
        found = trees_cases.results(tf, case, estimator)
        found['losses'] = losses
        control_flow_util.ENABLE_CONTROL_FLOW_V2 = True
        found['nodes'] = {mode: trees_cases.nodes(tf, case, mode) for mode in ('train', 'infer')}
        if name == KEPT:
            _keep(tf.train.latest_checkpoint(directory))
        if name == SAVED:
            _save(estimator, directory)
        return found
    finally:
        control_flow_util.ENABLE_CONTROL_FLOW_V2 = False
        shutil.rmtree(directory)


def _keep(checkpoint):
    folder = os.path.join(FILES, 'checkpoint')
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for end in ('.index', '.data-00000-of-00001'):
        shutil.copy(checkpoint + end, os.path.join(folder, 'model.ckpt-0' + end))


def _save(estimator, directory):
    with tf.Graph().as_default():
        receiver = trees_cases.serving_receiver(tf)
        where = estimator.export_saved_model(os.path.join(directory, 'saved'), receiver).decode()
    folder = os.path.join(FILES, 'saved_model')
    shutil.rmtree(folder, ignore_errors=True)
    shutil.move(where, folder)


if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    if sys.argv[1:] in ([], ['kernels']):
        write_recorded('estimator.trees_kernels', trees_kernels.run(tf, op), sort_keys=True)
    if sys.argv[1:] != ['kernels']:
        every = trees_cases.cases(tf)
        kept = read_recorded('estimator.trees') if sys.argv[1:] else {}
        kept = {name: value for name, value in kept.items() if name in every}
        for name in sys.argv[1:] or sorted(every):
            print(name)
            kept[name] = record(name, every[name])
        write_recorded('estimator.trees', kept, sort_keys=True)
