"""file_io: tf.gfile under older names."""
from __future__ import annotations

from tinyflow.api import gfile

FileIO = gfile.GFile
copy = gfile.Copy
create_dir = gfile.MkDir
delete_file = gfile.Remove
delete_recursively = gfile.DeleteRecursively
file_exists = gfile.Exists
get_matching_files = gfile.Glob
is_directory = gfile.IsDirectory
list_directory = gfile.ListDirectory
recursive_create_dir = gfile.MakeDirs
rename = gfile.Rename
stat = gfile.Stat
walk = gfile.Walk


def read_file_to_string(filename, binary_mode=False):
    """The contents of a file: text, or bytes if `binary_mode`."""
    with gfile.GFile(filename, 'rb' if binary_mode else 'r') as file:
        return file.read()


def write_string_to_file(filename, file_content):
    """Writes text or bytes to a file."""
    with gfile.GFile(filename, 'wb' if isinstance(file_content, bytes) else 'w') as file:
        file.write(file_content)


__all__ = ['FileIO', 'copy', 'create_dir', 'delete_file', 'delete_recursively', 'file_exists',
           'get_matching_files', 'is_directory', 'list_directory', 'read_file_to_string',
           'recursive_create_dir', 'rename', 'stat', 'walk', 'write_string_to_file']
