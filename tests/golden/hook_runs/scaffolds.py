"""The nodes that a Scaffold makes, and pieces that are given to it."""
from .models import loop, model, nodes
from .telling import tale


@tale
def the_nodes_of_a_scaffold(tf, told):
    model(tf, told)
    tf.get_variable('local', initializer=2.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    count = len(tf.get_default_graph().get_operations())
    scaffold = tf.train.Scaffold().finalize()
    nodes(tf, told, count)
    for piece in ('init_op', 'ready_op', 'ready_for_local_init_op', 'local_init_op', 'summary_op',
                  'init_fn', 'init_feed_dict'):
        told.add(piece, getattr(scaffold, piece))
    for name in ('init_op', 'local_init_op', 'ready_op', 'ready_for_local_init_op', 'summary_op'):
        told.add('collection', name, tf.get_collection(name))
    told.add('savers', len(tf.get_collection('savers')), tf.get_collection('savers')[0] is
             scaffold.saver)
    told.add('again', tf.train.Scaffold().finalize().init_op)


@tale
def the_nodes_of_a_scaffold_without_variables(tf, told):
    tf.constant(1.0, name='one')
    tf.train.Scaffold().finalize()
    nodes(tf, told)


@tale
def the_nodes_of_hooks(tf, told):
    w = tf.get_variable('w', initializer=1.0)
    step = tf.train.get_or_create_global_step()
    tf.summary.scalar('w', w)
    tf.assign_add(step, 1)
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=told.folder, hooks=[tf.train.StopAtStepHook(1)]) as session:
        nodes(tf, told)
        for name in ('global_step_read_op_cache',):
            told.add('collection', name, tf.get_collection(name))
        told.add(session.run(step))


@tale
def pieces_of_ones_own(tf, told):
    train_op, loss = model(tf, told)
    start = tf.placeholder(tf.float32, [], name='start')
    v = tf.get_variable('v', initializer=start)
    local = tf.get_variable('local', initializer=2.0, collections=['local_variables'])

    def init_fn(scaffold, session):
        told.add('init_fn', type(scaffold).__name__, type(session).__name__, session.run(v))
    with tf.control_dependencies([tf.global_variables_initializer()]):
        init_op = tf.no_op(name='mine')
    first = tf.train.Scaffold(init_op=init_op, init_feed_dict={start: 7.0}, init_fn=init_fn)
    second = tf.train.Scaffold(copy_from_scaffold=first, summary_op=tf.constant(b'', name='sums'))
    told.add(second.init_op, second.summary_op, second.init_fn is first.init_fn)
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(second)) as session:
        told.add('values', session.run([v, local]))
    with tf.train.SingularMonitoredSession(scaffold=tf.train.Scaffold(
            init_op=init_op, init_feed_dict={start: 8.0})) as session:
        told.add('values', session.run([v, local]))


@tale
def an_init_op_that_is_not_enough(tf, told):
    w = tf.get_variable('w', initializer=1.0)
    tf.get_variable('v', initializer=1.0)
    with told.expecting(mask=True):
        tf.train.MonitoredSession(tf.train.ChiefSessionCreator(
            tf.train.Scaffold(init_op=w.initializer)))


@tale
def two_in_a_collection(tf, told):
    tf.add_to_collection('ready_op', tf.constant([], tf.string))
    tf.add_to_collection('ready_op', tf.constant([], tf.string))
    with told.expecting(mask=True):
        tf.train.Scaffold().finalize()


@tale
def a_local_variable_from_a_global_one(tf, told):
    w = tf.get_variable('w', initializer=3.0)
    local = tf.get_variable('local', initializer=w.initialized_value() * 2.0,
                            collections=['local_variables'])
    with tf.train.MonitoredSession() as session:
        told.add('local', session.run(local))


@tale
def an_object_based_saver(tf, told):
    train_op, _ = model(tf, told)
    w = [v for v in tf.global_variables() if v.op.name == 'w'][0]
    # TensorFlow 1.15 accepts the class of TensorFlow 2 only, whose files are the same.
    of_objects = getattr(tf.compat, 'v2', tf).train.Checkpoint
    checkpoint = of_objects(weights=w, step=tf.train.get_global_step())
    scaffold = tf.train.Scaffold(saver=checkpoint)
    with tf.train.MonitoredTrainingSession(
            checkpoint_dir=told.folder, scaffold=scaffold, save_checkpoint_steps=2,
            hooks=[tf.train.StopAtStepHook(last_step=2)]) as session:
        loop(session, train_op)
    for name, shape in tf.train.list_variables(tf.train.latest_checkpoint(told.folder)):
        told.add('saved', name, list(shape))
    with tf.Graph().as_default():
        train_op, _ = model(tf, told)
        w = [v for v in tf.global_variables() if v.op.name == 'w'][0]
        checkpoint = of_objects(weights=w, step=tf.train.get_global_step())
        with tf.train.MonitoredTrainingSession(
                checkpoint_dir=told.folder, scaffold=tf.train.Scaffold(saver=checkpoint),
                hooks=[tf.train.StopAtStepHook(last_step=3)]) as session:
            told.add('w', session.run(w))
            told.add('step', session.run(tf.train.get_global_step()))


@tale
def tables_are_filled(tf, told):
    keys = tf.constant(['a', 'b'])
    table = tf.contrib.lookup.HashTable(
        tf.contrib.lookup.KeyValueTensorInitializer(keys, tf.constant([1, 2])), -1)
    found = table.lookup(tf.constant(['b', 'c']))
    with tf.train.MonitoredSession() as session:
        told.add('found', session.run(found))


@tale
def the_layers_of_a_session(tf, told):
    """Programs reach for the Session inside by `_sess`, as often as there are layers."""
    train_op, _ = model(tf, told)
    for make in (tf.train.MonitoredSession, tf.train.SingularMonitoredSession):
        with make() as session:
            inner, depth = session, 0
            while not isinstance(inner, tf.Session):
                inner, depth = inner._sess, depth + 1
            told.add('layers', depth, inner is session._tf_sess(),
                     inner is session._coordinated_creator.tf_sess, inner.graph is session.graph)
            session.run(train_op)
            told.add('step', inner.run(tf.train.get_global_step()))
