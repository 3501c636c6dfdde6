"""tf.contrib.learn: data sets from CSV files, replaced names."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf


def test_csv_datasets(tmp_path):
    path = tmp_path / 'table.csv'
    path.write_text('2,3,a,b\n1,2,3,0\n4,5,6,1\n')
    base = tf.contrib.learn.datasets.base
    table = base.load_csv_with_header(str(path), np.int64, np.float32)
    np.testing.assert_array_equal(table.data, [[1, 2, 3], [4, 5, 6]])
    np.testing.assert_array_equal(table.target, [0, 1])
    assert (table.data.dtype, table.target.dtype) == (np.float32, np.int64)
    with pytest.raises(ValueError, match='table.csv, line 1: '):
        base.load_csv_without_header(str(path), np.int64, np.float32)
    path.write_text('1,2,3\n4,5,6\n')
    plain = base.load_csv_without_header(str(path), np.int32, np.float64, target_column=0)
    np.testing.assert_array_equal(plain.target, [1, 4])
    path.write_text('7,2\n1,2,3\n')
    with pytest.raises(ValueError, match='declares 7 rows of 2 features.*there are 1 of 2'):
        base.load_csv_with_header(str(path), np.int64, np.float32)
    path.write_text('1,2,3\n4,5\n')
    with pytest.raises(ValueError, match='line 2: 2 columns, where the first row has 3'):
        base.load_csv_without_header(str(path), np.int64, np.float32)
    iris = tf.contrib.learn.datasets.load_dataset('iris')
    assert iris.data.shape == (150, 4) and np.bincount(iris.target).tolist() == [50, 50, 50]
    with pytest.raises(ValueError, match='not found: wine'):
        tf.contrib.learn.datasets.load_dataset('wine')


@pytest.mark.parametrize('name, hint', [
    ('DNNClassifier', 'numpy_input_fn'), ('SKCompat', 'train'), ('Experiment', 'train_and_eval'),
    ('infer_real_valued_columns_from_input', 'numeric_column')])
def test_replaced_names_have_a_hint(name, hint):
    with pytest.raises(AttributeError, match=f'Hint: .*{hint}'):
        getattr(tf.contrib.learn, name)
