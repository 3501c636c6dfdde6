"""The nodes of each optimizer's step, and what three steps do. Runs under Python 3.7, too."""
import numpy as np


def optimizers(O):
    return [('sgd', lambda: O.SGD(.1)),
            ('momentum', lambda: O.SGD(.1, momentum=.9, nesterov=True)),
            ('decay', lambda: O.SGD(.1, decay=.1)), ('rmsprop', lambda: O.RMSprop()),
            ('rmsprop both', lambda: O.RMSprop(momentum=.5, centered=True)),
            ('rmsprop centered', lambda: O.RMSprop(centered=True)),
            ('adagrad', lambda: O.Adagrad()), ('adadelta', lambda: O.Adadelta()),
            ('adam', lambda: O.Adam()), ('amsgrad', lambda: O.Adam(amsgrad=True)),
            ('adamax', lambda: O.Adamax()), ('nadam', lambda: O.Nadam()),
            ('ftrl', lambda: O.Ftrl())]


def run(tf):
    return {name + ' ' + kind: one(tf, make, kind == 'sparse')
            for name, make in optimizers(tf.keras.optimizers) for kind in ('dense', 'sparse')}


def one(tf, make, sparse):
    with tf.Graph().as_default() as graph:
        w = tf.Variable(np.ones((4, 3), 'f'), use_resource=True, name='w')
        if sparse:
            gradient = tf.IndexedSlices(
                tf.constant(np.arange(9.).reshape(3, 3).astype('f')), tf.constant([0, 2, 0]),
                tf.constant([4, 3]))
        else:
            gradient = tf.constant(np.full((4, 3), .5, 'f'))
        before = len(graph.get_operations())
        optimizer = make()
        step = optimizer.apply_gradients([(gradient, w)])
        nodes = [[op.name, op.type] for op in graph.get_operations()[before:]]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run([v.initializer for v in optimizer.weights])
            for _ in range(3):
                session.run(step)
            value = np.round(session.run(w).astype('d'), 6).tolist()
    return {'nodes': nodes, 'value': value}
