import numpy as np

data = 'hello world, hello numpy'
chars = sorted(set(data))
index = {c: i for i, c in enumerate(chars)}
x = np.fromstring(''.join(chr(index[c]) for c in data), dtype=np.uint8)
batches = np.split(np.reshape(x, newshape=(2, -1)), 3, 1)
print(len(batches), batches[0].tolist(), batches[-1].dtype)
print(x.tostring() == bytes(bytearray(index[c] for c in data)))
