"""tf.keras.losses: the cosine similarity with the sign of a loss."""
from __future__ import annotations

from keras_layer import losses

__all__ = ['CosineSimilarity', 'cosine_similarity']


def cosine_similarity(y_true, y_pred, axis=-1):
    """-cos of the angle between y_true and y_pred. Shapes: [batch, classes] -> [batch]."""
    return -losses.cosine_similarity(y_true, y_pred, axis)


class CosineSimilarity(losses.CosineSimilarity):
    """The mean of -cos of the angle between y_true and y_pred."""

    def call(self, y_true, y_pred):
        """[batch] values."""
        return -super().call(y_true, y_pred)
