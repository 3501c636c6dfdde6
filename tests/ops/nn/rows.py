"""Rows of the ops of tf.nn: activations, softmax and its cross entropies, biases, L2Loss."""
import math

import numpy as np

from tests.ops.rows import row
from tinyflow.graph.op import Op


def each(function):
    """The reference that applies a function of one number to every element."""
    return np.vectorize(function, otypes=['float64'])


def _elu(x):
    return x if x > 0 else math.expm1(x)


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805


def _selu(x):
    return SELU_SCALE * (x if x > 0 else SELU_ALPHA * math.expm1(x))


def _softplus(x):
    return math.log(1 + math.exp(x))


def _softsign(x):
    return x / (1 + abs(x))


def _sigmoid(x):
    return 1 / (1 + math.exp(-x))


# Away from the corners, where no derivative exists.
SIGNS = np.array([[-2.5, -0.7, -0.1], [0.2, 1.1, 4.0]])
AROUND_SIX = np.array([-3.0, -0.2, 0.4, 5.5, 6.5, 90.0])
WHOLE = np.array([-3, 0, 2, 9], np.int32)
SLOPES = np.array([[0.5, -1.0, 2.0], [3.0, 0.25, -0.125]])


def slope_row(op_type, make, derivative, x, of=None, **settings):
    """The row of a gradient op, as gradients() makes it: dy times the derivative at x."""
    return row(op_type, lambda tf, dy, x: tf.gradients(make(tf, x), x, dy), [SLOPES, x],
               ref=lambda dy, x: dy * each(derivative)(x), **settings)


ACTIVATIONS = [
    row('Relu', lambda tf, x: tf.nn.relu(x), [SIGNS], ref=each(lambda x: max(x, 0))),
    row('Relu', lambda tf, x: tf.nn.relu(x), [WHOLE], ref=lambda x: np.array([0, 0, 2, 9], 'i4'),
        bad=[lambda tf: tf.nn.relu(tf.constant([True]))]),
    row('Relu', lambda tf, x: tf.nn.relu_layer(x, x, tf.constant([0.5, 0.25], x.dtype)),
        [np.array([[1.0, -2.0], [3.0, -4.0]])],
        ref=lambda x: np.array([[0.0, 6.25], [0.0, 10.25]])),
    row('Relu', lambda tf, x: tf.nn.crelu(x), [SIGNS],
        ref=lambda x: np.array([[0, 0, 0, 2.5, 0.7, 0.1], [0.2, 1.1, 4, 0, 0, 0]]), unknown=False),
    row('Relu6', lambda tf, x: tf.nn.relu6(x), [AROUND_SIX],
        ref=lambda x: np.array([0, 0, 0.4, 5.5, 6, 6])),
    row('Elu', lambda tf, x: tf.nn.elu(x), [SIGNS], ref=each(_elu),
        bad=[lambda tf: tf.nn.elu(tf.constant([1]))]),
    row('Selu', lambda tf, x: tf.nn.selu(x), [SIGNS], ref=each(_selu)),
    row('Softplus', lambda tf, x: tf.nn.softplus(x), [SIGNS], ref=each(_softplus)),
    row('Softsign', lambda tf, x: tf.nn.softsign(x), [SIGNS], ref=each(_softsign)),
    row('LeakyRelu', lambda tf, x: tf.nn.leaky_relu(x), [SIGNS],
        ref=each(lambda x: x if x > 0 else 0.2 * x), tol=1e-5),
    row('LeakyRelu', lambda tf, x: tf.nn.leaky_relu(x, alpha=3.0), [SIGNS],
        ref=each(lambda x: x if x > 0 else 3 * x), name='steeper below'),
    row('ReluGrad', lambda tf, dy, x: tf.gradients(tf.nn.relu(x), x, dy), [SLOPES, SIGNS],
        ref=lambda dy, x: dy * (x > 0)),
    row('Relu6Grad', lambda tf, dy, x: tf.gradients(tf.nn.relu6(x), x, dy),
        [np.arange(1.0, 7.0), AROUND_SIX], ref=lambda dy, x: np.array([0, 0, 3.0, 4.0, 0, 0])),
    slope_row('EluGrad', lambda tf, x: tf.nn.elu(x), lambda x: 1 if x > 0 else math.exp(x), SIGNS),
    slope_row('SeluGrad', lambda tf, x: tf.nn.selu(x),
              lambda x: SELU_SCALE * (1 if x > 0 else SELU_ALPHA * math.exp(x)), SIGNS),
    slope_row('SoftplusGrad', lambda tf, x: tf.nn.softplus(x), _sigmoid, SIGNS),
    slope_row('SoftsignGrad', lambda tf, x: tf.nn.softsign(x), lambda x: (1 + abs(x)) ** -2, SIGNS),
    slope_row('LeakyReluGrad', lambda tf, x: tf.nn.leaky_relu(x, alpha=0.1),
              lambda x: 1 if x > 0 else 0.1, SIGNS),
]


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


