"""Rows of the pools, of fused batch normalization and of local response normalization."""
import numpy as np

from tests.ops.conv.rows_convolution import nchw, windows
from tests.ops.rows import row
from tinyflow.graph.op import Op


def max_pooled(x, ksize, strides, padding):
    n = len(ksize)
    lowest = -np.inf if x.dtype.kind == 'f' else np.iinfo(x.dtype).min
    seen = windows(x, ksize, strides, (1,) * n, padding, fill=lowest)
    return seen.max(tuple(range(n + 1, 2 * n + 1)))


def avg_pooled(x, ksize, strides, padding):
    n = len(ksize)
    seen = windows(x, ksize, strides, (1,) * n, padding, fill=np.nan)
    return np.nanmean(seen, tuple(range(n + 1, 2 * n + 1)))


def distinct(*shape):
    """Values that are far apart, so that small differences change no maximum."""
    size = int(np.prod(shape))
    return ((np.arange(size) * 7919 % size - size / 2) / 4).reshape(shape)


TIES = np.array([[1, 1, 2, 0], [1, 0, 2, 2], [3, 3, 0, 0]], np.float64).reshape(1, 3, 4, 1)
COUNTS = np.arange(24, dtype=np.int32).reshape(1, 4, 6, 1) * 5 % 24


def made(op_type, **attrs):
    """The op alone, applied to the inputs."""
    def build(tf, *inputs):
        return Op.registry[op_type].apply(*inputs, **attrs)
    return build


def max_back(x, dy, ksize, strides, padding):
    """dy for the first of the largest elements of each window; loops, one window at a time."""
    n = len(ksize)
    numbers = np.arange(x.size, dtype=np.float64).reshape(x.shape)
    seen = windows(x, ksize, strides, (1,) * n, padding, fill=-np.inf)
    where = windows(numbers, ksize, strides, (1,) * n, padding, fill=-1)
    dx = np.zeros(x.size)
    for index in np.ndindex(*dy.shape):
        at = (*index[:-1], ..., index[-1])
        dx[int(where[at].ravel()[seen[at].argmax()])] += dy[index]
    return dx.reshape(x.shape)


def max_forth(x, ddx, ksize, strides, padding):
    """The elements of ddx where windows of x have their first largest element."""
    n = len(ksize)
    seen = windows(x, ksize, strides, (1,) * n, padding, fill=-np.inf)
    other = windows(ddx, ksize, strides, (1,) * n, padding)
    y = np.empty(max_pooled(x, ksize, strides, padding).shape)
    for index in np.ndindex(*y.shape):
        at = (*index[:-1], ..., index[-1])
        y[index] = other[at].ravel()[seen[at].argmax()]
    return y


POOL_2D = {'ksize': (1, 2, 3, 1), 'strides': (1, 1, 2, 1), 'padding': 'SAME'}
POOL_3D = {'ksize': (1, 2, 1, 2, 1), 'strides': (1, 1, 1, 2, 1), 'padding': 'VALID'}
X2, X3 = distinct(2, 4, 5, 2), distinct(1, 3, 2, 4, 2)
Y2, Y3 = max_pooled(X2, (2, 3), (1, 2), 'SAME'), max_pooled(X3, (2, 1, 2), (1, 1, 2), 'VALID')

