"""Inception 1, 2 and 3: blocks of branches, which tables describe.

Szegedy and others, "Going deeper with convolutions" (2014) and "Rethinking the Inception
architecture" (2015), Ioffe and Szegedy, "Batch Normalization" (2015). In a table a branch is a row
of layers: `0a_1x1:64` is a convolution of that name's size to 64 channels, `/2` a stride, `V`
without padding, `~.09` the standard deviation of the first weights; `max` and `avg` are pools, and
`a+b` are two convolutions of the same input, side by side.
"""
from __future__ import annotations

from tinyflow.api.contrib import layers
from tinyflow.api.contrib.framework import arg_scope
from tinyflow.api.contrib.slim_nets.building import penalised, reduced_window, scores
from tinyflow.graph.keys import GraphKeys
from tinyflow.ops.array.joining import concat
from tinyflow.ops.array.shaping import squeeze
from tinyflow.ops.nn.activations import relu
from tinyflow.ops.variables.initializers import truncated_normal_initializer
from tinyflow.ops.variables.variable_scope import variable_scope

_MIXED_1 = '0a_1x1:{} | 0a_1x1:{} 0b_3x3:{} | 0a_1x1:{} {}_3x3:{} | max:0a_3x3 0b_1x1:{}'


def _mixed_1(*depths, second='0b'):
    return _MIXED_1.format(*depths[:4], second, *depths[4:])


_V1 = [
    ('Conv2d_1a_7x7', '64/2'), ('MaxPool_2a_3x3', '/2'), ('Conv2d_2b_1x1', '64'),
    ('Conv2d_2c_3x3', '192'), ('MaxPool_3a_3x3', '/2'),
    ('Mixed_3b', _mixed_1(64, 96, 128, 16, 32, 32)),
    ('Mixed_3c', _mixed_1(128, 128, 192, 32, 96, 64)), ('MaxPool_4a_3x3', '/2'),
    ('Mixed_4b', _mixed_1(192, 96, 208, 16, 48, 64)),
    ('Mixed_4c', _mixed_1(160, 112, 224, 24, 64, 64)),
    ('Mixed_4d', _mixed_1(128, 128, 256, 24, 64, 64)),
    ('Mixed_4e', _mixed_1(112, 144, 288, 32, 64, 64)),
    ('Mixed_4f', _mixed_1(256, 160, 320, 32, 128, 128)), ('MaxPool_5a_2x2', '/2'),
    ('Mixed_5b', _mixed_1(256, 160, 320, 32, 128, 128, second='0a')),
    ('Mixed_5c', _mixed_1(384, 192, 384, 48, 128, 128))]

_MIXED_2 = ('0a_1x1:{} | 0a_1x1:{}~.09 0b_3x3:{} | 0a_1x1:{}~.09 0b_3x3:{} 0c_3x3:{} | '
            '{}:0a_3x3 0b_1x1:{}~.1')
_REDUCED_2 = '0a_1x1:{}~.09 1a_3x3:{}/2 | 0a_1x1:{}~.09 0b_3x3:{} 1a_3x3:{}/2 | max:1a_3x3/2'


def _mixed_2(depths, last, pool='avg'):
    return _MIXED_2.format(*depths, depths[-1], pool, last)


_V2 = [
    ('Conv2d_1a_7x7', 'separable:64/2~1.'), ('MaxPool_2a_3x3', '/2'),
    ('Conv2d_2b_1x1', '64~.1'), ('Conv2d_2c_3x3', '192'), ('MaxPool_3a_3x3', '/2'),
    ('Mixed_3b', _mixed_2((64, 64, 64, 64, 96), 32)),
    ('Mixed_3c', _mixed_2((64, 64, 96, 64, 96), 64)),
    ('Mixed_4a', _REDUCED_2.format(128, 160, 64, 96, 96)),
    ('Mixed_4b', _mixed_2((224, 64, 96, 96, 128), 128)),
    ('Mixed_4c', _mixed_2((192, 96, 128, 96, 128), 128)),
    ('Mixed_4d', _mixed_2((160, 128, 160, 128, 160), 96)),
    ('Mixed_4e', _mixed_2((96, 128, 192, 160, 192), 96)),
    ('Mixed_5a', _REDUCED_2.format(128, 192, 192, 256, 256)),
    ('Mixed_5b', _mixed_2((352, 192, 320, 160, 224), 128)),
    ('Mixed_5c', _mixed_2((352, 192, 320, 192, 224), 128, pool='max'))]