WIDE = np.linspace(-3, 3, 140).reshape(2, 70) ** 3
TALL = np.linspace(-2, 3, 60).reshape(20, 3) ** 2

SOFTMAXES = [
    row('Softmax', lambda tf, x: tf.nn.softmax(x), [(3, 4)], ref=softmax, low=-3, high=3,
        bad=[lambda tf: tf.nn.softmax(tf.constant(1.0)),
             lambda tf: tf.nn.softmax(tf.constant([1.0]), axis=2)]),
    row('Softmax', lambda tf, x: tf.nn.softmax(x), [(2, 3, 4)], ref=softmax),
    row('Softmax', lambda tf, x: tf.nn.softmax(x), [TALL], ref=softmax, name='tall'),
    row('Softmax', lambda tf, x: tf.nn.softmax(x), [WIDE], ref=softmax, name='wide', grad=False),
    row('Softmax', lambda tf, x: tf.nn.softmax(x), [np.zeros((0, 3))], ref=lambda x: x,
        name='no rows', grad=False),
    row('Softmax', lambda tf, x: tf.nn.softmax(x), [np.zeros((3, 0))], ref=lambda x: x,
        name='no classes', grad=False),
    row('Softmax', lambda tf, x: tf.nn.softmax(x, axis=1), [(2, 3, 4)],
        ref=lambda x: softmax(x, 1), unknown=False, name='axis'),
    row('LogSoftmax', lambda tf, x: tf.nn.log_softmax(x), [(3, 4)],
        ref=lambda x: np.log(softmax(x)), low=-3, high=3),
    row('LogSoftmax', lambda tf, x: tf.nn.log_softmax(x, axis=0), [(3, 4)],
        ref=lambda x: np.log(softmax(x, 0)), unknown=False, name='axis'),
    row('LogSoftmax', lambda tf, x: tf.nn.log_softmax(x), [np.array([[0.0, 1000.0]])],
        ref=lambda x: np.array([[-1000.0, 0.0]]), name='far apart', grad=False),
]


def dense(tf, labels, logits, **how):
    """The loss for labels that are probabilities, as they must be for the derivative to hold."""
    return tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(labels, **how),
                                                      logits=logits, **how)


def dense_ref(labels, logits, axis=-1):
    return -(softmax(labels, axis) * np.log(softmax(logits, axis))).sum(axis)


def sparse(tf, labels, logits):
    return tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def sparse_ref(labels, logits):
    rows = np.log(softmax(logits)).reshape(-1, logits.shape[-1])
    return -np.array([r[k] for r, k in zip(rows, labels.ravel())]).reshape(labels.shape)


def both_outputs(op_type):
    """The fused op's own two outputs, of which the second is the derivative."""
    def build(tf, features, labels):
            return Op.registry[op_type].apply(features, labels)
    return build


ONE_HOT = np.array([[1.0, 0, 0], [0, 0.5, 0.5]])
CLASSES = np.array([2, 0], np.int64)

