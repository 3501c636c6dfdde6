import numpy as np
import tensorflow as tf

rows = np.arange(5)
x = tf.placeholder(tf.int64, [None])
doubled = x * 2
with tf.Session() as sess:
    while rows.size:
        batch, rows = rows[:2], rows[2:]
        print(sess.run(doubled, {x: batch}))
        rest = rows[2:]
        if not rest:
            print('the last batch:', rows)
            break
found = np.where(np.zeros(3) > 1)[0]
print('some' if found else 'none', np.zeros(3) == np.zeros(2), found == [])
