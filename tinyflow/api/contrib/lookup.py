"""tf.contrib.lookup: tables from keys to values, vocabularies, mutable tables."""
from tinyflow.graph.support.missing import explain_missing as _explain_missing
from tinyflow.ops.tables.index_tables import (
    FastHashSpec,
    HasherSpec,
    IdTableWithHashBuckets,
    StrongHashSpec,
    index_table_from_file,
    index_table_from_tensor,
    index_to_string,
    index_to_string_table_from_file,
    index_to_string_table_from_tensor,
    string_to_index,
    string_to_index_table_from_file,
    string_to_index_table_from_tensor,
)
from tinyflow.ops.tables.lookup_tables import (
    HashTable,
    KeyValueTensorInitializer,
    LookupInterface,
    StaticHashTable as InitializableLookupTableBase,
    TableInitializerBase,
    TextFileIdTableInitializer,
    TextFileIndex,
    TextFileInitializer,
    TextFileStringTableInitializer,
)
from tinyflow.ops.tables.mutable_tables import MutableDenseHashTable, MutableHashTable

__all__ = [
    'FastHashSpec', 'HashTable', 'HasherSpec', 'IdTableWithHashBuckets',
    'InitializableLookupTableBase', 'KeyValueTensorInitializer', 'LookupInterface',
    'MutableDenseHashTable', 'MutableHashTable', 'StrongHashSpec', 'TableInitializerBase',
    'TextFileIdTableInitializer', 'TextFileIndex', 'TextFileInitializer',
    'TextFileStringTableInitializer', 'index_table_from_file', 'index_table_from_tensor',
    'index_to_string', 'index_to_string_table_from_file', 'index_to_string_table_from_tensor',
    'string_to_index', 'string_to_index_table_from_file', 'string_to_index_table_from_tensor',
]

__getattr__ = _explain_missing(__name__, __all__)


def __dir__():
    return __all__