MAX = [
    row('MaxPool', lambda tf, x: tf.nn.max_pool(x, 2, 2, 'SAME'), [distinct(2, 5, 4, 3)],
        ref=lambda x: max_pooled(x, (2, 2), (2, 2), 'SAME'),
        bad=[lambda tf: tf.nn.max_pool(tf.zeros([4, 4, 3]), 2, 2, 'SAME'),
             lambda tf: tf.nn.max_pool(tf.zeros([1, 4, 4, 3]), 5, 1, 'VALID'),
             lambda tf: tf.nn.max_pool(tf.zeros([1, 4, 4, 3]), 2, 2, 'valid'),
             lambda tf: tf.nn.max_pool(tf.zeros([1, 4, 4, 3]), [2, 2, 2, 1], 2, 'SAME'),
             lambda tf: tf.nn.max_pool(tf.zeros([1, 4, 4, 3]), 2, 2, 'SAME', 'NHCW')],
        run_bad=[lambda tf: tf.nn.max_pool(
            tf.placeholder_with_default(np.zeros([1, 4, 4, 3], 'f'), None), 5, 1, 'VALID')]),
    row('MaxPool', lambda tf, x: tf.nn.max_pool(x, [1, 3, 2, 1], [1, 2, 3, 1], 'VALID'),
        [distinct(2, 6, 8, 1)], ref=lambda x: max_pooled(x, (3, 2), (2, 3), 'VALID'),
        name='gaps'),
    row('MaxPool', lambda tf, x: tf.nn.max_pool(x, 3, 1, 'SAME'), [distinct(1, 4, 3, 2)],
        ref=lambda x: max_pooled(x, (3, 3), (1, 1), 'SAME'), name='overlapping'),
    row('MaxPool', lambda tf, x: tf.nn.max_pool(x, 5, 2, 'SAME'), [distinct(1, 2, 1, 1)],
        ref=lambda x: max_pooled(x, (5, 5), (2, 2), 'SAME'), name='larger than the image'),
    row('MaxPool', lambda tf, x: tf.nn.max_pool(x, [2, 1], 2, 'VALID', 'NCHW'),
        [distinct(2, 3, 4, 5)], ref=nchw(lambda x: max_pooled(x, (2, 1), (2, 2), 'VALID')),
        name='channels first'),
    row('MaxPool', lambda tf, x: tf.nn.max_pool(x, 2, 1, 'SAME'), [COUNTS],
        ref=lambda x: max_pooled(x, (2, 2), (1, 1), 'SAME'), name='ints'),
    row('MaxPool', lambda tf, x: tf.nn.max_pool(x, [1, 1, 1, 2], [1, 1, 1, 2], 'VALID'),
        [distinct(2, 2, 2, 4)], ref=lambda x: x.reshape(2, 2, 2, 2, 2).max(-1),
        name='over channels'),
    row('MaxPool', lambda tf, x: tf.nn.max_pool(x, 1, 1, 'SAME'), [distinct(1, 2, 2, 1)],
        ref=lambda x: x, name='single pixels'),
    row('MaxPool', lambda tf, x: tf.nn.max_pool1d(x, 2, 2, 'SAME'), [distinct(2, 5, 2)],
        ref=lambda x: max_pooled(x, (2,), (2,), 'SAME'), name='sequences'),
    row('MaxPool', lambda tf, x: tf.nn.pool(x, [2, 2], 'MAX', 'VALID', dilation_rate=[2, 1]),
        [distinct(1, 5, 4, 2)], unknown=False, name='dilated',
        ref=lambda x: windows(x, (2, 2), (1, 1), (2, 1), 'VALID').max((3, 4))),
    row('MaxPoolGrad', lambda tf, x, dy: tf.gradients(tf.nn.max_pool(x, 2, 1, 'SAME'), x, dy),
        [TIES, (1, 3, 4, 1)], ref=lambda x, dy: max_back(x, dy, (2, 2), (1, 1), 'SAME'),
        grad=(1,), name='ties', tol=1e-6),
    row('MaxPoolGrad', lambda tf, x, dy: tf.gradients(tf.nn.max_pool(x, 2, 2, 'SAME'), x, dy),
        [TIES, (1, 2, 2, 1)], ref=lambda x, dy: max_back(x, dy, (2, 2), (2, 2), 'SAME'),
        grad=(1,), name='ties, apart'),
    row('MaxPoolGrad', made('MaxPoolGrad', **POOL_2D), [X2, Y2, Y2[::-1] / 3], grad=(2,),
        ref=lambda x, y, dy: max_back(x, dy, (2, 3), (1, 2), 'SAME'),
        bad=[lambda tf: made('MaxPoolGrad', **POOL_2D)(
            tf, tf.zeros([1, 4, 5, 2]), tf.zeros([1, 4, 3, 2]), tf.zeros([1, 4, 5, 2]))]),
    row('MaxPoolGradGrad', made('MaxPoolGradGrad', **POOL_2D), [X2, Y2, X2[::-1] / 3], grad=(2,),
        ref=lambda x, y, g: max_forth(x, g, (2, 3), (1, 2), 'SAME'),
        bad=[lambda tf: made('MaxPoolGradGrad', **POOL_2D)(
            tf, tf.zeros([1, 4, 5, 2]), tf.zeros([1, 4, 3, 2]), tf.zeros([1, 4, 3, 2]))]),
    row('MaxPool3D', lambda tf, x: tf.nn.max_pool3d(x, 2, 2, 'SAME'), [distinct(1, 3, 4, 2, 2)],
        ref=lambda x: max_pooled(x, (2, 2, 2), (2, 2, 2), 'SAME'),
        bad=[lambda tf: tf.nn.max_pool3d(tf.zeros([1, 4, 4, 3]), 2, 2, 'SAME')]),
    row('MaxPool3D', lambda tf, x: tf.nn.max_pool3d(x, 2, 1, 'VALID', 'NCDHW'),
        [distinct(1, 2, 3, 2, 2)], name='channels first',
        ref=nchw(lambda x: max_pooled(x, (2, 2, 2), (1, 1, 1), 'VALID'))),
    row('MaxPool3DGrad', made('MaxPool3DGrad', **POOL_3D), [X3, Y3, Y3 / 3], grad=(2,),
        ref=lambda x, y, dy: max_back(x, dy, (2, 1, 2), (1, 1, 2), 'VALID')),
    row('MaxPool3DGradGrad', made('MaxPool3DGradGrad', **POOL_3D), [X3, Y3, X3 / 3], grad=(2,),
        ref=lambda x, y, g: max_forth(x, g, (2, 1, 2), (1, 1, 2), 'VALID')),
]


