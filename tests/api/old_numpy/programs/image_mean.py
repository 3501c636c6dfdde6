import numpy as np

images = [np.full((2, 2), v, dtype=np.uint8) for v in (10, 200, 250)]
total = images[0][0, 0] + 0
for im in images[1:]:
    total = total + im[0, 0]
print(total, int(total) / 3)
noisy = np.clip(images[1] + np.array([[100, -300], [0, 3]]), 0, 255).astype(np.uint8)
print(noisy.tolist())
print(np.array([-1, 256, 300], dtype=np.uint8).tolist(), np.uint8(-2))
