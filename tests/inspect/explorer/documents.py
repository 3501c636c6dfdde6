"""Documents for the page's tests: of a small network with Adam, and made up ones."""
from __future__ import annotations

import tinyflow as tf
from tinyflow.inspect.explorer.document import document


def network():
    """Two dense layers, a loss and Adam."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 8], name='x')
        hidden = tf.layers.dense(x, 4, tf.nn.relu)      # <b>not bold</b>
        output = tf.layers.dense(hidden, 1)
        with tf.name_scope('loss'):
            loss = tf.reduce_mean(tf.square(output))
        tf.train.AdamOptimizer().minimize(loss)
        tf.global_variables_initializer()
        made = document(graph, title='Network')
    made.setdefault('scopes', {})['dense'] = {'kind': 'layer', 'label': 'Dense(4, relu)'}
    return made


def chain(scopes, per_scope, **more):
    """A chain of nodes in scopes 'block_0', 'block_1', ..."""
    made = []
    for scope in range(scopes):
        for number in range(per_scope):
            node = {'n': f'block_{scope}/op_{number}', 'o': 'Neg', 't': [['float32', [None, 3]]]}
            if made:
                node['i'] = [[len(made) - 1, 0]]
            made.append(node)
    return {'format': 1, 'title': 'Chain', 'kind': 'graph', 'nodes': made, **more}


BAD = ['</script><script>window.harmed = 1</script>', '__proto__', 'constructor/prototype', 'a/',
       '/b', '"><img src=x onerror="window.harmed = 1">', '', '//', "'`${window.harmed = 1}\u2028",
       'a' * 10**6]


def hostile():
    """Every text of it tries to break the page; inputs and runs refer to what is not there."""
    made = [{'n': bad, 'o': bad[:200], 'k': bad[:9], 'p': bad[:9], 'd': bad, 's': [0, 1, bad],
             'w': bad, 'i': [[(number + 1) % len(BAD), 0], [99, -3], ['x', 0]], 'c': [-1],
             'v': 77, 'g': -5, 't': [[bad, None]], 'a': [[bad, bad]]}
            for number, bad in enumerate(BAD)]
    short = BAD[:-1]
    for node in made[::2]:
        del node['w']
    return {'format': 1, 'title': BAD[0], 'kind': 'graph', 'nodes': made,
            'scopes': {bad: {'kind': bad, 'label': bad} for bad in short},
            'rules': {bad: {'text': bad, 'source': bad} for bad in short}, 'repeats': [BAD, []],
            'files': [{'path': bad, 'first': 1, 'lines': [bad]} for bad in short],
            'runs': [{'fetches': short, 'order': [0], 'fate': {'0': {'why': BAD[0], 'into': 99}},
                      'seconds': {'0': 1e-3, '77': 2}, 'bytes': {'1': 8}}]}
