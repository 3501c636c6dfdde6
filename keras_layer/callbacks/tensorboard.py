"""TensorBoard: event files with logs, weights, gradients and embeddings."""
from __future__ import annotations

import os

import numpy as np

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.callbacks.base import Callback
from tinyflow.graph.support.errors import misuse

__all__ = ['TensorBoard']


class TensorBoard(Callback):
    """Writes event files for TensorBoard: scalars, histograms, the graph.

    `update_freq` is 'epoch', 'batch' or a number of samples. Every `histogram_freq` epochs the
    weights and outputs of the layers are written as histograms, for each batch of the validation
    (without validation, only the weights); with `write_grads` the gradients of the loss, too, and
    with `write_images` the weights as pictures. Every `embeddings_freq` epochs the outputs of the
    Embedding layers for `embeddings_data` become a checkpoint for TensorBoard's projector;
    `embeddings_metadata` is a file of labels, or a dict of them by layer name.

    `profile_batch` is accepted; Session.run's own options and tf.profiler profile.
    """

    _of_batch, _of_epoch = 'batch_', 'epoch_'       # the tags of the logs begin like this

    def __init__(self, log_dir='./logs', histogram_freq=0, batch_size=32, write_graph=True,
                 write_grads=False, write_images=False, embeddings_freq=0,
                 embeddings_layer_names=None, embeddings_metadata=None, embeddings_data=None,
                 update_freq='epoch', profile_batch=2):
        super().__init__()
        self.log_dir, self.histogram_freq = os.fspath(log_dir), histogram_freq
        self.write_graph, self.write_grads = write_graph, write_grads
        self.write_images, self.batch_size = write_images, batch_size
        self.embeddings_freq, self.embeddings_data = embeddings_freq, embeddings_data
        self.embeddings_layer_names = embeddings_layer_names
        self.embeddings_metadata = embeddings_metadata
        self.update_freq = 1 if update_freq == 'batch' else update_freq
        self.merged = self._of_weights = self._embedded = self._writer = None
        self._samples = self._written = self._batches = self._validated = 0

    def set_model(self, model):
        super().set_model(model)
        if self.embeddings_freq and self.embeddings_data is None:
            raise misuse(ValueError('To visualize embeddings, embeddings_data must be provided.'))

    def on_train_begin(self, logs=None):
        with self.model._graph.as_default():
            self._writer = tf.summary.FileWriter(self.log_dir,
                                                 K.get_graph() if self.write_graph else None)
            if self.histogram_freq and self.merged is None:
                self._make_summaries()
            if self.embeddings_freq:
                self._embedded = self._embeddings()
                self._describe_embeddings()

    # ---- scalars ---------------------------------------------------------------------------

    def on_batch_end(self, batch, logs=None):
        logs = logs or {}
        self._samples += logs.get('size', 1)
        if self.update_freq != 'epoch' and self._samples - self._written >= self.update_freq:
            self._write({self._of_batch + k: v for k, v in logs.items()
                         if k not in ('batch', 'size')},
                        self._batches)
            self._written = self._samples
        self._batches += 1

    def _write(self, values, step):
        for name, value in values.items():
            if np.ndim(value) == 0:
                summary = tf.Summary()
                summary.value.add(tag=name, simple_value=float(value))
                self._writer.add_summary(summary, step)

    def on_epoch_begin(self, epoch, logs=None):
        if self._due(epoch, self.histogram_freq) and self.params.get('do_validation'):
            self.model._functions.watch('test', self.merged, self._validation_batch)

    def on_epoch_end(self, epoch, logs=None):
        self.model._functions.watch('test', None, None)
        step = epoch if self.update_freq == 'epoch' else self._samples
        self._write({self._of_epoch + k: v for k, v in (logs or {}).items()}, step)
        if self._due(epoch, self.histogram_freq) and not self.params.get('do_validation'):
            for one in self._session().run(self._of_weights):
                self._writer.add_summary(one, epoch)
        if self._due(epoch, self.embeddings_freq):
            self._save_embeddings(epoch)
        self._writer.flush()

    def on_train_end(self, logs=None):
        self.model._functions.watch('test', None, None)
        self._writer.close()

    def _due(self, epoch, every):
        return bool(every) and epoch % every == 0

    def _session(self):
        return K.get_session(graph=self.model._graph)

    # ---- histograms and pictures -----------------------------------------------------------

    def _validation_batch(self, summary):
        self._writer.add_summary(summary, self._validated)
        self._validated += 1

    def _make_summaries(self):
        """Adds the summaries' ops to the model's graph, once.

        They are in no collection, since several models may share a graph; the user's own summaries
        of this model's values are written, too.
        """
        made, weights = [], []
        for layer in self.model.layers:
            for weight in layer.weights:
                name = weight.name.replace(':', '_')
                weights.append(tf.summary.histogram(name, weight, collections=[]))
                picture = _picture(weight) if self.write_images else None
                if picture is not None:
                    weights.append(tf.summary.image(name, picture, collections=[]))
            if self.write_grads and layer.trainable_weights:
                made += self._gradients(layer.trainable_weights)
            made += [tf.summary.histogram(name, output, collections=[])
                     for name, output in _outputs(layer)]
        fed = set(self.model._functions.get('test').inputs)
        users = [s for s in tf.get_collection(tf.GraphKeys.SUMMARIES) if _needs(s) <= fed]
        self._of_weights, self.merged = weights, tf.summary.merge([*weights, *made, *users])

    def _gradients(self, weights):
        found = zip(weights, tf.gradients(self.model.total_loss, weights))
        return [tf.summary.histogram(
            weight.name.replace(':', '_') + '_grad',
            gradient.values if isinstance(gradient, tf.IndexedSlices) else gradient,
            collections=[]) for weight, gradient in found if gradient is not None]

    # ---- embeddings ------------------------------------------------------------------------

    def _embeddings(self):
        """(names, a function of the model's inputs that gives each layer's output as rows)."""
        wanted, outputs = self._embedding_names(), []
        for name in wanted:
            output = self.model.get_layer(name).output
            outputs.append(tf.reshape(output, [-1, int(np.prod(K.int_shape(output)[1:]))]))
        return wanted, K.function(self.model.inputs, outputs)

    def _embedding_names(self):
        wanted = self.embeddings_layer_names
        return [layer.name for layer in self.model.layers
                if (layer.name in wanted if wanted else type(layer).__name__ == 'Embedding')]

    def _describe_embeddings(self):
        self._describe({name: f'{name}_embedding:0' for name in self._embedded[0]})

    def _describe(self, tensor_names):
        """Tells the projector the tensor of each layer, by name, and its labels."""
        projector = tf.contrib.tensorboard.plugins.projector
        config = projector.ProjectorConfig()
        labels = self.embeddings_metadata
        for name, tensor_name in tensor_names.items():
            one = config.embeddings.add(tensor_name=tensor_name)
            path = labels.get(name) if isinstance(labels, dict) else labels
            if path is not None:
                one.metadata_path = os.fspath(path)
        projector.visualize_embeddings(self._writer, config)

    def _save_embeddings(self, epoch):
        names, outputs = self._embedded
        if not names:
            return
        inputs = self.model._standardized(self.embeddings_data, check=False)
        parts = [outputs([x[start:start + self.batch_size] for x in inputs])
                 for start in range(0, len(inputs[0]), self.batch_size)]
        with tf.Graph().as_default(), tf.Session() as session:
            kept = [tf.Variable(np.concatenate(own), name=f'{name}_embedding')
                    for name, own in zip(names, zip(*parts))]
            session.run(tf.global_variables_initializer())
            tf.train.Saver(kept).save(session, os.path.join(self.log_dir, 'keras_embedding.ckpt'),
                                      epoch)


