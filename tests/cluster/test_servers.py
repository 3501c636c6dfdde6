"""Servers and sessions over sockets: here in one process, in test_processes.py in several."""
from __future__ import annotations

import builtins
import json
import random
import sys
import threading
import time

import numpy as np
import pytest

import tinyflow as tf
from tinyflow.cluster import messages, process_group, serving, transport
from tinyflow.cluster.server import IN_PROCESS
from tinyflow.train.sessions import polling

zmq = pytest.importorskip('zmq', reason="needs the extra: pip install 'tinyflow-graph[cluster]'")
pytestmark = pytest.mark.cluster


@pytest.fixture(scope='module')
def servers():
    """A worker and a parameter server that this process reaches by their addresses only."""
    workers, ps = tf.test.create_local_cluster(1, 1)
    for server in workers + ps:
        del IN_PROCESS[transport.canonical(server.address)]
    yield workers[0], ps[0]
    for server in workers + ps:
        server.stop()


@pytest.fixture
def session(graph, servers):
    with tf.Session(servers[0].target, graph=graph) as session:
        yield session
    tf.Session.reset(servers[1].target)


def on_ps():
    return tf.device('/job:ps/task:0')


def test_it_is_a_session(graph, session, servers):
    with on_ps():
        v = tf.Variable([1., 2.], name='v')
    x = tf.placeholder(tf.float32, [2])
    assert isinstance(session, tf.Session)
    assert tf.get_default_session() is session
    v.initializer.run()
    assert session.run({'a': [v, v + x], 'b': v.initializer}, {x: [1., 1.]})['a'][1].tolist() \
        == [2., 3.]
    assert session.make_callable(v * x, [x])([3., 4.]).tolist() == [3., 8.]
    (v * 2.).eval()[:] = 0.                             # the caller owns what is fetched
    assert session.sess_str == servers[0].target.encode()
    assert [d.name for d in session.list_devices()] == [
        '/job:ps/replica:0/task:0/device:CPU:0', '/job:worker/replica:0/task:0/device:CPU:0']
    assert session.variable_values([v])[0].tolist() == [1., 2.]
    session.set_variable_values([(v, [5., 6.])])
    assert session.run(v).tolist() == [5., 6.]


def test_every_dtype_and_shape_crosses(session):
    feeds, gots = {}, []
    with on_ps():
        for dtype in (tf.float16, tf.float32, tf.float64, tf.int8, tf.int64, tf.uint8, tf.bool,
                      tf.complex64, tf.string):
            for shape in ((), (0,), (2, 3)):
                x = tf.placeholder(dtype, shape)
                feeds[x] = np.full(shape, b'a\0\xff', object) if dtype is tf.string else \
                    np.ones(shape, dtype.as_numpy_dtype)
                gots.append(tf.identity(x))
    for got, value in zip(session.run(gots, feeds), feeds.values()):
        np.testing.assert_array_equal(got, value)
        assert got is not value and np.asarray(got).dtype.kind in (value.dtype.kind, 'S')


def test_state_outlives_sessions(servers):
    for _ in range(2):                                  # two workers build the same graph
        with tf.Graph().as_default(), tf.Session(servers[0].target) as session:
            with on_ps():
                v = tf.Variable(1., name='counted')
            if not session.run(tf.is_variable_initialized(v)):
                session.run(v.initializer)
            last = session.run(v.assign_add(1.))
    assert last == 3.
    tf.Session.reset(servers[1].target)


def test_what_sessions_share_without_a_device_is_at_the_first_task(servers, graph):
    v = tf.get_variable('shared', initializer=1., use_resource=True)
    queue = tf.FIFOQueue(3, tf.float32, shared_name='shared_queue')
    put, double = queue.enqueue(v), v * 2.
    with tf.Session(servers[0].target) as worker:
        worker.run(v.initializer)
        worker.run(put)
        drawn = str(worker.stages([double]))
    with tf.Session(servers[1].target) as ps:           # TensorFlow 1.15.5: '/job:ps/task:0'
        assert ps.run([v, queue.size()]) == [1., 1]
    assert '/job:ps/task:0' in drawn and '/job:worker/task:0' in drawn
    tf.Session.reset(servers[1].target)


