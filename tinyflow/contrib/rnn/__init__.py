"""tf.contrib.rnn: cells and loops over time by tf.contrib's names."""
from tinyflow.absent import absent as _absent
from tinyflow.rnn.cell import LayerRNNCell, RNNCell
from tinyflow.rnn.cells import BasicLSTMCell, BasicRNNCell, GRUCell, LSTMCell, LSTMStateTuple
from tinyflow.rnn.dynamic import _batch_size as best_effort_input_batch_size
from tinyflow.rnn.projections import (
    EmbeddingWrapper,
    InputProjectionWrapper,
    OutputProjectionWrapper,
)
from tinyflow.rnn.stacked import stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn
from tinyflow.rnn.static import static_bidirectional_rnn, static_rnn, static_state_saving_rnn
from tinyflow.rnn.steps import transpose_batch_time
from tinyflow.rnn.wrappers import DeviceWrapper, DropoutWrapper, MultiRNNCell, ResidualWrapper

__all__ = [
    'BasicLSTMCell', 'BasicRNNCell', 'DeviceWrapper', 'DropoutWrapper', 'EmbeddingWrapper',
    'GRUCell', 'InputProjectionWrapper', 'LSTMCell', 'LSTMStateTuple', 'LayerRNNCell',
    'MultiRNNCell', 'OutputProjectionWrapper', 'RNNCell', 'ResidualWrapper',
    'best_effort_input_batch_size', 'stack_bidirectional_dynamic_rnn', 'stack_bidirectional_rnn',
    'static_bidirectional_rnn', 'static_rnn', 'static_state_saving_rnn', 'transpose_batch_time',
]

__getattr__ = _absent(__name__, __all__)
