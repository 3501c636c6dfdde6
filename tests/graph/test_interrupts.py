"""Ctrl-C may come at any line of tinyflow while a graph is built; the graph stays usable."""
import linecache
import sys

import pytest

import tinyflow as tf
from tinyflow.graph.stacks import stacks


class _Interrupt:
    """A trace function that raises KeyboardInterrupt at the n-th line run inside tinyflow."""

    def __init__(self, at):
        self.left = at

    def __call__(self, frame, event, argument):
        inside = '/tinyflow/' in frame.f_code.co_filename.replace('\\', '/')
        if event == 'line' and inside and frame.f_code.co_name != '__exit__':
            self.left -= 1
            # An interrupt of the very line that restores cannot be made good.
            if self.left <= 0 and not _restores(frame):
                raise KeyboardInterrupt
        return self if inside or event != 'call' else None


def _restores(frame):
    line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    return line.strip().endswith('_name_stack = outer')


def build():
    with tf.name_scope('outer'):
        x = tf.placeholder(tf.float32, [2], name='x')
        with tf.name_scope('inner'):
            return tf.gradients(tf.square(x), x)


def interrupted(at):
    """Whether build() was interrupted at its `at`-th line, and not over before."""
    tracer = _Interrupt(at)
    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        build()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


@pytest.mark.slow
@pytest.mark.parametrize('start', range(8))
def test_the_name_scope_is_closed_whenever_the_interrupt_comes(start):
    at = start + 1
    while True:
        graph = tf.Graph()
        with graph.as_default():
            came = interrupted(at)
            assert graph._name_stack == '', f'left open by an interrupt at line {at}'
            assert stacks.graphs == [graph]
            if graph.get_operations() or not came:
                assert tf.zeros([], name='after').name == 'after:0'
        if not came:
            break
        at += 8
    assert at > 100
