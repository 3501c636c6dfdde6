"""Building a case, the same way under TensorFlow and under tinyflow."""


class Given:
    """Makes placeholders and keeps what they are fed; the numbers depend on their order alone."""

    def __init__(self, tf, np):
        self.feeds = {}
        self._tf, self._random = tf, np.random.RandomState(0)

    def __call__(self, *shape, low=0., high=1., dtype='float32', batch=False):
        numbers = self._random.uniform(low, high, shape)
        whole = float(high).is_integer() and high > 1 and low >= 0
        numbers = (numbers // 1 if whole else numbers.round(3)).astype(dtype)
        static = (None,) + shape[1:] if batch else shape
        placeholder = self._tf.compat.v1.placeholder(dtype, static)
        self.feeds[placeholder] = numbers
        return placeholder


def build(function, tf, np):
    """(the case's tensors, gradients of their weighted sum or None, feeds, nodes as built)."""
    given = Given(tf, np)
    made = function(tf.keras, given)
    outputs = list(made) if isinstance(made, (list, tuple)) else [made]
    nodes = [[op.name, op.type] for op in tf.get_default_graph().get_operations()]
    floats = [t for t in outputs if t.dtype.is_floating]
    inputs = [t for t in given.feeds if t.dtype.is_floating]
    gradients = []
    if floats and inputs:
        # Cosines of squares weigh the elements differently, and have no zeros where x has some.
        total = sum(tf.reduce_sum(tf.cos(t * t + t)) for t in floats)
        gradients = [None if g is None else tf.convert_to_tensor(g)
                     for g in tf.gradients(total, inputs)]
    return outputs, gradients, given.feeds, nodes
