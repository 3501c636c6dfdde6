"""Write tinyflow/ops/strings/unicode_scripts.txt: the script of each code point, from TF 1.15.5.

    python tests/golden/record_unicode_scripts.py       (TensorFlow 1.15.5 is installed)
"""
import os

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.path.join(ROOT, 'tinyflow', 'ops', 'strings', 'unicode_scripts.txt')
COLUMNS = 12


def main():
    with tf.Session() as sess:
        codes = sess.run(tf.strings.unicode_script(np.arange(0x110000, dtype=np.int32)))
    starts = np.flatnonzero(np.concatenate([[True], codes[1:] != codes[:-1]]))
    lengths = np.diff(np.concatenate([starts, [len(codes)]]))
    runs = ['%d*%d' % (length, codes[start]) for start, length in zip(starts, lengths)]
    with open(TARGET, 'w') as out:
        for i in range(0, len(runs), COLUMNS):
            out.write(' '.join(runs[i:i + COLUMNS]) + '\n')
    print('%d runs' % len(runs))


if __name__ == '__main__':
    main()
