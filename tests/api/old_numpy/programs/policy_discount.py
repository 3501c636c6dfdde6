import numpy as np
import tensorflow as tf

def discount(rewards, gamma=np.float32(0.9)):
    out = np.zeros_like(rewards, dtype=np.float)
    running = 0
    for t in reversed(range(len(rewards))):
        running = running * gamma + rewards[t]
        out[t] = running
    return out

out = discount(np.array([1, 0, 0, 2]))
logits = tf.placeholder(tf.float32, [1, 2])
with tf.Session() as sess:
    p = sess.run(tf.nn.softmax(logits), {logits: [[0.2, 0.4]]})
action = np.random.RandomState(0).choice(2, 1, p=p.ravel() / p.sum().astype(np.float64))
print(out, '%d' % action, int(action))
