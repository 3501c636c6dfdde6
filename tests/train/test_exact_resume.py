"""Exact resume of monitored sessions: input, random numbers, local Variables; changed pipelines."""
from __future__ import annotations

import threading

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.data.runtime.iterators import IteratorState
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


@pytest.mark.slow
@pytest.mark.parametrize('prefetch', [0, 2])
def test_random_numbers_inside_map(tmp_path, prefetch):
    def make():
        drawn = numbers().map(lambda x: (x, tf.random_uniform([]))).shuffle(5)
        return next_of(drawn.repeat().prefetch(prefetch))
    interrupted_is_whole(tmp_path, make)


@pytest.mark.slow
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


@pytest.mark.slow
def test_random_numbers_in_nested_datasets(tmp_path):
    def make():
        return next_of(numbers().interleave(lambda x: tf.data.Dataset.range(3).map(
            lambda y: (x, y, tf.random_uniform([]))), 2))
    interrupted_is_whole(tmp_path, make)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_elements_larger_than_the_limit_of_a_table(tmp_path):
    """A ring of equal rows, which is written by columns."""
    rows = np.arange(400.).reshape(100, 4)
    interrupted_is_whole(tmp_path, lambda: next_of(
        tf.data.Dataset.from_tensor_slices(rows).map(lambda r: r * 2).shuffle(64)))


def drawn(x):
    return tf.cast(x, tf.float32) + tf.random_uniform([])


def drawn_for_odd(x):
    return tf.cond(x % 2 > 0, lambda: drawn(x), lambda: 0.)


def with_one_number(rows):
    number = tf.random_uniform([])
    return rows.map(lambda row: (row, number))


NESTED = {
    'flat_map': lambda: numbers().flat_map(
        lambda x: tf.data.Dataset.from_tensors(drawn(x)).repeat(4)),
    'interleave': lambda: numbers().interleave(
        lambda x: tf.data.Dataset.from_tensors(drawn(x)).repeat(4), 3, 2),
    'also in a map': lambda: numbers().flat_map(
        lambda x: tf.data.Dataset.from_tensors(drawn(x)).repeat(4).map(
            lambda y: (y, tf.random_normal([])))),
    'two levels': lambda: numbers().flat_map(
        lambda x: tf.data.Dataset.from_tensors(drawn(x)).repeat(2).interleave(
            lambda y: tf.data.Dataset.from_tensors(y + tf.random_normal([])).repeat(3), 2)),
    'windows': lambda: numbers(80).apply(tf.data.experimental.group_by_window(
        lambda x: x % 3, lambda key, rows: with_one_number(rows), 4)),
    'in a cond': lambda: numbers().flat_map(
        lambda x: tf.data.Dataset.from_tensors(drawn_for_odd(x)).repeat(4)),
    'a number of elements': lambda: numbers().shuffle(7).flat_map(
        lambda x: tf.data.Dataset.range(tf.random_uniform([], 4, 9, tf.int64)).shuffle(
            4, seed=2)),
}


@pytest.mark.slow
@pytest.mark.parametrize('ahead', [False, True])
@pytest.mark.parametrize('name', NESTED)
def test_functions_that_draw_and_return_datasets(name, ahead, tmp_path, monkeypatch):
    """The function is called again to restore a dataset: it draws what it drew before."""
    from tinyflow.data.runtime import prefetch
    if ahead:
        monkeypatch.setattr(prefetch, '_WORTH_IT', -1.)
        monkeypatch.setattr(prefetch, '_WATCHED', 1)
    interrupted_is_whole(tmp_path, lambda: next_of(NESTED[name]().prefetch(3 if ahead else 0)))


def test_functions_that_draw_under_a_check_for_nan():
    """... where functions are interpreted."""
    with tf.Graph().as_default() as graph:
        element = next_of(NESTED['flat_map']())
        with tf.Session(nan_check=True) as sess:
            sess.run(element)
            positions = sess.positions()[0]
            expected = [sess.run(element) for _ in range(9)]
        with tf.Session(graph=graph, nan_check=True) as sess:
            sess.set_positions(positions)
            assert [sess.run(element) for _ in range(9)] == expected


