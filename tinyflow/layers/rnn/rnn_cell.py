"""tf.nn.rnn_cell: RNN cells by TensorFlow's names."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.layers.rnn.cell import RNNCell
from tinyflow.layers.rnn.cells import BasicLSTMCell, BasicRNNCell, GRUCell, LSTMCell, LSTMStateTuple
from tinyflow.layers.rnn.wrappers import (
    DeviceWrapper,
    DropoutWrapper,
    MultiRNNCell,
    ResidualWrapper,
)

__all__ = ['BasicLSTMCell', 'BasicRNNCell', 'DeviceWrapper', 'DropoutWrapper', 'GRUCell',
           'LSTMCell', 'LSTMStateTuple', 'MultiRNNCell', 'RNNCell', 'ResidualWrapper']

__getattr__ = _explain_missing('tinyflow.nn.rnn_cell', __all__)
