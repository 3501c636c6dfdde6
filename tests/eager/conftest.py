"""Every test here runs its ops at once."""
import pytest

import tinyflow as tf
from tinyflow.eager.enabling import eager_execution


@pytest.fixture(autouse=True)
def eager():
    with eager_execution():
        tf.set_random_seed(None)
        yield
