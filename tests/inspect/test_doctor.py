"""tf.doctor: likely mistakes found before any run; and the warnings that a first run gives."""
from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.graph.support.errors import TinyflowWarning

pytestmark = pytest.mark.usefixtures('graph')


def ids(report):
    return [finding.id for finding in report]


def healthy():
    x = tf.placeholder(tf.float32, [None, 4])
    labels = tf.placeholder(tf.int32, [None])
    logits = tf.layers.dense(x, 3)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    return tf.train.AdamOptimizer().minimize(loss), loss


def test_a_healthy_graph():
    step, loss = healthy()
    report = tf.doctor(tf.get_default_graph(), [step, loss])
    assert report.ok and len(report) == 0 and 'no problems found' in str(report)
    assert tf.doctor().ok
    assert tf.doctor([step, loss]).ok


def test_vector_and_column():
    y = tf.placeholder(tf.float32, [None])
    prediction = tf.layers.dense(tf.placeholder(tf.float32, [None, 3]), 1)
    loss = tf.reduce_mean(tf.square(prediction - y))
    finding, = tf.doctor(fetches=loss)
    assert finding.id == 'silent-broadcast' and finding.operation.type == 'Sub'
    assert 'test_doctor.py' in str(finding) and 'Hint' in str(finding)


def test_prints_and_summaries_that_no_fetch_needs():
    x = tf.placeholder(tf.float32, [None])
    loss = tf.reduce_mean(x * 2.)
    tf.Print(loss, [loss])
    tf.summary.scalar('loss', loss)
    report = tf.doctor(fetches=loss)
    assert ids(report) == ['unfetched-print', 'unfetched-summary']
    assert 'Print' in str(report) and 'merge_all' in str(report)
    assert tf.doctor().ok


def test_update_ops():
    x = tf.placeholder(tf.float32, [None, 4])
    h = tf.layers.batch_normalization(tf.layers.dense(x, 3), training=True)
    loss = tf.reduce_mean(tf.square(h - 1.))
    step = tf.train.GradientDescentOptimizer(.1).minimize(loss)
    assert ids(tf.doctor(fetches=step)) == ['update-ops']
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert tf.doctor(fetches=[step, updates]).ok


def test_queues_that_wait_forever():
    queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
    element = queue.dequeue()
    assert 'no node' in str(tf.doctor(fetches=element))
    enqueue = queue.enqueue([1.])
    assert 'no QueueRunner' in str(tf.doctor(fetches=element))
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
    assert 'start_queue_runners' in str(tf.doctor(fetches=element))


def test_constants_too_large_for_a_graphdef():
    x = tf.constant(np.zeros([2000, 2000], np.float32))
    report = tf.doctor(fetches=tf.reduce_sum(x))
    assert ids(report) == ['large-constants'] and '15 MB' in str(report)


@pytest.mark.parametrize('build', [
    lambda z: tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.one_hot([1], 3),
                                                         logits=tf.nn.softmax(z)),
    lambda z: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=tf.reshape(
        tf.nn.softmax(z), [-1, 3])),
    lambda z: tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.one_hot([1], 3),
                                                      logits=tf.nn.sigmoid(z)),
    lambda z: tf.nn.softmax(tf.nn.softmax(z)),
])
def test_softmax_twice(build):
    y = build(tf.placeholder(tf.float32, [1, 3]))
    assert ids(tf.doctor(fetches=y)) == ['double-softmax']


def test_logarithms_without_an_epsilon():
    z = tf.placeholder(tf.float32, [None, 3])
    p, q = tf.nn.softmax(z), tf.nn.sigmoid(z)
    assert ids(tf.doctor(fetches=-tf.reduce_sum(tf.log(p)))) == ['log-of-zero']
    assert ids(tf.doctor(fetches=tf.log(1. - q))) == ['log-of-zero']
    assert tf.doctor(fetches=tf.log(p + 1e-8)).ok
    assert tf.doctor(fetches=tf.log(tf.clip_by_value(p, 1e-8, 1.))).ok


