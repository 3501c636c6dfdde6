"""AlexNet, OverFeat and the networks of VGG: convolutions and pools one after the other.

Krizhevsky, "One weird trick for parallelizing convolutional neural networks" (2014); Sermanet and
others, "OverFeat" (2013); Simonyan and Zisserman, "Very deep convolutional networks" (2014).
"""
from __future__ import annotations

from tinyflow.api.contrib.framework import arg_scope
from tinyflow.api.contrib.layers import conv2d, dropout, fully_connected, max_pool2d, repeat
from tinyflow.api.contrib.slim_nets.building import network, penalised, squeezed
from tinyflow.ops.nn.activations import relu
from tinyflow.ops.variables.initializers import (
    constant_initializer,
    truncated_normal_initializer,
    zeros_initializer,
)

_VGG = {'vgg_a': (1, 1, 2, 2, 2), 'vgg_16': (2, 2, 3, 3, 3), 'vgg_19': (2, 2, 4, 4, 4)}


def _normal(deviation):
    return truncated_normal_initializer(0.0, deviation)


def _scores(x, sizes, num_classes, is_training, keep, biases=zeros_initializer, start=None):
    """fc6 (a convolution as large as the image), fc7 and fc8, with dropout between them."""
    (units, size), more = sizes, {} if start is None else {'weights_initializer': start}
    with arg_scope([conv2d], **more):
        x = conv2d(x, units, size, padding='VALID', scope='fc6')
        x = dropout(x, keep, is_training=is_training, scope='dropout6')
        x = conv2d(x, 4096, [1, 1], scope='fc7')
        x = dropout(x, keep, is_training=is_training, scope='dropout7')
        return conv2d(x, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                      biases_initializer=biases(), scope='fc8')


def _vgg(name, slash=True):
    def build(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
              spatial_squeeze=True, scope=name):
        with network(scope, name, inputs, [conv2d, fully_connected, max_pool2d],
                     slash=slash) as (sc, ends):
            x = inputs
            for i, (count, depth) in enumerate(zip(_VGG[name], (64, 128, 256, 512, 512)), 1):
                x = repeat(x, count, conv2d, depth, [3, 3], scope=f'conv{i}')
                x = max_pool2d(x, [2, 2], scope=f'pool{i}')
            x = _scores(x, (4096, [7, 7]), num_classes, is_training, dropout_keep_prob)
            found = ends()
            return squeezed(x, found, sc, spatial_squeeze), found
    build.__name__, build.__doc__ = name, (
        '(scores, end points) of images [n, 224, 224, 3]; larger ones give maps of scores '
        'without spatial_squeeze.')
    build.default_image_size = 224
    return build


vgg_a, vgg_16, vgg_19 = _vgg('vgg_a'), _vgg('vgg_16'), _vgg('vgg_19', slash=False)


def vgg_arg_scope(weight_decay=0.0005):
    """The arg_scope for training the networks of VGG."""
    with penalised(weight_decay, activation_fn=relu,
                   biases_initializer=zeros_initializer()) as arguments:
        return arguments


def alexnet_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
               spatial_squeeze=True, scope='alexnet_v2'):
    """(scores, end points) of images [n, 224, 224, 3]."""
    with network(scope, 'alexnet_v2', inputs, [conv2d, fully_connected, max_pool2d]) as (sc, ends):
        x = conv2d(inputs, 64, [11, 11], 4, padding='VALID', scope='conv1')
        x = max_pool2d(x, [3, 3], 2, scope='pool1')
        x = conv2d(x, 192, [5, 5], scope='conv2')
        x = max_pool2d(x, [3, 3], 2, scope='pool2')
        for i, depth in ((3, 384), (4, 384), (5, 256)):
            x = conv2d(x, depth, [3, 3], scope=f'conv{i}')
        x = max_pool2d(x, [3, 3], 2, scope='pool5')
        x = _scores(x, (4096, [5, 5]), num_classes, is_training, dropout_keep_prob,
                    start=_normal(0.005))
        found = ends()
        return squeezed(x, found, sc, spatial_squeeze), found


alexnet_v2.default_image_size = 224


def alexnet_v2_arg_scope(weight_decay=0.0005):
    """The arg_scope for training AlexNet: biases begin at 0.1, and pools have no padding."""
    with penalised(weight_decay, activation_fn=relu,
                   biases_initializer=constant_initializer(0.1)), \
            arg_scope([conv2d], padding='SAME'), \
            arg_scope([max_pool2d], padding='VALID') as arguments:
        return arguments


def overfeat(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
             spatial_squeeze=True, scope='overfeat'):
    """(scores, end points) of images [n, 231, 231, 3]."""
    with network(scope, 'overfeat', inputs, [conv2d, fully_connected, max_pool2d],
                 slash=False) as (sc, ends):
        x = conv2d(inputs, 64, [11, 11], 4, padding='VALID', scope='conv1')
        x = max_pool2d(x, [2, 2], scope='pool1')
        x = conv2d(x, 256, [5, 5], padding='VALID', scope='conv2')
        x = max_pool2d(x, [2, 2], scope='pool2')
        for i, depth in ((3, 512), (4, 1024), (5, 1024)):
            x = conv2d(x, depth, [3, 3], scope=f'conv{i}')
        x = max_pool2d(x, [2, 2], scope='pool5')
        x = _scores(x, (3072, [6, 6]), num_classes, is_training, dropout_keep_prob,
                    start=_normal(0.005))
        found = ends()
        return squeezed(x, found, sc, spatial_squeeze), found


overfeat.default_image_size = 231


def overfeat_arg_scope(weight_decay=0.0005):
    """The arg_scope for training OverFeat."""
    with penalised(weight_decay, activation_fn=relu, biases_initializer=zeros_initializer()), \
            arg_scope([conv2d], padding='SAME'), \
            arg_scope([max_pool2d], padding='VALID') as arguments:
        return arguments


__all__ = ['alexnet_v2', 'alexnet_v2_arg_scope', 'overfeat', 'overfeat_arg_scope', 'vgg_16',
           'vgg_19', 'vgg_a', 'vgg_arg_scope']
