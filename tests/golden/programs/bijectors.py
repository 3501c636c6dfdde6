"""tf.contrib.distributions.bijectors and TransformedDistribution."""
from .registry import program, run

V = [0.2, 0.5, 0.9]


def everything(tf, b, x, y=None, ndims=None):
    """What a bijector gives of x, and of y (the forward values unless given)."""
    ndims = b.forward_min_event_ndims if ndims is None else ndims
    more = ndims + b.inverse_min_event_ndims - b.forward_min_event_ndims
    x = tf.constant(x, tf.float32)
    y = tf.identity(b.forward(x)) if y is None else tf.constant(y, tf.float32)
    return [b.forward(x), b.inverse(y), b.forward_log_det_jacobian(x, ndims),
            b.inverse_log_det_jacobian(y, more)]


@program
def bijectors_of_numbers(tf, np):
    b, results = tf.contrib.distributions.bijectors, []
    for one in (b.Exp(), b.Sigmoid(), b.Softsign(), b.Square(), b.AffineScalar(1., 2.),
                b.AffineScalar(shift=1.), b.AffineScalar(scale=-3.), b.PowerTransform(2.),
                b.PowerTransform(), b.Gumbel(1., 2.), b.Invert(b.Exp()), b.Invert(b.Sigmoid())):
        results += everything(tf, one, V)
    results += everything(tf, b.AffineScalar(1., 2.), [V, V], ndims=1)
    results += everything(tf, b.Exp(), [V, V], ndims=2)
    return [run(results)]


@program
def bijectors_of_vectors(tf, np):
    b, results = tf.contrib.distributions.bijectors, []
    for one in (b.SoftmaxCentered(), b.Ordered(), b.Permute([2, 0, 1]), b.Identity(),
                b.Softplus(), b.Softplus(hinge_softness=2.), b.Kumaraswamy(2., 3.),
                b.SinhArcsinh(.5, 2.), b.Affine([1., 2., 3.]),
                b.Affine([1., 2., 3.], scale_diag=[2., 3., 4.]),
                b.Affine(scale_identity_multiplier=2.),
                b.Affine(scale_identity_multiplier=2., scale_diag=[2., 3., 4.]),
                b.Affine([1., 2., 3.], scale_tril=[[2., 0, 0], [1., 3., 0], [1., 2., 3.]]),
                b.Affine(scale_tril=[[2., 0, 0], [1., 3., 0], [1., 2., 3.]],
                         scale_diag=[1., 1., 1.]),
                b.Chain([b.Exp(), b.AffineScalar(1., 2.)]), b.Chain([b.Sigmoid(), b.Softplus()]),
                b.Chain([b.Exp(), b.Affine(scale_diag=[2., 3., 4.])]),
                b.Invert(b.Chain([b.Exp(), b.AffineScalar(1., 2.)])),
                b.Inline(tf.exp, tf.log, lambda y: -tf.log(y), forward_min_event_ndims=0)):
        results += everything(tf, one, V if one.name == 'ordered' else [V, [0.3, 0.6, 0.8]])
    reshape = b.Reshape([2, -1], [6])
    x = tf.reshape(tf.range(12.), [2, 6])
    results += [reshape.forward(x), reshape.inverse(tf.reshape(x, [2, 2, 3])),
                reshape.forward_event_shape_tensor([6]), b.AbsoluteValue().inverse(V),
                b.AbsoluteValue().inverse_log_det_jacobian(V, 0),
                b.SoftmaxCentered().forward_event_shape_tensor([3])]
    return [run(results)]


@program
def transformed_distributions(tf, np):
    d, results = tf.contrib.distributions, []
    b = d.bijectors
    for one, y in ((d.TransformedDistribution(d.Normal([0., 1.], 2.), b.Exp(), name='Lognormal'),
                    [[0.5, 1.5]]),
                   (d.TransformedDistribution(d.Normal(1., 2.), b.AffineScalar(1., -2.)), V),
                   (d.TransformedDistribution(d.Normal(0., 1.), b.Sigmoid()), V),
                   (d.TransformedDistribution(d.Normal(0., 1.), b.Affine(
                       [1., 2.], scale_tril=[[2., 0.], [1., 3.]]), event_shape=[2]), [V[:2]]),
                   (d.TransformedDistribution(d.Normal(0., 1.), b.Softplus(), batch_shape=[3]),
                    V)):
        results += [one.log_prob(y), one.prob(y), one.sample([2], seed=1), one.batch_shape_tensor(),
                    one.event_shape_tensor()]
        if one.event_shape.ndims == 0:
            results += [one.cdf(y), one.survival_function(y)]
        if one.bijector.is_constant_jacobian:
            results += [one.entropy()]
    folded = d.TransformedDistribution(d.Normal(1., 2.), b.AbsoluteValue())
    results += [folded.log_prob(V), folded.prob(V)]
    slopes = tf.gradients(results[0], tf.trainable_variables() or [results[0]])
    return [run(results), run(slopes)]


@program
def flows(tf, np):
    d, results = tf.contrib.distributions, []
    b = d.bijectors
    x = np.float32([[0.2, 0.5, 0.9], [1., -1., 0.3]])
    maf = b.MaskedAutoregressiveFlow(b.masked_autoregressive_default_template(
        [6], kernel_initializer=tf.constant_initializer(0.1)))
    nvp = b.RealNVP(1, b.real_nvp_default_template(
        [4], kernel_initializer=tf.constant_initializer(0.1)))
    constant = b.MaskedAutoregressiveFlow(lambda y: (0.5 * y, None), unroll_loop=True)
    for one in (maf, nvp):
        y = one.forward(tf.constant(x))
        results += [y, one.inverse(tf.constant(x)),
                    one.inverse_log_det_jacobian(tf.constant(x), 1)]
    results += [constant.forward(tf.constant(x)), constant.inverse(tf.constant(x)),
                constant.inverse_log_det_jacobian(tf.constant(x), 1)]
    density = d.TransformedDistribution(d.Normal(0., 1.), maf, event_shape=[3])
    loss = -tf.reduce_mean(density.log_prob(x))
    slopes = tf.gradients(loss, tf.trainable_variables()[:4])
    return [run(tf.global_variables_initializer()), run(results), run([loss, slopes])]
