"""Records what whole programs with Estimators give in TensorFlow 1.15.5 (Python 3.7):

    python tests/golden/estimator/record_whole.py [name ...]
"""
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402

from tests.golden.estimator.whole_programs import PROGRAMS  # noqa: E402
from tests.golden.store import read_recorded, write_recorded  # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    found = read_recorded('estimator.whole') if sys.argv[1:] else {}
    for program in PROGRAMS:
        if not sys.argv[1:] or program.__name__ in sys.argv[1:]:
            folder = tempfile.mkdtemp()
            found[program.__name__] = program(tf, folder)
            shutil.rmtree(folder)
            write_recorded('estimator.whole', found, sort_keys=True)
