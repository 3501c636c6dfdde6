"""The networks of slim.nets: names, shapes and end points; record_slim_nets.py records TF 1.15.5's.

Python 3.7 runs this file, too.
"""
import json
import zlib

import numpy as np

# Name -> (module, function, size of the image, arguments)
NETS = {
    'alexnet': ('alexnet', 'alexnet_v2', 224, {'num_classes': 10, 'is_training': False}),
    'vgg_16': ('vgg', 'vgg_16', 256, {'num_classes': 10, 'spatial_squeeze': False}),
    'vgg_19': ('vgg', 'vgg_19', 224, {'num_classes': 10}),
    'overfeat': ('overfeat', 'overfeat', 231, {'num_classes': 10}),
    'resnet_v1_50': ('resnet_v1', 'resnet_v1_50', 32, {'num_classes': 10, 'is_training': False}),
    'resnet_v1_101': ('resnet_v1', 'resnet_v1_101', 65, {'output_stride': 8,
                                                         'global_pool': False}),
    'resnet_v2_50': ('resnet_v2', 'resnet_v2_50', 32, {'num_classes': 10, 'is_training': False}),
    'inception_v1': ('inception', 'inception_v1', 224, {'num_classes': 10}),
    'inception_v2': ('inception', 'inception_v2', 224, {'num_classes': 10}),
    'inception_v2_thin': ('inception', 'inception_v2', 64, {
        'num_classes': 10, 'is_training': False, 'depth_multiplier': 0.25}),
    'inception_v3': ('inception', 'inception_v3', 299, {'num_classes': 10, 'is_training': False}),
    'mobilenet_v1': ('mobilenet_v1', 'mobilenet_v1', 224, {'num_classes': 10}),
    'mobilenet_v1_025': ('mobilenet_v1', 'mobilenet_v1_025', 64, {
        'num_classes': 10, 'is_training': False, 'global_pool': True}),
    'mobilenet_v1_dilated': ('mobilenet_v1', 'mobilenet_v1_base', 65, {
        'output_stride': 8, 'use_explicit_padding': True}),
}
RUN = ('inception_v2_thin', 'mobilenet_v1_025', 'resnet_v1_50', 'resnet_v2_50')


def weights(name, shape):
    """Values that depend on the name only."""
    rng = np.random.RandomState(zlib.crc32(name.encode()) % 2**31)
    if name.endswith(('moving_variance', 'gamma')):
        return (1 + 0.1 * rng.rand(*shape)).astype(np.float32)
    if len(shape) == 1:
        return (0.05 * rng.randn(*shape)).astype(np.float32)
    return (rng.randn(*shape) / np.sqrt(np.prod(shape[:-1]))).astype(np.float32)


def description(name, tf, nets):
    """Checksums of the Variables and the end points; the scores, of the networks in RUN."""
    module, function, size, arguments = NETS[name]
    scopes = {'resnet_v1': 'resnet_utils.resnet_arg_scope', 'inception': 'inception.%s_arg_scope'
              % function, 'vgg': 'vgg.vgg_arg_scope', 'alexnet': 'alexnet.alexnet_v2_arg_scope',
              'overfeat': 'overfeat.overfeat_arg_scope',
              'mobilenet_v1': 'mobilenet_v1.mobilenet_v1_arg_scope'}
    home, scope = scopes[module.replace('resnet_v2', 'resnet_v1')].split('.')
    with tf.Graph().as_default():
        x = tf.constant(np.random.RandomState(0).rand(1, size, size, 3).astype(np.float32))
        with tf.contrib.slim.arg_scope(getattr(nets[home], scope)()):
            scores, ends = getattr(nets[module], function)(x, **arguments)
        variables = [[v.op.name, v.shape.as_list()] for v in tf.global_variables()]
        found = {'scores': [scores.op.name, str(scores.shape)], 'variables': len(variables),
                 'checksum': _checksum(variables), 'ends': len(ends), 'ends_checksum': _checksum(
                     [[key, tensor.op.name, str(tensor.shape)] for key, tensor in ends.items()]),
                 'losses': len(tf.losses.get_regularization_losses())}
        if name in RUN:
            with tf.Session() as session:
                for v in tf.global_variables():
                    v.load(weights(v.op.name, v.shape.as_list()), session)
                found['values'] = [float(s) for s in session.run(scores).reshape(-1)]
    return found


def _checksum(nest):
    return zlib.crc32(json.dumps(nest).encode())
