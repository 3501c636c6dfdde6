"""Records TF 1.15's k-means: python tests/golden/estimator/record_kmeans.py (Python 3.7)."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(HERE))))

import tensorflow as tf  # noqa: E402

from tests.golden.estimator import kmeans_cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    write_recorded('estimator.kmeans', kmeans_cases.run(tf), sort_keys=True)
