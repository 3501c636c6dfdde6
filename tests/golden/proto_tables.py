"""What files of protocol buffers declare, as plain tables; read by record_protos.py and tests."""
import io
import json
import os

PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'files', 'protos.json')


def describe_file(file):
    """{message or enum without its package: its fields or values} of a FileDescriptor."""
    table = {}
    for message in file.message_types_by_name.values():
        _describe(message, file.package, table)
    for enum in file.enum_types_by_name.values():
        table[_short(enum.full_name)] = _values(enum)
    return table


def _short(full_name):
    """The name without 'tensorflow.' or 'tinyflow.'."""
    return full_name.partition('.')[2]


def _values(enum):
    return sorted([v.name, v.number] for v in enum.values)


def _describe(message, package, table):
    table[_short(message.full_name)] = sorted(_field(f) for f in message.fields)
    for inner in message.nested_types:
        _describe(inner, package, table)
    for enum in message.enum_types:
        table[_short(enum.full_name)] = _values(enum)


def _field(field):
    other = field.message_type or field.enum_type
    name = '' if other is None else \
        other.full_name if other.full_name.startswith('google.') else _short(other.full_name)
    oneof = field.containing_oneof.name if field.containing_oneof else ''
    repeated = getattr(field, 'is_repeated', None)
    if repeated is None:
        repeated = field.label == field.LABEL_REPEATED
    return [field.number, field.name, field.type, bool(repeated), name, oneof]


def write_table(table):
    with io.open(PATH, 'w', encoding='utf-8') as file:
        file.write(u'{\n' + u',\n'.join(
            u'%s: %s' % (json.dumps(k), json.dumps(table[k])) for k in sorted(table)) + u'\n}\n')


def read_table():
    with io.open(PATH, encoding='utf-8') as file:
        return json.load(file)
