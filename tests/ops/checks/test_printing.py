"""tf.Print, tf.print, tf.strings.format: printed where the caller sees it."""
import sys

import numpy as np
import pytest

import tinyflow as tf

pytestmark = pytest.mark.usefixtures('graph')


def test_print_goes_to_the_callers_stdout(capsys):
    x = tf.placeholder(tf.float32, [4])
    y = tf.Print(x, [x, tf.shape(x), 'end'], message='x is ', summarize=2) * 2
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(y, {x: [1, 2, 3, 4]}), [2, 4, 6, 8])
    captured = capsys.readouterr()
    assert captured.out == 'x is [1 2...][4][end]\n' and captured.err == ''


def test_first_n_counts_in_each_session(capsys):
    x = tf.Print(tf.constant(1.0), ['now'], first_n=2)
    for _ in range(2):
        with tf.Session() as session:
            for _ in range(4):
                session.run(x)
    assert capsys.readouterr().out.count('[now]') == 4


def test_print_passes_the_gradient():
    x = tf.placeholder(tf.float32)
    slope, = tf.gradients(tf.Print(x * x, []), x)
    with tf.Session() as session:
        assert session.run(slope, {x: 3.0}) == 6.0


def test_print_statement_waits_as_a_control_dependency(capsys):
    x = tf.constant([1, 2, 3])
    with tf.control_dependencies([tf.print('x', x, {'k': [x, 'v']}, None)]):
        y = tf.identity(x)
    with tf.Session() as session:
        session.run(y)
    assert capsys.readouterr().err == "x [1 2 3] {'k': [[1 2 3], 'v']} None\n"


def test_streams(capsys, caplog, tmp_path):
    path = tmp_path / 'log.txt'
    fetches = [tf.print('a', tf.constant(1), sep='|', end='!', output_stream=sys.stdout),
               tf.print('to a file', output_stream=f'file://{path}'),
               tf.print('an error', output_stream=tf.logging.error)]
    with tf.Session() as session:
        session.run(fetches)
    captured = capsys.readouterr()
    assert captured.out == 'a|1!' and 'an error' in caplog.text + captured.err
    assert path.read_text() == 'to a file\n'
    with pytest.raises(ValueError, match='Unknown output stream'):
        tf.print('x', output_stream='nowhere')
    with pytest.raises(ValueError, match='Unrecognized keyword'):
        tf.print('x', ending='')


def test_sparse_tensors_and_braces(capsys):
    with tf.Session() as session:
        session.run(tf.print(tf.SparseTensor([[0, 0]], [1.0], [2, 2])))
        session.run(tf.print('{}', tf.constant(3)))
    assert capsys.readouterr().err == \
        "'SparseTensor(indices=[[0 0]], values=[1], shape=[2 2])'\n{} 3\n"