def arg_max(x, ksize, strides, padding, with_batch=False):
    numbers = np.arange(x[0].size).reshape(x.shape[1:]) + 0.0
    numbers = np.arange(x.size).reshape(x.shape) + 0.0 if with_batch else \
        np.broadcast_to(numbers, x.shape)
    return max_forth(x, numbers, ksize, strides, padding)


ARGMAX = {'ksize': (1, 2, 2, 1), 'strides': (1, 1, 2, 1), 'padding': 'SAME'}
INDEX = arg_max(X2, (2, 2), (1, 2), 'SAME').astype(np.int64)
YA = max_pooled(X2, (2, 2), (1, 2), 'SAME')

WITH_ARGMAX = [
    row('MaxPoolWithArgmax', lambda tf, x: list(tf.nn.max_pool_with_argmax(
        x, [1, 2, 2, 1], [1, 1, 2, 1], 'SAME')), [X2],
        ref=lambda x: [YA, INDEX],
        bad=[lambda tf: tf.nn.max_pool_with_argmax(tf.zeros([4, 4, 3]), [1, 2, 2, 1],
                                                   [1, 2, 2, 1], 'SAME')]),
    row('MaxPoolWithArgmax', lambda tf, x: list(tf.nn.max_pool_with_argmax(
        x, [1, 2, 2, 1], [1, 1, 2, 1], 'SAME', Targmax=tf.int32, include_batch_in_index=True)),
        [X2], ref=lambda x: [YA, arg_max(x, (2, 2), (1, 2), 'SAME', True).astype(np.int32)],
        name='in the batch'),
    row('MaxPoolGradWithArgmax', made('MaxPoolGradWithArgmax', **ARGMAX), [X2, YA / 3, INDEX],
        ref=lambda x, dy, i: max_back(x, dy, (2, 2), (1, 2), 'SAME'), grad=(1,),
        bad=[lambda tf: made('MaxPoolGradWithArgmax', **ARGMAX)(
            tf, tf.zeros([1, 4, 5, 2]), tf.zeros([1, 4, 5, 2]), tf.zeros([1, 4, 3, 2], tf.int64))],
        run_bad=[lambda tf: made('MaxPoolGradWithArgmax', **ARGMAX)(
            tf, tf.zeros([1, 2, 2, 1]), tf.zeros([1, 2, 1, 1]),
            tf.constant([[[[9]], [[0]]]], tf.int64))]),
    row('MaxPoolGradGradWithArgmax', made('MaxPoolGradGradWithArgmax', **ARGMAX),
        [X2, X2[::-1] / 3, INDEX], ref=lambda x, g, i: max_forth(x, g, (2, 2), (1, 2), 'SAME'),
        grad=(1,)),
]