def test_containers(servers, graph):
    with on_ps():
        with tf.container('mine'):
            a = tf.Variable(1., name='a')
        b = tf.Variable(2., name='b')
    with tf.Session(servers[0].target) as session:
        session.run([a.initializer, b.initializer])
        tf.Session.reset(servers[1].target, ['mine'])
        with pytest.raises(tf.errors.AbortedError, match='is not found on /job:ps/task:0'):
            session.run(b)
    with tf.Session(servers[0].target) as session:
        assert session.run(b) == 2.
        with pytest.raises(tf.errors.FailedPreconditionError, match='uninitialized value a'):
            session.run(a)
    tf.Session.reset(servers[1].target)


def test_reset_empties_all_tasks(servers, graph):
    """What TensorFlow 1.15.5's reset of a worker forgets on a server."""
    with on_ps(), tf.container('mine'):
        a = tf.Variable(1., name='a')
    with tf.Session(servers[0].target) as session:
        session.run(a.initializer)
    for containers, left in (['others'], 1.), (['mine'], None):
        tf.Session.reset(servers[0].target, containers)
        with tf.Session(servers[0].target) as session:
            if left is None:
                with pytest.raises(tf.errors.FailedPreconditionError):
                    session.run(a)
            else:
                assert session.run(a) == left


def test_a_worker_whose_graph_has_more_than_the_chiefs(servers, session, monkeypatch, caplog):
    with on_ps():
        v = tf.Variable(1., name='v')
        tf.Variable(1., name='more')
    session.run(v.initializer)
    monkeypatch.setattr(polling, '_SAID_AFTER', 0.)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    with pytest.raises(tf.errors.DeadlineExceededError):
        manager.wait_for_session(servers[0].target, max_wait_secs=0.2)
    assert 'not initialized: more; v has a value.' in caplog.text
    assert 'must build the same graph' in caplog.text
    with tf.Graph().as_default(), on_ps():
        tf.Variable([1., 2.], name='v')
        with tf.Session(servers[0].target) as second, pytest.raises(
                tf.errors.InvalidArgumentError, match=(
                r'float32 .2. in this graph of /job:worker/task:0, but float32 .. in the graph of '
                '/job:worker/task:0 that used it first')):
            second.run(tf.global_variables_initializer())


def test_a_generator_runs_only_where_it_was_made(session):
    with on_ps():
        rows = tf.data.Dataset.from_generator(lambda: iter([1.]), tf.float32)
        row = rows.make_one_shot_iterator().get_next()
    with pytest.raises(tf.errors.InvalidArgumentError, match=r'(?s)Python object.*Hint: in a clus'):
        session.run(row)


def test_errors(session):
    with on_ps():
        x = tf.placeholder(tf.float32)
        wrong = tf.matmul(x, x)
        v = tf.Variable(1.)
    with pytest.raises(tf.errors.InvalidArgumentError) as info:
        session.run(wrong, {x: np.ones([2, 3])})
    assert 'wrong = tf.matmul(x, x)' in str(info.value) and info.value.op is wrong.op
    with pytest.raises(tf.errors.FailedPreconditionError, match='v = tf.Variable'):
        session.run(v)


@pytest.mark.slow
def test_a_session_goes_on_after_a_run_that_failed(session, monkeypatch):
    monkeypatch.setattr(serving, '_LOOK', .05)
    monkeypatch.setattr(serving, '_LOOK_AT_SESSIONS', .1)
    with on_ps():
        x = tf.placeholder(tf.float32)
        product = tf.matmul(x, x)
        queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]])
        take, size = queue.dequeue(), queue.size()
    with pytest.raises(tf.errors.InvalidArgumentError):
        session.run(product, {x: np.ones([2, 3])})
    assert session.run(product, {x: np.ones([1, 1])}) == 1.
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(take, options=tf.RunOptions(timeout_in_ms=50))
    time.sleep(.4)                  # the server ends sessions of which it has lost all clients
    assert session.run(size) == 0


