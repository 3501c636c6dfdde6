"""Exact resume of monitored sessions: input, random numbers, local Variables; changed pipelines."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.train.checkpoints import exact_resume


def numbers(count=40):
    return tf.data.Dataset.range(count)


class Stop(tf.train.SessionRunHook):
    """An error at the seventh run."""

    def begin(self):
        self.runs = 0

    def after_run(self, run_context, run_values):
        self.runs += 1
        if self.runs == 7:
            raise ZeroDivisionError


def run(folder, make, until=12, hooks=()):
    """What `make()` gave at each step, {step: values}; make is called in a new graph."""
    got = {}
    with tf.Graph().as_default():
        tf.set_random_seed(3)
        fetches = make()
        step = tf.train.get_or_create_global_step()
        advance = tf.assign_add(step, 1)
        try:
            with tf.train.MonitoredTrainingSession(
                    checkpoint_dir=str(folder), save_checkpoint_steps=3, hooks=list(hooks),
                    save_summaries_steps=None) as sess:
                while not sess.should_stop():
                    number, values = sess.run([advance, fetches])
                    got[int(number)] = values
                    if number == until:
                        break
        except ZeroDivisionError:
            pass
    return got


def interrupted_is_whole(tmp_path, make, again=None):
    whole = run(tmp_path / 'whole', make)
    first = run(tmp_path / 'killed', make, hooks=[Stop()])
    assert max(first) == 6                  # the seventh is not returned; 6 is saved
    second = run(tmp_path / 'killed', again or make)
    assert min(second) == 7 and max(second) == 12
    assert [str(v) for _, v in sorted({**first, **second}.items())] == \
        [str(v) for _, v in sorted(whole.items())]


def next_of(dataset):
    return dataset.make_one_shot_iterator().get_next()


def test_shuffled_input_and_random_numbers(tmp_path):
    interrupted_is_whole(tmp_path, lambda: (next_of(numbers().shuffle(10).repeat().batch(4)),
                                            tf.random_uniform([2]), tf.random_normal([])))


@pytest.mark.parametrize('prefetch', [0, 2])
def test_random_numbers_inside_map(tmp_path, prefetch):
    def make():
        drawn = numbers().map(lambda x: (x, tf.random_uniform([]))).shuffle(5)
        return next_of(drawn.repeat().prefetch(prefetch))
    interrupted_is_whole(tmp_path, make)


def test_random_numbers_inside_map_ahead_of_time(tmp_path, monkeypatch):
    """... on threads that compute ahead, one behind the other."""
    from tinyflow.data.runtime import prefetch
    monkeypatch.setattr(prefetch, '_WORTH_IT', -1.)
    monkeypatch.setattr(prefetch, '_WATCHED', 1)

    def make():
        drawn = numbers().map(lambda x: (x, tf.random_uniform([]))).prefetch(3)
        drawn = drawn.map(lambda x, u: (x, u, tf.random_normal([]))).prefetch(2)
        return next_of(drawn.repeat())
    interrupted_is_whole(tmp_path, make)


def test_random_numbers_in_nested_datasets(tmp_path):
    def make():
        return next_of(numbers().interleave(lambda x: tf.data.Dataset.range(3).map(
            lambda y: (x, y, tf.random_uniform([]))), 2))
    interrupted_is_whole(tmp_path, make)


def test_samplers_of_classes(tmp_path):
    """... of which one learns from what it has seen."""
    def make():
        classes = tf.constant([[1, 2]], tf.int64)
        return [sampler(classes, 2, 3, True, 20).sampled_candidates for sampler in (
            tf.nn.log_uniform_candidate_sampler, tf.nn.learned_unigram_candidate_sampler)]
    interrupted_is_whole(tmp_path, make)


def test_an_iterator_that_the_program_initializes(tmp_path):
    def make():
        iterator = numbers().shuffle(9).make_initializable_iterator()
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return iterator.get_next()
    interrupted_is_whole(tmp_path, make)


def test_local_variables(tmp_path):
    def make():
        count = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        return tf.assign_add(count, 2)
    interrupted_is_whole(tmp_path, make)


def test_scaffold_and_hook_of_a_session(tmp_path):
    """The same promise for SingularMonitoredSession with a CheckpointSaverHook."""
    def train(folder, *hooks):
        got = []
        with tf.Graph().as_default():
            tf.set_random_seed(1)
            element = next_of(numbers().shuffle(7))
            advance = tf.assign_add(tf.train.get_or_create_global_step(), 1)
            scaffold = tf.train.Scaffold()
            saver = tf.train.CheckpointSaverHook(folder, save_steps=2, scaffold=scaffold)
            try:
                with tf.train.SingularMonitoredSession([saver, *hooks], scaffold,
                                                       checkpoint_dir=folder) as sess:
                    while not got or got[-1][0] < 10:
                        got.append(tuple(sess.run([advance, element])))
            except ZeroDivisionError:
                pass
        return got

    whole = train(str(tmp_path / 'whole'))
    first = train(str(tmp_path / 'killed'), Stop())
    second = train(str(tmp_path / 'killed'))
    assert {**dict(first), **dict(second)} == dict(whole)


def test_a_session_that_does_not_save_has_its_own_input(tmp_path):
    """It evaluates: elements must not be skipped, though the iterator has the same name."""
    run(tmp_path, lambda: next_of(numbers()), hooks=[Stop()])
    with tf.Graph().as_default():
        element, step = next_of(numbers()), tf.train.get_or_create_global_step()
        with tf.train.SingularMonitoredSession(checkpoint_dir=str(tmp_path)) as sess:
            assert sess.run([step, element]) == [6, 0]


@pytest.mark.parametrize('changed', [
    lambda: next_of(numbers().shuffle(4)), lambda: next_of(numbers(30).shuffle(8)),
    lambda: next_of(numbers().shuffle(8).map(lambda x: x)), lambda: next_of(numbers())])
def test_a_changed_pipeline_starts_again_and_says_so(tmp_path, changed, caplog):
    run(tmp_path, lambda: next_of(numbers().shuffle(8)), hooks=[Stop()])
    caplog.clear()
    again = run(tmp_path, changed)
    text = ' '.join(record.getMessage() for record in caplog.records)
    assert 'starts from the first element' in text and 'Shuffled(' in text
    fresh = run(tmp_path / 'new', changed)
    assert list(again.values()) == [fresh[step - 6] for step in again]


def test_a_node_of_another_kind_starts_again_and_says_so(tmp_path, caplog):
    run(tmp_path, lambda: tf.identity(tf.random_uniform([], seed=1, name='drawn')), hooks=[Stop()])
    with_iterator = run(tmp_path, lambda: numbers().make_one_shot_iterator().get_next('drawn'))
    assert list(with_iterator.values())[0] == 0

    def unseeded():
        tf.set_random_seed(None)
        tf.get_default_graph().seed = None
        return tf.random_uniform([], name='drawn')
    run(tmp_path / 'b', lambda: tf.random_uniform([], name='drawn'), hooks=[Stop()])
    caplog.clear()
    assert len(run(tmp_path / 'b', unseeded)) == 6
    assert "'drawn/RandomUniform' is not the one whose position was saved" in caplog.text


def test_what_cannot_be_resumed_is_said(tmp_path, caplog, monkeypatch):
    monkeypatch.setattr(exact_resume, 'LARGEST', 100)

    def make():
        queue = tf.FIFOQueue(9, tf.int32)
        with tf.control_dependencies([queue.enqueue(1)]):
            return next_of(numbers(1000).shuffle(500)), queue.dequeue()
    run(tmp_path, make, hooks=[Stop()])
    caplog.clear()
    run(tmp_path, make)
    assert 'not with the same bits' in caplog.text
    assert 'positions of more than 0 MB are not saved' in caplog.text


def test_positions_in_bytes_refuse_random_functions():
    """Of make_saveable_from_iterator: there the numbers that were drawn are not saved."""
    with tf.Graph().as_default(), tf.Session() as sess:
        drawn = numbers().map(lambda x: tf.random_uniform([])).batch(2)
        iterator = drawn.make_initializable_iterator()
        saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
        sess.run(iterator.initializer)
        with pytest.raises(tf.errors.FailedPreconditionError, match='draws random numbers'):
            saver.save(sess, '/nowhere/x')


def test_normal_end_keeps_no_position(tmp_path):
    first = run(tmp_path, lambda: next_of(numbers().repeat()))
    assert not (tmp_path / 'model.ckpt-12.resume').exists()
    second = run(tmp_path, lambda: next_of(numbers().repeat()), until=15)
    assert first[1] == second[13] == 0


def test_elements_larger_than_the_limit_of_a_table(tmp_path):
    """A ring of equal rows, which is written by columns."""
    rows = np.arange(400.).reshape(100, 4)
    interrupted_is_whole(tmp_path, lambda: next_of(
        tf.data.Dataset.from_tensor_slices(rows).map(lambda r: r * 2).shuffle(64)))
