"""Record golden values under TensorFlow 1.15.5: python tests/golden/record.py [what ...]

`what` is a section (programs, ops, random, errors) or one family of it: programs:variables is the
programs of golden/programs/variables.py. Each family has its own files in golden/recorded.
"""
import operator
import os
import sys
import warnings

os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
warnings.simplefilter('ignore')
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

from golden.encoding import decode, encode, encode_array, write_json, write_spec  # noqa: E402
from golden.error_cases import ERRORS  # noqa: E402
from golden.load import KEPT_ENDS, in_gradients  # noqa: E402
from golden.cases import CASES, FAMILIES  # noqa: E402
from golden.op_cases import weights  # noqa: E402
from golden.programs import PROGRAMS  # noqa: E402
from golden.programs.registry import family  # noqa: E402
from tensorflow.python.ops import control_flow_util  # noqa: E402
from golden.random_cases import RANDOM_CASES, RUNS  # noqa: E402
from golden.store import write_recorded  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
# Contexts of TF's own control flow, which no program looks at.
TF_BOOKKEEPING = ('cond_context', 'while_context')


def record_programs(chosen):
    return {name: record_program(name, build) for name, build in PROGRAMS.items()
            if family(build) == chosen}


def record_program(name, build):
    """Nodes as built, collections, values of each run; fails if a second recording differs."""
    first, second = [_build_and_run(build, threads) for threads in (1, 2)]
    if not _close(first['runs'], second['runs']):
        raise ValueError('program %s is not deterministic' % name)
    return first


def _build_and_run(build, threads):
    control_flow_util.ENABLE_CONTROL_FLOW_V2 = getattr(build, 'functional', False)
    with tf.Graph().as_default() as graph:
        runs = build(tf, np)
        # What tf.gradients makes is compared by its values only.
        nodes = [_node_row(op) for op in graph.get_operations() if not in_gradients(op.name)]
        record, last_id = {'collections': _collections(graph), 'nodes': nodes}, graph._last_id
        with _session(threads) as sess:
            record['runs'] = [encode(sess.run(fetches, feeds))
                              for fetches, feeds in runs]
        if graph._last_id != last_id:
            raise ValueError('running added nodes to the graph')
    return record


def _session(threads):
    return tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads,
                                            inter_op_parallelism_threads=threads))


def _node_row(op):
    # TF keeps control inputs in the order of a hash table: sorted, they are the same every time.
    inputs = [t.name for t in op.inputs] + sorted('^' + c.name for c in op.control_inputs)
    return [op.name, op.type, inputs, [_spec(t) for t in op.outputs], _groups(op), op.device]


def _groups(op):
    """The names in the attribute _class, without 'loc:@'."""
    try:
        return [g.decode().partition('@')[2] for g in op.get_attr('_class')]
    except ValueError:
        return []


def _spec(t):
    dims = t.shape.dims
    return write_spec(t.dtype.name, None if dims is None else [d.value for d in dims])


def _collections(graph):
    members = {k: graph.get_collection(k) for k in graph.get_all_collection_keys()
               if not str(k).startswith('__') and k not in TF_BOOKKEEPING}
    return {k: [_member(m) for m in members[k]] for k in sorted(members) if members[k]}


def _member(m):
    return m.name if hasattr(m, 'name') else repr(m)


