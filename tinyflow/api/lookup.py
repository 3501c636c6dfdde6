"""tf.lookup: tables from keys to values."""
from types import SimpleNamespace as _SimpleNamespace

from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.tables.index_tables import StaticVocabularyTable
from tinyflow.ops.tables.lookup_tables import (
    KeyValueTensorInitializer,
    StaticHashTable,
    TextFileIndex,
    TextFileInitializer,
)
from tinyflow.ops.tables.mutable_tables import MutableDenseHashTable as _MutableDenseHashTable

experimental = _SimpleNamespace(DenseHashTable=_MutableDenseHashTable)

__all__ = ['KeyValueTensorInitializer', 'StaticHashTable', 'StaticVocabularyTable',
           'TextFileIndex', 'TextFileInitializer', 'experimental']

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
