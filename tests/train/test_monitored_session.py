"""Monitored sessions beyond the order of calls (test_hooks.py): values, errors, NaN, explaining."""
from __future__ import annotations

import os
import threading

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import tinyflow as tf
from tinyflow.train.sessions import hooked_session


@pytest.fixture(autouse=True)
def own_graph():
    with tf.Graph().as_default() as graph:
        yield graph
    tf.summary.FileWriterCache.clear()


class Asking(tf.train.SessionRunHook):
    """Asks for fetches, and keeps what it got."""

    def __init__(self, fetches, feeds=None):
        self.fetches, self.feeds, self.got = fetches, feeds, []

    def before_run(self, run_context):
        return tf.train.SessionRunArgs(self.fetches, self.feeds)

    def after_run(self, run_context, run_values):
        self.got.append(run_values.results)


def counter():
    step = tf.train.get_or_create_global_step()
    return tf.assign_add(step, 1)


def nan_after(steps):
    """(train_op, loss): tf.log of what reaches 0 after so many steps."""
    w = tf.get_variable('w', initializer=float(steps))
    loss = tf.reduce_sum(tf.log(w), name='loss') * 0. - 1. * w
    step = tf.train.get_or_create_global_step()
    with tf.control_dependencies([loss]):
        return tf.group(tf.assign_sub(w, 1.), tf.assign_add(step, 1)), loss


# ---- values --------------------------------------------------------------------------------------

_NESTS = st.recursive(st.integers(0, 2), lambda inner: st.one_of(
    st.lists(inner, max_size=3), st.tuples(inner, inner),
    st.dictionaries(st.sampled_from('abc'), inner, max_size=2)), max_leaves=5)


def _replaced(nest, things):
    if isinstance(nest, dict):
        return {key: _replaced(value, things) for key, value in nest.items()}
    if isinstance(nest, (list, tuple)):
        return type(nest)([_replaced(value, things) for value in nest])
    return things[nest]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(_NESTS, st.lists(st.one_of(st.none(), _NESTS), min_size=2, max_size=2)),
                min_size=1, max_size=6))
def test_hooks_and_program_get_their_fetches(rounds):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        tensors, values = [x, x * 2., tf.constant(b'text')], [1.5, 3., b'text']
        hooks = [Asking(None), Asking(None)]
        with tf.train.MonitoredSession(hooks=hooks) as session:
            for mine, theirs in rounds * 2:
                for hook, nest in zip(hooks, theirs):
                    hook.fetches = None if nest is None else _replaced(nest, tensors)
                assert session.run(_replaced(mine, tensors), {x: 1.5}) == _replaced(mine, values)
                for hook, nest in zip(hooks, theirs):
                    assert hook.got[-1] == (None if nest is None else _replaced(nest, values))


def test_a_call_is_prepared_once_for_each_form_of_arguments():
    train = counter()
    hook = Asking({'step': tf.train.get_global_step()})
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        prepared = session._sess._sess._sess._prepared
        for _ in range(5):
            session.run([train])
            hook.fetches = dict(hook.fetches)
        assert len(prepared) == 1
        session.run(train)
        assert len(prepared) == 2


def test_not_more_calls_are_kept_than_allowed(monkeypatch):
    monkeypatch.setattr(hooked_session, '_PREPARED', 3)
    tensors = [tf.constant(i) for i in range(8)]
    with tf.train.MonitoredSession() as session:
        for _ in range(2):
            assert [session.run(t) for t in tensors] == list(range(8))
        assert len(session._sess._sess._sess._prepared) <= 3


def test_an_array_that_two_ask_for_is_not_shared():
    v = tf.get_variable('v', initializer=[1., 2.])
    hook = Asking(v)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        mine = session.run(v)
        mine[:] = 7.
        assert hook.got[0].tolist() == [1., 2.]
        assert session.run(v).tolist() == [1., 2.]