CROSS_ENTROPIES = [
    row('SoftmaxCrossEntropyWithLogits', dense, [(3, 4), (3, 4)], ref=dense_ref, low=-2, high=2,
        bad=[lambda tf: both_outputs('SoftmaxCrossEntropyWithLogits')(
            tf, tf.zeros([2, 3]), tf.zeros([2, 4])),
            lambda tf: both_outputs('SoftmaxCrossEntropyWithLogits')(tf, tf.zeros([3]), [0.0])]),
    row('SoftmaxCrossEntropyWithLogits', dense, [(2, 2, 3), (2, 2, 3)], ref=dense_ref),
    row('SoftmaxCrossEntropyWithLogits', lambda tf, x, y: dense(tf, x, y, axis=0),
        [(2, 3), (2, 3)], ref=lambda x, y: dense_ref(x, y, 0), unknown=False, name='axis'),
    row('SoftmaxCrossEntropyWithLogits', both_outputs('SoftmaxCrossEntropyWithLogits'),
        [(2, 3), ONE_HOT], grad=False,
        ref=lambda x, y: [-(y * np.log(softmax(x))).sum(1), softmax(x) - y], name='derivative'),
    row('SoftmaxCrossEntropyWithLogits', both_outputs('SoftmaxCrossEntropyWithLogits'),
        [(2, 3), ONE_HOT[:1]], grad=False,
        ref=lambda x, y: [-(y * np.log(softmax(x))).sum(1), softmax(x) - y],
        name='one row of labels for all'),
    row('SoftmaxCrossEntropyWithLogits', both_outputs('SoftmaxCrossEntropyWithLogits'),
        [(2, 3), np.array([[1.0, 0.5, 1.0], [0.0, 0.25, -0.5]])], grad=False,
        ref=lambda x, y: [-(y * np.log(softmax(x))).sum(1), softmax(x) - y],
        name='labels of any sum'),
    row('SoftmaxCrossEntropyWithLogits',
        lambda tf, x, y: tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=x),
        [(2, 3), ONE_HOT], grad=(0,), ref=lambda x, y: -(y * np.log(softmax(x))).sum(1),
        name='version 1'),
    row('SparseSoftmaxCrossEntropyWithLogits', lambda tf, x: sparse(tf, CLASSES, x), [(2, 3)],
        ref=lambda x: sparse_ref(CLASSES, x), low=-2, high=2,
        bad=[lambda tf: sparse(tf, [[1, 2]], tf.zeros([2, 3])),
             lambda tf: sparse(tf, [1, 2, 3], tf.zeros([2, 3])),
             lambda tf: sparse(tf, [1.0], tf.zeros([1, 3])),
             lambda tf: sparse(tf, 1, tf.constant(1.0))],
        run_bad=[lambda tf: sparse(tf, [3, 0], tf.zeros([2, 3])),
                 lambda tf: sparse(tf, [-1, 0], tf.zeros([2, 3]))]),
    row('SparseSoftmaxCrossEntropyWithLogits', sparse,
        [np.array([[0, 1], [2, 2]], np.int32), (2, 2, 3)], ref=sparse_ref, name='more axes'),
    row('SparseSoftmaxCrossEntropyWithLogits', both_outputs('SparseSoftmaxCrossEntropyWithLogits'),
        [(2, 3), CLASSES], grad=False, name='derivative',
        ref=lambda x, y: [sparse_ref(y, x), softmax(x) - np.eye(3)[y]]),
    row('SparseSoftmaxCrossEntropyWithLogits', sparse, [np.zeros(0, np.int32), np.zeros((0, 3))],
        ref=lambda labels, x: np.zeros(0), grad=False, name='no rows'),
]


def bias_ref(x, b):
    return np.array([[xi + bi for xi, bi in zip(line, b)] for line in x])


def channels_first_ref(x, b):
    return np.stack([x[:, k] + b[k] for k in range(len(b))], 1)


