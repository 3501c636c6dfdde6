"""Documents for the page's tests: of a small network with Adam, and made up ones."""
from __future__ import annotations

import tinyflow as tf

KINDS = {'Placeholder': 'placeholder', 'Const': 'constant', 'VariableV2': 'variable'}
SOURCE = ['import tinyflow as tf', '', 'x = tf.placeholder(tf.float32, [None, 8])',
          'loss = network(x)  # <b>not bold</b>']


def network():
    """Two dense layers, a loss and Adam, as nodes of a document."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 8], name='x')
        hidden = tf.layers.dense(x, 4, tf.nn.relu)
        output = tf.layers.dense(hidden, 1)
        with tf.name_scope('loss'):
            loss = tf.reduce_mean(tf.square(output))
        tf.train.AdamOptimizer().minimize(loss)
        tf.global_variables_initializer()
    return {'format': 1, 'title': 'Network', 'kind': 'graph', 'nodes': nodes(graph),
            'scopes': {'dense': {'kind': 'layer', 'label': 'Dense(4, relu)'}},
            'files': [{'path': 'train.py', 'first': 1, 'lines': SOURCE}],
            'rules': {'MatMul': {'text': 'Two products.', 'source': 'def gradient(op, dz): ...'}}}


def nodes(graph):
    operations = graph.get_operations()
    index = {operation: number for number, operation in enumerate(operations)}
    variables = {v.op.name: index[v.op] for v in graph.get_collection('variables')}
    forward = {operation.name: number for operation, number in index.items()}
    made = []
    for operation in operations:
        node = {'n': operation.name, 'o': operation.type, 's': [0, 4, '<module>'],
                't': [[t.dtype.name, t.shape.as_list() if t.shape.ndims is not None else None]
                      for t in operation.outputs],
                'i': [[index[t.op], t.value_index] for t in operation.inputs],
                'c': [index[before] for before in operation.control_inputs]}
        if operation.type in KINDS:
            node['k'] = KINDS[operation.type]
        part = part_of(operation)
        if part:
            node['p'] = part
        if part == 'gradient' and '_grad' in operation.name:
            source = operation.name[:operation.name.index('_grad')].split('/', 1)[1]
            node.update({'g': forward[source]} if source in forward else {})
        owners = [name for name in variables if operation.name.startswith(name + '/')]
        if owners:
            node['v'] = variables[min(owners, key=len)]
        made.append(node)
    return made


def part_of(operation):
    top = operation.name.split('/')[0]
    if top in ('gradients', 'Adam'):
        return {'gradients': 'gradient', 'Adam': 'optimizer'}[top]
    if 'Adam' in operation.name:
        return 'optimizer'
    return 'init' if operation.type == 'Assign' or 'Initializer' in operation.name or (
        top == 'init') else None


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
