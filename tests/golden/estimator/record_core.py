"""Records what tf.estimator of TensorFlow 1.15.5 does with custom model_fns.

    python tests/golden/estimator/record_core.py
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402

from tests.golden.estimator import core_programs  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    found = {name: core_programs.run(tf, name, tempfile.mkdtemp())
             for name in sorted(core_programs.PROGRAMS)}
    write_recorded('estimator.core', found, sort_keys=True)
