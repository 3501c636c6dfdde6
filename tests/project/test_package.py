"""What the package says of itself, and what its archives hold."""
import configparser
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

import tinyflow as tf

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(
    not (ROOT / 'setup.cfg').exists(), reason='an installed package has no setup.cfg')


@pytest.fixture(scope='module')
def settings():
    parser = configparser.ConfigParser()
    parser.read(ROOT / 'setup.cfg', encoding='utf-8')
    return parser


def test_one_version_everywhere(settings):
    changes = (ROOT / 'CHANGELOG.md').read_text(encoding='utf-8')
    dated = re.findall(r'^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$', changes, re.MULTILINE)
    assert dated[0] == settings['metadata']['version'] == tf.tinyflow_version
    assert re.findall(r'^## (.*)$', changes, re.MULTILINE)[0] == '[Unreleased]'


def test_the_command_is_python_dash_m_tinyflow(settings):
    command = settings['options.entry_points']['console_scripts'].strip()
    assert command == 'tinyflow = tinyflow.__main__:main'
    from tinyflow import __main__
    assert callable(__main__.main)


def test_the_workflow_names_targets_that_exist():
    workflow = ROOT / '.github' / 'workflows' / 'test.yml'
    if not workflow.exists():
        pytest.skip('not part of the source archive')
    targets = re.findall(r'run: make (\w+)', workflow.read_text(encoding='utf-8'))
    rules = re.findall(r'^(\w+):', (ROOT / 'Makefile').read_text(encoding='utf-8'), re.MULTILINE)
    assert {'lint', 'test', 'demo'} <= set(targets) <= set(rules)


def archives(folder):
    """The wheel and the source archive of a copy of the repository, built without the network."""
    source = folder / 'source'
    ignored = shutil.ignore_patterns('.*', 'build', 'dist', '*.egg-info', '__pycache__', 'golden')
    shutil.copytree(ROOT, source, ignore=ignored)
    done = subprocess.run(
        [sys.executable, '-c', 'from setuptools.build_meta import *\n'
         f'build_sdist({str(folder)!r}); build_wheel({str(folder)!r})'],
        cwd=source, capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    return next(folder.glob('*.whl')), next(folder.glob('*.tar.gz'))


@pytest.mark.slow
def test_contents_of_the_archives(tmp_path):
    pytest.importorskip('setuptools', minversion='77')
    wheel, sdist = archives(tmp_path)
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {'tinyflow/__init__.pyi', 'tinyflow/py.typed', 'tinyflow/api/data_sets/digits.npz',
            'keras_layer/__init__.pyi', 'estimator_layer/py.typed'} <= names
    assert not any(name.startswith(('tests', 'tutorials', 'docs')) for name in names)
    info = next(name for name in names if name.endswith('METADATA'))
    metadata = zipfile.ZipFile(wheel).read(info).decode()
    assert 'License-Expression: Apache-2.0\n' in metadata and 'License-File: LICENSE' in metadata
    sources = {name.partition('/')[2] for name in tarfile.open(sdist).getnames()}
    assert {'tests/project/test_package.py', 'tutorials/demo.py', 'docs/write_stubs.py', 'Makefile',
            'benchmarks/run.py'} <= sources
    assert {path.name for path in ROOT.glob('*.md')} <= sources
    assert not any(name.endswith('.pyc') for name in sources)
