"""Fixtures of the tests of Keras 2."""
import pytest

from keras_layer.keras2 import enabling


@pytest.fixture
def like_keras2():
    """Inside of it `import keras` means Keras 2.1."""
    enabling.enable()
    yield
    enabling.disable()