_MIXED_6 = ('0a_1x1:192 | 0a_1x1:{0} 0b_1x7:{0} 0c_7x1:192 | 0a_1x1:{0} 0b_7x1:{0} 0c_1x7:{0} '
            '0d_7x1:{0} 0e_1x7:192 | avg:0a_3x3 0b_1x1:192')
_MIXED_7 = ('0a_1x1:320 | 0a_1x1:384 0b_1x3:384+{}_3x1:384 | 0a_1x1:448 0b_3x3:384 '
            '0c_1x3:384+0d_3x1:384 | avg:0a_3x3 0b_1x1:192')
_V3 = [
    ('Conv2d_1a_3x3', '32/2V'), ('Conv2d_2a_3x3', '32V'), ('Conv2d_2b_3x3', '64'),
    ('MaxPool_3a_3x3', '/2V'), ('Conv2d_3b_1x1', '80V'), ('Conv2d_4a_3x3', '192V'),
    ('MaxPool_5a_3x3', '/2V'),
    ('Mixed_5b', '0a_1x1:64 | 0a_1x1:48 0b_5x5:64 | 0a_1x1:64 0b_3x3:96 0c_3x3:96 | '
                 'avg:0a_3x3 0b_1x1:32'),
    ('Mixed_5c', '0a_1x1:64 | 0b_1x1:48 Conv_1_0c_5x5:64 | 0a_1x1:64 0b_3x3:96 0c_3x3:96 | '
                 'avg:0a_3x3 0b_1x1:64'),
    ('Mixed_5d', '0a_1x1:64 | 0a_1x1:48 0b_5x5:64 | 0a_1x1:64 0b_3x3:96 0c_3x3:96 | '
                 'avg:0a_3x3 0b_1x1:64'),
    ('Mixed_6a', '1a_1x1=3x3:384/2V | 0a_1x1:64 0b_3x3:96 1a_1x1=3x3:96/2V | max:1a_3x3/2V'),
    ('Mixed_6b', _MIXED_6.format(128)), ('Mixed_6c', _MIXED_6.format(160)),
    ('Mixed_6d', _MIXED_6.format(160)), ('Mixed_6e', _MIXED_6.format(192)),
    ('Mixed_7a', '0a_1x1:192 1a_3x3:320/2V | 0a_1x1:192 0b_1x7:192 0c_7x1:192 1a_3x3:192/2V | '
                 'max:1a_3x3/2V'),
    ('Mixed_7b', _MIXED_7.format('0b')), ('Mixed_7c', _MIXED_7.format('0c'))]


def _size(name):
    return [int(n) for n in name.rpartition('_')[2].split('x')]


def _pool(kind, x, name, how):
    pool = layers.max_pool2d if kind == 'max' else layers.avg_pool2d
    scope = {'max': 'MaxPool_', 'avg': 'AvgPool_'}[kind] + name
    stride = 2 if '/2' in how else 1
    return pool(x, _size(name), stride=stride, padding='VALID' if 'V' in how else 'SAME',
                scope=scope)


def _layer(x, text, scale):
    """One layer of a branch."""
    name, _, how = text.partition(':')
    if name in ('max', 'avg'):
        return _pool(name, x, *_split_pool(how))
    name, _, other = name.partition('=')
    scope = name if name.startswith('Conv') else 'Conv2d_' + name
    return _convolution(x, scope, _size('_' + other if other else name), how, scale)


