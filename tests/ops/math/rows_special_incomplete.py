"""Rows of incomplete gamma and beta functions, Bessel functions, histograms, matrix functions."""
import numpy as np
from scipy import linalg, special

from tests.ops.rows import row

A = np.array([0.3, 1.0, 4.5, 20.0])
X = np.array([0.2, 2.5, 4.0, 30.0])
SQUARE = np.array([[4.0, 1.0, 0.5], [0.2, 3.0, 0.1], [0.3, -0.4, 5.0]])


def slope_in_a(a, x):
    """dP(a, x)/da by central differences of SciPy's function."""
    step = 1e-6 * np.maximum(a, 1)
    return (special.gammainc(a + step, x) - special.gammainc(a - step, x)) / (2 * step)


def running(x, exclusive=False, reverse=False):
    source = x[::-1] if reverse else x
    sums = [special.logsumexp(source[:i + (not exclusive)]) if i or not exclusive
            else np.finfo(x.dtype).min for i in range(len(x))]
    return np.array(sums[::-1] if reverse else sums)


def pieces(tf, x):
    lu, order = tf.linalg.lu(x)
    return [lu, order]


def lu_reference(x):
    permutation, lower, upper = linalg.lu(x)
    return [lower - np.eye(len(x)) + upper, permutation.T.argmax(1).astype(np.int32)]