def _picture(weight):
    """The weight as images [n, height, width, 1]; None for kernels of more dimensions."""
    image = tf.squeeze(weight)
    sizes = image.shape.as_list()
    if len(sizes) == 1:
        return tf.reshape(image, [1, sizes[0], 1, 1])
    if len(sizes) == 2:
        if sizes[0] > sizes[1]:
            image, sizes = tf.transpose(image), sizes[::-1]
        return tf.reshape(image, [1, *sizes, 1])
    if len(sizes) == 3:
        if K.image_data_format() == 'channels_last':        # each channel as an image
            image, sizes = tf.transpose(image, [2, 0, 1]), [sizes[2], *sizes[:2]]
        return tf.reshape(image, [*sizes, 1])
    return None


def _needs(summary):
    """The placeholders that a summary needs."""
    found, seen, stack = set(), set(), [summary.op]
    while stack:
        operation = stack.pop()
        if operation in seen:
            continue
        seen.add(operation)
        if operation.type == 'Placeholder':
            found.add(operation.outputs[0])
        stack += [t.op for t in operation.inputs] + list(operation.control_inputs)
    return found


def _outputs(layer):
    """(name of the summary, tensor) of a layer that has been called once."""
    try:
        output = layer.output
    except (AttributeError, RuntimeError):
        return []
    if isinstance(output, list):
        return [(f'{layer.name}_out_{i}', one) for i, one in enumerate(output)]
    return [(f'{layer.name}_out', output)]