def test_feeds_of_other_shapes_and_of_sparse_tensors():
    x = tf.placeholder(tf.float32, [None])
    sparse = tf.sparse_placeholder(tf.float32, [3])
    dense = tf.sparse_tensor_to_dense(sparse)
    with tf.train.MonitoredSession(hooks=[Asking(x)]) as session:
        for size in (1, 2, 2, 3):
            assert session.run(tf_sum(x), {x: np.ones(size)}) == size
        for _ in range(2):
            got = session.run(dense, {sparse: ([[1]], [5.], [3]), x: [1.]})
            assert got.tolist() == [0., 5., 0.]


def tf_sum(x):
    """One node for all calls, as the graph is finalized."""
    graph = tf.get_default_graph()
    try:
        return graph.get_tensor_by_name('sum:0')
    except KeyError:
        graph._unsafe_unfinalize()
        return tf.reduce_sum(x, name='sum')


@pytest.mark.parametrize('fed', [None, [1.], 'x'])
@pytest.mark.parametrize('fetches', [None, 'y', 3, 'zzz'])
def test_errors_of_run_are_those_of_a_session(fetches, fed):
    x = tf.placeholder(tf.float32, [2], name='x')
    y = x * 2.
    fetches = y if fetches == 'y' else fetches
    errors = []
    with tf.Session() as plain, tf.train.MonitoredSession(hooks=[Asking(y.op)]) as monitored:
        for session in (plain, monitored):
            with pytest.raises((TypeError, ValueError, tf.errors.OpError)) as caught:
                session.run(fetches, None if fed is None else {x: fed})
            errors.append((caught.type, str(caught.value).partition('\n')[0]))
    assert errors[0] == errors[1]


def test_a_session_that_is_no_session_of_tinyflow():
    """A creator may wrap the Session, e.g. to look at all runs."""
    runs = []

    class Wrapper:
        def __init__(self, session):
            self._session, self.graph, self.close = session, session.graph, session.close

        def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
            runs.append(fetches)
            return self._session.run(fetches, feed_dict, options, run_metadata)

    class Creator(tf.train.SessionCreator):
        def create_session(self):
            return Wrapper(tf.train.ChiefSessionCreator().create_session())
    one = tf.constant(1)
    with tf.train.MonitoredSession(Creator(), hooks=[Asking(one)]) as session:
        assert session.run([one, one]) == [1, 1]
    assert runs == [[[one, one], one]]


def test_a_creator_has_to_create():
    with pytest.raises(TypeError):
        tf.train.SessionCreator()


# ---- the end -------------------------------------------------------------------------------------


def test_after_an_error_the_last_checkpoint_is_complete_and_training_resumes(tmp_path):
    folder = str(tmp_path)
    for limit, expected in ((5, 4), (9, 8)):
        with tf.Graph().as_default():
            step = tf.train.get_or_create_global_step()
            with tf.control_dependencies([tf.Assert(step < limit, [step])]):
                train = tf.assign_add(step, 1)
            with pytest.raises(tf.errors.InvalidArgumentError), tf.train.MonitoredTrainingSession(
                    checkpoint_dir=folder, save_checkpoint_steps=2) as session:
                if limit == 9:
                    assert session.run(step) == 4
                while True:
                    session.run(train)
        assert tf.train.latest_checkpoint(folder).endswith(f'-{expected}')
        reader = tf.train.load_checkpoint(folder)
        assert reader.get_tensor('global_step') == expected


def test_an_empty_input_is_reported(caplog):
    data = tf.data.Dataset.from_tensor_slices(np.zeros([0, 2], np.float32)).batch(2)
    x = data.make_one_shot_iterator().get_next()
    with caplog.at_level('WARNING', 'tensorflow'), _propagating():
        with tf.train.MonitoredSession() as session:
            session.run(x)
        assert 'made no steps. Perhaps input is empty' in caplog.text


def test_an_exhausted_input_gives_no_warning(caplog):
    x = tf.data.Dataset.range(1).make_one_shot_iterator().get_next()
    with caplog.at_level('WARNING', 'tensorflow'), _propagating():
        with tf.train.MonitoredSession() as session:
            while not session.should_stop():
                session.run(x)
        assert not caplog.text


