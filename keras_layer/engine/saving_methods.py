"""Methods of Model for saving, loading, summaries and drawings."""
from __future__ import annotations

import os
from contextlib import nullcontext

import tinyflow as tf
from keras_layer import backend as K
from keras_layer.engine.explain import ModelExplanation
from keras_layer.saving import hdf5
from keras_layer.saving.configs import to_json, to_yaml
from keras_layer.saving.save import is_hdf5, save_model
from keras_layer.utils.hdf5 import SavedGroup, open_hdf5
from keras_layer.utils.summary import print_summary
from keras_layer.utils.vis_utils import model_to_dot
from tinyflow.graph.support import render
from tinyflow.graph.support.errors import misuse, why


class SavingMethods:
    """The part of Model for files, summaries and drawings."""

    def save(self, filepath, overwrite=True, include_optimizer=True, save_format=None,
             signatures=None):
        """Saves architecture, weights and the state of training; `load_model` reads it."""
        save_model(self, filepath, overwrite, include_optimizer, save_format, signatures)

    def _export(self, export_dir):
        """What tf.saved_model.save does with a model."""
        from keras_layer.saving.saved_model import export_saved_model  # start-up time
        export_saved_model(self, export_dir, overwrite=True)

    def save_weights(self, filepath, overwrite=True, save_format=None):
        """Saves the weights: HDF5 where the name ends in .h5, else a TensorFlow checkpoint."""
        self._assert_weights()
        if save_format not in (None, 'h5', 'hdf5', 'tf', 'tensorflow'):
            raise misuse(ValueError(f'Unknown format "{save_format}". Were you trying to save as '
                                    '"h5" or "tf"?'))
        if save_format in ('h5', 'hdf5') or save_format is None and is_hdf5(filepath):
            hdf5.save_weights_to_hdf5(self, filepath, overwrite)
            return
        if is_hdf5(filepath):
            raise misuse(ValueError(f'save_weights got save_format="tf", but the name of the file '
                                    f'means HDF5: {filepath!r}.'))
        path = os.fspath(filepath)
        if not overwrite and os.path.exists(path + '.index'):
            raise misuse(FileExistsError(f'{path!r} exists already, and overwrite=False.'))
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        with self._outside():
            _Root(self).write(path, self._session())
        tf.train.update_checkpoint_state(folder or '.', path)

    def load_weights(self, filepath, by_name=False, skip_mismatch=False, reshape=False):
        """Loads weights written by `save_weights` or `save`, here or in Keras.

        By topology (the order of the layers), or with `by_name` those of layers of equal names. A
        checkpoint may be given before there are weights: it is read as soon as they are created.
        Of HDF5 files, `reshape` fits weights of other shapes and equal size, and with `by_name`
        `skip_mismatch` leaves out layers whose weights do not fit.
        """
        self._goes_on = False
        path = filepath if hasattr(filepath, 'attrs') else os.fspath(filepath)
        if not hasattr(path, 'attrs') and not is_hdf5(path) and tf.train.checkpoint_exists(path):
            if by_name:
                raise misuse(NotImplementedError('Weights may only be loaded based on topology '
                                                 'when loading TensorFlow-formatted weights (got '
                                                 'by_name=True).'))
            if not self.built and not self.weights and self._session() is not None:
                self._deferred_checkpoint = path
                return _DeferredCheckpoint(self)
            return self._restore_checkpoint(path)
        self._assert_weights()
        if skip_mismatch and not by_name:
            raise misuse(ValueError('When calling model.load_weights, skip_mismatch can only be '
                                    'set to True when by_name is True.'))
        fit = hdf5.Fit(reshape, skip_mismatch)
        read = hdf5.load_weights_by_name if by_name else hdf5.load_weights
        with self._graph.as_default():
            if hasattr(path, 'attrs'):
                read(SavedGroup(path), self.layers, fit)
            else:
                with open_hdf5(path, 'file of weights') as file:
                    read(SavedGroup(file, path), self.layers, fit)

    _deferred_checkpoint = None

    def _read_deferred_checkpoint(self):
        if self._deferred_checkpoint is not None and self.weights:
            path, self._deferred_checkpoint = self._deferred_checkpoint, None
            self._restore_checkpoint(path)

    def build(self, input_shape=None):
        """Makes the weights for inputs of that shape (or list of shapes), batch included."""
        super().build(input_shape)
        self._read_deferred_checkpoint()

    def __call__(self, inputs, *args, **kwargs):
        outputs = super().__call__(inputs, *args, **kwargs)
        self._read_deferred_checkpoint()
        return outputs

    def _restore_checkpoint(self, path):
        with self._outside():
            self._last_restored = root = _Root(self)        # reads weights that are made later
            status = root.read(path)
            if hasattr(status, 'run_restore_ops'):      # a name-based checkpoint is read already
                status.run_restore_ops(self._session())
        return status

    _last_restored = None

    def _session(self):
        """The Session that has the weights; None while ops run at once."""
        return None if self._graph.outer_graph is not None else K.get_session(graph=self._graph)

    def _outside(self):
        """Leaves the graph of the model, whose weights have their values while ops run at once."""
        return nullcontext() if self._graph.outer_graph is None else tf.init_scope()

    def _assert_weights(self):
        if not self.built and not self.weights:
            raise misuse(ValueError(
                f'Weights for model {self.name} have not yet been created. Weights are created '
                'when the Model is first called on inputs or `build()` is called with an '
                '`input_shape`.'))

    def to_json(self, **kwargs):
        """The architecture as JSON; `model_from_json` reads it."""
        return to_json(self, **kwargs)

    def to_yaml(self, **kwargs):
        """The architecture as YAML; `model_from_yaml` reads it."""
        return to_yaml(self, **kwargs)

    def summary(self, line_length=None, positions=None, print_fn=None):
        """Prints the layers with their output shapes, parameters and states."""
        if not self.built and not self.outputs:
            raise misuse(ValueError(
                'This model has not yet been built. Build the model first by calling `build()` or '
                'calling `fit()` with some data, or specify an `input_shape` argument in the first '
                'layer(s) for automatic build.' + why('keras-not-built')))
        print_summary(self, line_length=line_length, positions=positions, print_fn=print_fn)

    def _explained_by(self):
        return ModelExplanation(self)

    def _repr_svg_(self):
        """The drawing of the layers, for a notebook; None if there is nothing to draw."""
        try:
            return render.layout(model_to_dot(self, show_shapes=True).source, 'svg')[0].decode()
        except (RuntimeError, ValueError):
            return None


class _DeferredCheckpoint:
    """Status of load_weights for a model without weights: the checkpoint is read later."""

    def __init__(self, model):
        self._model = model

    def expect_partial(self):
        """Returns itself; there are no warnings about unused values."""
        return self

    def assert_consumed(self):
        """AssertionError while the checkpoint has not been read."""
        if self._model._deferred_checkpoint is not None:
            raise misuse(AssertionError(
                f'{self._model._deferred_checkpoint!r} has not been read: model '
                f'{self._model.name} has no weights yet.\n  Hint: build() it, or call it.'))
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed


class _Root(tf.train.Checkpoint):
    """A checkpoint whose root object is the model, as TensorFlow writes it."""

    def __init__(self, model):
        super().__init__()
        self.__dict__['_model'] = model

    @property
    def _checkpoint_dependencies(self):
        return self.__dict__['_model']._checkpoint_dependencies
