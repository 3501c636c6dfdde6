"""A worker that does what the others do not: python FILE graph|raise|exit"""
import sys

import tinyflow as tf

strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy()
rank, kind = strategy.extended._group.rank, sys.argv[1]
with strategy.scope():
    name = 'own' if kind == 'graph' and rank == 1 else 'shared'
    v = tf.get_variable(name, initializer=tf.ones([3]))
    total = strategy.reduce('SUM', strategy.experimental_run_v2(lambda: v * 2.))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(100):
        session.run(total)
        if rank == 1 and step == 5:
            if kind == 'raise':
                raise RuntimeError('the mistake of worker 1')
            if kind == 'exit':
                sys.exit(3)
