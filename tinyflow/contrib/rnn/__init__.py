"""tf.contrib.rnn: cells and loops over time by tf.contrib's names."""
from tinyflow.absent import absent as _absent
from tinyflow.contrib.rnn.around import AttentionCellWrapper, HighwayWrapper
from tinyflow.contrib.rnn.blocks import (
    GRUBlockCell,
    GRUBlockCellV2,
    LSTMBlockCell,
    LSTMBlockFusedCell,
    LSTMBlockWrapper,
)
from tinyflow.contrib.rnn.convolutional import (
    Conv1DLSTMCell,
    Conv2DLSTMCell,
    Conv3DLSTMCell,
    ConvLSTMCell,
)
from tinyflow.contrib.rnn.fused import FusedRNNCell, FusedRNNCellAdaptor, TimeReversedFusedRNN
from tinyflow.contrib.rnn.gated import (
    CoupledInputForgetGateLSTMCell,
    IndRNNCell,
    IntersectionRNNCell,
    NASCell,
    SRUCell,
    UGRNNCell,
)
from tinyflow.contrib.rnn.layer_norm import LayerNormBasicLSTMCell
from tinyflow.contrib.rnn.phased import PhasedLSTMCell
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
    'AttentionCellWrapper', 'BasicLSTMCell', 'BasicRNNCell', 'Conv1DLSTMCell', 'Conv2DLSTMCell',
    'Conv3DLSTMCell', 'ConvLSTMCell', 'CoupledInputForgetGateLSTMCell', 'DeviceWrapper',
    'DropoutWrapper', 'EmbeddingWrapper', 'FusedRNNCell', 'FusedRNNCellAdaptor', 'GRUBlockCell',
    'GRUBlockCellV2', 'GRUCell', 'HighwayWrapper', 'IndRNNCell', 'InputProjectionWrapper',
    'IntersectionRNNCell', 'LSTMBlockCell', 'LSTMBlockFusedCell', 'LSTMBlockWrapper', 'LSTMCell',
    'LSTMStateTuple', 'LayerNormBasicLSTMCell', 'LayerRNNCell', 'MultiRNNCell', 'NASCell',
    'OutputProjectionWrapper', 'PhasedLSTMCell', 'RNNCell', 'ResidualWrapper', 'SRUCell',
    'TimeReversedFusedRNN', 'UGRNNCell', 'best_effort_input_batch_size',
    'stack_bidirectional_dynamic_rnn', 'stack_bidirectional_rnn', 'static_bidirectional_rnn',
    'static_rnn', 'static_state_saving_rnn', 'transpose_batch_time',
]

__getattr__ = _absent(__name__, __all__)


def __dir__():
    return __all__