def test_a_thread_of_a_closed_session_reaches_no_server(graph, servers):
    """It could take a gradient there that the next session waits for."""
    with on_ps():
        c = tf.random_uniform([])
    session = tf.Session(servers[0].target)
    run = session._new_call(c, ()).entry.run
    session.close()
    before = set(servers[1].service._sessions)
    with pytest.raises(tf.errors.CancelledError, match='Session has been closed'):
        run([])
    assert set(servers[1].service._sessions) <= before


@pytest.mark.slow
def test_a_blocked_dequeue_holds_no_other_run(session):
    with on_ps():
        queue = tf.FIFOQueue(2, [tf.float32], shapes=[[]])
        put = queue.enqueue(7.)
        other = tf.random_uniform([])
    take = queue.dequeue()
    found = []
    thread = threading.Thread(target=lambda: found.append(session.run(take)))
    thread.start()
    for _ in range(3):
        session.run(other)
    assert not found
    session.run(put)
    thread.join(5)
    assert found == [7.]
    began = time.monotonic()
    with pytest.raises(tf.errors.DeadlineExceededError):
        session.run(take, options=tf.RunOptions(timeout_in_ms=100))
    assert time.monotonic() - began < 5
    time.sleep(.3)                              # the dequeue that was given up takes no element
    session.run(put)
    assert session.run(queue.size()) == 1


def test_many_threads(session):
    with on_ps():
        v = tf.Variable(tf.zeros([100]))
        add = v.assign_add(tf.ones([100]), use_locking=True)
    session.run(v.initializer)
    threads = [threading.Thread(target=lambda: [session.run(add.op) for _ in range(20)])
               for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.run(v).tolist() == [120.] * 100


def test_positions(session, graph):
    with on_ps():
        drawn = tf.random_uniform([3], seed=1)
        element = tf.data.Dataset.range(9).make_one_shot_iterator().get_next()
    session.run([drawn, element])
    positions = session.positions()[0]
    later = session.run([drawn, element])
    session.set_positions(positions)
    again = session.run([drawn, element])
    assert later[0].tolist() == again[0].tolist() and later[1] == again[1] == 1


def test_stages_are_shown(session):
    with on_ps():
        v = tf.Variable(tf.zeros([10, 4]), name='v')
    x = tf.placeholder(tf.float32, [None, 10], name='x')
    stages = session.stages(tf.matmul(x, v), {x: np.ones([3, 10])})
    assert '1  /job:worker/task:0  ' in str(stages)
    assert 'from /job:ps/task:0: v/read, 160 bytes' in str(stages)
    assert 'label="/job:ps/task:0"' in stages.dot and '160 bytes' in stages.dot


def test_log_device_placement_and_partition_graphs(servers, graph, capsys):
    with on_ps():
        c = tf.random_uniform([], name='c')
    config = tf.ConfigProto(log_device_placement=True)
    with tf.Session(servers[0].target, config=config) as session:
        metadata = tf.RunMetadata()
        session.run(c + 1., options=tf.RunOptions(output_partition_graphs=True),
                    run_metadata=metadata)
    assert 'c: (Add): /job:ps/replica:0/task:0/device:CPU:0' in capsys.readouterr().err
    assert [{n.op for n in g.node} >= {'RandomUniform'} for g in metadata.partition_graphs] \
        == [True, False]


def test_device_filters(servers, graph):
    with on_ps():
        c = tf.random_uniform([])
    config = tf.ConfigProto(device_filters=['/job:worker'])
    with tf.Session(servers[0].target, config=config) as session:
        assert len(session.list_devices()) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match='Cannot assign a device'):
            session.run(c)


def test_interactive_session(servers):
    with tf.Graph().as_default():
        session = tf.InteractiveSession(servers[0].target)
        assert tf.constant(1.).eval() == 1.
        session.close()
        with pytest.raises(RuntimeError, match='closed'):
            session.run('Const:0')


# ---- settings ------------------------------------------------------------------------------------


