"""Messages about summaries."""
from __future__ import annotations

import pytest

import tinyflow as tf
from tests.messages.support import check_message, check_mistake, run_all

pytestmark = pytest.mark.usefixtures('graph')


def test_merge_all_without_summaries_is_explained():
    tf.constant(1.0)
    with tf.Session() as sess:
        check_message(TypeError, lambda: sess.run(tf.summary.merge_all()), 'merge_all',
                      'no summaries')


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'merge_all without summaries': (
        lambda: run_all(tf.summary.merge_all()), TypeError, ['Hint: ', 'merge_all']),
    'a scalar summary of a vector': (
        lambda: run_all(tf.summary.scalar('a', tf.zeros([3]))), tf.errors.InvalidArgumentError,
        ['[] != [3]', 'Hint: ', 'tf.summary.histogram']),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_explained(name):
    check_mistake(*MISTAKES[name])
