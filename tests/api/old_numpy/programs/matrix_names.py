import numpy as np

m = np.mat([[1., 2.], [3., 4.]])
print(type(m).__name__, (m * m).tolist(), m.I.tolist()[0], m.A.ravel().tolist())
print(np.row_stack([[1, 2], [3, 4]]).tolist(), np.cumproduct([1, 2, 3]).tolist())
print(np.float_(1), np.unicode_('a'), np.string_('b'), np.complex_(1j), np.int0(5), np.bool8(1))
print(np.issubdtype(np.float32, np.float), np.issubdtype(np.int32, np.int), np.nbytes[np.float32])
print(np.PINF, np.NINF, np.infty, np.isnan(np.NAN), np.cast['int32']([1.7]).tolist())
print(np.dtype(np.object), np.dtype(np.str), isinstance('a', np.str), isinstance(1.0, np.float))
