"""Which files are the user's program, and which belong to tinyflow or to an installed library."""
from __future__ import annotations

import os

_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..', '..'))
OURS = (*[os.path.join(_ROOT, name) + os.sep
          for name in ('tinyflow', 'keras_layer', 'estimator_layer')], '<tinyflow')
PLUMBING = ('<frozen runpy>', *[os.sep + name for name in (
    'contextlib.py', 'functools.py', os.path.join('absl', 'app.py'))])


def is_users_file(filename: str) -> bool:
    """True unless the file belongs to tinyflow or is one of Python's that only call functions."""
    return not filename.startswith(OURS) and not filename.endswith(PLUMBING)


def is_program(filename: str) -> bool:
    """True for a file of the user's: neither tinyflow's nor a library's."""
    return not filename.startswith(OURS) and not is_library(filename)


def is_library(filename: str) -> bool:
    """True for a file of Python's standard library or of an installed package."""
    import sysconfig  # start-up time
    paths = [sysconfig.get_path(name) for name in ('stdlib', 'platstdlib', 'purelib', 'platlib')]
    return filename.startswith(('<frozen', *[path + os.sep for path in paths if path])) or \
        not {'site-packages', 'dist-packages'}.isdisjoint(filename.split(os.sep))
