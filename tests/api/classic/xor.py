import numpy as np
import tensorflow as tf

x_data = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.float32)
y_data = np.array([[0], [1], [1], [0]], dtype=np.float32)

tf.set_random_seed(777)

X = tf.placeholder(tf.float32, [None, 2], name='x-input')
Y = tf.placeholder(tf.float32, [None, 1], name='y-input')

with tf.name_scope("layer1"):
    W1 = tf.Variable(tf.random_normal([2, 4]), name='weight1')
    b1 = tf.Variable(tf.random_normal([4]), name='bias1')
    layer1 = tf.sigmoid(tf.matmul(X, W1) + b1)

with tf.name_scope("layer2"):
    W2 = tf.Variable(tf.random_normal([4, 1]), name='weight2')
    b2 = tf.Variable(tf.random_normal([1]), name='bias2')
    hypothesis = tf.sigmoid(tf.matmul(layer1, W2) + b2)

with tf.name_scope("cost"):
    cost = -tf.reduce_mean(Y * tf.log(hypothesis) + (1 - Y) * tf.log(1 - hypothesis))

with tf.name_scope("train"):
    train = tf.train.AdamOptimizer(learning_rate=0.05).minimize(cost)

predicted = tf.cast(hypothesis > 0.5, dtype=tf.float32)
accuracy = tf.reduce_mean(tf.cast(tf.equal(predicted, Y), dtype=tf.float32))

sess = tf.InteractiveSession()
sess.run(tf.global_variables_initializer())

for step in range(401):
    _, cost_val = sess.run([train, cost], feed_dict={X: x_data, Y: y_data})
    if step % 100 == 0:
        print(step, cost_val)

print("W1", W1.eval().round(3).tolist(), "b2", b2.eval().round(3).tolist())
h, c, a = sess.run([hypothesis, predicted, accuracy], feed_dict={X: x_data, Y: y_data})
print("Hypothesis:", h.round(3).tolist(), "Correct:", c.tolist(), "Accuracy:", a)
print([op.name for op in tf.get_default_graph().get_operations()
       if op.name.startswith("layer2") and "_grad" not in op.name][:8])
sess.close()
