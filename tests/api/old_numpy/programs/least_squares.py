import numpy as np
import tensorflow as tf

A = np.mat('1 1; 1 2; 1 3; 1 4').astype(np.float)
b = np.mat([[6.], [5.], [7.], [10.]])
with tf.Session() as sess:
    print(np.round_(sess.run(tf.matrix_solve_ls(tf.constant(A), tf.constant(b))), 4).tolist())
w, residuals, rank, _ = np.linalg.lstsq(A, b)
print(np.round_(w, 4).tolist(), rank, round(float(residuals), 4))
solved = np.linalg.solve(np.array([np.eye(2), 2 * np.eye(2)]), np.array([[1., 2.], [3., 4.]]))
print(solved.tolist())