def test_ops_inside_a_branch():
    z = tf.placeholder(tf.float32, [None, 3])
    y = tf.cond(tf.reduce_sum(z) > 0., lambda: tf.log(tf.nn.softmax(z)), lambda: z)
    report = tf.doctor(fetches=y)
    assert ids(report) == ['log-of-zero']
    assert "Log 'cond/if true/Log' takes Softmax 'cond/if true/Softmax'" in str(report)
    assert 'test_doctor.py' in str(report)


def test_a_variable_that_is_not_trained():
    step, _ = healthy()
    tf.get_variable('lonely', [3])
    report = tf.doctor(fetches=step)
    assert ids(report) == ['untrained-variable'] and 'lonely' in str(report)


def test_arguments():
    x = tf.constant(1.)
    assert tf.doctor(x).ok
    with pytest.raises(TypeError, match='tf.Graph'):
        tf.doctor('graph', x)
    assert '<pre>' in tf.doctor()._repr_html_()


# ---- at the first run ----------------------------------------------------------------------

def test_warns_at_the_first_run_of_a_training_step():
    x = tf.placeholder(tf.float32, [None, 4])
    h = tf.layers.batch_normalization(tf.layers.dense(x, 3), training=True)
    step = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_mean(tf.square(h - 1.)))
    feed = {x: np.ones((2, 4))}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        with pytest.warns(TinyflowWarning, match=r'\[update-ops\].*UPDATE_OPS') as caught:
            sess.run(step, feed)
        assert len(caught) == 1 and caught[0].filename == __file__
        sess.run(step, feed)                            # only once: a warning here is an error
        sess.run([step, x], feed)


def test_is_quiet_where_the_updates_run():
    x = tf.placeholder(tf.float32, [None, 4])
    h = tf.layers.batch_normalization(tf.layers.dense(x, 3), training=True)
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.GradientDescentOptimizer(.1).minimize(tf.reduce_mean(tf.square(h)))
    with tf.Session() as sess, warnings.catch_warnings():
        warnings.simplefilter('error')
        sess.run(tf.global_variables_initializer())
        sess.run(step, {x: np.ones((2, 4))})
        sess.run(h, {x: np.ones((2, 4))})


def test_warns_of_an_unused_print(capfd):
    x = tf.placeholder(tf.float32, [None])
    y = x * 2.
    tf.Print(y, [y], 'lost')
    with tf.Session() as sess, pytest.warns(TinyflowWarning, match=r'\[unfetched-print\]'):
        sess.run(tf.reduce_sum(y), {x: [1.]})
    assert 'lost' not in capfd.readouterr().out


def test_is_quiet_where_it_is_used_or_waited_for(capfd):
    x = tf.placeholder(tf.float32, [None])
    y = tf.Print(x * 2., [x], 'seen')
    shown = tf.print('waited for', x)
    with tf.control_dependencies([shown]):
        z = y + 1.
    with tf.Session() as sess, warnings.catch_warnings():
        warnings.simplefilter('error')
        sess.run(z, {x: [1.]})
        sess.run(x * 2., {x: [1.]})


def test_warns_of_a_print_of_a_fed_tensor():
    x = tf.placeholder(tf.float32, [None])
    tf.Print(x, [x])
    with tf.Session() as sess, pytest.warns(TinyflowWarning, match=r'\[unfetched-print\]'):
        sess.run(x * 2., {x: [1.]})


# ---- the list of ids -----------------------------------------------------------------------

@pytest.mark.slow
def test_every_id_is_documented():
    """docs/warnings.md has a row for each id in a message, and for no other."""
    root = Path(__file__).resolve().parents[2]
    written = set()
    for path in [*(root / 'tinyflow').rglob('*.py'), *(root / 'estimator_layer').rglob('*.py')]:
        text = path.read_text(encoding='utf-8')
        written.update(re.findall(r"""(?<!")['"]\[([a-z]{2,}(?:-[a-z]+)*)\] [^'"]""", text))
        written.update(re.findall(r"""Finding\(\s*'([a-z-]+)'""", text))
    table = (root / 'docs' / 'warnings.md').read_text(encoding='utf-8')
    not_ids = {'address', 'batch'}              # shapes and command lines in brackets
    assert set(re.findall(r'^\| `([a-z-]+)` \|', table, re.M)) == written - not_ids
