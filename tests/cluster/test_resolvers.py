"""Cluster resolvers give TensorFlow 1.15.5's answers; Slurm's lists of nodes."""
from __future__ import annotations

import os
from unittest import mock

import pytest

import tinyflow as tf
from tests.golden.resolver_cases import CASES, answers
from tests.golden.store import read_recorded
from tinyflow.cluster.resolvers import slurm

RECORDED = read_recorded('resolvers')


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """The cases change the environment; there is no command `scontrol`."""
    with mock.patch.dict(os.environ):
        monkeypatch.setattr(slurm.shutil, 'which', lambda name: None)
        yield


@pytest.mark.parametrize('name', CASES)
def test_answers(name):
    assert answers(tf, name) == RECORDED[name]


def test_all_recorded_cases_are_tested():
    assert set(RECORDED) == set(CASES)


@pytest.mark.parametrize('text, nodes', [
    ('n1', ['n1']), ('n1,m2', ['n1', 'm2']), ('n[8-11]', ['n8', 'n9', 'n10', 'n11']),
    ('n[08-09,12],m[1,3]-ib', ['n08', 'n09', 'n12', 'm1-ib', 'm3-ib']),
    ('r[1-2]n[0-1]', ['r1n0', 'r1n1', 'r2n0', 'r2n1'])])
def test_the_names_of_nodes(text, nodes):
    os.environ['SLURM_STEP_NODELIST'] = text
    assert slurm._nodes() == nodes


def test_outside_of_slurm():
    os.environ.pop('SLURM_PROCID', None)
    with pytest.raises(RuntimeError, match='not started by Slurm(.|\n)*Hint: start it by `srun'):
        tf.distribute.cluster_resolver.SlurmClusterResolver({'worker': 1})


def test_a_worker_alone_needs_no_server():
    os.environ.pop('TF_CONFIG', None)
    resolver = tf.contrib.cluster_resolver.TFConfigClusterResolver()
    assert resolver.num_accelerators() == {'CPU': 1}
    with tf.Session(resolver.master()) as session:
        assert session.run(tf.constant(1.0)) == 1.0


def test_accelerators_that_are_given():
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(
        tf.train.ClusterSpec({'worker': ['a:1']}), num_accelerators={'GPU': 2})
    assert resolver.num_accelerators() == {'GPU': 2}


@pytest.mark.parametrize('name, reason', [
    ('GCEClusterResolver', 'SimpleClusterResolver'), ('TPUClusterResolver', 'CPU only'),
    ('KubernetesClusterResolver', 'set TF_CONFIG')])
def test_resolvers_that_ask_a_provider(name, reason):
    for module in (tf.distribute.cluster_resolver, tf.contrib.cluster_resolver):
        with pytest.raises(AttributeError, match=f'{name} is not part of tinyflow.*{reason}'):
            getattr(module, name)
