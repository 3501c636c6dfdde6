"""Records TF 1.15's recurrent layers: python tests/golden/keras/record_recurrent.py (Python 3.7).

Graphs are those of functional control flow; the numbers of nodes, by which seeds are made, those of
TF1's own.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import tensorflow as tf  # noqa: E402

from tests.golden.keras import recurrent_cases  # noqa: E402
from tests.golden.keras.record_layers import plain  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402


def main():
    counts = {case[0]: recurrent_cases.run(tf, *case[1:])['count']
              for case in recurrent_cases.cases(tf.keras)}
    tf.enable_control_flow_v2()
    found = {}
    for case in recurrent_cases.cases(tf.keras):
        found[case[0]] = plain(recurrent_cases.run(tf, *case[1:]))
        found[case[0]]['count'] = counts[case[0]]
    write_recorded('keras.recurrent', found, sort_keys=True)
    print(len(found), 'recurrent layers')


if __name__ == '__main__':
    main()
