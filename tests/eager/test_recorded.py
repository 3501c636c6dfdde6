"""Programs that run their ops at once give what TensorFlow 1.15.5 gave."""
import numpy as np
import pytest

import tinyflow as tf
from tests.golden.compare import assert_same, plain
from tests.golden.eager_programs import PROGRAMS, values
from tests.golden.encoding import decode
from tests.golden.store import read_recorded

RECORDED = read_recorded('eager')


def test_every_program_is_recorded():
    assert RECORDED.keys() == PROGRAMS.keys() and len(PROGRAMS) >= 60


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', sorted(PROGRAMS))
def test_program(name):
    tf.keras.backend.clear_session()
    tf.set_random_seed(1)
    found = plain(values(PROGRAMS[name](tf, np), tf, np))
    assert_same(found, decode(RECORDED[name]), name, scale=10.)
