"""Record what cluster resolvers answer under TensorFlow 1.15.5: record_resolvers.py"""
import os
import sys
import tempfile
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tensorflow as tf  # noqa: E402

from golden.resolver_cases import CASES, NODES, answers  # noqa: E402
from golden.store import write_recorded  # noqa: E402


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'scontrol')         # Slurm's own command is not installed
        with open(path, 'w') as file:
            file.write('#!/bin/sh\nprintf "%s"\n' % ''.join(node + r'\n' for node in NODES))
        os.chmod(path, 0o755)
        os.environ['PATH'] = folder + os.pathsep + os.environ['PATH']
        write_recorded('resolvers', {name: answers(tf, name) for name in CASES})


if __name__ == '__main__':
    main()