def avg_back(dy, shape, ksize, strides, padding):
    """The adjoint of `avg_pooled`, one element of x at a time."""
    x = np.zeros(shape)
    dx = np.empty(x.size)
    for i in range(x.size):
        x.reshape(-1)[i] = 1
        dx[i] = (avg_pooled(x, ksize, strides, padding) * dy).sum()
        x.reshape(-1)[i] = 0
    return dx.reshape(shape)


AVG = [
    row('AvgPool', lambda tf, x: tf.nn.avg_pool(x, 2, 2, 'SAME'), [(2, 5, 4, 3)],
        ref=lambda x: avg_pooled(x, (2, 2), (2, 2), 'SAME'),
        bad=[lambda tf: tf.nn.avg_pool(tf.zeros([4, 4, 3]), 2, 2, 'SAME'),
             lambda tf: tf.nn.avg_pool(tf.zeros([1, 4, 4, 4]), [1, 2, 2, 2], [1, 2, 2, 2],
                                       'SAME')]),
    row('AvgPool', lambda tf, x: tf.nn.avg_pool(x, [3, 2], [2, 3], 'VALID'), [(2, 6, 8, 1)],
        ref=lambda x: avg_pooled(x, (3, 2), (2, 3), 'VALID'), name='gaps'),
    row('AvgPool', lambda tf, x: tf.nn.avg_pool(x, 3, 1, 'SAME', 'NCHW'), [(1, 2, 4, 3)],
        ref=nchw(lambda x: avg_pooled(x, (3, 3), (1, 1), 'SAME')), name='channels first'),
    row('AvgPool', lambda tf, x: tf.nn.avg_pool1d(x, 3, 2, 'SAME'), [(2, 6, 2)],
        ref=lambda x: avg_pooled(x, (3,), (2,), 'SAME'), name='sequences'),
    row('AvgPool', lambda tf, x: tf.nn.pool(x, [2], 'AVG', 'VALID', data_format='NCW'),
        [(2, 2, 5)], ref=nchw(lambda x: avg_pooled(x, (2,), (1,), 'VALID')), unknown=False,
        name='pool'),
    row('AvgPoolGrad', lambda tf, dy: tf.gradients(tf.nn.avg_pool(tf.zeros([2, 5, 4, 1], dy.dtype),
                                                                  [2, 3], [2, 1], 'SAME'),
                                                   tf.get_default_graph().get_operations()[-2]
                                                   .outputs[0], dy), [(2, 3, 4, 1)],
        ref=lambda dy: avg_back(dy, (2, 5, 4, 1), (2, 3), (2, 1), 'SAME')),
    row('AvgPoolGrad', made('AvgPoolGrad', ksize=(1, 1, 2, 2), strides=(1, 1, 1, 3),
                            padding='VALID', data_format='NCHW'),
        [np.array([1, 2, 3, 6], np.int32), (1, 2, 2, 2)],
        ref=lambda s, dy: nchw(lambda d: avg_back(d, (1, 3, 6, 2), (2, 2), (1, 3), 'VALID'))(dy),
        name='channels first', static_result=False,
        bad=[lambda tf: made('AvgPoolGrad', ksize=(1, 2, 2, 1), strides=(1, 2, 2, 1),
                             padding='SAME')(tf, [1, 4, 4, 1], tf.zeros([1, 4, 4, 1]))]),
    row('AvgPool3D', lambda tf, x: tf.nn.avg_pool3d(x, 2, 2, 'SAME'), [(1, 3, 4, 2, 2)],
        ref=lambda x: avg_pooled(x, (2, 2, 2), (2, 2, 2), 'SAME')),
    row('AvgPool3DGrad', made('AvgPool3DGrad', ksize=(1, 2, 1, 2, 1), strides=(1, 1, 1, 2, 1),
                              padding='SAME'),
        [np.array([1, 3, 2, 3, 1], np.int32), (1, 3, 2, 2, 1)],
        ref=lambda s, dy: avg_back(dy, (1, 3, 2, 3, 1), (2, 1, 2), (1, 1, 2), 'SAME'),
        static_result=False),
]