def _convolution(x, scope, size, how, scale):
    kind, _, how = how.rpartition(':')
    how, _, deviation = how.partition('~')
    padding = 'VALID' if how.endswith('V') else 'SAME'
    depth, _, stride = how.rstrip('V').partition('/')
    arguments = {'stride': int(stride or 1), 'padding': padding, 'scope': scope}
    if deviation:
        arguments['weights_initializer'] = truncated_normal_initializer(0.0, float(deviation))
    depth = scale(int(depth))
    if kind == 'separable':
        return layers.separable_conv2d(x, depth, size, depth_multiplier=min(depth // 3, 8),
                                       **arguments)
    return layers.conv2d(x, depth, size, **arguments)


def _split_pool(text):
    name, slash, how = text.partition('/')
    return name, slash + how


def _mixed(x, text, scale):
    branches = []
    for i, branch in enumerate(text.split(' | ')):
        with variable_scope(f'Branch_{i}'):
            y = x
            for step in branch.split():
                parts = [_layer(y, one, scale) for one in step.split('+')]
                y = parts[0] if len(parts) == 1 else concat(parts, 3)
            branches.append(y)
    return concat(branches, 3)


def _base(table, name, inputs, final_endpoint, scope, scale):
    """(the last feature map, {name: feature map}) up to `final_endpoint`."""
    if final_endpoint not in dict(table):
        raise ValueError(f'Unknown final endpoint {final_endpoint}')
    ends, x = {}, inputs
    with variable_scope(scope, name, [inputs]):
        for end, how in table:
            if end.startswith('Conv2d'):
                x = _convolution(x, end, _size(end), how, scale)
            elif end.startswith('MaxPool'):
                x = layers.max_pool2d(x, _size(end), stride=2, scope=end,
                                      padding='VALID' if 'V' in how else 'SAME')
            else:
                with variable_scope(end):
                    x = _mixed(x, how, scale)
            ends[end] = x
            if end == final_endpoint:
                return x, ends
    return x, ends


def _scale(depth_multiplier, min_depth):
    """The function that makes a network thinner: depth -> depth."""
    if depth_multiplier <= 0:
        raise ValueError('depth_multiplier is not greater than zero.')
    return lambda depth: max(int(depth * depth_multiplier), min_depth)


def _plain_start():
    return arg_scope([layers.conv2d, layers.fully_connected],
                     weights_initializer=truncated_normal_initializer(0.0, 0.01))


def inception_v1_base(inputs, final_endpoint='Mixed_5c', scope='InceptionV1'):
    """(the last feature map, all of them by name) of Inception 1."""
    with _plain_start(), arg_scope([layers.conv2d, layers.max_pool2d], stride=1, padding='SAME'):
        return _base(_V1, 'InceptionV1', inputs, final_endpoint, scope, int)


def inception_v2_base(inputs, final_endpoint='Mixed_5c', min_depth=16, depth_multiplier=1.0,
                      scope=None):
    """(the last feature map, all of them by name) of Inception 2, as in "Batch Normalization"."""
    with arg_scope([layers.conv2d, layers.max_pool2d, layers.avg_pool2d, layers.separable_conv2d],
                   stride=1, padding='SAME'):
        return _base(_V2, 'InceptionV2', inputs, final_endpoint, scope,
                     _scale(depth_multiplier, min_depth))


def inception_v3_base(inputs, final_endpoint='Mixed_7c', min_depth=16, depth_multiplier=1.0,
                      scope=None):
    """(the last feature map, all of them by name) of Inception 3."""
    with arg_scope([layers.conv2d, layers.max_pool2d, layers.avg_pool2d], stride=1,
                   padding='VALID'):
        return _base(_V3, 'InceptionV3', inputs, final_endpoint, scope,
                     _scale(depth_multiplier, min_depth))


def inception_v1(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8,
                 prediction_fn=layers.softmax, spatial_squeeze=True, reuse=None,
                 scope='InceptionV1'):
    """(scores, end points) of images [n, 224, 224, 3]."""
    with variable_scope(scope, 'InceptionV1', [inputs, num_classes], reuse=reuse) as sc, \
            arg_scope([layers.batch_norm, layers.dropout], is_training=is_training):
        x, ends = inception_v1_base(inputs, scope=sc)
        with variable_scope('Logits'):
            x = layers.avg_pool2d(x, [7, 7], stride=1, scope='MaxPool_0a_7x7')
            x = layers.dropout(x, dropout_keep_prob, scope='Dropout_0b')
            x = scores(x, num_classes, spatial_squeeze, 'Conv2d_0c_1x1')
            ends['Logits'] = x
            ends['Predictions'] = prediction_fn(x, scope='Predictions')
        return x, ends


def inception_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8,
                 min_depth=16, depth_multiplier=1.0, prediction_fn=layers.softmax,
                 spatial_squeeze=True, reuse=None, scope='InceptionV2'):
    """(scores, end points) of images [n, 224, 224, 3]."""
    with variable_scope(scope, 'InceptionV2', [inputs, num_classes], reuse=reuse) as sc, \
            arg_scope([layers.batch_norm, layers.dropout], is_training=is_training):
        x, ends = inception_v2_base(inputs, min_depth=min_depth, scope=sc,
                                    depth_multiplier=depth_multiplier)
        with variable_scope('Logits'):
            size = reduced_window(x, [7, 7])
            x = layers.avg_pool2d(x, size, padding='VALID',
                                  scope='AvgPool_1a_{}x{}'.format(*size))
            x = layers.dropout(x, dropout_keep_prob, scope='Dropout_1b')
            x = scores(x, num_classes, spatial_squeeze)
        ends['Logits'] = x
        ends['Predictions'] = prediction_fn(x, scope='Predictions')
        return x, ends