def test_positions_as_they_were_given_and_mistakes():
    with tf.Graph().as_default() as graph:
        drawn = tf.random_normal([2], seed=3)
        with tf.Session() as sess:
            sess.run(drawn)
            both = sess.positions()
            expected = sess.run(drawn).tolist()
        with tf.Session(graph=graph) as sess:
            sess.set_positions(both)
            assert sess.run(drawn).tolist() == expected
            for wrong in (None, [], 'x', {3: 4}, (1, 2), both + both):
                with pytest.raises(TypeError, match='takes what positions.. returned'):
                    sess.set_positions(wrong)


def in_time(function):
    """What `function` returns, unless it waits forever."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()), daemon=True)
    thread.start()
    thread.join(60)
    assert results, 'it hangs, or failed'
    return results[0]


def test_an_initialized_iterator_whose_function_draws(tmp_path):
    """Restoring it calls the function, which asks the Session for its random stream."""
    def make():
        iterator = NESTED['flat_map']().make_initializable_iterator()
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, iterator.initializer)
        return iterator.get_next()
    in_time(lambda: interrupted_is_whole(tmp_path, make) is None)


def test_an_iterator_shared_by_two_nodes(tmp_path):
    """... is restored once, also if the second node runs first later on."""
    with tf.Graph().as_default() as graph:
        dataset = NESTED['flat_map']()
        first, second = [dataset.make_initializable_iterator(shared_name='both') for _ in 'ab']
        elements = [iterator.get_next() for iterator in (first, second)]

        def restored():
            with tf.Session(graph=graph) as sess:
                sess.run(first.initializer)
                sess.set_positions(positions)
                return [sess.run(elements[i]) for i in (0, 0, 1, 1, 1)]

        with tf.Session() as sess:
            sess.run([first.initializer, second.initializer])
            sess.run(elements)
            positions = sess.positions()[0]
            expected = [sess.run(elements[i]) for i in (0, 0, 1, 1, 1)]
        assert in_time(restored) == expected


def test_positions_are_set_while_another_thread_reads(monkeypatch):
    """The reading thread holds the iterator and asks for a stream: no lock may be held then."""
    reading, setting = threading.Event(), threading.Event()

    def wait(x):
        reading.set()
        assert setting.wait(60)
        return x

    def set_state(self, state, before=IteratorState.set_state):
        setting.set()
        before(self, state)

    monkeypatch.setattr(IteratorState, 'set_state', set_state)
    with tf.Graph().as_default(), tf.Session() as sess:
        element = next_of(numbers().map(lambda x: tf.py_func(wait, [x], tf.int64)).flat_map(
            lambda x: tf.data.Dataset.from_tensors(drawn(x)).repeat(3)))
        reader = threading.Thread(target=sess.run, args=(element,), daemon=True)
        reader.start()
        assert reading.wait(60)
        in_time(lambda: sess.set_positions({'OneShotIterator': None}) is None)
        reader.join(60)
        assert not reader.is_alive()


def test_positions_of_a_pass_whose_threads_compute_ahead(monkeypatch):
    """Setting them ends the threads, which have later elements."""
    from tinyflow.data.runtime import prefetch
    monkeypatch.setattr(prefetch, '_WORTH_IT', -1.)
    monkeypatch.setattr(prefetch, '_WATCHED', 1)
    with tf.Graph().as_default(), tf.Session() as sess:
        element = next_of(numbers().map(lambda x: x + 1, 2).prefetch(3))
        for _ in range(5):
            sess.run(element)
        positions = sess.positions()[0]
        expected = [sess.run(element) for _ in range(9)]
        sess.set_positions(positions)
        assert [sess.run(element) for _ in range(9)] == expected


def test_print_is_not_lost(capsys):
    with tf.Graph().as_default():
        said = tf.Print(tf.constant(1), ['said'], first_n=2)
        with tf.Session() as sess:
            sess.run(said)
            positions, lost = sess.positions()
            assert not lost
        with tf.Session() as sess:
            sess.set_positions(positions)
            sess.run(said)
            sess.run(said)
    assert capsys.readouterr().out.count('said') == 2