# ---- normalization -----------------------------------------------------------------------------

EPSILON = 0.001


def batch_norm(x, scale, offset):
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    count = x.size // x.shape[-1]
    return [(x - mean) / np.sqrt(variance + EPSILON) * scale + offset, mean,
            variance * count / (count - 1)]


def batch_norm_back(dy, x, scale):
    mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
    r = 1 / np.sqrt(variance + EPSILON)
    u, n = (x - mean) * r, x.size / x.shape[-1]
    total, along = dy.sum((0, 1, 2)), (dy * u).sum((0, 1, 2))
    return [scale * r * (dy - total / n - u * along / n), along, total]


def grad_op(tf, dy, x, scale, data_format='NHWC', is_training=True):
    axes = [0, 1, 2] if data_format == 'NHWC' else [0, 2, 3]
    mean, variance = tf.nn.moments(x, axes) if is_training else \
        (scale * 0.5, scale * scale + 1.0)
    return Op.registry['FusedBatchNormGradV3'].apply(
        dy, x, scale, mean, variance, tf.zeros([], scale.dtype), epsilon=EPSILON,
        data_format=data_format, is_training=is_training)[:3]


def moved(y):
    return [np.moveaxis(y[0], -1, 1), *y[1:]]


def inference(x, scale, offset, mean, variance):
    return (x - mean) / np.sqrt(variance + EPSILON) * scale + offset


SCALES = np.array([0.5, -2.0])
SHIFTS = np.array([1.0, 0.25])

BATCH_NORM = [
    row('FusedBatchNormV3', lambda tf, x, s, o: list(tf.nn.fused_batch_norm(x, s, o)),
        [(2, 3, 2, 2), SCALES, SHIFTS], ref=batch_norm, tol=1e-5, grad=False,
        bad=[lambda tf: tf.nn.fused_batch_norm(tf.zeros([2, 4, 4, 3]), tf.zeros([2]),
                                               tf.zeros([3])),
             lambda tf: tf.nn.fused_batch_norm(tf.zeros([4, 4, 3]), tf.zeros([3]), tf.zeros([3])),
             lambda tf: tf.nn.fused_batch_norm(tf.zeros([2, 4, 4, 3]), tf.zeros([3]),
                                               tf.zeros([3]), is_training=False)]),
    row('FusedBatchNormV3', lambda tf, x, s, o: tf.nn.fused_batch_norm(x, s, o)[0],
        [(2, 3, 2, 2), SCALES, SHIFTS], ref=lambda *a: batch_norm(*a)[0], tol=1e-5,
        name='gradient'),
    row('FusedBatchNormV3', lambda tf, x, s, o: list(tf.nn.fused_batch_norm(
        x, s, o, data_format='NCHW')), [(2, 2, 2, 3), SCALES, SHIFTS], tol=1e-5,
        ref=lambda x, s, o: moved(batch_norm(np.moveaxis(x, 1, -1), s, o)), grad=False,
        name='channels first'),
    row('FusedBatchNormV3', lambda tf, x, s, o: tf.nn.fused_batch_norm(
        x, s, o, data_format='NCHW')[0], [(2, 2, 2, 3), SCALES, SHIFTS], tol=1e-5,
        ref=lambda x, s, o: moved(batch_norm(np.moveaxis(x, 1, -1), s, o))[0],
        name='gradient, channels first'),
    row('FusedBatchNormV3', lambda tf, x, s, o, m, v: tf.nn.fused_batch_norm(
        x, s, o, m, v, is_training=False)[0],
        [(2, 2, 2, 2), SCALES, SHIFTS, SHIFTS * 2, SHIFTS + 3], ref=inference,
        grad=(0, 1, 2), name='given statistics'),
    row('FusedBatchNormV3', lambda tf, x, s, o, m, v: tf.nn.fused_batch_norm(
        x, s, o, m, v, is_training=False, data_format='NCHW')[0],
        [(1, 2, 2, 3), SCALES, SHIFTS, SHIFTS * 2, SHIFTS + 3],
        ref=lambda x, *v: np.moveaxis(inference(np.moveaxis(x, 1, -1), *v), -1, 1),
        grad=(0, 1, 2), name='given statistics, channels first'),
    row('FusedBatchNormV3', lambda tf, x, s, o: list(tf.nn.fused_batch_norm(x, s, o)),
        [np.full((2, 3, 3, 2), 1e4) + distinct(2, 3, 3, 2), SCALES, SHIFTS], ref=batch_norm,
        grad=False, tol=1e-4, name='far from zero'),
    row('FusedBatchNormGradV3', grad_op, [(2, 3, 2, 2), (2, 3, 2, 2), SCALES],
        ref=batch_norm_back, grad=(0, 2), second=False, tol=1e-5),
    row('FusedBatchNormGradV3', lambda tf, dy, x, s: grad_op(tf, dy, x, s, 'NCHW'),
        [(2, 2, 2, 3), (2, 2, 2, 3), SCALES], grad=(0, 2), second=False, tol=1e-5,
        ref=lambda dy, x, s: moved(batch_norm_back(np.moveaxis(dy, 1, -1), np.moveaxis(x, 1, -1),
                                                   s)), name='channels first'),
]


