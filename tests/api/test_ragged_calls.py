"""Calls on ragged tensors give what TensorFlow 1.15.5 gave, or an error of its class."""
from __future__ import annotations

import numpy as np
import pytest

import tinyflow as tf
from tests.golden.ragged_calls import CALLS, answer
from tests.golden.store import read_recorded

RECORDED = read_recorded('ragged')


@pytest.mark.parametrize('call', CALLS)
def test_a_call_gives_what_it_gave(call):
    got, wanted = answer(call, tf, np), RECORDED[call]
    if wanted != got:
        assert _rounded(got) == _rounded(wanted)


def _rounded(value):
    if isinstance(value, list):
        return [_rounded(v) for v in value]
    return 'nan' if value != value else round(value, 5) if isinstance(value, float) else value
