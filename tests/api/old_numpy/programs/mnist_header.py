import gzip
import io
import numpy as np

def read32(stream):
    dt = np.dtype(np.uint32).newbyteorder('>')
    return np.frombuffer(stream.read(4), dtype=dt)

raw = np.array([2051, 2, 2, 2], np.uint32).newbyteorder('>').byteswap().tostring() + bytes(range(8))
with gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(raw))) as stream:
    magic = int(read32(stream))
    n, rows, cols = [int(read32(stream)) for _ in range(3)]
    data = np.frombuffer(stream.read(n * rows * cols), dtype=np.uint8).reshape(n, rows, cols, 1)
print(magic, data.shape, '%d images' % n, data.max())
