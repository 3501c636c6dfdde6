"""Damage to protocol buffers that stay valid ones: other numbers, names and repetitions."""
from __future__ import annotations

from google.protobuf.descriptor import FieldDescriptor as Field

from tests.faults.damage import INTEGERS, damaged

_INTS = {Field.CPPTYPE_INT32: (-2 ** 31, 2 ** 31), Field.CPPTYPE_INT64: (-2 ** 63, 2 ** 63),
         Field.CPPTYPE_UINT32: (0, 2 ** 32), Field.CPPTYPE_UINT64: (0, 2 ** 64),
         Field.CPPTYPE_ENUM: (0, 2 ** 31)}


def damage_of(message_class, otherwise=damaged):
    """A damage for a Format: the bytes of such a message, changed inside or, at times, anyhow."""
    def damage(data, chance, marks):
        if chance.random() < 0.25:
            return otherwise(data, chance, marks)
        message = message_class.FromString(data)
        for _ in range(chance.choice((1, 1, 2, 4))):
            change(message, chance)
        return message.SerializeToString()
    return damage


def change(message, chance):
    """One change somewhere inside the message."""
    while True:
        fields = message.ListFields()
        if not fields:
            return
        field, value = chance.choice(fields)
        is_map = field.message_type is not None and field.message_type.GetOptions().map_entry
        if field.cpp_type != Field.CPPTYPE_MESSAGE or chance.random() < 0.12:
            break
        if is_map:
            key = chance.choice(sorted(value, key=str))
            if not hasattr(value[key], 'ListFields') or not value[key].ListFields():
                break
            message = value[key]
        elif isinstance(value, type(message)) or not hasattr(value, '__len__'):
            message = value
        else:
            message = chance.choice(value)
    if is_map:
        del value[chance.choice(sorted(value, key=str))]
    elif hasattr(value, 'append') and not isinstance(value, (str, bytes)):
        _change_list(message, field, value, chance)
    elif field.cpp_type == Field.CPPTYPE_MESSAGE or chance.random() < 0.15:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, _other(field, value, chance))


def _change_list(message, field, values, chance):
    kind = chance.choice(('remove', 'repeat', 'exchange', 'value', 'value'))
    at = chance.randrange(len(values))
    if kind == 'remove':
        del values[at]
    elif kind == 'repeat':
        values.extend([values[at]] * chance.choice((1, 1, 30)))
    elif kind == 'exchange' or field.cpp_type == Field.CPPTYPE_MESSAGE:
        kept = [values[i] for i in chance.sample(range(len(values)), len(values))]
        copies = [type(v).FromString(v.SerializeToString()) for v in kept] \
            if field.cpp_type == Field.CPPTYPE_MESSAGE else kept
        del values[:]
        values.extend(copies)
    else:
        values[at] = _other(field, values[at], chance)


def _other(field, value, chance):
    """Another value of the type of the field."""
    if field.cpp_type in _INTS:
        low, high = _INTS[field.cpp_type]
        return chance.choice([n for i in INTEGERS for n in (i, -i, value + 1, value - 1)
                              if low <= n < high])
    if field.cpp_type == Field.CPPTYPE_BOOL:
        return not value
    if field.cpp_type in (Field.CPPTYPE_DOUBLE, Field.CPPTYPE_FLOAT):
        return chance.choice((0.0, -1.0, 1e38, float('nan'), float('inf'), -value))
    if isinstance(value, bytes):
        return damaged(value, chance) if value else b'x'
    data = damaged(value.encode(), chance) if value else b'x'
    return chance.choice((data.decode('utf8', 'replace'), '', value * 2, value[:-1], value + ':0'))