def inception_v3(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8,
                 min_depth=16, depth_multiplier=1.0, prediction_fn=layers.softmax,
                 spatial_squeeze=True, reuse=None, scope='InceptionV3'):
    """(scores, end points) of images [n, 299, 299, 3]; 'AuxLogits' are scores half way."""
    with variable_scope(scope, 'InceptionV3', [inputs, num_classes], reuse=reuse) as sc, \
            arg_scope([layers.batch_norm, layers.dropout], is_training=is_training):
        x, ends = inception_v3_base(inputs, min_depth=min_depth, scope=sc,
                                    depth_multiplier=depth_multiplier)
        with arg_scope([layers.conv2d, layers.max_pool2d, layers.avg_pool2d], stride=1,
                       padding='SAME'):
            ends['AuxLogits'] = _aux(ends['Mixed_6e'], num_classes, spatial_squeeze,
                                     _scale(depth_multiplier, min_depth))
            with variable_scope('Logits'):
                size = reduced_window(x, [8, 8])
                x = layers.avg_pool2d(x, size, padding='VALID',
                                      scope='AvgPool_1a_{}x{}'.format(*size))
                x = layers.dropout(x, dropout_keep_prob, scope='Dropout_1b')
                ends['PreLogits'] = x
                x = scores(x, num_classes, spatial_squeeze)
            ends['Logits'] = x
            ends['Predictions'] = prediction_fn(x, scope='Predictions')
        return x, ends


def _aux(x, num_classes, spatial_squeeze, scale):
    with variable_scope('AuxLogits'):
        x = layers.avg_pool2d(x, [5, 5], stride=3, padding='VALID', scope='AvgPool_1a_5x5')
        x = layers.conv2d(x, scale(128), [1, 1], scope='Conv2d_1b_1x1')
        size = reduced_window(x, [5, 5])
        x = layers.conv2d(x, scale(768), size, padding='VALID',
                          weights_initializer=truncated_normal_initializer(0.0, 0.01),
                          scope='Conv2d_2a_{}x{}'.format(*size))
        x = layers.conv2d(x, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                          weights_initializer=truncated_normal_initializer(0.0, 0.001),
                          scope='Conv2d_2b_1x1')
        return squeeze(x, [1, 2], name='SpatialSqueeze') if spatial_squeeze else x


def _arg_scope(deviation):
    def build(weight_decay=0.00004, batch_norm_var_collection='moving_vars',
              batch_norm_decay=0.9997, batch_norm_epsilon=0.001,
              updates_collections=GraphKeys.UPDATE_OPS, use_fused_batchnorm=True):
        normal = {'decay': batch_norm_decay, 'epsilon': batch_norm_epsilon,
                  'updates_collections': updates_collections, 'fused': use_fused_batchnorm,
                  'variables_collections': {
                      'beta': None, 'gamma': None, 'moving_mean': [batch_norm_var_collection],
                      'moving_variance': [batch_norm_var_collection]}}
        start = deviation or layers.variance_scaling_initializer()
        with penalised(weight_decay), arg_scope(
                [layers.conv2d], weights_initializer=start, activation_fn=relu,
                normalizer_fn=layers.batch_norm, normalizer_params=normal) as arguments:
            return arguments
    build.__name__ = 'inception_arg_scope'
    build.__doc__ = 'The arg_scope of Inception: batch normalization, relu, an L2 penalty.'
    return build


inception_v1_arg_scope = inception_v3_arg_scope = _arg_scope(None)


def inception_v2_arg_scope(weight_decay=0.00004, batch_norm_var_collection='moving_vars'):
    """The arg_scope of Inception 2: batch normalization, relu, an L2 penalty."""
    return inception_v3_arg_scope(weight_decay, batch_norm_var_collection)


inception_v1.default_image_size = inception_v2.default_image_size = 224
inception_v3.default_image_size = 299

__all__ = ['inception_v1', 'inception_v1_arg_scope', 'inception_v1_base', 'inception_v2',
           'inception_v2_arg_scope', 'inception_v2_base', 'inception_v3',
           'inception_v3_arg_scope', 'inception_v3_base']