def test_wrong_settings():
    one, two = {'ps': ['localhost:0']}, {'ps': ['localhost:0'], 'worker': ['localhost:0']}
    for arguments, kind, text in [
            ((two,), ValueError, 'explicit `job_name`'),
            ((one, 'worker'), tf.errors.InternalError, 'Job "worker" was not defined in cluster'),
            ((one, 'ps', 1), tf.errors.InvalidArgumentError, 'Task 1 was not defined in job "ps"'),
            ((one, 'ps', 0, 'carrier'), tf.errors.NotFoundError, 'carrier'),
            (({'ps': ['no-such-host.invalid:1']},), tf.errors.UnavailableError, 'is not known'),
            (({'ps': ['localhost']},), tf.errors.InvalidArgumentError, 'is not an address'),
            (({'ps': ['grpc://localhost:1']},), tf.errors.InvalidArgumentError, 'without grpc'),
            (({'ps': [' localhost:1']},), tf.errors.InvalidArgumentError, 'without spaces'),
            ((one, 'ps', 0.0), tf.errors.InvalidArgumentError, 'Task 0.0 was not defined'),
            (({'ps': 'localhost:1'},), TypeError, 'must be a list or a dictionary'),
            (({'ps': [1]},), TypeError, 'Task address must be a string, given 1'),
            (({'ps': {'0': 'localhost:1'}},), TypeError, "must be an integer, given '0'"),
            ((3,), TypeError, 'server_or_cluster_def')]:
        with pytest.raises(kind, match=text):
            tf.train.Server(*arguments)
    with pytest.raises(TypeError, match="number of ps tasks, not '2'"):
        tf.train.replica_device_setter('2')
    for target in ('foo://bar', 'localhost:2222', 'grpc://x'):
        with pytest.raises(tf.errors.NotFoundError, match='No session factory'):
            tf.Session(target)


@pytest.mark.parametrize('package, make', [
    ('zmq', lambda: tf.train.Server({'ps': ['localhost:0']})),
    ('zmq', lambda: tf.Session('grpc://localhost:1')),
    ('mpi4py', process_group._join)])
def test_a_missing_package(package, make, monkeypatch):
    imported = builtins.__import__

    def without(name, *arguments, **settings):
        # Servers of other tests run in threads of theirs, and need it.
        if name == package and threading.current_thread() is threading.main_thread():
            raise ImportError(name)
        return imported(name, *arguments, **settings)
    monkeypatch.setattr(builtins, '__import__', without)
    if package == 'mpi4py':
        monkeypatch.setitem(sys.modules, package, None)
    cluster = {'worker': ['localhost:1', 'localhost:2']}
    monkeypatch.setenv('TF_CONFIG', json.dumps(
        {'cluster': cluster, 'task': {'type': 'worker', 'index': 1}}))
    with pytest.raises(ImportError, match=r"need.*\n  Hint: pip install 'tinyflow-graph"):
        make()


def test_two_servers_at_one_address(servers):
    with pytest.raises(tf.errors.UnknownError, match='Address already in use'):
        tf.train.Server({'ps': [servers[1].address]})
    with pytest.raises(tf.errors.UnknownError, match='address for /job:worker/task:0, too'):
        tf.train.Server({'ps': [servers[1].address], 'worker': [servers[1].address]}, 'ps')


def test_protocol_buffers_of_a_server(servers):
    proto = servers[1].server_def
    assert (proto.job_name, proto.task_index, proto.protocol) == ('ps', 0, 'grpc')
    spec = tf.train.ClusterSpec(proto.cluster)
    assert spec == servers[1].cluster and spec.as_cluster_def() == proto.cluster


def test_other_cluster_specs_are_refused(servers):
    worker, ps = servers
    wrong = {'ps': [ps.address], 'worker': ['localhost:0', 'localhost:1']}
    other = tf.train.Server({**wrong, 'worker': ['localhost:0', 'localhost:1']}, 'worker', 0)
    with tf.Graph().as_default(), on_ps():
        c = tf.random_uniform([])
        with tf.Session(other.target) as session, \
                pytest.raises(tf.errors.InvalidArgumentError, match='different cluster specs'):
            session.run(c)
    other.stop()


# ---- messages that are damaged, strangers -------------------------------------------------------


def _raw(server):
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger = 0
    socket.connect(f'tcp://{transport.canonical(server.address)}')
    return socket


def test_another_version(servers):
    socket = _raw(servers[1])
    socket.send_multipart(messages.encoded(b'hello', {'n': 1, 'version': 99}))
    kind, header = socket.recv_multipart()
    assert kind == b'error' and b'version 99' in header
    socket.close()


