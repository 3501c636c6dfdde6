"""tf.contrib.legacy_seq2seq: sequence to sequence models of a fixed number of steps."""
from tinyflow.api.contrib.legacy_seq2seq.attention import (
    attention_decoder,
    embedding_attention_decoder,
    embedding_attention_seq2seq,
)
from tinyflow.api.contrib.legacy_seq2seq.decoders import (
    basic_rnn_seq2seq,
    embedding_rnn_decoder,
    embedding_rnn_seq2seq,
    embedding_tied_rnn_seq2seq,
    one2many_rnn_seq2seq,
    rnn_decoder,
    tied_rnn_seq2seq,
)
from tinyflow.api.contrib.legacy_seq2seq.losses import (
    model_with_buckets,
    sequence_loss,
    sequence_loss_by_example,
)
from tinyflow.graph.support.missing import explain_missing as _explain_missing

__all__ = [
    'attention_decoder', 'basic_rnn_seq2seq', 'embedding_attention_decoder',
    'embedding_attention_seq2seq', 'embedding_rnn_decoder', 'embedding_rnn_seq2seq',
    'embedding_tied_rnn_seq2seq', 'model_with_buckets', 'one2many_rnn_seq2seq', 'rnn_decoder',
    'sequence_loss', 'sequence_loss_by_example', 'tied_rnn_seq2seq',
]

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
