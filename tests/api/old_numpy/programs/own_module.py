import numpy as np
from helpers import batches, ragged

print([b.tolist() for b in batches(np.arange(5), 2)])
print(ragged().dtype, ragged().shape)
