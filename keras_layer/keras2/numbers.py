"""Numbers as losses and updates, which Keras 2.1 keeps as they are; tf.keras makes tensors."""
from __future__ import annotations

import tinyflow as tf


class Number(float):
    """A number that was given to `add_loss` or `add_update`, with the inputs it was given for."""

    def __new__(cls, value, inputs=None):
        number = super().__new__(cls, value)
        number.given_for = () if inputs is None else tuple(tf.nest.flatten(inputs))
        return number
