"""Programs of TensorFlow 2 give what TensorFlow 2.15.1 gave."""
import numpy as np
import pytest

import tinyflow
from tests.golden.compare import assert_same, plain
from tests.golden.eager_programs import values
from tests.golden.encoding import decode
from tests.golden.store import read_recorded
from tests.golden.v2_programs import PROGRAMS
from tinyflow.api.v2 import behavior

RECORDED = read_recorded('v2')
tf = tinyflow.compat.v2


@pytest.fixture(scope='module', autouse=True)
def version_2():
    enabled = tinyflow.executing_eagerly()
    tinyflow.reset_default_graph() if not enabled else None
    behavior.enable_v2_behavior()
    yield
    tinyflow.disable_v2_behavior()
    if enabled:
        tinyflow.enable_eager_execution()


def test_every_program_is_recorded():
    assert RECORDED.keys() == PROGRAMS.keys() and len(PROGRAMS) >= 30


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name', sorted(PROGRAMS))
def test_program(name):
    tf.keras.backend.clear_session()
    tf.random.set_seed(1)
    found = plain(values(PROGRAMS[name](tf, np), tf, np))
    assert_same(found, decode(RECORDED[name]), name, scale=10.)
