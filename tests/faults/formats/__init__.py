"""Each format that tinyflow reads: its whole files, and how they are read."""
from tests.faults.format import FORMATS
from tests.faults.formats import (  # noqa: F401
    arrays,
    checkpoints,
    disks,
    events,
    graphs,
    hostile,
    keras_files,
    pictures,
    recordings,
    records,
    texts,
)

__all__ = ['FORMATS']
