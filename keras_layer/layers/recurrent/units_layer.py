"""UnitsRNN: base of SimpleRNN, GRU and LSTM, which have the options of their cells."""
from __future__ import annotations

from keras_layer import regularizers
from keras_layer.engine.base_layer import InputSpec
from keras_layer.layers.recurrent.cells import options_config
from keras_layer.layers.recurrent.rnn import RNN

__all__ = ['UnitsRNN', 'of_cell', 'without']


def of_cell(*names):
    """A class decorator: the attributes `names` are those of the cell."""
    def add(cls):
        for name in names:
            setattr(cls, name, property(lambda self, name=name: getattr(self.cell, name)))
        return cls
    return add


def without(arguments, *names):
    """The arguments of a constructor, from its `locals()`, except for `names`."""
    unwanted = {'self', 'kwargs', '__class__', *names}
    return {name: value for name, value in arguments.items() if name not in unwanted}


class UnitsRNN(RNN):
    """A recurrent layer of one of the built-in cells."""

    cell_class = None
    input_rank = 3

    def __init__(self, options, activity_regularizer, kwargs, **flags):
        cell = self.cell_class(**options, dtype=kwargs.get('dtype'))
        super().__init__(cell, **flags, **kwargs)
        self.activity_regularizer = regularizers.get(activity_regularizer)
        self.input_spec = [InputSpec(ndim=self.input_rank)]

    def call(self, inputs, mask=None, training=None, initial_state=None):
        return super().call(inputs, mask=mask, training=training, initial_state=initial_state)

    def get_config(self):
        return with_options_of_cell(super().get_config(), self)

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def with_options_of_cell(config, layer):
    """A layer's configuration with the options of its cell in place of the cell."""
    del config['cell']
    for name, value in options_config(layer.cell, layer.cell.options).items():
        if name == 'kernel_constraint':         # where TF has it
            config['activity_regularizer'] = regularizers.serialize(layer.activity_regularizer)
        config[name] = value
    return config