def lrn(x, radius, bias, alpha, beta):
    y = np.empty_like(x)
    for c in range(x.shape[-1]):
        near = x[..., max(0, c - radius):c + radius + 1]
        y[..., c] = x[..., c] / (bias + alpha * (near ** 2).sum(-1)) ** beta
    return y


def lrn_back(dy, x, radius, bias, alpha, beta):
    dx = np.empty_like(x)
    norm = (x / lrn(x, radius, bias, alpha, 1.0))
    for c in range(x.shape[-1]):
        near = slice(max(0, c - radius), c + radius + 1)
        others = (dy * x * norm ** (-beta - 1))[..., near].sum(-1)
        dx[..., c] = dy[..., c] * norm[..., c] ** -beta \
            - 2 * alpha * beta * x[..., c] * others
    return dx


LRN = [
    row('LRN', lambda tf, x: tf.nn.lrn(x, 1, 2.0, 0.5, 0.75), [(1, 2, 2, 4)],
        ref=lambda x: lrn(x, 1, 2.0, 0.5, 0.75), tol=1e-6,
        bad=[lambda tf: tf.nn.lrn(tf.zeros([2, 2, 3]))]),
    row('LRN', lambda tf, x: tf.nn.lrn(x), [(2, 1, 2, 3)], ref=lambda x: lrn(x, 5, 1, 1, 0.5),
        name='defaults'),
    row('LRNGrad', lambda tf, dy, x: tf.gradients(tf.nn.lrn(x, 1, 1.0, 0.5, 0.6), x, dy),
        [(1, 2, 2, 4), (1, 2, 2, 4)], ref=lambda dy, x: lrn_back(dy, x, 1, 1.0, 0.5, 0.6),
        second=False,
        bad=[lambda tf: made('LRNGrad')(tf, tf.zeros([1, 2, 2, 3]), tf.zeros([1, 2, 2, 4]),
                                        tf.zeros([1, 2, 2, 3]))]),
]

# ---- pools of random regions -------------------------------------------------------------------

_RATIO = [1.0, 1.5, 1.4, 1.0]
# Of 7 rows and 8 columns: the regions that TensorFlow 1.15 draws with the seeds 3 and 4.
_ROWS, _COLUMNS = (0, 2, 4, 5, 7), (0, 1, 3, 4, 6, 8)


def _fractional(kind, **how):
    def build(tf, x):
        pool = getattr(tf.nn, f'fractional_{kind}_pool')
        return pool(x, _RATIO, deterministic=True, seed=3, seed2=4, **how)[0]
    return build


def _fractional_back(kind, **how):
    def build(tf, x, dy):
        return tf.gradients(_fractional(kind, **how)(tf, x), x, dy)
    return build


