"""The records of CSV files (RFC 4180), as values of declared dtypes."""
from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from tinyflow.data.runtime.base import Element, invalid
from tinyflow.data.runtime.files import Files, FilesCursor
from tinyflow.graph.object_scalars import boxed

_INTEGER = re.compile(rb'\s*[+-]?\d+\s*\Z')


class _RecordsCursor(FilesCursor):
    """Reads one record at a time; a quoted field may span several lines."""

    def open_at(self, offset: int) -> Any:
        file = super().open_at(offset)
        if self.source.header and not offset:
            line = file.readline()
            if not line:
                file.close()
                raise invalid(f'Can\'t read header of file: {self.path}')
            self.offset = len(line)
        return file

    def read(self) -> Element | None:
        line = self._line()
        if line is None:
            return None
        source = self.source
        if source.quotes and b'"' in line:
            fields = self._quoted(line)
        else:
            fields = line.split(source.delimiter)
        return source.values(fields)

    def _line(self) -> bytes | None:
        line = self.file.readline()
        if not line:
            return None
        self.offset += len(line)
        if line[-1:] == b'\n':
            line = line[:-1]
        return line[:-1] if line[-1:] == b'\r' else line

    def _quoted(self, line: bytes) -> list[bytes]:
        """The fields of a record in which some are in quotes."""
        delimiter, fields, position = self.source.delimiter, [], 0
        while True:
            if line[position:position + 1] == b'"':
                field, line, position = self._quoted_field(line, position + 1)
            else:
                end = line.find(delimiter, position)
                end = len(line) if end < 0 else end
                field, position = line[position:end], end
                if b'"' in field:
                    raise invalid('Unquoted fields cannot have quotes inside: '
                                  f'{field.decode(errors="replace")!r} in {self.path}',
                                  'put the field in quotes and double those inside it; or '
                                  'use_quote_delim=False.')
            fields.append(field)
            if position == len(line):
                return fields
            position += len(delimiter)

    def _quoted_field(self, line: bytes, position: int) -> tuple[bytes, bytes, int]:
        """(the field, the line in which it ends, the position after it)."""
        parts = []
        while True:
            end = line.find(b'"', position)
            if end < 0:
                parts.append(line[position:] + b'\n')
                following = self._line()
                if following is None:
                    raise invalid(f'End of file inside a quoted field: {self.path}')
                line, position = following, 0
                continue
            parts.append(line[position:end])
            after = line[end + 1:end + 2]
            if after == b'"':
                parts.append(b'"')
                position = end + 2
            elif not after or line.startswith(self.source.delimiter, end + 1):
                return b''.join(parts), line, end + 1
            else:
                raise invalid('Quote inside a string has to be escaped by another quote, in '
                              f'{self.path}')


class CommaSeparated(Files):
    """One element per record; its components are the selected fields.

    `dtypes` and `defaults` are given for each of them; a default of None means that the field must
    not be empty.
    """

    pass_class = _RecordsCursor

    def __init__(self, paths: Sequence[str], compression: str, buffer_size: int, header: bool,
                 delimiter: bytes, quotes: bool, na_value: bytes, select: Sequence[int],
                 dtypes: Sequence[Any], defaults: Sequence[np.ndarray | None]) -> None:
        super().__init__(paths, compression, buffer_size)
        if len(delimiter) != 1:
            raise invalid('field_delim should be only 1 char')
        self.header, self.delimiter, self.quotes = header, delimiter, quotes
        self.na_value, self.dtypes, self.defaults = na_value, dtypes, defaults
        self.select = list(select)

    def values(self, fields: list[bytes]) -> Element:
        """The element for the fields of one record."""
        select, wanted = self.select, len(self.dtypes)
        if select:
            wanted = select[-1] + 1
            fields, have = [fields[i] for i in select if i < len(fields)], len(fields)
        else:
            fields, have = fields[:wanted], len(fields)
        values = [self._value(i, field) for i, field in enumerate(fields)]
        if have > wanted and not select:
            raise invalid(f'Expect {wanted} fields but have more in record',
                          'record_defaults needs one entry for each column of the file; '
                          'select_cols leaves columns out.')
        if have < wanted:
            raise invalid(f'Expect {wanted} fields but have {have} in record')
        return values

    def _value(self, i: int, field: bytes) -> Any:
        if not field or field == self.na_value:
            default = self.defaults[i]
            if default is None:
                raise invalid(f'Field {i} is required but missing in record!',
                              'use a default instead of a dtype in record_defaults.')
            return default
        dtype = self.dtypes[i]
        if dtype.np.hasobject:
            return boxed(field)
        try:
            return parsed(field, dtype)
        except (ValueError, OverflowError):
            raise invalid(f'Field {i} in record is not a valid {dtype.name}: '
                          f'{field.decode(errors="replace")}',
                          'header=True skips the first line of the file.') from None


def parsed(field: bytes, dtype: Any) -> Any:
    """A field as a number. ValueError, OverflowError if it is not one of that dtype."""
    if dtype.is_integer:
        if not _INTEGER.match(field):
            raise ValueError
        return dtype.np.type(int(field))
    if b'_' in field:
        raise ValueError
    return dtype.np.type(float(field))
