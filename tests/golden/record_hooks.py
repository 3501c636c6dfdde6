"""Record what trainings with hooks tell under TensorFlow 1.15.5: record_hooks.py [run ...]"""
import os
import sys
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tensorflow as tf  # noqa: E402

from golden.hook_runs import RUNS, tell  # noqa: E402
from golden.store import write_recorded  # noqa: E402
from tensorflow.python.training import training_util  # noqa: E402


def main():
    read_step = training_util._get_or_create_global_step_read
    record = {name: tell(tf, run, read_step) for name, run in RUNS.items()
              if not sys.argv[1:] or name in sys.argv[1:]}
    if sys.argv[1:]:
        for name, lines in record.items():
            print('\n'.join([name] + lines))
        return
    write_recorded('hooks', record)


if __name__ == '__main__':
    main()
