"""Decoding of text and bytes, and files that are not there."""
import numpy as np

from ..op_cases import case


def texts(values):
    return np.array(values, object)


# --- CSV
case('decode_csv', 'three columns', texts(['1,2.5,a', '-3,,"b ""c"""', ' 4 , 1e3 ,']),
     [[0], [0.5], ['?']])
case('decode_csv', 'one record', texts('7,8'), [[0.0], [1]])
case('decode_csv', 'a matrix of records', texts([['1', '2'], ['', '4']]), [[9]])
case('decode_csv', 'all dtypes', texts(['1,2,3,4,5']),
     [np.int32([0]), np.int64([0]), np.float32([0]), np.float64([0]), ['']])
case('decode_csv', 'another delimiter', texts(['1|2']), [[0], [0]], field_delim='|')
case('decode_csv', 'no quotes', texts(['"a",b"c']), [[''], ['']], use_quote_delim=False)
case('decode_csv', 'missing value', texts(['NA,1', '2,NA']), [[8], [9]], na_value='NA')
case('decode_csv', 'chosen columns', texts(['1,2,3,4', '5,6,7,8']), [[0], [0]],
     select_cols=[1, 3])
case('decode_csv', 'chosen columns before a wrong one', texts(['1,2,"x"y']), [[0]],
     select_cols=[1])
case('decode_csv', 'a comma and a line end in quotes', texts(['"a,b\nc",2']), [[''], [0]])
case('decode_csv', 'line ends in front', texts(['\r\n1,2']), [[0], [0]])
case('decode_csv', 'special floats', texts(['nan,inf,-inf,1e400,0x1A']), [[0.0]] * 5)
case('decode_csv', 'a trailing comma', texts(['1,']), [[0], ['d']])
case('decode_csv', 'a required field', texts(['1,']), [[0], []])
case('decode_csv', 'too few fields', texts(['1,2', '1']), [[0], [0]])
case('decode_csv', 'too many fields', texts(['1,2,3']), [[0], [0]])
case('decode_csv', 'an empty record', texts(['']), [['d']])
case('decode_csv', 'no number', texts(['1', 'x']), [[0]])
case('decode_csv', 'too large', texts(['2147483648']), [[0]])
case('decode_csv', 'a plus sign', texts(['+1']), [[0]])
case('decode_csv', 'a quote inside', texts(['a"b']), [['']])
case('decode_csv', 'an open quote', texts(['"ab']), [['']])
case('decode_csv', 'a lone quote inside quotes', texts(['"a"b"']), [['']])
case('decode_csv', 'long default', texts(['1']), [[1, 2]])
case('decode_csv', 'falling columns', texts(['1,2']), [[1], [1]], select_cols=[1, 0])

# --- numbers
case('string_to_number', 'floats', texts(['1', ' -2.5e3 ', '.5', '1.', 'nan', 'INF', '+4']))
case('string_to_number', 'float64', texts([['0.1'], ['1e-50']]), out_type='float64')
case('string_to_number', 'int32', texts(['1', ' -22 ', '-0', '2147483647']), out_type='int32')
case('strings.to_number', 'int64', texts('99999999999'), out_type='int64')
for what, text, dtype in (('empty', '', 'float32'), ('words', 'one', 'float32'),
                          ('a fraction', '1.5', 'int32'), ('long', '99999999999', 'int32'),
                          ('underscores', '1_0', 'float32'), ('infinity', 'Infinity', 'float32'),
                          ('half an exponent', '5e', 'float64')):
    case('string_to_number', what, texts([text]), out_type=dtype)

# --- bytes
RAW = texts([b'\x01\x02\x03\x04\x05\x06\x07\x08', b'\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8'])
for dtype in ('uint8', 'int8', 'int16', 'uint16', 'int32', 'int64'):
    case('decode_raw', dtype, RAW, out_type=dtype)
case('decode_raw', 'float32', texts([b'\x00\x00\x80?\x00\x00 \xc0']), out_type='float32')
case('decode_raw', 'big endian', RAW, out_type='int16', little_endian=False)
case('decode_raw', 'a scalar', texts(b'\x01\x02'), out_type='uint8')
case('decode_raw', 'nothing', texts([b'', b'']), out_type='int32')
case('decode_raw', 'an uneven length', texts([b'abc']), out_type='int16')
case('decode_raw', 'different lengths', texts([b'ab', b'c']), out_type='uint8')

# --- files
case('read_file', 'missing', '/no/such/file')
case('io.read_file', 'a directory', '/')
case('matching_files', 'a missing directory', '/no/such/directory/*')
case('io.matching_files', 'none', '/no-such-*')
