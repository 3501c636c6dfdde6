"""MutableHashTable: lookup tables that ops can change; a Saver saves them, too."""
from __future__ import annotations

from tinyflow.graph.convert import convert_to_tensor
from tinyflow.graph.defaults import add_to_collection, colocate_with, name_scope
from tinyflow.graph.keys import GraphKeys
from tinyflow.ops.files.saveable_object import SaveableObject, SaveSpec
from tinyflow.ops.tables import table_ops
from tinyflow.ops.tables.lookup_tables import LookupInterface


class _Saveable(SaveableObject):
    """Adapter for the Saver: all keys and all values, as two tensors."""

    def __init__(self, table, name):
        keys, values = table.export()
        super().__init__(table, [SaveSpec(keys, '', f'{name}-keys'),
                                 SaveSpec(values, '', f'{name}-values')], name)

    def restore(self, restored_tensors, restored_shapes):
        """The Operation that replaces the contents of the table."""
        with name_scope(f'{self.name}_table_restore'), colocate_with(self.op.resource_handle):
            return table_ops.LookupTableImportV2.apply(self.op.resource_handle, *restored_tensors)


class MutableHashTable(LookupInterface):
    """A mutable table: insert, remove, lookup, export.

    Each Session has its own table. Values are scalars, or vectors like `default_value`.
    """

    def __init__(self, key_dtype, value_dtype, default_value, shared_name=None,
                 name='MutableHashTable', checkpoint=True):
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        attrs = {'key_dtype': self._key_dtype, 'value_dtype': self._value_dtype,
                 'shared_name': shared_name or '',
                 'use_node_name_sharing': checkpoint and shared_name is None}
        shape = self._default_value.raw_shape
        if shape == ():
            self.resource_handle = table_ops.MutableHashTableV2.apply(name=name, **attrs)
        else:
            self.resource_handle = table_ops.MutableHashTableOfTensorsV2.apply(
                name=name, value_shape=shape, **attrs)
        if checkpoint:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _Saveable(self, self.name))

    def _named(self, name, what):
        return name_scope(name, f'{self.name}_{what}', [self.resource_handle])

    def insert(self, keys, values, name=None):
        """An Operation that sets the values of the keys. Shapes: keys [*a], values [*a, *value]."""
        with self._named(name, 'lookup_table_insert'):
            keys = convert_to_tensor(keys, self._key_dtype, 'keys')
            values = convert_to_tensor(values, self._value_dtype, 'values')
            with colocate_with(self.resource_handle):
                return table_ops.LookupTableInsertV2.apply(self.resource_handle, keys, values)

    def remove(self, keys, name=None):
        """An Operation that removes the keys. Shapes: keys [*a]."""
        keys = convert_to_tensor(keys, self._key_dtype, 'keys')
        with self._named(name, 'lookup_table_remove'):
            return table_ops.LookupTableRemoveV2.apply(self.resource_handle, keys)

    def lookup(self, keys, name=None):
        """The values of the keys, else the default. Shapes: keys [*a] -> [*a, *value]."""
        with self._named(name, 'lookup_table_find'):
            keys = convert_to_tensor(keys, self._key_dtype, 'keys')
            with colocate_with(self.resource_handle):
                return table_ops.LookupTableFindV2.apply(self.resource_handle, keys,
                                                         self._default_value)

    def size(self, name=None):
        """The number of keys. Shapes: -> [] int64."""
        with colocate_with(self.resource_handle):
            return super().size(name)

    def export(self, name=None):
        """(all keys, all values). Shapes: -> [n], [n, *value]."""
        with self._named(name, 'lookup_table_export_values'), \
                colocate_with(self.resource_handle):
            keys, values = table_ops.LookupTableExportV2.apply(
                self.resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype)
        if self._default_value.raw_shape is not None:
            values.set_shape([None, *self._default_value.raw_shape])
        return keys, values


class MutableDenseHashTable(MutableHashTable):
    """MutableHashTable with two reserved keys: empty and deleted."""

    def __init__(self, key_dtype, value_dtype, default_value, empty_key, deleted_key,
                 initial_num_buckets=None, shared_name=None, name='MutableDenseHashTable',
                 checkpoint=True):
        LookupInterface.__init__(self, key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype, 'default_value')
        empty = convert_to_tensor(empty_key, self._key_dtype, 'empty_key')
        deleted = convert_to_tensor(deleted_key, self._key_dtype, 'deleted_key')
        self.resource_handle = table_ops.MutableDenseHashTableV2.apply(
            empty, deleted, key_dtype=self._key_dtype, value_dtype=self._value_dtype,
            value_shape=self._default_value.raw_shape or (), shared_name=shared_name or '',
            use_node_name_sharing=checkpoint and shared_name is None,
            initial_num_buckets=initial_num_buckets or 131072, name=name)
        if checkpoint:
            add_to_collection(GraphKeys.SAVEABLE_OBJECTS, _Saveable(self, self.name))


__all__ = ['MutableDenseHashTable', 'MutableHashTable']
