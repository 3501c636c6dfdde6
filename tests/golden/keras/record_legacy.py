"""Records what Keras 2.1.6 makes of Keras 1's calls: python tests/golden/keras/record_legacy.py."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))))

import keras  # noqa: E402

from tests.golden.keras import legacy_cases  # noqa: E402
from tests.golden.store import write_recorded  # noqa: E402


def main():
    found = {name: legacy_cases.run(make, settings)
             for name, make, settings in legacy_cases.cases(keras.layers)}
    write_recorded('keras.legacy', found, sort_keys=True)
    print(len(found), 'calls')


if __name__ == '__main__':
    main()