def _regions(x, overlap):
    """((row, column), region) of x [batch, 7, 8, channels], as views of x."""
    for r, (i, j) in enumerate(zip(_ROWS, _ROWS[1:])):
        for c, (k, m) in enumerate(zip(_COLUMNS, _COLUMNS[1:])):
            yield (r, c), x[:, i:j + overlap, k:m + overlap]


def _region_ref(reduce, overlap=0):
    def ref(x):
        y = np.empty((len(x), 4, 5, x.shape[-1]))
        for (r, c), region in _regions(x, overlap):
            y[:, r, c] = reduce(region, axis=(1, 2))
        return y
    return ref


def _max_region_back(overlap):
    def ref(x, dy):
        dx = np.zeros_like(x)
        for ((r, c), region), (_, target) in zip(_regions(x, overlap), _regions(dx, overlap)):
            target += (region == region.max((1, 2), keepdims=True)) * dy[:, r:r + 1, c:c + 1]
        return [dx]
    return ref


def _mean_region_back(overlap):
    def ref(x, dy):
        dx = np.zeros_like(x)
        for (r, c), target in _regions(dx, overlap):
            target += dy[:, r:r + 1, c:c + 1] / (target.shape[1] * target.shape[2])
        return [dx]
    return ref


def _no_regions(op_type, *before):
    one = np.zeros(1, np.int64)
    return lambda tf: Op.registry[op_type].apply(*before, tf.zeros([2]), one, one)


FRACTIONAL = [
    row('FractionalMaxPool', _fractional('max'), [distinct(2, 7, 8, 2)],
        ref=_region_ref(np.max), second=False,
        bad=[lambda tf: tf.nn.fractional_max_pool(tf.zeros([2, 7, 8]), _RATIO),
             lambda tf: tf.nn.fractional_max_pool(tf.zeros([2, 7, 8, 1]), [1.5, 1.5]),
             lambda tf: tf.nn.fractional_max_pool(tf.zeros([2, 7, 8, 1]), [2., 1.5, 1.5, 1.])],
        run_bad=[lambda tf: tf.nn.fractional_max_pool(tf.zeros([2, 7, 8, 1]), _RATIO, seed=3)[0]]),
    row('FractionalMaxPool', _fractional('max', overlapping=True), [distinct(1, 7, 8, 1)],
        ref=_region_ref(np.max, 1), second=False, name='overlapping'),
    row('FractionalAvgPool', _fractional('avg'), [(2, 7, 8, 2)], ref=_region_ref(np.mean),
        second=False,
        bad=[lambda tf: tf.nn.fractional_avg_pool(tf.zeros([2, 7, 8]), _RATIO)]),
    row('FractionalAvgPool', _fractional('avg', overlapping=True), [(1, 7, 8, 2)],
        ref=_region_ref(np.mean, 1), second=False, name='overlapping'),
    row('FractionalMaxPoolGrad', _fractional_back('max'), [distinct(1, 7, 8, 2), (1, 4, 5, 2)],
        ref=_max_region_back(0), grad=False,
        bad=[lambda tf: _no_regions('FractionalMaxPoolGrad', tf.zeros([2]), tf.zeros([2]))(tf)]),
    row('FractionalMaxPoolGrad', _fractional_back('max', overlapping=True),
        [distinct(1, 7, 8, 1), (1, 4, 5, 1)], ref=_max_region_back(1), grad=False,
        name='overlapping'),
    row('FractionalAvgPoolGrad', _fractional_back('avg'), [(1, 7, 8, 2), (1, 4, 5, 2)],
        ref=_mean_region_back(0), grad=False,
        bad=[_no_regions('FractionalAvgPoolGrad', np.array([1, 2], np.int64))]),
    row('FractionalAvgPoolGrad', _fractional_back('avg', overlapping=True),
        [(1, 7, 8, 1), (1, 4, 5, 1)], ref=_mean_region_back(1), grad=False, name='overlapping'),
]

ROWS = MAX + WITH_ARGMAX + AVG + FRACTIONAL + BATCH_NORM + LRN
