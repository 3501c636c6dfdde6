"""Reads and writes protocol buffers as files, binary or text; errors name damaged files."""
from __future__ import annotations

import contextlib
import os
import re

from tinyflow.formats.wire.files import explained, write_atomically
from tinyflow.graph.support import errors
from tinyflow.graph.support.keywords import close_matches


def as_message(value, message_class):
    """`value` as a message of our class: from such a message, TensorFlow's message of that name, or
    bytes.

    Raises TypeError for anything else.
    """
    if isinstance(value, message_class):
        return value
    if isinstance(value, (bytes, bytearray)):
        return parse(bytes(value), message_class, 'these bytes')
    descriptor = getattr(value, 'DESCRIPTOR', None)
    if getattr(descriptor, 'name', None) == message_class.DESCRIPTOR.name:
        return message_class.FromString(value.SerializeToString())
    name = message_class.DESCRIPTOR.name
    raise errors.misuse(TypeError(f'{_lower(name)} must be a {name} proto, not {value!r:.80}.'))


def _lower(name):
    """graph_def for GraphDef."""
    return ''.join('_' + c.lower() if c.isupper() and i else c.lower()
                   for i, c in enumerate(name))


def parse(data, message_class, where):
    """The message of binary `data`. Raises DataLossError, which says that `where` is damaged."""
    from google.protobuf.message import DecodeError  # start-up time
    try:
        return message_class.FromString(data)
    except (DecodeError, UnicodeDecodeError, RuntimeError) as error:
        raise _damaged(where, message_class, error) from None


def parse_text(text, message_class, where):
    """The message of a text. Raises DataLossError, which names the line.

    Fields of a newer TensorFlow are ignored, but typos are errors.
    """
    from google.protobuf import text_format  # start-up time
    try:
        return text_format.Parse(text, message_class())
    except (text_format.ParseError, ValueError) as error:
        problem = error
    if _NEWER_TYPE in str(problem):
        rest = _without(_without(text, 'experimental_type'), 'experimental_full_type')
        if rest != text:
            return parse_text(rest, message_class, where)
    try:
        _check_newer(text, message_class, problem)
        message = text_format.Parse(text, message_class(), allow_unknown_field=True)
    except (text_format.ParseError, ValueError) as error:
        raise _damaged(where, message_class, error) from None
    if not message.ListFields():
        raise _damaged(where, message_class, problem)
    return message


_NEWER_TYPE = 'Enum type "tinyflow.FullTypeId"'         # describes tensors; nothing here reads it
_UNKNOWN = re.compile(r'Message type "(?:\w+\.)*(\w+)" has no field named "(\w+)"')
_FIELD = r'(?<![\w."])%s\s*:?\s*(\{|<|\[|"(?:[^"\\\n]|\\.)*"|[^\s{<\[]+)'
_BRACKETS = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*|([{<\[])|([}>\]])')


def _check_newer(text, message_class, error):
    """ParseError unless the only errors in `text` are fields with entirely unknown names."""
    from google.protobuf import text_format  # start-up time
    seen = set()
    while True:
        found = _UNKNOWN.search(str(error))
        if found is None or found[2] in seen or _nearest_field(message_class, *found.groups()):
            raise error
        seen.add(found[2])
        text = _without(text, found[2])
        try:
            text_format.Parse(text, message_class())
            return
        except text_format.ParseError as next_error:
            error = next_error


def _nearest_field(message_class, message, name):
    """The field of a message inside `message_class` whose name is most similar to `name`."""
    waiting, seen = [message_class.DESCRIPTOR], set()
    while waiting:
        descriptor = waiting.pop()
        if descriptor.name == message:
            return close_matches(name, [f.name for f in descriptor.fields], 1, 0.8)
        if descriptor.full_name not in seen:
            seen.add(descriptor.full_name)
            waiting += [f.message_type for f in descriptor.fields if f.message_type is not None]
    return []


def _without(text, name):
    """`text` without the fields called `name`, which may hold messages or lists."""
    kept, position = [], 0
    for found in re.finditer(_FIELD % re.escape(name), text):
        if found.start() < position:
            continue                    # inside a removed field
        kept.append(text[position:found.start()])
        position = found.end()
        if found[1] in '{<[':
            position = _end_of_bracket(text, position)
    return ''.join([*kept, text[position:]])


def _end_of_bracket(text, position):
    depth = 1
    for found in _BRACKETS.finditer(text, position):
        depth += (found[1] is not None) - (found[2] is not None)
        if not depth:
            return found.end()
    return len(text)


def _damaged(where, message_class, error):
    name = message_class.DESCRIPTOR.name
    size = f' ({os.path.getsize(where)} bytes)' if os.path.isfile(where) else ''
    reason = str(error).strip().splitlines()[0] if str(error).strip() else 'truncated file'
    hint = 'write or copy the file again; a file in text format ends in .pbtxt.'
    if reason.startswith('Enum type') or ': Enum type' in reason:
        hint = 'a newer TensorFlow may have it: write the file with TensorFlow 1.15.'
    return errors.DataLossError(None, None, errors.report(
        f'{where}{size} is not a {name}, or it is damaged: {reason}', hint=hint))


@contextlib.contextmanager
def naming(path):
    """Adds the name of the file, if there is one, to errors about its content."""
    try:
        yield
    except (errors.NotFoundError, errors.DataLossError) as error:
        if path is None:
            raise
        raise type(error)(error.node_def, error.op, f'{error.message}\n  in {path}') from None
    except (KeyError, ValueError) as error:
        if path is None:
            raise
        problem = error.args[0] if isinstance(error, KeyError) else error
        raise errors.misuse(ValueError(f'{problem}\n  in {path}')) from None


def read(path, message_class, binary=None):
    """The message in the file `path`; without `binary` the file name decides: .pbtxt is text.

    Raises NotFoundError if there is no such file and DataLossError if it is damaged.
    """
    path = os.fspath(path)
    with explained(path), open(path, 'rb') as file:
        data = file.read()
    if binary is None:
        binary = not path.endswith(('.pbtxt', '.prototxt', '.txt'))
    if binary:
        return parse(data, message_class, path)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _damaged(path, message_class, error) from None
    return parse_text(text, message_class, path)


def as_bytes(message, description):
    """The serialized message. Raises ValueError above the 2 GB of protobuf."""
    from google.protobuf.message import EncodeError  # start-up time
    try:
        return message.SerializeToString(deterministic=True)
    except (EncodeError, ValueError) as error:
        raise errors.misuse(ValueError(
            f'{description} cannot be larger than 2GB: {error}\n  Hint: feed the data through a '
            'placeholder, or put it in a Variable, which goes to the checkpoint.')) from None


def write(path, message, as_text=False):
    """Writes a message to a file atomically."""
    from google.protobuf import text_format  # start-up time
    data = text_format.MessageToString(message) if as_text else \
        as_bytes(message, message.DESCRIPTOR.name)
    write_atomically(os.fspath(path), data)