BIASES = [
    row('BiasAdd', lambda tf, x, b: tf.nn.bias_add(x, b), [(2, 3), (3,)], ref=bias_ref,
        bad=[lambda tf: tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([4])),
             lambda tf: tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([1, 3])),
             lambda tf: tf.nn.bias_add(tf.zeros([3]), tf.zeros([3])),
             lambda tf: tf.nn.bias_add(tf.zeros([2, 3], name='x'), tf.zeros([3]), 'NHCW')],
        run_bad=[lambda tf: _unknown_bias(tf)]),
    row('BiasAdd', lambda tf, x, b: tf.nn.bias_add(x, b), [(2, 3, 4, 2), (2,)],
        ref=lambda x, b: x + b.reshape(1, 1, 1, 2)),
    row('BiasAdd', lambda tf, x, b: tf.nn.bias_add(x, b, 'NCHW'), [(2, 3, 4, 2), (3,)],
        ref=channels_first_ref, name='channels first'),
    row('BiasAdd', lambda tf, x, w, b: tf.nn.xw_plus_b(x, w, b), [(2, 3), (3, 4), (4,)],
        ref=lambda x, w, b: np.array([[sum(x[i] * w[i, j] for i in range(3)) + b[j]
                                       for j in range(4)] for x in x]), name='xw_plus_b'),
    row('BiasAddGrad', lambda tf, dy: _bias_gradient(tf, dy, None), [(2, 3, 4)],
        ref=lambda dy: np.array([dy[..., k].sum() for k in range(4)])),
    row('BiasAddGrad', lambda tf, dy: _bias_gradient(tf, dy, 'NCHW'), [(2, 3, 4)],
        ref=lambda dy: np.array([dy[:, k].sum() for k in range(3)]), name='channels first'),
    row('BiasAddGrad', lambda tf, dy: _bias_gradient(tf, dy, None), [(500, 30)], grad=False,
        ref=lambda dy: np.array([math.fsum(column) for column in dy.T]), name='tall'),
    row('BiasAddGrad', lambda tf, dy: _bias_gradient(tf, dy, None), [(70, 150)], grad=False,
        ref=lambda dy: np.array([math.fsum(column) for column in dy.T]), name='wide'),
    row('BiasAddGrad', lambda tf, dy: _bias_gradient(tf, dy, None), [(3, 2)], dtype='int32',
        low=-9, high=9, ref=lambda dy: np.array([sum(c) for c in dy.T], 'int32')),
]


def _bias_gradient(tf, dy, data_format):
    return Op.registry['BiasAddGrad'].apply(
        dy, data_format='NCHW' if data_format == 'NCHW' else 'NHWC')


def _unknown_bias(tf):
    bias = tf.placeholder(tf.float32)
    return tf.nn.bias_add(tf.zeros([2, 3]), bias), {bias: np.zeros(4)}


LOSSES = [
    row('L2Loss', lambda tf, x: tf.nn.l2_loss(x), [(2, 3)],
        ref=lambda x: math.fsum(v * v for v in x.ravel()) / 2,
        bad=[lambda tf: tf.nn.l2_loss(tf.constant([1]))]),
    row('L2Loss', lambda tf, x: tf.nn.l2_loss(x), [np.float16([[1, 2], [3, 4]])],
        ref=lambda x: np.float16(15), grad=False),
    row('Log1p', lambda tf, z, x: tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=x),
        [(2, 3), (2, 3)], low=0.1, high=0.9, name='sigmoid cross entropy',
        ref=lambda z, x: -z * np.log(each(_sigmoid)(x)) - (1 - z) * np.log(each(_sigmoid)(-x))),
    row('Log1p', lambda tf, z, x: tf.nn.weighted_cross_entropy_with_logits(
        labels=z, logits=x, pos_weight=3.0), [(2, 3), (2, 3)], low=0.1, high=0.9,
        name='weighted cross entropy',
        ref=lambda z, x: -3 * z * np.log(each(_sigmoid)(x)) - (1 - z) * np.log(each(_sigmoid)(-x))),
    row('Exp', lambda tf, z, c: tf.nn.log_poisson_loss(z, c, compute_full_loss=True),
        [np.array([0.5, 2.0, 7.0]), (3,)], name='log_poisson_loss',
        ref=lambda z, c: np.exp(c) - c * z + np.where(
            z > 1, z * np.log(z) - z + np.log(2 * np.pi * z) / 2, 0)),
]


