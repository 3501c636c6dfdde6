"""NumPy values to JSON and back without losing a bit, in the fewest characters that diff well."""
import json

import numpy as np

SPECIAL = {'nan': float('nan'), 'inf': float('inf'), '-inf': float('-inf')}
LINE, NUMBERS_LINE = 110, 1000


def encode(value):
    """A fetched value (any nest of lists, tuples, dicts, arrays, None) as plain JSON data."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {'items': {key: encode(v) for key, v in value.items()}}
    if hasattr(value, 'dense_shape'):
        return {'indices': encode(value.indices), 'slices': encode(value.values)}
    if isinstance(value, (list, tuple)):
        return [encode(v) for v in value]
    return encode_array(np.asarray(value))


def decode(data):
    """The inverse of `encode`; tuples come back as lists, IndexedSlices as a dict of its two
    arrays."""
    if data is None:
        return None
    if isinstance(data, list):
        return [decode(v) for v in data]
    if 'items' in data:
        return {key: decode(v) for key, v in data['items'].items()}
    if 'slices' in data:
        return {'indices': decode(data['indices']), 'values': decode(data['slices'])}
    return decode_array(data)


def encode_array(array):
    """{'float32[2,3]': values}, the values flat, in C order, in the fewest digits that read back
    exactly."""
    dtype = 'string' if array.dtype.kind in 'OSU' else array.dtype.name
    data = {write_spec(dtype, array.shape): [_encode_scalar(v) for v in array.ravel()]}
    back = decode_array(data)
    if dtype != 'string' and not _same_bits(back, array):
        raise ValueError('%r does not survive JSON' % array)
    return data


def decode_array(data):
    """An array of the recorded dtype and shape; strings come back as bytes in an object array."""
    (spec, values), = data.items()
    dtype, shape = read_spec(spec)
    if dtype == 'string':
        flat = np.array([v.encode('utf-8') for v in values], object)
    elif dtype.startswith('complex'):
        flat = np.array([complex(_float(re), _float(im)) for re, im in values], dtype)
    elif dtype.startswith('float'):
        flat = np.array([_float(v) for v in values], dtype)
    else:
        flat = np.array(values, dtype)
    return flat.reshape(shape)


def write_spec(dtype, shape):
    """'float32[2,?]' of a dtype's name and a shape; None is an unknown size, or rank: [...]."""
    if shape is None:
        return dtype + '[...]'
    return '%s[%s]' % (dtype, ','.join('?' if size is None else str(size) for size in shape))


def read_spec(text):
    """'float32[2,?]' -> ('float32', (2, None)); 'float32[...]' -> ('float32', None)."""
    dtype, shape = text[:-1].split('[')
    if shape == '...':
        return dtype, None
    return dtype, tuple(None if size == '?' else int(size) for size in shape.split(',') if size)


def short(value):
    """An array (or number) as nested lists for JSON; of a float32 the fewest digits that give it.

    What a test compares has to go through here as well, if it is compared exactly.
    """
    array = np.asarray(value)
    if array.dtype not in (np.float16, np.float32):
        return array.tolist()
    if not array.ndim:
        return float(str(array[()]))
    return [short(v) for v in array]


def _encode_scalar(v):
    if isinstance(v, (bytes, str)):
        return v.decode('utf-8') if isinstance(v, bytes) else str(v)
    if isinstance(v, np.complexfloating):
        return [_encode_scalar(v.real), _encode_scalar(v.imag)]
    if isinstance(v, np.floating):
        return _encode_float(v)
    return v.item()


def _encode_float(v):
    """1.0 as 1; -0.0 and what is no number as they are."""
    if not np.isfinite(v):
        return str(v)
    # str of a NumPy scalar is the shortest text that reads back to the same float.
    number = float(str(v))
    whole = number.is_integer() and abs(number) < 1e15 and (number or not np.signbit(v))
    return int(number) if whole else number


def _float(v):
    return SPECIAL[v] if isinstance(v, str) else v


def _same_bits(a, b):
    """Equal including the sign of zero; NaN equals NaN, whatever its payload."""
    if a.dtype.kind not in 'fc':
        return np.array_equal(a, b)
    same_value = (a == b) | (np.isnan(a) & np.isnan(b))
    signs = (np.signbit(a.real) == np.signbit(b.real)) | np.isnan(a.real)
    return bool(np.all(same_value & signs))


def write_json(path, data, sort_keys=False):
    """Write `data` so that anything short, and any array, takes one line."""
    text = json_text(data, sort_keys)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)


def json_text(data, sort_keys=False):
    # A pass through JSON sorts all keys and makes tuples lists.
    plain = json.loads(json.dumps(data, default=short, sort_keys=sort_keys))
    return _lines(plain) + '\n'


def read_json(path):
    """Plain JSON data from a file."""
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def _lines(data):
    line = json.dumps(data, ensure_ascii=False, separators=(',', ':'))
    if len(line) <= LINE or not _is_split(data, len(line)):
        return line
    if isinstance(data, list):
        return '[\n' + ',\n'.join(map(_lines, data)) + '\n]'
    parts = [json.dumps(key) + ':' + _lines(value) for key, value in data.items()]
    return '{\n' + ',\n'.join(parts) + '\n}'


def _is_split(data, length):
    """Does this take several lines? Not what holds no lists, nor an array, nor a few numbers."""
    if isinstance(data, dict):
        return not (len(data) == 1 and list(data)[0].endswith(']'))
    if not isinstance(data, list) or not any(isinstance(v, (list, dict)) for v in data):
        return False
    return length > NUMBERS_LINE or not _has_only_numbers(data)


def _has_only_numbers(data):
    if isinstance(data, list):
        return all(map(_has_only_numbers, data))
    return not isinstance(data, (dict, str))