class _propagating:                                             # noqa: N801 - used as a function
    def __enter__(self):
        import logging
        self.logger = logging.getLogger('tensorflow')
        self.before, self.logger.propagate = self.logger.propagate, True

    def __exit__(self, *_):
        self.logger.propagate = self.before


def test_run_after_the_end_raises_with_a_hint():
    one = tf.constant(1)
    session = tf.train.MonitoredSession()
    session.close()
    for call in (lambda: session.run(one), session.close,
                 lambda: session.run_step_fn(lambda step_context: None)):
        with pytest.raises(RuntimeError, match=r'Session is already closed[^M]*Hint: '):
            call()
    assert session.should_stop() and session.graph is None


def test_a_graph_is_open_again_afterwards_and_when_the_session_cannot_be_made(own_graph):
    with tf.train.MonitoredSession():
        assert own_graph.finalized
    assert not own_graph.finalized
    with tf.Graph().as_default() as graph:
        tf.get_variable('v', initializer=1.)
        scaffold = tf.train.Scaffold(init_op=tf.no_op())
        with pytest.raises(RuntimeError, match='Variables not initialized: v'):
            tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold))
        assert not graph.finalized


def test_a_graph_that_was_finalized_stays_so(own_graph):
    tf.train.Scaffold().finalize()
    with tf.train.MonitoredSession():
        pass
    assert own_graph.finalized


def test_an_error_of_a_thread_comes_out():
    train = counter()

    class Starts(tf.train.SessionRunHook):
        def after_create_session(self, session, coord):
            def fail():
                with coord.stop_on_exception():
                    raise KeyError('thread')
            thread = threading.Thread(target=fail)
            coord.register_thread(thread)
            thread.start()
            thread.join()
    with pytest.raises(KeyError, match='thread'):
        with tf.train.MonitoredSession(hooks=[Starts()]) as session:
            while not session.should_stop():
                session.run(train)


def test_a_queue_is_filled_and_its_end_is_the_end():
    number = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
    got = []
    with tf.train.MonitoredSession() as session:
        while not session.should_stop():
            got.append(session.run(number))
    assert got == [0, 1, 2]


def test_a_worker_does_not_wait_for_nothing():
    counter()
    with pytest.raises(tf.errors.DeadlineExceededError, match='global_step[^M]*Hint: .*is_chief'):
        tf.train.MonitoredTrainingSession(is_chief=False)


# ---- NaN -----------------------------------------------------------------------------------------


@pytest.mark.parametrize('at', [2, 5])
def test_the_operation_that_made_the_nan(at):
    train, loss = nan_after(at)
    with pytest.raises(tf.train.NanLossDuringTrainingError) as caught:
        with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
            while not session.should_stop():
                session.run(train)
    lines = str(caught.value).splitlines()
    assert lines[0] == 'NaN loss during training.'
    assert lines[1].startswith("[nan-check] Inf, first produced by Log 'Log', reached ")
    assert 'from 0 to 0' in lines[2]
    assert 'tf.log(x + 1e-8)' in lines[-2]


def test_the_batch_of_a_dataset_is_found_again():
    """The same batch is drawn again, shuffled as it was, with the same dropout."""
    rows = np.ones([40, 3], np.float32)
    rows[17, 1] = -1.
    data = tf.data.Dataset.from_tensor_slices(rows).shuffle(40, seed=1).repeat().batch(4)
    x = data.make_one_shot_iterator().get_next()
    w = tf.get_variable('w', initializer=1.)
    loss = tf.reduce_mean(w * tf.sqrt(tf.nn.dropout(x, .9, seed=3)))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(1e-9).minimize(loss, step)
    seen = []
    with pytest.raises(tf.train.NanLossDuringTrainingError) as caught:
        with tf.train.MonitoredSession(hooks=[Asking(x), tf.train.NanTensorHook(loss)]) as session:
            while not session.should_stop():
                seen.append(session.run([x, train])[0])
    assert "NaN at [" in str(caught.value)
    assert "first produced by Sqrt 'Sqrt'" in str(caught.value)
    assert 'from -1.11111 to 1.11111' in str(caught.value)


