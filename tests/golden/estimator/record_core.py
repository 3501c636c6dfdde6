"""Records what tf.estimator of TensorFlow 1.15.5 does with custom model_fns.

    python tests/golden/estimator/record_core.py
"""
import json
import os
import sys
import tempfile

import tensorflow as tf

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import core_programs                                            # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    found = {name: core_programs.run(tf, name, tempfile.mkdtemp())
             for name in sorted(core_programs.PROGRAMS)}
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'recorded',
                        'estimator.core.json')
    with open(path, 'w') as file:
        json.dump(found, file, sort_keys=True)
        file.write('\n')
