"""Graphs and SavedModels go between tinyflow and TensorFlow 1.15 and 2.15, both ways.

Run where TINYFLOW_TF115_PYTHON or TINYFLOW_TF215_PYTHON names a Python that has that TensorFlow.
"""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import warnings

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.encoding import decode, encode
from tests.golden.file_programs import FILE_PROGRAMS
from tests.golden.programs import PROGRAMS
from tests.golden.programs.registry import family

pytestmark = pytest.mark.parity
HERE = pathlib.Path(__file__).resolve().parent
INTERPRETERS = {version: os.environ.get(f'TINYFLOW_TF{version}_PYTHON')
                for version in ('115', '215')}
each_tensorflow = pytest.mark.parametrize('python', [
    pytest.param(path, id=f'tf{version}',
                 marks=[] if path else pytest.mark.skip(f'TINYFLOW_TF{version}_PYTHON not set'))
    for version, path in INTERPRETERS.items()])

# Programs that cannot be compared after a trip through a file, or with another version.
# Families of golden/programs whose graphs hold Python functions, files or a pipeline's state.
APART_FAMILIES = ('datasets', 'queues', 'saving')
APART = {
    'dataset_from_generator': 'calls a Python function of this process',
    'dataset_feeds_a_model': 'TensorFlow 2.15 shuffles otherwise',
    'dataset_map_draws': 'TensorFlow 2.15 draws otherwise',
    'dataset_options': 'TensorFlow 2.15 shuffles otherwise',
    'dataset_shuffles': 'TensorFlow 2.15 shuffles otherwise',
    'dataset_shuffles_by_graph_seed': 'TensorFlow 2.15 shuffles otherwise',
    'candidate_samplers_with_repeats': 'TensorFlow 2.15 refuses a class that 1.15 takes',
    'dataset_pipeline': 'TensorFlow 2.15 shuffles otherwise',
    'matrix_factorization': 'fetches a loss and the update that changes it; TensorFlow may '
                            'compute it before or after',
    'matrix_exponential': 'an op that TensorFlow 1.15 refuses in new graphs',
    'rnn_dynamic_seeds': 'TensorFlow draws the steps of a loop in the order of its threads',
    'seq2seq_scheduled_output': 'TensorFlow draws the steps of a loop in the order of its threads',
    'running_logsumexp': 'the least float in TensorFlow 1.15 is minus infinity in 2.15',
    'seeds_in_and_after_arrays': 'TensorFlow draws the steps of a loop in the order of its threads',
    'seeds_in_and_after_loops': 'TensorFlow draws the steps of a loop in the order of its threads',
    'seq2seq_beam_search': 'TensorFlow finds GatherTree only after importing tf.contrib',
    'seq2seq_pieces': 'TensorFlow finds GatherTree only after importing tf.contrib',
    'word_embeddings': 'TensorFlow 2.15 samples candidates otherwise',
}


def names(fetches):
    """The names of all tensors and operations in a nest of fetches."""
    if isinstance(fetches, (list, tuple)):
        return [n for f in fetches for n in names(f)]
    if isinstance(fetches, dict):
        return [n for key in sorted(fetches) for n in names(fetches[key])]
    if hasattr(fetches, 'indices') and hasattr(fetches, 'dense_shape'):
        return names(fetches.values) + names(fetches.indices)
    return [fetches if isinstance(fetches, str) else fetches.name]


def flat_feeds(feeds):
    """(tensor name, array) pairs; a SparseTensor is fed by its three parts."""
    for key, value in feeds.items():
        if hasattr(key, 'dense_shape') and hasattr(key, 'indices'):
            parts = zip((key.indices, key.values, key.dense_shape), value)
            yield from ((part.name, np.asarray(array)) for part, array in parts)
        else:
            yield names(key)[0], np.asarray(value)


def write(folder, name, build):
    """Writes a program's graph and its runs; the values here. None if it cannot be built."""
    with tf.Graph().as_default() as graph:
        try:
            runs = [(names(f), dict(flat_feeds(feeds or {})))
                    for f, feeds in build(tf, np)]
            records = [{'fetches': f, 'feeds': {k: encode(v) for k, v in feeds.items()}}
                    for f, feeds in runs]
        except (NotImplementedError, AttributeError, ImportError, UnicodeDecodeError):
            return None
        if any(op.type.startswith('PyFunc') for op in graph.get_operations()):
            return None                             # calls Python functions of this process
        with tf.Session() as session:
            try:
                values = [session.run(f, feeds) for f, feeds in runs]
            except tf.errors.OpError:               # a program about an error
                return None
        (folder / f'{name}.pb').write_bytes(graph.as_graph_def().SerializeToString())
        (folder / f'{name}.json').write_text(json.dumps(records))
        return values


def differences(name, ours, theirs):
    """What is not equal; a few steps of training amplify the last bits of each."""
    if isinstance(theirs, str):
        return [f'{name}: {theirs[:300]}']
    found = []
    for i, (mine, other) in enumerate(zip(ours, decode(theirs))):
        for a, b in zip(mine, other):
            a = np.asarray(a)
            if b is None or a.dtype.kind in 'OSU':
                continue
            if not np.allclose(a, b, rtol=1e-3, atol=1e-3, equal_nan=True):
                found.append(f'{name}, run {i}: {a} here, {b} there')
    return found


@each_tensorflow
def test_tensorflow_runs_our_graphs(tmp_path, python):
    values = {}
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        for name, build in {**PROGRAMS, **FILE_PROGRAMS}.items():
            if name not in APART and family(build) not in APART_FAMILIES:
                values[name] = write(tmp_path, name, build)
    subprocess.run([python, '-W', 'ignore', str(HERE / 'run_graphs.py'), str(tmp_path)],
                   check=True, capture_output=True)
    problems, compared = [], 0
    for name, ours in values.items():
        if ours is not None:
            theirs = json.loads((tmp_path / f'{name}.out').read_text())
            problems += differences(name, ours, theirs)
            compared += 1
    assert not problems, '\n'.join(problems)
    assert compared > 250


@each_tensorflow
def test_saved_models_both_ways(tmp_path, python):
    from tests.parity import run_saved_model
    script, data = str(HERE / 'run_saved_model.py'), tmp_path / 'data.json'
    theirs, ours = str(tmp_path / 'theirs'), str(tmp_path / 'ours')
    subprocess.run([python, '-W', 'ignore', script, 'save', theirs, str(data)], check=True,
                   capture_output=True)
    recorded = json.loads(data.read_text())
    x, y = decode(recorded['x']), decode(recorded['y'])
    value = tf.saved_model.load(theirs).signatures['serving_default'](x=x)['y']
    np.testing.assert_allclose(value, y, rtol=1e-5)
    with tf.Graph().as_default():
        expected = decode(run_saved_model.save(tf, ours)['y'])
    subprocess.run([python, '-W', 'ignore', script, 'load', ours, str(data)], check=True,
                   capture_output=True)
    np.testing.assert_allclose(decode(json.loads(data.read_text())['y']), expected, rtol=1e-5)