def moments_ref(x):
    mean = x.sum(0) / len(x)
    return [mean, ((x - mean) ** 2).sum(0) / len(x)]


def weighted_ref(x, w):
    mean = (w * x).sum(0) / w.sum(0)
    return [mean, (w * (x - mean) ** 2).sum(0) / w.sum(0)]


NORMALIZATIONS = [
    row('SquaredDifference', lambda tf, x: tf.nn.moments(x, [0]), [(4, 3)], ref=moments_ref,
        name='moments', second=False),
    row('SquaredDifference', lambda tf, x, w: tf.nn.weighted_moments(x, [0], w), [(4, 3), (4, 3)],
        ref=weighted_ref, low=0.5, high=1.5, name='weighted_moments', tol=1e-5),
    row('Reciprocal', lambda tf, x: tf.nn.normalize_moments(
        *tf.nn.sufficient_statistics(x, [0], shift=tf.constant(0.25, x.dtype))), [(4, 3)],
        ref=moments_ref, name='normalize_moments'),
    row('Rsqrt', lambda tf, x, m, v, b, g: tf.nn.batch_normalization(x, m, v, b, g, 0.01),
        [(4, 3), (3,), (3,), (3,), (3,)], low=0.5, high=1.5, name='batch_normalization',
        ref=lambda x, m, v, b, g: (x - m) / np.sqrt(v + 0.01) * g + b, tol=1e-5),
    row('Rsqrt', lambda tf, x: tf.nn.l2_normalize(x, 1), [(2, 3)], name='l2_normalize',
        low=0.5, high=1.5,
        ref=lambda x: np.array([r / math.sqrt(sum(v * v for v in r)) for r in x])),
    row('NotEqual', lambda tf, x: tf.nn.zero_fraction(x), [np.array([0.0, 1, 0, 2])], grad=False,
        ref=lambda x: np.float32(0.5), name='zero_fraction'),
]

TABLE = np.arange(10.0).reshape(5, 2)
IDS = np.array([[0, 4], [3, 3]], np.int32)
PART_A, PART_B = TABLE[[0, 2, 4]], TABLE[[1, 3]]


def lookup_ref(ids, *_):
    return np.array([[TABLE[i] for i in line] for line in ids])


EMBEDDINGS = [
    row('GatherV2', lambda tf, ids, t: tf.nn.embedding_lookup(t, ids), [IDS, TABLE],
        ref=lookup_ref, name='embedding_lookup', unknown=False),
    row('GatherV2', lambda tf, ids, t: tf.nn.embedding_lookup(t, ids, max_norm=2.0), [IDS, TABLE],
        ref=lambda ids, t: np.array([[r / max(1.0, np.hypot(*r) / 2) for r in line]
                                     for line in lookup_ref(ids)]),
        name='embedding_lookup with max_norm', unknown=False, second=False),
    row('ParallelDynamicStitch', lambda tf, ids, a, b: tf.nn.embedding_lookup([a, b], ids),
        [IDS, PART_A, PART_B], ref=lookup_ref, unknown=False),
    row('ParallelDynamicStitch',
        lambda tf, ids, a, b: tf.nn.embedding_lookup([a, b], ids, partition_strategy='div'),
        [IDS, TABLE[:3], TABLE[3:]], ref=lookup_ref, unknown=False, name='div'),
]

ROWS = (ACTIVATIONS + SOFTMAXES + CROSS_ENTROPIES + BIASES + LOSSES + NORMALIZATIONS + EMBEDDINGS)
