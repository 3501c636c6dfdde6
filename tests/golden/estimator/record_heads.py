"""Records TF 1.15's heads: python tests/golden/estimator/record_heads.py (Python 3.7)."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402
from tensorflow.python.ops import control_flow_util  # noqa: E402

from tests.golden.estimator import head_cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    control_flow_util.ENABLE_CONTROL_FLOW_V2 = True
    found = {}
    for public, cases in ((False, head_cases.contrib_cases(tf)),
                          (True, head_cases.public_cases(tf))):
        for name, case in cases.items():
            found[name] = head_cases.run(tf, case, public)
            if public:          # Keras' metrics have nodes of their own design here
                del found[name]['eval']['nodes']
    write_recorded('estimator.heads', found, sort_keys=True)
