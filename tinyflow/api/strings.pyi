# For type checkers, written by docs/write_stubs.py: every public name, and its module.

from tinyflow.api.ragged_strings import (
    bytes_split, ngrams, unicode_decode, unicode_decode_with_offsets, unicode_encode,
    unicode_script, unicode_split, unicode_split_with_offsets,
)
from tinyflow.api.string_splits import strings_split as split
from tinyflow.ops.checks.printing import string_format as format
from tinyflow.ops.files.parsing import string_to_number as to_number
from tinyflow.ops.strings.as_string import as_string
from tinyflow.ops.strings.cases import (
    string_length as length, string_lower as lower, string_strip as strip, string_upper as upper,
)
from tinyflow.ops.strings.fingerprints import string_to_hash_bucket_fast as to_hash_bucket_fast
from tinyflow.ops.strings.hashes import (
    string_to_hash_bucket as to_hash_bucket, string_to_hash_bucket_strong as to_hash_bucket_strong,
)
from tinyflow.ops.strings.joins import reduce_join, string_join as join, unsorted_segment_join
from tinyflow.ops.strings.regexes import regex_full_match, regex_replace
from tinyflow.ops.strings.substrings import substr
from tinyflow.ops.strings.unicode_transcoding import unicode_transcode

__all__ = [
    'as_string', 'bytes_split', 'format', 'join', 'length', 'lower', 'ngrams', 'reduce_join',
    'regex_full_match', 'regex_replace', 'split', 'strip', 'substr', 'to_hash_bucket',
    'to_hash_bucket_fast', 'to_hash_bucket_strong', 'to_number', 'unicode_decode',
    'unicode_decode_with_offsets', 'unicode_encode', 'unicode_script', 'unicode_split',
    'unicode_split_with_offsets', 'unicode_transcode', 'unsorted_segment_join', 'upper',
]
