"""Every test here runs its ops at once."""
import pytest

from tinyflow.eager.enabling import eager_execution


@pytest.fixture(autouse=True)
def eager():
    with eager_execution():
        yield
