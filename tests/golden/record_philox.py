"""Record runs of seeded random ops of TensorFlow 1.15.5: python tests/golden/record_philox.py"""
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from golden.encoding import encode  # noqa: E402
from golden.store import write_recorded  # noqa: E402

SEEDS = (777, 3), (123456789012, 98765432101)   # both of the latter have an upper word
RUNS = {'float16': [1], 'float32': [0, 2], 'float64': [1]}
SAMPLERS = {'uniform': tf.raw_ops.RandomUniform, 'normal': tf.raw_ops.RandomStandardNormal,
            'truncated': tf.raw_ops.TruncatedNormal}
ALPHA = np.float32([0.3, 1.0, 2.5, 17.0])
# mean, standard deviation, lower and upper bound
BOUNDED = (1, 2, -1, 9), (0, 1, 0.5, 0.6), (-1, 0.5, 0, np.inf)


def runs(numbers, op, seeds, **arguments):
    """What the runs with these numbers, counted from 0, of one session give."""
    with tf.Graph().as_default():
        fetch = op(seed=seeds[0], seed2=seeds[1], **arguments)
        config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
        with tf.Session(config=config) as session:
            values = [session.run(fetch) for _ in range(max(numbers) + 1)]
    return [(number, encode(values[number])) for number in numbers]


def main():
    floats = [[name, dtype, seeds, run, value]
              for name, op in SAMPLERS.items() for dtype, numbers in RUNS.items()
              for seeds in SEEDS
              for run, value in runs(numbers, op, seeds, shape=[7], dtype=dtype)]
    gamma = runs([0, 1], tf.raw_ops.RandomGamma, SEEDS[0], shape=[3], alpha=ALPHA)
    bounded = [[[str(p) for p in parameters], run, value]
               for parameters in BOUNDED
               for run, value in runs(
                   [0, 1], tf.raw_ops.ParameterizedTruncatedNormal, SEEDS[0], shape=[7],
                   **dict(zip(('means', 'stdevs', 'minvals', 'maxvals'), np.float32(parameters))))]
    write_recorded('philox', {'floats': floats, 'gamma': gamma, 'bounded': bounded})


if __name__ == '__main__':
    main()
