"""keras.callbacks of Keras 2: those of tf.keras, with another TensorBoard."""
from __future__ import annotations

import os

import tinyflow as tf
from keras_layer import callbacks as of_tf_keras
from keras_layer.callbacks import *  # noqa: F403 - its __all__ is the list
from tinyflow.graph.support.missing import explain_missing

__all__ = of_tf_keras.__all__


class TensorBoard(of_tf_keras.TensorBoard):
    """Event files as in tf.keras; the tags of losses and metrics are their names in the logs.

    Without `embeddings_data`, which came with Keras 2.2, `embeddings_freq` saves the weights of the
    layers.
    """

    _of_batch = _of_epoch = ''

    def set_model(self, model):
        """Remembers the model."""
        of_tf_keras.Callback.set_model(self, model)

    def _embeddings(self):
        if self.embeddings_data is not None:
            return super()._embeddings()
        weights = {name: self.model.get_layer(name).weights[0] for name in self._embedding_names()}
        return weights, tf.train.Saver(list(weights.values()), allow_empty=True)

    def _describe_embeddings(self):
        if self.embeddings_data is not None:
            super()._describe_embeddings()
        else:
            self._describe({name: weight.name for name, weight in self._embedded[0].items()})

    def _save_embeddings(self, epoch):
        if self.embeddings_data is not None:
            super()._save_embeddings(epoch)
        else:
            self._embedded[1].save(self._session(),
                                   os.path.join(self.log_dir, 'keras_embedding.ckpt'), epoch)


__getattr__ = explain_missing('keras.callbacks', __all__)