ROWS = [
    row('Igamma', lambda tf, a, x: tf.igamma(a, x), [A, X], ref=special.gammainc, grad=True,
        second=False, tol=1e-5,
        bad=[lambda tf: tf.igamma(tf.zeros([2]), tf.zeros([3]))]),
    row('Igamma', lambda tf, a, x: tf.igamma(a, x), [np.array([[-1.0], [0.0], [1.0], [2.0]]),
                                                    np.array([-1.0, 0.0, np.inf, 1.0])],
        ref=lambda a, x: np.where((a > 0) & (x >= 0), special.gammainc(np.abs(a), np.abs(x)),
                                  np.nan), grad=False, name='at the ends'),
    row('Igammac', lambda tf, a, x: tf.igammac(a, x), [A, X], ref=special.gammaincc,
        second=False, tol=1e-5),
    row('Igammac', lambda tf, a, x: tf.igammac(a, x), [np.array([2.0, 2.0]), np.array([50., 600.])],
        ref=lambda a, x: np.array([special.gammaincc(2.0, 50.0), special.gammaincc(2.0, 600.0)]),
        grad=False, tol=1e-12, name='tail'),
    row('IgammaGradA', lambda tf, a, x: tf.gradients(tf.igamma(a, x), a)[0], [A, X],
        ref=slope_in_a, grad=False, tol=1e-5),
    row('Betainc', lambda tf, a, b, x: tf.betainc(a, b, x), [
        np.array([0.5, 2.0, 10.0]), np.array([1.0, 3.0, 0.4]), np.array([0.3, 0.7, 0.95])],
        ref=special.betainc, grad=(2,), second=(2,), tol=1e-5),
    row('Betainc', lambda tf, x: tf.betainc(2.0, 3.0, x), [np.float32([-1, 0, 1, 2])],
        ref=lambda x: np.float32([np.nan, 0, 1, np.nan]), grad=False, name='at the ends'),
    row('BesselI0e', lambda tf, x: tf.math.bessel_i0e(x),
        [np.array([-2.0, 0.5, 8.0, 24.0, 26.0, 500.0])], ref=special.i0e),
    row('BesselI1e', lambda tf, x: tf.math.bessel_i1e(x),
        [np.array([-2.0, 0.5, 8.0, 24.0, 26.0, 500.0])], ref=special.i1e),
    row('BesselI0e', lambda tf, x: tf.math.bessel_i0(x), [np.array([-2.0, 0.0, 0.5])],
        ref=special.i0, grad=False, name='bessel_i0'),
    row('BesselI1e', lambda tf, x: tf.math.bessel_i1(x), [np.array([-2.0, 0.0, 0.5])],
        ref=special.i1, grad=False, name='bessel_i1'),
    row('NextAfter', lambda tf, x, y: tf.math.nextafter(x, y), [X, A], ref=np.nextafter,
        grad=(0,), second=False),
    row('CumulativeLogsumexp', lambda tf, x: tf.math.cumulative_logsumexp(x), [(5,)], ref=running),
    row('CumulativeLogsumexp', lambda tf, x: tf.math.cumulative_logsumexp(
        x, axis=-1, exclusive=True, reverse=True), [np.array([1.0, 800.0, -3.0])],
        ref=lambda x: running(x, True, True), grad=False, name='exclusive, reverse',
        bad=[lambda tf: tf.math.cumulative_logsumexp([1.0], axis=3)]),
    row('HistogramFixedWidth', lambda tf, x: tf.histogram_fixed_width(x, [0.0, 5.0], 5),
        [np.float32([-1, 0, 1.5, 2, 5, 15])], ref=lambda x: np.int32([2, 1, 1, 0, 2]), grad=False,
        bad=[lambda tf: tf.histogram_fixed_width([1.0], [0.0, 1.0, 2.0]),
             lambda tf: tf.histogram_fixed_width([1.0], [0.0, 1.0], 0)],
        run_bad=[lambda tf: (tf.histogram_fixed_width([1.0], [1.0, 1.0]), {})]),
    row('HistogramFixedWidth', lambda tf: [tf.histogram_fixed_width_bins(
        [[-1.0, 0.0, 1.5], [2.0, 5.0, 15.0]], [0.0, 5.0], 5), tf.histogram_fixed_width(
            [1, 2], [0, 4], 2, tf.int64)], [],
        ref=lambda: [np.int32([[0, 0, 1], [2, 4, 4]]), np.array([1, 1])], grad=False, name='bins'),
    row('UnravelIndex', lambda tf, x: tf.unravel_index(x, [3, 4, 5]), [np.int32([22, 41, 59])],
        ref=lambda x: np.array(np.unravel_index(x, (3, 4, 5)), np.int32), grad=False,
        bad=[lambda tf: tf.unravel_index([1], [[2, 2]])],
        run_bad=[lambda tf: (tf.unravel_index([1], [0, 2]), {})]),
    row('UnravelIndex', lambda tf, x: tf.unravel_index(x, tf.constant([3, 4], tf.int64)),
        [np.array(7)], ref=lambda x: np.array([1, 3]), grad=False, name='scalar'),
    row('MatrixExponential', lambda tf, x: tf.linalg.expm(x), [np.stack([SQUARE, -2 * SQUARE])],
        ref=lambda x: np.array([linalg.expm(m) for m in x]), grad=False,
        bad=[lambda tf: tf.linalg.expm(tf.zeros([2, 3]))]),
    row('MatrixExponential', lambda tf, x: tf.linalg.expm(x), [SQUARE / 4], ref=linalg.expm,
        tol=1e-5, name='gradient'),
    row('MatrixSquareRoot', lambda tf, x: tf.linalg.sqrtm(x), [np.stack([SQUARE, SQUARE.T])],
        ref=lambda x: np.array([linalg.sqrtm(m) for m in x]), grad=False,
        bad=[lambda tf: tf.linalg.sqrtm(tf.zeros([2, 3]))],
        run_bad=[lambda tf: (tf.linalg.sqrtm(tf.zeros([2, 2])), {})]),
    row('MatrixLogarithm', lambda tf, x: tf.linalg.logm(x),
        [np.stack([SQUARE + 0.5j, SQUARE.T * (1 + 1j)])],
        ref=lambda x: np.array([linalg.logm(m) for m in x]), grad=False,
        bad=[lambda tf: tf.linalg.logm(tf.zeros([2, 3], tf.complex64))],
        run_bad=[lambda tf: (tf.linalg.logm(tf.zeros([2, 2], tf.complex64)), {})]),
    row('Lu', pieces, [SQUARE[::-1].copy()], ref=lu_reference, grad=False,
        bad=[lambda tf: tf.linalg.lu(tf.zeros([2, 3]))],
        run_bad=[lambda tf: (tf.linalg.lu(tf.zeros([2, 2]))[0], {})]),
]
