"""The text of recorded files: what is written is read back, in one form only."""
from __future__ import annotations

import json

import numpy as np
import pytest

from tests.golden import encoding, store
from tests.golden.nodes import parse_nodes, read_node_texts, write_node_lists

FILES = sorted(path.name[:-len('.json')] for path in store.FOLDER.glob('*.json'))
NODE_FILES = sorted(store.FOLDER.glob('nodes/*.txt'))

NODES = [
    ['x', 'Placeholder', [], ['float32[?,2]', 'int32[...]'], [], '/job:ps'],
    ['a/b/c', 'Const', [], ['string[]'], ['a/b', 'x'], ''],
    ['a/b/c_1', 'Add', ['a/b/c:0', 'x:1', '^a/b/c'], [], ['a/b/c', 'a/b/c_1/d', 'a/z/b'], '/cpu:0'],
    ['a/b', 'Mul', ['a/b/c:0', 'a/b/c_1:0', 'x:0'], ['float32[]'], [], ''],
    ['a/b_1/c', 'c', ['a/b/c:0', 'a/b:0', 'a/b_1/c/d:0', '^x'], [], [], ''],
    ['a/long_scope/deep/down/c', 'Const', ['other/c:0', 'a/z:0'], [], ['a/long_scope/b'], ''],
    ['a/b/c_2', 'NoOp', ['^a/b/c_2/d'], [], [], ''],
]


def test_node_lists_are_read_as_written(tmp_path):
    lists = {'one': NODES, 'two\tnodes': NODES[:3], 'again': list(NODES), 'none': []}
    path = tmp_path / 'nodes.txt'
    write_node_lists(path, lists)
    assert {title: parse_nodes(text) for title, text in read_node_texts(path).items()} == lists
    assert path.read_text().count('Placeholder') == 2, 'equal lists are written once'


@pytest.mark.parametrize('value', [
    np.float32([[0.1, -0.0, 1e-40], [3.0, np.nan, -np.inf]]), np.float16([0.1]),
    np.float64([0.1, 1e300, 2.0**60]), np.complex64([1 + 0.1j, -0.0]), np.int64(2**62),
    np.array([True, False]), np.zeros([2, 0, 3], np.uint8)], ids=str)
def test_arrays_keep_their_bits(value):
    value = np.asarray(value)
    back = encoding.decode(json.loads(json.dumps(encoding.encode(value))))
    assert back.dtype == value.dtype and back.shape == value.shape
    np.testing.assert_array_equal(back, value)
    np.testing.assert_array_equal(np.signbit(back.real), np.signbit(value.real))


def test_nests_and_strings():
    value = [None, {'a': np.array([b'x', 'ü'.encode()], object)}, (np.float32(1), [])]
    back = encoding.decode(encoding.encode(value))
    assert back[0] is None and back[1]['a'].tolist() == [b'x', 'ü'.encode()]
    assert back[2] == [np.float32(1), []]


@pytest.mark.parametrize('name', FILES)
def test_values_are_as_the_recorder_writes_them(name):
    """Nobody edited the file, and a recording changes only lines whose values change."""
    path = store.FOLDER / f'{name}.json'
    text = path.read_text(encoding='utf-8')
    assert encoding.json_text(json.loads(text)) == text


@pytest.mark.parametrize('path', NODE_FILES, ids=lambda path: path.stem)
def test_nodes_are_as_the_recorder_writes_them(path, tmp_path):
    lists = {title: parse_nodes(text) for title, text in read_node_texts(path).items()}
    if not path.stem.startswith('programs.'):
        lists = {title: [row[:2] for row in rows] for title, rows in lists.items()}
    write_node_lists(tmp_path / 'again.txt', lists)
    assert (tmp_path / 'again.txt').read_text() == path.read_text()
