import os
import tempfile
import numpy as np

folder = tempfile.mkdtemp()
path = os.path.join(folder, 'weights.npy')
np.save(path, {'conv1': [np.ones((2, 2)), np.zeros(2)]})
try:
    np.load(path)
except ValueError as error:
    print('refused', 'allow_pickle' in str(error))
weights = np.load(path, allow_pickle=True, encoding='latin1').item()
print(sorted(weights), weights['conv1'][0].tolist())
np.save(path, [[1, 2], [3]])
print(np.load(path, allow_pickle=True).tolist())
