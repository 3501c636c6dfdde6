"""tf.lookup: tables from keys to values."""
from types import SimpleNamespace as _SimpleNamespace

from tinyflow.absent import absent as _absent
from tinyflow.ops.index_tables import StaticVocabularyTable
from tinyflow.ops.lookup_tables import (
    KeyValueTensorInitializer,
    MutableDenseHashTable as _MutableDenseHashTable,
    StaticHashTable,
    TextFileIndex,
    TextFileInitializer,
)

experimental = _SimpleNamespace(DenseHashTable=_MutableDenseHashTable)

__all__ = ['KeyValueTensorInitializer', 'StaticHashTable', 'StaticVocabularyTable',
           'TextFileIndex', 'TextFileInitializer', 'experimental']

__getattr__ = _absent(__name__, __all__)
