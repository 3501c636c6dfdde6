"""Reads what is in an HDF5 file, in a process that may be ended.

    python hdf5_probe.py FILE values|structure

With `structure`, one row of each data set is read and not all of its values.

Errors are not reported: the process that reads the file afterwards meets them, too. The folders of
the caller's modules come as JSON on standard input. It imports nothing of this project.
"""
import json
import os
import sys

try:
    import resource
except ImportError:                 # Windows
    resource = None

_MEMORY = 4 << 30


def main(path, values):
    """Opens the file and reads each of its attributes and data sets."""
    sys.path[:] = json.load(sys.stdin)
    import h5py  # optional package
    _limit_memory(path)
    with h5py.File(path, 'r') as file:
        todo, seen = [file['/']], set()
        while todo:
            item = todo.pop()
            where = h5py.h5o.get_info(item.id).addr
            if where not in seen:
                seen.add(where)
                _attributes(item)
                todo += _inside(item, h5py, values)


def _limit_memory(path):
    if resource is None:
        return
    limit = _MEMORY + 4 * os.path.getsize(path)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
    except (ValueError, OSError):       # a lower limit holds already, or the system has none
        pass


def _attributes(item):
    for name in _tried(lambda: list(item.attrs)) or ():
        _tried(lambda name=name: item.attrs[name])
        _tried(lambda name=name: name in item.attrs)


def _inside(item, h5py, values):
    """Reads a data set; of a group, what is in this file itself."""
    if isinstance(item, h5py.Dataset):
        if not item.external and not item.is_virtual:
            _tried(lambda: item[()] if values or not item.ndim else item[:1])
        return []
    names = _tried(lambda: list(item)) or ()
    links = {name: _tried(lambda name=name: item.get(name, getlink=True)) for name in names}
    found = [_tried(lambda name=name: item[name]) for name, link in links.items()
             if isinstance(link, h5py.HardLink)]
    return [one for one in found if isinstance(one, (h5py.Group, h5py.Dataset))]


def _tried(read):
    try:
        return read()
    except MemoryError:
        raise
    except Exception:
        return None


if __name__ == '__main__':
    try:
        main(sys.argv[1], sys.argv[2] == 'values')
    except MemoryError:
        sys.exit(3)
    except Exception:
        pass
