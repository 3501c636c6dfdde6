"""BasicDecoder: a cell, an output layer, and a helper that chooses the next input."""
from __future__ import annotations

from collections import namedtuple

from tinyflow.api.contrib.seq2seq.decoder import Decoder
from tinyflow.api.contrib.seq2seq.helpers import Helper
from tinyflow.graph.defaults import name_scope
from tinyflow.graph.shapes import TensorShape
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import misuse
from tinyflow.layers.rnn.cell import check_is_cell
from tinyflow.layers.rnn.steps import row_shape

BasicDecoderOutput = namedtuple('BasicDecoderOutput', ('rnn_output', 'sample_id'))
BasicDecoderOutput.__doc__ = 'The output of BasicDecoder for each step.'


class BasicDecoder(Decoder):
    """Steps of `cell`, whose outputs go through `output_layer` and are sampled by `helper`.

    Shapes: outputs rnn_output [batch, time, size] and sample_id [batch, time] of dynamic_decode.
    """

    def __init__(self, cell, helper, initial_state, output_layer=None):
        check_is_cell('cell', cell)
        if not isinstance(helper, Helper):
            raise misuse(TypeError(f'helper must be a Helper, received: {type(helper)}'))
        check_output_layer(output_layer)
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    @property
    def batch_size(self):
        return self._helper.batch_size

    @property
    def output_size(self):
        return BasicDecoderOutput(rnn_output=output_size_of(self._cell, self._output_layer),
                                  sample_id=self._helper.sample_ids_shape)

    @property
    def output_dtype(self):
        dtype = nest.flatten(self._initial_state)[0].dtype
        size = output_size_of(self._cell, self._output_layer)
        return BasicDecoderOutput(nest.map_structure(lambda _: dtype, size),
                                  self._helper.sample_ids_dtype)

    def initialize(self, name=None):
        """(finished, first inputs) of the helper, and the initial state."""
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time, inputs, state, name=None):
        """One call of the cell: (BasicDecoderOutput, next state, next inputs, finished)."""
        with name_scope(name, 'BasicDecoderStep', [time, *nest.flatten([inputs, state])]):
            outputs, cell_state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            ids = self._helper.sample(time=time, outputs=outputs, state=cell_state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=cell_state, sample_ids=ids)
        return BasicDecoderOutput(outputs, ids), next_state, next_inputs, finished


def check_output_layer(layer):
    """TypeError unless `layer` is None or a layer."""
    if layer is not None and not (callable(layer) and hasattr(layer, 'compute_output_shape')):
        raise misuse(TypeError(f'output_layer must be a Layer, received: {type(layer)}'))


def output_size_of(cell, layer):
    """The size of the cell's output, after the layer."""
    if layer is None:
        return cell.output_size
    with_batch = nest.map_structure(lambda s: TensorShape([None]).concatenate(row_shape(s)),
                                    cell.output_size)
    return nest.map_structure(lambda s: TensorShape(s)[1:],
                              layer.compute_output_shape(with_batch))


__all__ = ['BasicDecoder', 'BasicDecoderOutput']
