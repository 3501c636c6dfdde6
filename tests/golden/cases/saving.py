"""Tensors as byte strings, and strings put together."""
import numpy as np

from ..op_cases import case, f32, i32

case('serialize_tensor', 'floats', f32([[2, 0], [8, 32]]))
case('serialize_tensor', 'integers', i32([7]))
case('io.serialize_tensor', 'strings', np.array([b'one', b''], object))
case('io.serialize_tensor', 'truth', np.array([True, False]))
case('io.parse_tensor', 'integers',
     b'\x08\x03\x12\x04\x12\x02\x08\x01"\x04\x07\x00\x00\x00', 'int32')
case('parse_tensor', 'strings', b'\x08\x07\x12\x04\x12\x02\x08\x02B\x03oneB\x00', 'string')
case('parse_tensor', 'another dtype', b'\x08\x03\x12\x00:\x01\x07', 'float32')
case('string_join', 'vectors and scalars', ['a', np.array([b'b', b'c'], object), 'd'])
case('string_join', 'separator', ['a', 'b'], separator=', ')
case('string_join', 'shapes that differ',
     [np.array([b'a'], object), np.array([b'b', b'c'], object)])
