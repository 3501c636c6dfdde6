"""Records TF 1.15's ready-made estimators on two replicas (Python 3.7):

    python tests/golden/estimator/record_replicas.py
"""
import os
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402

from tests.golden.estimator import replica_cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    found = {}
    for name in replica_cases.NAMES:
        directory = tempfile.mkdtemp()
        try:
            found[name] = replica_cases.run(tf, name, directory)
        except ValueError as error:         # TF 1.15.5 itself cannot do some: Ftrl, KMeans ...
            print(name, str(error).split('\n')[0])
            continue
        print(name)
        found[name]['initial'] = replica_cases.values(tf, directory + '/model.ckpt-0')
    write_recorded('estimator.replicas', found, sort_keys=True)
