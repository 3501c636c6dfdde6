"""Whole programs with Estimators give what TensorFlow 1.15.5 gives, from the seed alone."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.golden import read_recorded
from tests.golden.estimator.whole_programs import PROGRAMS

GOLDEN = read_recorded('estimator.whole')


@pytest.mark.slow
@pytest.mark.parametrize('program', PROGRAMS, ids=lambda program: program.__name__)
def test_program_equals_tensorflow(program, tmp_path):
    _check(program(tf, str(tmp_path)), GOLDEN[program.__name__], program.__name__)


def test_every_recorded_program_is_compared():
    assert set(GOLDEN) == {program.__name__ for program in PROGRAMS}


def _check(found, wanted, what):
    if isinstance(wanted, dict):
        assert sorted(found) == sorted(wanted), what
        for key, value in wanted.items():
            _check(found[key], value, f'{what} {key}')
    elif isinstance(wanted, list) and wanted and isinstance(wanted[0], str):
        assert found == wanted, what
    else:
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=what)
