"""Ready-made estimators: TensorFlow's checkpoints here, those from here and exports there."""
from __future__ import annotations

import json

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.estimator import canned_cases
from tests.golden.estimator.canned_cases import CHECKED
from tests.parity.interpreters import interpreter, run_script

pytestmark = pytest.mark.parity
TF115, TF215 = 'TINYFLOW_TF115_PYTHON', 'TINYFLOW_TF215_PYTHON'


def _same(folder, name, wanted):
    found = json.loads((folder / f'{name}.json').read_text())
    assert set(found) >= set(wanted)
    for key, value in wanted.items():
        _compare(found[key], value, f'{name} {key}')


def _compare(found, wanted, what):
    if isinstance(wanted, dict):
        assert set(found) == set(wanted), what
        for key in wanted:
            _compare(found[key], wanted[key], f'{what} {key}')
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], dict):
        for one, other in zip(found, wanted):
            _compare(one, other, what)
    elif np.ravel(wanted).size and isinstance(np.ravel(wanted)[0], str):
        np.testing.assert_array_equal(found, wanted, err_msg=what)
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=what)


def test_tensorflow_reads_checkpoints_from_here_and_trains_on(tmp_path):
    interpreter(TF115)                  # skips at once where there is none
    wanted = {}
    for name in CHECKED:
        case = canned_cases.cases(tf)[name]
        model, _ = canned_cases.train(tf, case, str(tmp_path / name))
        wanted[name] = canned_cases.results(tf, case, model)
    run_script(TF115, 'canned_estimators.py', 'read', tmp_path)
    for name, results in wanted.items():
        _same(tmp_path, name, {**results, 'steps': canned_cases.STEPS + 3})


def test_checkpoints_of_tensorflow_are_read_here(tmp_path):
    run_script(TF115, 'canned_estimators.py', 'train', tmp_path)
    for name in CHECKED:
        case = canned_cases.cases(tf)[name]
        model = case.make(canned_cases.Columns(tf), config=tf.estimator.RunConfig(
            model_dir=str(tmp_path / name)))
        _same(tmp_path, name, canned_cases.results(tf, case, model))
        model.train(canned_cases.input_fn(tf, case.labels, True), steps=3)
        assert model.get_variable_value('global_step') == canned_cases.STEPS + 3


@pytest.mark.parametrize('version', [TF115, TF215])
def test_tensorflow_serves_what_was_exported_here(version, tmp_path):
    interpreter(version)
    wanted = {}
    examples = _examples(5)
    np.save(tmp_path / 'sizes.npy', [len(e) for e in examples])
    width = max(map(len, examples))
    np.save(tmp_path / 'examples.npy',
            np.array([list(e.ljust(width, b'\0')) for e in examples], np.uint8))
    columns = canned_cases.Columns(tf)
    receiver = tf.estimator.export.build_parsing_serving_input_receiver_fn(
        tf.feature_column.make_parse_example_spec([*columns.dense, *columns.wide]))
    for name in ('dnn_classifier_3', 'combined_classifier', 'linear_regressor',
                 'dnn_multi_head'):
        case = canned_cases.cases(tf)[name]
        model, _ = canned_cases.train(tf, case, str(tmp_path / 'models' / name))
        model.export_saved_model(str(tmp_path / 'saved' / name), receiver)
        rows = canned_cases.results(tf, case, model)['predictions'][:5]
        wanted[name] = {key.replace('|', '/'): [row[key] for row in rows] for key in rows[0]}
    run_script(version, 'canned_estimators.py', 'serve', tmp_path)
    for name, predictions in wanted.items():
        _same(tmp_path, name, predictions)


def _examples(count):
    train, table = tf.train, canned_cases
    found = []
    for row in range(count):
        features = {
            'x': train.Feature(float_list=train.FloatList(value=table.X[row])),
            'age': train.Feature(float_list=train.FloatList(value=[table.AGE[row]])),
            'town': train.Feature(bytes_list=train.BytesList(value=[table.TOWN[row].encode()])),
            'size': train.Feature(int64_list=train.Int64List(value=[table.SIZE[row]]))}
        found.append(train.Example(
            features=train.Features(feature=features)).SerializeToString())
    return found
