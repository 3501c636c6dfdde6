"""tf.nn.rnn_cell: RNN cells by TensorFlow's names."""
from tinyflow.absent import absent as _absent
from tinyflow.rnn.cell import RNNCell
from tinyflow.rnn.cells import BasicLSTMCell, BasicRNNCell, GRUCell, LSTMCell, LSTMStateTuple
from tinyflow.rnn.wrappers import DeviceWrapper, DropoutWrapper, MultiRNNCell, ResidualWrapper

__all__ = ['BasicLSTMCell', 'BasicRNNCell', 'DeviceWrapper', 'DropoutWrapper', 'GRUCell',
           'LSTMCell', 'LSTMStateTuple', 'MultiRNNCell', 'RNNCell', 'ResidualWrapper']

__getattr__ = _absent(__name__, __all__)
