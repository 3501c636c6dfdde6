"""NumPy values to JSON and back without losing a bit, one array to a line so that diffs can be
read."""
import json

import numpy as np

SPECIAL = {'nan': float('nan'), 'inf': float('inf'), '-inf': float('-inf')}
LINE = 110


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
    """{'dtype', 'shape', 'values'} with the values flat, in C order, in the fewest digits that
    read back exactly."""
    dtype = 'string' if array.dtype.kind in 'OSU' else array.dtype.name
    data = {'dtype': dtype, 'shape': list(array.shape),
            'values': [_encode_scalar(v) for v in array.ravel()]}
    back = decode_array(data)
    if dtype != 'string' and not _same_bits(back, array):
        raise ValueError('%r does not survive JSON' % array)
    return data


def decode_array(data):
    """An array of the recorded dtype and shape; strings come back as bytes in an object array."""
    if data['dtype'] == 'string':
        flat = np.array([v.encode('utf-8') for v in data['values']], object)
    elif data['dtype'].startswith('complex'):
        flat = np.array([complex(_float(re), _float(im)) for re, im in data['values']],
                        data['dtype'])
    elif data['dtype'].startswith('float'):
        flat = np.array([_float(v) for v in data['values']], data['dtype'])
    else:
        flat = np.array(data['values'], data['dtype'])
    return flat.reshape(data['shape'])


def _encode_scalar(v):
    if isinstance(v, (bytes, str)):
        return v.decode('utf-8') if isinstance(v, bytes) else str(v)
    if isinstance(v, np.complexfloating):
        return [_encode_scalar(v.real), _encode_scalar(v.imag)]
    if isinstance(v, np.floating):
        # str of a NumPy scalar is the shortest text that reads back to the same float.
        return float(str(v)) if np.isfinite(v) else str(v)
    return v.item()


def _float(v):
    return SPECIAL[v] if isinstance(v, str) else v


def _same_bits(a, b):
    """Equal including the sign of zero; NaN equals NaN, whatever its payload."""
    if a.dtype.kind not in 'fc':
        return np.array_equal(a, b)
    same_value = (a == b) | (np.isnan(a) & np.isnan(b))
    signs = (np.signbit(a.real) == np.signbit(b.real)) | np.isnan(a.real)
    return bool(np.all(same_value & signs))


def write_json(path, data):
    """Write `data` so that anything short, and any array, takes one line."""
    with open(path, 'w', encoding='utf-8') as f:
        f.write(_pretty(data, 0) + '\n')


def read_json(path):
    """Plain JSON data from a file."""
    with open(path, encoding='utf-8') as f:
        return json.load(f)


def _pretty(data, depth):
    line = json.dumps(data, ensure_ascii=False, allow_nan=False)
    is_array = isinstance(data, dict) and 'values' in data
    if is_array or not isinstance(data,
                                  (dict, list)) or len(line) + depth <= LINE or _is_flat(data):
        return line
    pad = ' ' * (depth + 1)
    if isinstance(data, list):
        parts = [pad + _pretty(v, depth + 1) for v in data]
        return '[\n' + ',\n'.join(parts) + '\n' + ' ' * depth + ']'
    parts = [pad + json.dumps(k) + ': ' + _pretty(v, depth + 1) for k, v in data.items()]
    return '{\n' + ',\n'.join(parts) + '\n' + ' ' * depth + '}'


def _is_flat(data):
    return isinstance(data, list) and bool(data) and isinstance(data[0], str)
