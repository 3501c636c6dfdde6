"""Seeded random ops whose streams are recorded: `RANDOM_CASES` maps 'op/variant/seeds/size' to a
`RandomCase`.

`build(tf, np, seed)` makes one random op in the current default graph and returns what to fetch;
`graph_seed`, if not None, goes to set_random_seed before, and `nodes_before` no_ops stand in
front. Each case runs `RUNS` times in one Session.
"""
from collections import OrderedDict, namedtuple

RandomCase = namedtuple('RandomCase', 'build graph_seed op_seed nodes_before')
RANDOM_CASES = OrderedDict()
RUNS = 3

# name: (graph seed, op seed, nodes before). Zero and huge seeds hit the corners of how TF makes
# the pair of seed attributes.
OP, GRAPH, BOTH = (None, 5, 0), (777, None, 0), (777, 5, 0)
COMMON_SEEDS = OrderedDict([('op', OP), ('graph', GRAPH), ('both', BOTH)])
EDGE_SEEDS = OrderedDict([
    ('graph_after_4_nodes', (777, None, 4)),
    ('zeros', (0, 0, 0)),
    ('op_zero', (None, 0, 0)),
    ('graph_zero', (0, None, 0)),
    ('op_negative', (None, -1, 0)),
    ('op_large', (None, 2 ** 31 - 1, 0)),
    ('op_wider_than_32_bits', (None, 2 ** 40 + 3, 0)),
    ('graph_wider_than_32_bits', (2 ** 35 + 1, 9, 0)),
])
ALL_SIZES, FEW_SIZES = [1, 3, 4, 5, 7, 100, 1000], [1, 5, 100]


def _add(name, sizes, build, seeds=COMMON_SEEDS):
    """One case for each (seeds, size); `build(tf, np, size, seed)`."""
    for label, (graph_seed, op_seed, before) in seeds.items():
        for size in sizes:
            key = '%s/%s/%d' % (name, label, size)
            case = RandomCase(_bind(build, size), graph_seed, op_seed, before)
            if key in RANDOM_CASES:
                raise ValueError('two random cases are called %s' % key)
            RANDOM_CASES[key] = case


def _bind(build, size):
    return lambda tf, np, seed: build(tf, np, size, seed)


def _floating(function, dtype, *args):
    return lambda tf, np, n, seed: getattr(tf, function)([n], *args, dtype=dtype, seed=seed)


for _function in ['random_normal', 'random_uniform', 'truncated_normal']:
    _add(_function + '/float32', ALL_SIZES, _floating(_function, 'float32'))
    _add(_function + '/float64', FEW_SIZES + [4, 7], _floating(_function, 'float64'))
    _add(_function + '/float16', FEW_SIZES + [7], _floating(_function, 'float16'))
    _add(_function + '/float32', [5], _floating(_function, 'float32'), EDGE_SEEDS)

ONE_SEED = {'op': OP}
_add('random_normal/mean 5 stddev 2', [7], _floating('random_normal', 'float32', 5.0, 2.0))
_add('truncated_normal/mean -1 stddev 0.1', [7],
     _floating('truncated_normal', 'float32', -1.0, 0.1))
_add('random_uniform/from -1 to 1', [7], _floating('random_uniform', 'float32', -1.0, 1.0))
_add('random_normal/shape 2,3,4', [24], lambda tf, np, n,
     seed: tf.random_normal([2, 3, 4], seed=seed), ONE_SEED)
_add('truncated_normal/large', [5000], _floating('truncated_normal', 'float32'), ONE_SEED)

INT_RANGES = {
    'int32': [(0, 10), (-3, 4), (0, 2 ** 31 - 1), (-2 ** 31, 2 ** 31 - 1), (5, 6), (0, 1000003),
              (-1000, -3)],
    'int64': [(0, 10), (-3, 4), (0, 2 ** 40 + 7), (-2 ** 62, 2 ** 62), (0, 3)],
}


def _integers(low, high, dtype):
    return lambda tf, np, n, seed: tf.random_uniform([n], low, high, dtype=dtype, seed=seed)


