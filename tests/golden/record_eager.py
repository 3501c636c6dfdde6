"""Record the values of programs that run their ops at once, under TF 1.15.5."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from golden import eager_programs  # noqa: E402
from golden.encoding import encode  # noqa: E402
from golden.store import write_recorded  # noqa: E402


def main():
    tf.enable_eager_execution()
    tf.logging.set_verbosity(tf.logging.ERROR)
    recorded = {}
    for name, program in sorted(eager_programs.PROGRAMS.items()):
        tf.keras.backend.clear_session()
        tf.set_random_seed(1)
        recorded[name] = encode(eager_programs.values(program(tf, np), tf, np))
    write_recorded('eager', recorded)
    print(len(recorded), 'programs')


if __name__ == '__main__':
    main()
