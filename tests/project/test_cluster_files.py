"""docs/cluster/: the files that start a program on several hosts give each task its own place."""
import json
import subprocess
from pathlib import Path

import pytest

import tinyflow as tf

yaml = pytest.importorskip('yaml')
FOLDER = Path(__file__).parents[2] / 'docs' / 'cluster'
ROLES = [('chief', 0), ('worker', 0), ('ps', 0)]


def read(name):
    if not FOLDER.is_dir():
        pytest.skip('docs/ is not part of an installed package')
    return list(yaml.safe_load_all((FOLDER / name).read_text(encoding='utf-8')))


def role(text, monkeypatch):
    """(task, cluster) that a RunConfig finds in TF_CONFIG."""
    monkeypatch.setenv('TF_CONFIG', text)
    config = tf.estimator.RunConfig()
    return (config.task_type, config.task_id), json.loads(text)['cluster']


def test_compose_file(monkeypatch):
    (content,) = read('compose.yaml')
    services = content['services']
    found = {name: role(service['environment']['TF_CONFIG'], monkeypatch)
             for name, service in services.items()}
    assert {name: task for name, (task, _) in found.items()} == {
        name: (name, 0) for name in ('chief', 'worker', 'ps', 'evaluator')}
    clusters = [cluster for _, cluster in found.values()]
    assert all(cluster == clusters[0] for cluster in clusters)
    assert {address.partition(':')[0] for tasks in clusters[0].values() for address in tasks} == {
        'chief', 'worker', 'ps'}            # names of services are names of hosts
    for service in services.values():
        assert 'TINYFLOW_CLUSTER_KEY' in service['environment']
        assert service['volumes'][0].partition(':')[0] in content['volumes']


def test_kubernetes_job(monkeypatch):
    service, job = read('kubernetes.yaml')
    pod = job['spec']['template']['spec']
    (container,) = pod['containers']
    program = container['args'][0].replace('exec python -u train.py', 'printf %s "$TF_CONFIG"')
    found = []
    for index in range(job['spec']['completions']):
        text = subprocess.run(['sh', '-c', program], capture_output=True, text=True, check=True,
                              env={'JOB_COMPLETION_INDEX': str(index)}).stdout
        task, cluster = role(text, monkeypatch)
        found.append(task)
        name, _, port = cluster[task[0]][task[1]].partition(':')
        assert name == f'{job["metadata"]["name"]}-{index}.{service["metadata"]["name"]}'
        assert int(port) == container['ports'][0]['containerPort']
    assert found == ROLES
    assert job['spec']['parallelism'] == len(ROLES)         # all run at the same time
    assert pod['subdomain'] == service['metadata']['name']
    assert service['spec']['selector'] == {'job-name': job['metadata']['name']}
    assert {mount['name'] for mount in container['volumeMounts']} == {
        volume['name'] for volume in pod['volumes']}
