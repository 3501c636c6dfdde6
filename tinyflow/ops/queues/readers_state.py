"""Reader state in a Session: the position in a file; and the records of files by format."""
from __future__ import annotations

import io
import os
import threading
import zlib
from contextlib import contextmanager

from tinyflow.formats.wire import varints
from tinyflow.formats.wire.records import RecordReader
from tinyflow.graph.support import errors
from tinyflow.ops.files.file_ops import explained, path_of
from tinyflow.ops.queues.waiting import idle

_WHO_CAN = 'only WholeFileReader and IdentityReader can do that.'


class ReaderState:
    """Position in the current file; `records(path)` gives (key, value) pairs of one file."""

    def __init__(self, operation, records, one_record_per_file, name):
        self.name = name
        self._operation = operation
        self._records = records
        self._one_record_per_file = one_record_per_file
        self._lock = threading.Lock()
        self._clear()

    def _clear(self):
        self.work_started = self.work_finished = self.produced = 0
        self._work = b''
        self._current = None

    def read(self, queue):
        """The next (key, value); waits for a name in the queue at the end of the file."""
        with _exclusive(self._lock):
            return self._read(queue, 1)[0]

    def read_up_to(self, queue, count):
        """Up to `count` pairs, at least one, of one file."""
        with _exclusive(self._lock):
            return self._read(queue, count)

    def _read(self, queue, count):
        pairs = []
        while count and not pairs:
            if self._current is None:
                self._begin(queue)
            try:
                for pair in self._current:
                    pairs.append(pair)
                    if len(pairs) == count:
                        break
                else:
                    self._end()
            except BaseException:               # skip a file that cannot be read
                self._end()
                raise
            if self._one_record_per_file and pairs and self._current is not None:
                self._end()
        self.produced += len(pairs)
        return pairs

    def _begin(self, queue):
        work, = queue.dequeue()
        self._work = work.item()
        self._current = iter(self._records(path_of(self._work)))
        self.work_started += 1

    def _end(self):
        self._current = None
        self.work_finished = self.work_started

    def reset(self):
        with self._lock:
            self._clear()

    def serialize(self):
        """TF's ReaderBaseState message: started 1, finished 2, records 3, current work 4."""
        if not self._one_record_per_file:
            raise errors.op_error(errors.UnimplementedError, 'Reader SerializeState', _WHO_CAN)
        with self._lock:
            numbers = (self.work_started, self.work_finished, self.produced)
            parts = [bytes([8 * (i + 1)]) + _number(n) for i, n in enumerate(numbers) if n]
            if self._work:
                parts.append(b'\x22' + _number(len(self._work)) + self._work)
        return b''.join(parts)

    def restore(self, state):
        """The inverse of `serialize`; InvalidArgumentError for an invalid state."""
        if not self._one_record_per_file:
            raise errors.op_error(errors.UnimplementedError, 'Reader RestoreState', _WHO_CAN)
        numbers, work = _parsed(state) or (None, None)
        if numbers is None or numbers[0] < numbers[1] or numbers[0] > numbers[1] + 1:
            kind = self._operation.type.removesuffix('V2')
            raise ValueError(f"Could not parse state for {kind} '{self._operation.name}': "
                             f"{state.decode('latin-1')}")
        with self._lock:
            self._clear()
            self.work_started, self.work_finished, self.produced = numbers
            self._work = work
            if self.work_started > self.work_finished:
                self._current = iter(self._records(path_of(work)))


@contextmanager
def _exclusive(lock):
    """Holds `lock`; a thread that waits for it counts as waiting for the reading thread."""
    if not lock.acquire(blocking=False):
        with idle():
            lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _number(value):
    out = bytearray()
    varints.put(out, value)
    return bytes(out)


def _parsed(state):
    """([started, finished, records], work) of a ReaderBaseState message, or None."""
    numbers, work, position = [0, 0, 0], b'', 0
    try:
        while position < len(state):
            tag = state[position]
            number, position = varints.take(state, position + 1)
            if tag in (8, 16, 24):
                numbers[tag // 8 - 1] = number
            elif tag == 0x22 and position + number <= len(state):
                work = state[position:position + number]
                position += number
            else:
                return None
    except IndexError:
        return None
    return numbers, work


# ---- records of one file --------------------------------------------------------------------

def text_lines(path, skip=0):
    """(path:number, line) of each line, without line end; the first `skip` lines are skipped."""
    with explained(path):
        file = open(path, 'rb')
    with file:
        for number, line in enumerate(file, 1):
            if number > skip:
                line = line[:-1] if line.endswith(b'\n') else line
                line = line[:-1] if line.endswith(b'\r') else line
                yield _key(path, number), line


def fixed_records(path, record, header, footer, hop, encoding):
    """(path:number, bytes) of each record of `record` bytes, `hop` bytes apart."""
    with explained(path):
        file = open(path, 'rb')
    with file:
        if encoding:
            try:
                file = io.BytesIO(zlib.decompress(file.read()))
            except zlib.error as error:
                raise errors.DataLossError(None, None, f'{path}: {error}') from None
        end = file.seek(0, 2) - footer
        position, number = header, 0
        while position + record <= end:
            file.seek(position)
            yield _key(path, number), file.read(record)
            position, number = position + (hop or record), number + 1


def tf_records(path, compression):
    """(path:offset, bytes) of each record of a TFRecord file."""
    with explained(path), open(path, 'rb'):
        pass
    with RecordReader(path, compression) as reader:
        while True:
            offset = reader.offset
            record = next(reader, None)
            if record is None:
                return
            yield _key(path, offset), record


def whole_file(path):
    """(path, content): one record."""
    with explained(path), open(path, 'rb') as file:
        content = file.read()
    yield os.fsencode(path), content


def identity(path):
    """(path, path): one record."""
    yield os.fsencode(path), os.fsencode(path)


def _key(path, number):
    return os.fsencode(f'{path}:{number}')
