"""Random programs in the native tier against the interpreter and plain NumPy.

`make thorough` runs more of them; TINYFLOW_RANDOM_PROGRAMS=20000 says how many.
"""
from __future__ import annotations

import os

import pytest
from hypothesis import given, settings, strategies as st

import tinyflow as tf
from tests.compiler.test_random_graphs import PROFILE, UNINTENDED, Garden, _initial, check_runs
from tinyflow.compiler.compile import Options
from tinyflow.native import loops
from tinyflow.native.loops import groups, updates
from tinyflow.session import tiers

MANY = int(os.environ.get('TINYFLOW_RANDOM_PROGRAMS', 200))

pytestmark = [pytest.mark.skipif(not loops.found(), reason='needs the extra "fast"'),
              pytest.mark.filterwarnings(UNINTENDED)]


@pytest.fixture(scope='module', autouse=True)
def loops_of_any_size():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('TINYFLOW_NATIVE', 'always')
        patch.setattr(groups, 'LEAST', 1)
        patch.setattr(tiers, '_LEAST', 1)
        patch.setattr(updates, '_LEAST', 1)
        yield


def check(data, static):
    with tf.Graph().as_default():
        garden = Garden(data.draw, static)
        fetched = garden.grow()
        fetches = [node.tensor for node in fetched] + [step[0] for step in garden.steps]
        start = {variable: _initial(variable) for _, variable in garden.variables}
        check_runs(garden, fetched, fetches, start, Options())


@pytest.mark.slow
@given(data=st.data(), static=st.sampled_from(['all', 'all', 'some']))
@settings(PROFILE, max_examples=8)
def test_native_runs_equal_the_interpreter_and_numpy(data, static):
    check(data, static)


@pytest.mark.thorough
@given(data=st.data(), static=st.sampled_from(['all', 'all', 'some']))
@settings(PROFILE, max_examples=MANY)
def test_many_native_runs_equal_the_interpreter_and_numpy(data, static):
    check(data, static)
