"""tensorflow.python.pywrap_tensorflow: the writer of event files, below tf.summary.FileWriter."""
from __future__ import annotations

import os

from tinyflow.formats.wire.events import EventFile

__all__ = ['EventsWriter']


class EventsWriter:
    """Writes Event messages to a new file PREFIX.out.tfevents.SECONDS.HOST."""

    def __init__(self, file_prefix):
        self._prefix = os.fsdecode(file_prefix)
        self._file, self._suffix = None, ''

    def _open(self):
        if self._file is None:
            folder, name = os.path.split(os.path.abspath(self._prefix))
            self._file = EventFile(folder, filename_suffix=self._suffix, prefix=name)
        return self._file

    def InitWithSuffix(self, suffix):  # noqa: N802 - TF's name
        """Appends `suffix` to the name of the file. Call it first."""
        self._suffix = os.fsdecode(suffix)

    def FileName(self):  # noqa: N802 - TF's name
        """The path of the file, as bytes; it is made if it is not there yet."""
        return os.fsencode(self._open().begin())

    def WriteEvent(self, event):  # noqa: N802 - TF's name
        """Adds an Event message."""
        self._open().add(event)

    def Flush(self):  # noqa: N802 - TF's name
        """Writes what is waiting."""
        self._open().flush()

    def Close(self):  # noqa: N802 - TF's name
        """Writes what is waiting and closes the file."""
        self._open().close()
