import numpy as np
import pickle

images = (np.arange(2 * 3072) % 256).astype(np.uint8)
text = pickle.dumps({b'data': images.reshape(2, 3072), b'labels': [1, 9]}, protocol=2)
batch = pickle.loads(text, encoding='bytes')
x = np.asarray(batch[b'data'], dtype=np.float).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
x = np.array(x, copy=False) / 255.0
one_hot = np.eye(10, dtype=np.float)[batch[b'labels']]
print(x.shape, x.dtype, round(float(x.mean()), 6), one_hot.argmax(1))