for _dtype in ['int32', 'int64']:
    for _low, _high in INT_RANGES[_dtype]:
        _add('random_uniform/%s from %d to %d' % (_dtype, _low, _high), FEW_SIZES + [7],
             _integers(_low, _high, _dtype), ONE_SEED)
    _add('random_uniform/%s from 0 to 10' % _dtype, ALL_SIZES[3:5], _integers(0, 10, _dtype),
         OrderedDict([('graph', GRAPH), ('both', BOTH)]))

_add('random_shuffle/vector', ALL_SIZES, lambda tf, np, n,
     seed: tf.random_shuffle(tf.range(n), seed=seed))
_add('random_shuffle/matrix', [5], lambda tf, np, n, seed: tf.random_shuffle(
    tf.constant(np.arange(2 * n).reshape(n, 2)), seed=seed))
_add('random_shuffle/floats', [7], lambda tf, np, n, seed: tf.random_shuffle(
    tf.constant(np.arange(n) / 4.0), seed=seed), ONE_SEED)


def _multinomial(rows, dtype='int64'):
    def build(tf, np, n, seed):
        logits = np.log(np.array([[0.1, 0.2, 0.7], [0.5, 0.25, 0.25]], np.float32))[:rows]
        return tf.multinomial(tf.constant(logits), n, seed=seed, output_dtype=dtype)
    return build


_add('multinomial/one row', ALL_SIZES[:6], _multinomial(1))
_add('multinomial/two rows', [1, 5, 100], _multinomial(2))
_add('multinomial/int32', [5], _multinomial(2, 'int32'), ONE_SEED)
_add('multinomial/extreme logits', [10], lambda tf, np, n, seed: tf.multinomial(
    tf.constant([[1000.0, 0.0, 1000.0], [-1000.0, 0.0, float('-inf')]]), n, seed=seed), ONE_SEED)


def _gamma(alpha, beta=None, dtype='float32'):
    return lambda tf, np, n, seed: tf.random_gamma([n], alpha, beta, dtype=dtype, seed=seed)


_add('random_gamma/alpha 0.5', FEW_SIZES, _gamma(0.5))
_add('random_gamma/alpha 1', FEW_SIZES, _gamma(1.0))
_add('random_gamma/alpha 3', FEW_SIZES, _gamma(3.0))
_add('random_gamma/alpha 3 beta 2', [5], _gamma(3.0, 2.0))
_add('random_gamma/alpha 0.5,1.5', [5], _gamma([0.5, 1.5]))
_add('random_gamma/float64', FEW_SIZES, _gamma(2.5, None, 'float64'))


def _poisson(lam, dtype='float32'):
    return lambda tf, np, n, seed: tf.random_poisson(lam, [n], dtype=dtype, seed=seed)


_add('random_poisson/lam 0.5', FEW_SIZES, _poisson(0.5))
_add('random_poisson/lam 4', FEW_SIZES, _poisson(4.0))
_add('random_poisson/lam 30', FEW_SIZES, _poisson(30.0))
_add('random_poisson/lam 2,20', [5], _poisson([2.0, 20.0]))
_add('random_poisson/float64', [5], _poisson(4.0, 'float64'))

_add('random_crop/rows and columns', [6], lambda tf, np, n, seed: tf.random_crop(
    tf.constant(np.arange(n * n).reshape(n, n)), [2, 3], seed=seed))
_add('random_crop/image', [8], lambda tf, np, n, seed: tf.random_crop(
    tf.constant(np.arange(n * n * 3).reshape(n, n, 3)), [3, 3, 3], seed=seed))


def _dropout(**how):
    return lambda tf, np, n, seed: tf.nn.dropout(tf.ones([n]), seed=seed, **how)


_add('dropout/keep_prob 0.5', ALL_SIZES, _dropout(keep_prob=0.5))
_add('dropout/keep_prob 0.8', [7, 100], _dropout(keep_prob=0.8))
_add('dropout/rate 0.25', [7, 100], _dropout(rate=0.25))
_add('dropout/noise_shape', [6], lambda tf, np, n, seed: tf.nn.dropout(
    tf.ones([n, 4]), rate=0.5, noise_shape=[n, 1], seed=seed))
_add('dropout/float64', [7], lambda tf, np, n, seed: tf.nn.dropout(
    tf.ones([n], 'float64'), rate=0.5, seed=seed))
