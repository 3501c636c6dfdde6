"""Record the values of programs of TensorFlow 2, under TensorFlow 2.15.1."""
import os
import pathlib
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
sys.path[0] = str(pathlib.Path(__file__).resolve().parents[1])

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from golden import eager_programs, v2_programs  # noqa: E402
from golden.encoding import encode  # noqa: E402
from golden.store import write_recorded  # noqa: E402


def main():
    recorded = {}
    for name, program in sorted(v2_programs.PROGRAMS.items()):
        tf.keras.backend.clear_session()
        tf.random.set_seed(1)
        recorded[name] = encode(eager_programs.values(program(tf, np), tf, np))
    write_recorded('v2', recorded)
    print(len(recorded), 'programs')


if __name__ == '__main__':
    main()
