"""What the functions of mathematics refuse before any node is made, with TF1's error classes."""
import pytest

import tinyflow as tf

REDUCTIONS = ['sum', 'mean', 'prod', 'max', 'min', 'all', 'any', 'logsumexp']


def zeros(*shape):
    return tf.zeros(shape)


@pytest.mark.parametrize('name', REDUCTIONS)
def test_old_and_new_names_of_an_argument_exclude_each_other(name):
    reduce = getattr(tf, f'reduce_{name}')
    with pytest.raises(ValueError, match="both 'reduction_indices' and 'axis'"):
        reduce(zeros(2), 0, reduction_indices=[0])
    with pytest.raises(ValueError, match="both 'keep_dims' and 'keepdims'"):
        reduce(zeros(2), keepdims=True, keep_dims=True)


VALUE_ERRORS = {
    'add_n of nothing': lambda: tf.add_n([]),
    'add_n of one tensor': lambda: tf.add_n(zeros(2)),
    'accumulate_n of nothing': lambda: tf.accumulate_n([]),
    'accumulate_n of two dtypes': lambda: tf.accumulate_n([zeros(2), tf.zeros([2], tf.int32)]),
    'accumulate_n of two shapes': lambda: tf.accumulate_n([zeros(2, 3), zeros(3)]),
    'scalar_mul by a vector': lambda: tf.scalar_mul(zeros(2), zeros(2)),
    'matmul transposed and adjoint': lambda: tf.matmul(zeros(2, 2), zeros(2, 2), transpose_a=True,
                                                       adjoint_a=True),
    'tensordot of unequal lists': lambda: tf.tensordot(zeros(2, 3), zeros(3, 2), [[0, 1], [0]]),
    'tensordot of three lists': lambda: tf.tensordot(zeros(2, 3), zeros(3, 2), [[0], [0], [0]]),
    'tensordot of negative axes': lambda: tf.tensordot(zeros(2, 3), zeros(3, 2), -1),
    'tensordot of too many axes': lambda: tf.tensordot(zeros(2, 3), zeros(3, 2), 3),
    'einsum of too few inputs': lambda: tf.einsum('ij,jk->ik', zeros(2, 3)),
    'einsum of a diagonal': lambda: tf.einsum('ii,ij->j', zeros(2, 2), zeros(2, 2)),
    'einsum of strange signs': lambda: tf.einsum('ij;jk', zeros(2, 2), zeros(2, 2)),
    'einsum of a wrong rank': lambda: tf.einsum('ijk,jk->i', zeros(2, 2), zeros(2, 2)),
    'einsum to an unknown label': lambda: tf.einsum('ij,jk->il', zeros(2, 2), zeros(2, 2)),
    'norm of negative order': lambda: tf.norm(zeros(2, 2), ord=-1),
    'norm fro of a vector': lambda: tf.norm(zeros(2), 'fro'),
    'norm of one axis twice': lambda: tf.norm(zeros(2, 2), axis=[0, 0]),
    'norm of a matrix, order 3': lambda: tf.norm(zeros(2, 2), 3, axis=[0, 1]),
    'norm of an odd axis': lambda: tf.norm(zeros(2, 2), axis=0.5),
    'eye of negative size': lambda: tf.eye(-1),
    'another diagonal': lambda: tf.matrix_diag(zeros(2), k=1),
}
TYPE_ERRORS = {
    'accumulate_n of another dtype': lambda: tf.accumulate_n([zeros(2)], tensor_dtype=tf.int32),
    'truediv of two dtypes': lambda: tf.truediv(tf.constant(1), tf.constant(1.0)),
    'truediv of booleans': lambda: tf.truediv(tf.constant(True), tf.constant(True)),
    'complex of integers': lambda: tf.complex(tf.constant(1.0), tf.constant(1)),
    'conj of booleans': lambda: tf.conj(tf.constant(True)),
    'einsum of strange arguments': lambda: tf.einsum('ij->ji', zeros(2, 2), key=1),
    'a float added to integers': lambda: tf.constant([1]) + 1.5,
    'a product of two dtypes': lambda: tf.constant(1) * tf.constant(1.0),
    'matmul of an integer list': lambda: tf.matmul(zeros(1, 2), [[1], [2]]),
}


@pytest.mark.parametrize('call', VALUE_ERRORS.values(), ids=VALUE_ERRORS.keys())
def test_value_errors(call):
    with tf.Graph().as_default(), pytest.raises(ValueError):
        call()


@pytest.mark.parametrize('call', TYPE_ERRORS.values(), ids=TYPE_ERRORS.keys())
def test_type_errors(call):
    with tf.Graph().as_default(), pytest.raises(TypeError):
        call()