def _close(a, b):
    """Equal data, floats up to the last bits: threads may sum in another order."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(_close(a[k], b[k]) for k in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(_close(x, y) for x, y in zip(a, b))
    if isinstance(a, float):
        return np.isclose(a, b, rtol=1e-5, atol=1e-6)
    return a == b


def record_ops(chosen):
    return {key: record_op(case) for key, case in CASES.items() if FAMILIES[key] == chosen}


def record_op(case):
    """Outputs, static types and gradients of one call, or the error it raises."""
    with tf.Graph().as_default(), _session(1) as sess:
        try:
            feeds = {}
            args = [_place(a, feeds) for a in case.inputs]
            kwargs = {key: _place(a, feeds) for key, a in sorted(case.kwargs.items())}
            outputs = _outputs(_function(case.path)(*args, **kwargs))
            record = {'static': [_spec(t) for t in outputs],
                      'outputs': encode(sess.run(outputs, feeds))}
        except Exception as error:
            return {'error': type(error).__name__}
        record['gradients'] = _op_gradients(sess, outputs, feeds, record['outputs'])
        return record


def _place(value, feeds):
    """Arrays become fed placeholders, also inside lists; anything else is passed as it is."""
    if isinstance(value, list) and any(isinstance(v, np.ndarray) for v in value):
        return [_place(v, feeds) for v in value]
    if not isinstance(value, np.ndarray):
        return value
    t = tf.placeholder(value.dtype, value.shape)
    feeds[t] = value
    return t


def _function(path):
    if path.startswith('operator.'):
        return getattr(operator, path[len('operator.'):])
    found = tf
    for part in path.split('.'):
        found = getattr(found, part)
    return found


def _outputs(result):
    """The call's tensors in order, flat."""
    if isinstance(result, (list, tuple)):
        return [t for r in result for t in _outputs(r)]
    return [result]


def _op_gradients(sess, outputs, feeds, recorded):
    """One gradient for each float input of sum(output * weights), None where TF defines none."""
    inputs = [t for t in feeds if t.dtype.is_floating]
    weighted = [tf.reduce_sum(t * weights(np, r.shape, r.dtype))
                for t, r in zip(outputs, decode(recorded)) if t.dtype.is_floating]
    if not inputs or not weighted:
        return None
    try:
        gradients = tf.gradients(weighted, inputs)
        dense = [None if g is None else tf.convert_to_tensor(g) for g in gradients]
        return [None if g is None else encode(sess.run(g, feeds)) for g in dense]
    except (LookupError, tf.errors.OpError, NotImplementedError, ValueError, TypeError):
        return None


def record_random():
    return {key: record_draws(case) for key, case in RANDOM_CASES.items()}


def record_draws(case):
    """The seed attributes of the case's random op, and its values in runs of one session."""
    with tf.Graph().as_default() as graph:
        if case.graph_seed is not None:
            tf.set_random_seed(case.graph_seed)
        for i in range(case.nodes_before):
            tf.no_op(name='before_%d' % i)
        fetch = case.build(tf, np, case.op_seed)
        seeds = [[op.get_attr('seed'), op.get_attr('seed2')] for op in graph.get_operations()
                 if 'seed2' in op.node_def.attr]
        if len(seeds) != 1:
            raise ValueError('expected one random op')
        with _session(1) as sess:
            return {'seeds': seeds[0], 'runs': [_draw(sess.run(fetch)) for _ in range(RUNS)]}


def _draw(value):
    flat = np.asarray(value).ravel()
    ends = np.concatenate([flat[:KEPT_ENDS], flat[KEPT_ENDS:][-KEPT_ENDS:]])
    return {'size': flat.size, 'ends': encode_array(ends),
            'total': float(np.sum(flat, dtype=np.float64))}


def record_errors():
    return {name: record_error(name, provoke) for name, provoke in ERRORS.items()}


def record_error(name, provoke):
    with tf.Graph().as_default():
        try:
            provoke(tf, np)
        except Exception as error:
            return type(error).__name__
    raise ValueError('error case %s raises nothing' % name)


WHOLE = {'random': record_random, 'errors': record_errors}
BY_FAMILY = {'programs': (record_programs, lambda: sorted(set(map(family, PROGRAMS.values())))),
             'ops': (record_ops, lambda: sorted(set(FAMILIES.values())))}


def main(chosen):
    tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.ERROR)
    if not tf.__version__.startswith('1.15'):
        raise SystemExit('golden values are recorded from TensorFlow 1.15, not %s' % tf.__version__)
    for what in chosen or [*WHOLE, *BY_FAMILY]:
        section, _, only = what.partition(':')
        if section in WHOLE:
            records = WHOLE[section]()
            write_json(os.path.join(HERE, section + '.json'), records)
            print('%s: %d' % (section, len(records)))
            continue
        record, families = BY_FAMILY[section]
        for name in [only] if only else families():
            records = record(name)
            write_recorded('%s.%s' % (section, name), records)
            print('%s.%s: %d' % (section, name, len(records)))


if __name__ == '__main__':
    main(sys.argv[1:])