@pytest.mark.slow
@pytest.mark.filterwarnings('ignore')
def test_damaged_messages(servers, session):
    with on_ps():
        x = tf.placeholder(tf.float32, [2, 2])
        y = x + 1.
    assert session.run(y, {x: np.ones([2, 2])}).sum() == 8.
    incarnation = servers[1].service.incarnation
    name = session._programs.session
    part = next(iter(session._programs.entries.values())).run.levels[0][0]
    good = [messages.encoded(b'run', {'n': 5, 'i': incarnation, 's': name, 'k': part.key},
                             [np.ones([2, 2], 'f')]),
            messages.encoded(b'register', {
                'n': 6, 'i': incarnation, 's': name, 'k': 'new', 'names': [['x'], ['y:0'], []],
                'route': [[-1], [0], [], []]}) + [b'\n\x03\n\x01x'],
            messages.encoded(b'values', {'n': 7, 'i': incarnation, 'names': [['', 'v']]}),
            messages.encoded(b'set_positions', {'n': 8, 'i': incarnation, 's': name},
                             [np.array([b'abc'], object)])]
    chosen = random.Random()
    socket = _raw(servers[1])
    for _ in range(1000):
        frames = [bytes(memoryview(f)) for f in chosen.choice(good)]
        for _ in range(chosen.choice([1, 1, 3])):
            frames = _damaged(frames, chosen)
        socket.send_multipart(frames)
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:                  # it goes on serving
        if session.run(y, {x: np.ones([2, 2])}).sum() == 8.:
            break
    assert servers[1]._serving.thread.is_alive()
    while socket.poll(200):
        kind, header, *_ = socket.recv_multipart()
        assert kind in (b'ok', b'error', b'alive')
        if kind == b'error':
            assert 'InternalError' not in header.decode()
    socket.close()


def _damaged(frames, chosen):
    frames = list(frames)
    i = chosen.randrange(len(frames))
    kind = chosen.randrange(5)
    if kind == 0:
        del frames[i]
    elif kind == 1:
        frames.insert(i, chosen.randbytes(chosen.randrange(20)))
    elif kind == 2 and frames[i]:
        at = chosen.randrange(len(frames[i]))
        frames[i] = frames[i][:at] + bytes([chosen.randrange(256)]) + frames[i][at + 1:]
    elif kind == 3:
        frames[i] = frames[i][:chosen.randrange(len(frames[i]) + 1)]
    elif len(frames) > 1:
        try:
            header = json.loads(frames[1])
            key = chosen.choice(list(header))
            header[key] = chosen.choice([None, -1, 2**70, 'x', [], {}, [['float32', [2**40, 0]]],
                                         [['float32', [-1]]], [['string', [3]]], [[[], []]]])
            frames[1] = json.dumps(header).encode()
        except (ValueError, TypeError, IndexError):
            pass
    return frames or [b'']


def test_the_key_keeps_strangers_out(monkeypatch, graph):
    monkeypatch.setenv(transport.KEY, 'secret')
    server = tf.train.Server.create_local_server()
    del IN_PROCESS[transport.canonical(server.address)]
    c = tf.constant(1.) + tf.random_uniform([])
    with tf.Session(server.target) as session:
        session.run(c)
    for key in ('other', ''):
        monkeypatch.setenv(transport.KEY, key)
        with pytest.raises(tf.errors.UnauthenticatedError, match='refuses the connection'):
            tf.Session(server.target)
    server.stop()


def test_files_are_out_of_reach_of_strangers(servers, session, monkeypatch):
    with on_ps():
        content = tf.read_file('/etc/hostname')
    session.run(content)                                # only this machine reaches the server
    monkeypatch.setattr(servers[1], 'local_only', False)
    with pytest.raises(tf.errors.PermissionDeniedError, match='does not run ReadFile'):
        session.run(tf.strings.length(content))


def test_a_server_that_others_can_reach_warns(monkeypatch):
    monkeypatch.setenv('TINYFLOW_CLUSTER_BIND', '0.0.0.0')
    with pytest.warns(tf.errors.TinyflowWarning, match='cluster-without-key'):
        server = tf.train.Server.create_local_server()
    server.stop()
