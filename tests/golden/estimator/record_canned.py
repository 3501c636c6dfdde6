"""Records TF 1.15's ready-made estimators (Python 3.7):

    python tests/golden/estimator/record_canned.py [name ...]
"""
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402
from tensorflow.python.ops import control_flow_util  # noqa: E402

from tests.golden.estimator import canned_cases  # noqa: E402
from tests.golden.estimator.head_cases import plain  # noqa: E402
from tests.golden.store import read_recorded, write_recorded  # noqa: E402


def record(case):
    directory = tempfile.mkdtemp()
    try:
        estimator, hook = canned_cases.train(tf, case, directory)
        found = canned_cases.results(tf, case, estimator)
        control_flow_util.ENABLE_CONTROL_FLOW_V2 = True
        found['nodes'] = {mode: canned_cases.nodes(tf, estimator, case.labels, mode)
                          for mode in ('train', 'infer')}
        found['initial'] = {name: plain(value) for name, value in hook.initial.items()}
        found['losses'] = hook.losses
        return found
    finally:
        control_flow_util.ENABLE_CONTROL_FLOW_V2 = False
        shutil.rmtree(directory)


if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    every = canned_cases.cases(tf)
    kept = read_recorded('estimator.canned') if sys.argv[1:] else {}
    kept = {name: value for name, value in kept.items() if name in every}
    for name in sys.argv[1:] or sorted(every):
        print(name)
        kept[name] = record(every[name])
    write_recorded('estimator.canned', kept, sort_keys=True)
