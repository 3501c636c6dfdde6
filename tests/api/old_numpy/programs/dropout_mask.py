import numpy as np

np.random.seed(4)
keep = np.float32(0.8)
x = np.ones((2, 5), np.float32)
mask = np.random.rand(2, 5) < keep
out = x * mask / keep
print(out.dtype, out.tolist())
scale = keep * 2 + 0.1
print(scale, type(scale).__name__, (x * np.float64(0.1)).dtype)
