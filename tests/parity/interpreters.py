"""Runs the scripts of this folder in the TensorFlow that an environment variable names."""
import os
import pathlib
import subprocess

import pytest


def interpreter(version):
    """The path that the environment variable `version` gives; the test is skipped without one."""
    if version not in os.environ:
        pytest.skip(f'{version} names no interpreter')
    return os.environ[version]


def run_script(version, script, *arguments):
    """What a script that ended well printed."""
    path = pathlib.Path(__file__).with_name(script)
    done = subprocess.run([interpreter(version), '-W', 'ignore', str(path), *map(str, arguments)],
                          capture_output=True, text=True, check=False,
                          env={**os.environ, 'TF_CPP_MIN_LOG_LEVEL': '3'})
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout
