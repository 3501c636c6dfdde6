"""Cluster resolvers, made in many ways, and what they answer; runs under Python 3.7, too."""
import json
import os

SPEC = {'worker': ['w0:1', 'w1:2'], 'ps': ['p0:3']}
FOUR = {'SLURM_STEP_NODELIST': 't02n13,t02n[41-42],t02n44', 'SLURM_NTASKS': '4',
        'SLURM_NTASKS_PER_NODE': '1'}
NODES = ['t02n13', 't02n41', 't02n42', 't02n44']

# What is asked of each resolver; the cluster first, since Slurm's knows its task only then.
QUESTIONS = {
    'cluster_spec': lambda r: r.cluster_spec().as_dict(),
    'task_type': lambda r: r.task_type,
    'task_id': lambda r: r.task_id,
    'rpc_layer': lambda r: r.rpc_layer,
    'environment': lambda r: r.environment,
    'master()': lambda r: r.master(),
    'master(worker, 1)': lambda r: r.master('worker', 1),
    'master(ps, 0, x)': lambda r: r.master('ps', 0, 'x'),
    'master(ps, 0, none)': lambda r: r.master('ps', 0, ''),
    'master(task_id=1)': lambda r: r.master(task_id=1),
    'master(ps)': lambda r: r.master('ps'),
    'master(rpc_layer)': lambda r: r.master(rpc_layer='grpc'),
}


def simple(spec, **kwargs):
    return lambda tf: tf.distribute.cluster_resolver.SimpleClusterResolver(
        spec if spec is None or isinstance(spec, list) else tf.train.ClusterSpec(spec), **kwargs)


def union(*makers, **kwargs):
    return lambda tf: tf.distribute.cluster_resolver.UnionResolver(
        *[make(tf) if callable(make) else make for make in makers], **kwargs)


def from_tf_config(config, **kwargs):
    def make(tf):
        os.environ.pop('TF_CONFIG', None)
        if config is not None:
            os.environ['TF_CONFIG'] = config if isinstance(config, str) else json.dumps(config)
        return tf.distribute.cluster_resolver.TFConfigClusterResolver(**kwargs)
    return make


def slurm(rank, tasks=4, without=(), **kwargs):
    def make(tf):
        for name in list(os.environ):
            if name.startswith('SLURM'):
                del os.environ[name]
        os.environ.update(FOUR, SLURM_PROCID=str(rank), SLURM_NTASKS=str(tasks))
        for name in without:
            del os.environ[name]
        return tf.distribute.cluster_resolver.SlurmClusterResolver(auto_set_gpu=False, **kwargs)
    return make


def _task(kind, index, **more):
    return dict({'cluster': SPEC, 'task': {'type': kind, 'index': index}}, **more)


_JOBS = {'worker': 3, 'ps': 1}
_EIGHT = {'tasks': 8, 'jobs': {'ps': 2, 'worker': 6}, 'tasks_per_node': 2, 'gpus_per_node': 4,
          'gpus_per_task': 2, 'port_base': 9000, 'rpc_layer': None}

CASES = {
    'simple': simple(SPEC),
    'simple, all': simple(SPEC, master='m:1', task_type='worker', task_id=1, environment='google',
                          rpc_layer='grpc'),
    'simple, a layer': simple(SPEC, rpc_layer='grpc'),
    'simple, a layer and a task': simple(SPEC, task_type='worker', task_id=1, rpc_layer='grpc'),
    'simple, None': simple(None),
    'simple, a list': simple([1]),
    'no argument': lambda tf: tf.distribute.cluster_resolver.ClusterResolver(),
    'union of none': union(),
    'union of a str': union('x'),
    'union, unknown argument': union(simple(SPEC), foo=1),
    'union of one': union(simple(SPEC, master='m', task_type='ps', task_id=0, environment='e',
                                 rpc_layer='r')),
    'union of two jobs': union(
        simple({'worker': ['a:1']}, master='m'),
        simple({'ps': ['b:1']}, master='n', task_type='ps', task_id=0, rpc_layer='q')),
    'union, arguments': union(simple({'worker': ['a:1']}, master='m'), simple({'ps': ['b:1']}),
                              rpc_layer='z', task_type='worker', task_id=1),
    'union of lists': union(simple({'worker': ['a:1', 'b:1']}), simple({'worker': ['b:1', 'c:1']})),
    'union of numbers': union(simple({'worker': {1: 'a:1'}}), simple({'worker': {3: 'c:1'}})),
    'union of both': union(simple({'worker': {1: 'a:1'}}), simple({'worker': ['c:1']})),
    'union, a number twice': union(simple({'worker': {1: 'a:1'}}), simple({'worker': {1: 'c:1'}})),
    'no TF_CONFIG': from_tf_config(None),
    'TF_CONFIG {}': from_tf_config('{}'),
    'TF_CONFIG no JSON': from_tf_config('{'),
    'TF_CONFIG empty': from_tf_config(''),
    'TF_CONFIG full': from_tf_config(_task('worker', 1, rpc_layer='grpc', environment='google')),
    'TF_CONFIG, text': from_tf_config(_task('worker', '1')),
    'TF_CONFIG, no task': from_tf_config({'cluster': SPEC}),
    'TF_CONFIG, one task': from_tf_config(_task('worker', 0, cluster={'worker': ['a:1']})),
    'TF_CONFIG, evaluator': from_tf_config(_task('evaluator', 0)),
    'TF_CONFIG, session_master': from_tf_config(_task('worker', 0, session_master='sm')),
    'TF_CONFIG, arguments': from_tf_config(_task('worker', 1), task_type='ps', task_id=0,
                                           rpc_layer='x', environment='y'),
    'slurm, server': slurm(0, jobs=_JOBS),
    'slurm, worker': slurm(2, jobs=_JOBS, port_base=7000, tasks_per_node=1),
    'slurm, three jobs': slurm(1, jobs={'worker': 2, 'chief': 1, 'ps': 1}),
    'slurm, eight, 4': slurm(4, **_EIGHT),
    'slurm, eight, 7': slurm(7, **_EIGHT),
    'slurm, too many': slurm(0, jobs={'worker': 5}),
    'slurm, too few': slurm(0, jobs={'worker': 3}),
    'slurm, few GPUs': slurm(0, jobs=_JOBS, tasks_per_node=2),
    'slurm, tasks of a node': slurm(0, jobs=_JOBS, without=['SLURM_NTASKS_PER_NODE']),
}


def _answer(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:                          # noqa: BLE001 - recorded by its class
        base = ValueError if isinstance(error, ValueError) else type(error)
        return {'error': base.__name__}


def answers(tf, name):
    """{question: answer or {'error': class}} of one case; an error of its constructor alone."""
    resolver = _answer(CASES[name], tf)
    if isinstance(resolver, dict):
        return resolver
    found = {question: _answer(ask, resolver) for question, ask in QUESTIONS.items()}
    return json.loads(json.dumps(found))
