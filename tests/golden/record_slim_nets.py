"""Record what slim_nets.py describes, under TensorFlow 1.15.5.

MobileNet is none of TensorFlow's own modules: the argument is the file mobilenet_v1.py of slim's
published models (research/slim/nets in tensorflow/models).
"""
import importlib
import importlib.util
import os
import sys

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import tensorflow as tf  # noqa: E402

from golden import slim_nets  # noqa: E402
from golden.store import write_recorded  # noqa: E402

if __name__ == '__main__':
    tf.logging.set_verbosity(tf.logging.ERROR)
    nets = {name: importlib.import_module('tensorflow.contrib.slim.python.slim.nets.' + name)
            for name in ('alexnet', 'inception', 'overfeat', 'resnet_utils', 'resnet_v1',
                         'resnet_v2', 'vgg')}
    spec = importlib.util.spec_from_file_location('mobilenet_v1', sys.argv[1])
    nets['mobilenet_v1'] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(nets['mobilenet_v1'])
    write_recorded('slim_nets', {name: slim_nets.description(name, tf, nets)
                                 for name in slim_nets.NETS})