def test_fed_batches_are_fed_again():
    x = tf.placeholder(tf.float32, [None], name='x')
    loss = tf.reduce_mean(tf.sqrt(x))
    train = counter()
    with pytest.raises(tf.train.NanLossDuringTrainingError, match=r"Sqrt.*row 1 of|row 1 of.*Sqrt"):
        with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
            session.run(train, {x: [1., 2.]})
            session.run(train, {x: [1., -2.]})


def test_a_table_and_a_print_hide_nothing():
    """Their states do not influence the steps that are repeated."""
    table = tf.contrib.lookup.index_table_from_tensor(tf.constant(['a', 'b']))
    row = tf.cast(table.lookup(tf.constant('b')), tf.float32)
    train, loss = nan_after(2)
    loss = tf.Print(loss * row, [row])
    with pytest.raises(tf.train.NanLossDuringTrainingError, match="first produced by Log 'Log'"):
        with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
            while not session.should_stop():
                session.run(train)


def test_variables_stay_as_they_were():
    train, loss = nan_after(2)
    w = tf.global_variables()[0]
    session = tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)])
    session.run(train)
    session.run(train)
    with pytest.raises(tf.train.NanLossDuringTrainingError):
        session.run(train)
    assert session._tf_sess().run(w) == -1.
    session.close()


def test_states_that_cannot_be_repeated_are_reported():
    queue = tf.FIFOQueue(9, tf.float32, [])
    w = tf.get_variable('w', initializer=1.)
    with tf.control_dependencies([queue.enqueue(-1.)]):
        loss = tf.sqrt(queue.dequeue()) * w
    train = tf.train.GradientDescentOptimizer(1.).minimize(loss, tf.train.create_global_step())
    warmed = tf.train.Scaffold(init_fn=lambda scaffold, sess: sess.run(queue.size()))
    size = queue.size()
    warmed = tf.train.Scaffold(init_fn=lambda scaffold, sess: sess.run(size))
    with pytest.raises(tf.train.NanLossDuringTrainingError) as caught:
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(warmed),
                                       hooks=[tf.train.NanTensorHook(loss)]) as session:
            session.run(train)
    text = str(caught.value)
    assert 'Not finite now: w.' in text
    assert 'The first operation is not known: fifo_queue' in text
    assert 'nan_check=True' in text


def test_a_later_note_is_used(monkeypatch):
    from tinyflow.train.sessions import nan_replay
    monkeypatch.setattr(nan_replay, '_FIRST', 0.)
    monkeypatch.setattr(nan_replay, '_SHARE', 1e9)
    train, loss = nan_after(6)
    hook = tf.train.NanTensorHook(loss)
    with pytest.raises(tf.train.NanLossDuringTrainingError, match="Log 'Log'"):
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            while not session.should_stop():
                session.run(train)
    assert len(hook._replay._steps) <= 1


def test_a_gradient_that_made_the_weights_nan_a_step_before():
    w = tf.get_variable('w', initializer=[0., 4.])
    loss = tf.reduce_sum(tf.sqrt(w))
    step = tf.train.get_or_create_global_step()
    train = tf.train.GradientDescentOptimizer(.1).minimize(loss, step)
    with pytest.raises(tf.train.NanLossDuringTrainingError) as caught:
        with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
            session.run(train)
            session.run(train)
    assert 'Inf at [0]' in str(caught.value)
    assert "first produced by RealDiv 'gradients/Sqrt_grad/truediv'" in str(caught.value)
    assert 'the update of the Variable' in str(caught.value)


