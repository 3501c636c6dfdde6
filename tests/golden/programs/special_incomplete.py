"""Incomplete gamma and beta functions, Bessel functions, histograms, matrix functions."""
from .registry import program, run


@program
def incomplete_functions(tf, np):
    a = tf.placeholder(tf.float64, [4], name='a')
    x = tf.placeholder(tf.float64, [4], name='x')
    results = [tf.igamma(a, x), tf.igammac(a, x), tf.betainc(a, 2.0 * a, x / 40.0),
               tf.math.bessel_i0e(x), tf.math.bessel_i1e(-x), tf.math.bessel_i0(x),
               tf.math.bessel_i1(x), tf.math.nextafter(a, x)]
    slopes = tf.gradients(results[:5], [a, x])
    feed = {a: [0.3, 1.0, 4.5, 20.0], x: [0.2, 2.5, 4.0, 30.0]}
    return [run(results, feed), run(slopes, feed)]


@program
def histograms(tf, np):
    values = tf.constant([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0])
    return [run([tf.histogram_fixed_width(values, [0.0, 5.0], nbins=5),
                 tf.histogram_fixed_width([1, 2, 3], [0, 4], 2, tf.int64),
                 tf.histogram_fixed_width_bins(values, [0.0, 5.0], nbins=5),
                 tf.unravel_index([2, 5, 7], [3, 3]), tf.unravel_index(5, [3, 3])])]


@program
def running_logsumexp(tf, np):
    x = tf.placeholder(tf.float64, [3], name='x')
    results = [tf.math.cumulative_logsumexp(x, exclusive=e, reverse=r)
               for e in (False, True) for r in (False, True)]
    feed = {x: [1.0, 3.0, -2.0]}
    return [run(results, feed),
            run(tf.gradients(results[0] * [1.0, -2.0, 3.0], x), feed)]


@program
def matrix_functions(tf, np):
    x = tf.constant([[4.0, 1.0], [0.5, 3.0]], tf.float64)
    lu, order = tf.linalg.lu(x)
    flipped, flipped_order = tf.linalg.lu(tf.reverse(x, [0]), tf.int64)
    root = tf.linalg.sqrtm(x)
    logarithm = tf.linalg.logm(tf.cast(x, tf.complex128))
    return [run([lu, order, flipped, flipped_order, root, logarithm])]


@program
def matrix_exponential(tf, np):
    x = tf.constant([[0.4, 0.1], [0.05, 0.3]], tf.float64)
    y = tf.linalg.expm(x)
    return [run([y])]