def test_the_switch_of_a_training_session():
    train, loss = nan_after(1)
    w = tf.global_variables()[0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[nan-check\].*Log 'Log'"):
        with tf.train.MonitoredTrainingSession(nan_check=True,
                                               hooks=[tf.train.NanTensorHook(loss)]) as session:
            session.run(train)
            assert session._tf_sess().run(w) == 0.
            session.run(train)


# ---- explaining ----------------------------------------------------------------------------------


def test_the_order_of_hooks_as_a_table(tmp_path):
    train = counter()
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path), hooks=[tf.train.StopAtStepHook(1), Asking(train)],
            chief_only_hooks=[tf.train.FinalOpsHook(train)]) as session:
        table = session.explain()
        assert [name for name, _ in table.rows] == [
            'FinalOpsHook', 'StepCounterHook', 'SummarySaverHook', 'CheckpointSaverHook',
            'StopAtStepHook', 'Asking']
        assert dict(table.rows)['FinalOpsHook'] == ['end']
        assert dict(table.rows)['Asking'] == ['before_run', 'after_run']
        lines = str(table).splitlines()
        assert lines[0].split() == ['begin', 'after_create_session', 'before_run', 'after_run',
                                    'end']
        assert lines[1].split() == ['1', 'FinalOpsHook', '.', '.', '.', '.', 'x']
        assert str(tf.explain(session)) == str(table)
    with tf.Graph().as_default(), tf.train.MonitoredSession() as session:
        assert str(session.explain()) == 'no hooks'


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_meta_graph_of_a_checkpoint_goes_on_training(tmp_path):
    folder = str(tmp_path)
    step = counter()
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=folder, hooks=[tf.train.StopAtStepHook(last_step=3)]) as session:
        while not session.should_stop():
            session.run(step)
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(os.path.join(folder, 'model.ckpt-3.meta'))
        saver.restore(session, tf.train.latest_checkpoint(folder))
        assert session.run('global_step:0') == 3


def test_a_creator_reports_what_it_restored(tmp_path):
    folder = str(tmp_path)
    counter()
    creator = tf.train.ChiefSessionCreator(checkpoint_dir=folder)
    hook = tf.train.CheckpointSaverHook(folder, save_steps=1)
    with tf.train.MonitoredSession(creator, hooks=[hook]):
        assert creator.restored_from is None
    creator = tf.train.ChiefSessionCreator(checkpoint_dir=folder)
    with tf.train.MonitoredSession(creator):
        assert creator.restored_from == os.path.join(folder, 'model.ckpt-0')


def test_a_supervisor_saves_and_summarises_in_threads(tmp_path):
    folder = str(tmp_path)
    step = tf.train.get_or_create_global_step()
    tf.summary.scalar('twice', step * 2)
    train = tf.assign_add(step, 1)
    sv = tf.train.Supervisor(logdir=folder, save_summaries_secs=.01, save_model_secs=.01)
    calls = []
    with sv.managed_session() as session:
        sv.loop(.01, calls.append, (1,))
        for _ in range(10_000):
            session.run(train)
            if calls and not (tf.train.latest_checkpoint(folder) or '-0').endswith('-0'):
                break
    sv.stop()                   # once more, as many programs do: no warning of a closed writer
    assert calls
    events = [e for name in os.listdir(folder) if name.startswith('events')
              for e in tf.train.summary_iterator(os.path.join(folder, name))]
    tags = {v.tag for e in events for v in e.summary.value}
    assert {'twice', 'global_step/sec'} <= tags
    with sv.managed_session() as session:
        assert session.run(step) > 0


def test_a_saver_of_the_users_own(tmp_path):
    """... needs `save` only; positions are not saved next to files whose names are not known."""
    class Own:
        def __init__(self):
            self.saved = []

        def save(self, session, path, global_step=None):
            self.saved.append((path, int(global_step)))

    saver = Own()
    with tf.Graph().as_default():
        advance = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=2, saver=saver)
        with tf.train.SingularMonitoredSession([hook]) as sess:
            for _ in range(3):
                sess.run(advance)
    path = str(tmp_path / 'model.ckpt')
    assert saver.saved == [(path, 0), (path, 2), (path, 3)]
    assert not [name for name in os.listdir(tmp_path) if name.endswith('.resume')]
