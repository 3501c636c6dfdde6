"""Assertions of tf.test.TestCase: about arrays, tensors, protocol buffers and errors."""
from __future__ import annotations

import math
import re
import unittest
from contextlib import contextmanager

import numpy as np

from tinyflow.graph import dtypes
from tinyflow.graph.operation import Tensor
from tinyflow.graph.sparse_tensor import SparseTensor
from tinyflow.graph.support import nest
from tinyflow.graph.support.errors import OpError, abstract


class Assertions(unittest.TestCase):
    """Asserts on values; Tensors are evaluated first, by the method `evaluate` of subclasses."""

    def evaluate(self, tensors):
        raise abstract(self)

    def _array(self, value):
        if isinstance(value, (Tensor, SparseTensor)) or hasattr(value, '_as_graph_element'):
            value = self.evaluate(value)
        return value if isinstance(value, np.ndarray) else np.array(value)

    # ---- arrays ------------------------------------------------------------------------------

    def assertAllClose(self, a, b, rtol=1e-6, atol=1e-6, msg=None):
        """Fails unless |a - b| <= atol + rtol |b| everywhere, in nests of arrays or tensors too."""
        self._all_close(a, b, rtol, atol, msg, '')

    def _all_close(self, a, b, rtol, atol, msg, path):
        if isinstance(a, dict) or isinstance(b, dict):
            if not (isinstance(a, dict) and isinstance(b, dict)):
                raise ValueError(f"Can't compare dict to non-dict, a{path} vs b{path}. "
                                 f'{msg or ""}')
            self.assertCountEqual(a, b, f'mismatched keys: a{path} vs b{path}. {msg or ""}')
            for key in a:
                self._all_close(a[key], b[key], rtol, atol, msg, f'{path}[{key!r}]')
            return
        if self._is_deep(a) or self._is_deep(b):
            self.assertEqual(len(a), len(b), f'lengths of a{path} and b{path}. {msg or ""}')
            for i, (x, y) in enumerate(zip(a, b)):
                self._all_close(x, y, rtol, atol, msg, f'{path}[{i}]')
            return
        self._arrays_close(self._array(a), self._array(b), rtol, atol, msg, path)

    @staticmethod
    def _is_deep(value):
        """True for lists that are not arrays: with dicts, tensors or rows of different lengths."""
        if not isinstance(value, (list, tuple)):
            return False
        if any(not isinstance(v, (int, float, complex, np.generic)) and not nest.is_nested(v)
               for v in nest.flatten(list(value))) or hasattr(value, '_fields') or _has_dict(value):
            return True
        try:
            np.array(value)
        except ValueError:
            return True
        return False

    def _arrays_close(self, a, b, rtol, atol, msg, path=''):
        if a.shape != b.shape and b.size <= 1000:
            self.fail(f'Shape mismatch{path}: expected {a.shape}, got {b.shape} with contents '
                      f'{b}. {msg or ""}')
        self.assertEqual(a.shape, b.shape,
                         f'Shape mismatch{path}: expected {a.shape}, got {b.shape}. {msg or ""}')
        if a.dtype.kind not in 'biufc' or b.dtype.kind not in 'biufc':
            self.assertAllEqual(a, b, msg)
            return
        if not np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=False):
            close = np.isclose(a, b, rtol=rtol, atol=atol)
            where = np.argwhere(~close)[:5].tolist()
            self.fail(f'Not equal to tolerance rtol={rtol}, atol={atol}{path}. {msg or ""}\n'
                      f'{(~close).sum()} of {close.size} values differ, first at {where}:\n'
                      f'not close lhs = {a[~close][:5]}\nnot close rhs = {b[~close][:5]}\n'
                      f'dtype = {a.dtype}, shape = {a.shape}')

    def assertAllCloseAccordingToType(self, a, b, rtol=1e-6, atol=1e-6, float_rtol=1e-6,
                                      float_atol=1e-6, half_rtol=1e-3, half_atol=1e-3,
                                      bfloat16_rtol=1e-2, bfloat16_atol=1e-2, msg=None):
        """As assertAllClose, with tolerances for the least precise dtype of the two."""
        a, b = self._array(a), self._array(b)
        types = {a.dtype.name, b.dtype.name}
        if types & {'float32', 'complex64'}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if 'float16' in types:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def assertNotAllClose(self, a, b, **kwargs):
        """Fails if assertAllClose(a, b) passes."""
        try:
            self.assertAllClose(a, b, **kwargs)
        except AssertionError:
            return
        raise AssertionError(f'The two values are close at all elements. {kwargs.get("msg") or ""}')

    def assertAllEqual(self, a, b, msg=None):
        """Fails unless a and b have equal shapes and elements; NaN equals NaN."""
        a, b = self._array(a), self._array(b)
        a, b = _as_bytes(a), _as_bytes(b)
        if a.shape != b.shape:
            shown = f' with contents {b}' if b.size <= 1000 else ''
            self.fail(f'Shape mismatch: expected {a.shape}, got {b.shape}{shown}. {msg or ""}')
        same = a == b
        if a.dtype.kind in 'fc' and b.dtype.kind in 'fc':
            same = same | (np.isnan(a) & np.isnan(b))
        if not np.all(same):
            where = np.argwhere(~np.asarray(same))[:5].tolist()
            wrong = ~np.asarray(same)
            self.fail(f'Arrays are not equal. {msg or ""}\nfirst at {where}:\n'
                      f'not equal lhs = {a[wrong][:5]}\nnot equal rhs = {b[wrong][:5]}')

    def assertNotAllEqual(self, a, b, msg=None):
        """Fails if all elements are equal."""
        try:
            self.assertAllEqual(a, b)
        except AssertionError:
            return
        raise AssertionError(f'The two values are equal at all elements. {msg or ""}')

    def _all(self, holds, array, what):
        if not np.all(holds):
            where = np.argwhere(~np.asarray(holds))[:5].tolist()
            self.fail(f'{what}: {array[~np.asarray(holds)][:5]} at {where}')

    def assertAllGreater(self, a, comparison_target):
        """Fails unless every element exceeds the target."""
        a = self._array(a)
        self._all(a > comparison_target, a, f'not greater than {comparison_target}')

    def assertAllLess(self, a, comparison_target):
        """Fails unless every element is below the target."""
        a = self._array(a)
        self._all(a < comparison_target, a, f'not less than {comparison_target}')

    def assertAllGreaterEqual(self, a, comparison_target):
        """Fails if an element is below the target."""
        a = self._array(a)
        self._all(a >= comparison_target, a, f'not at least {comparison_target}')

    def assertAllLessEqual(self, a, comparison_target):
        """Fails if an element exceeds the target."""
        a = self._array(a)
        self._all(a <= comparison_target, a, f'not at most {comparison_target}')

    def assertAllInRange(self, target, lower_bound, upper_bound, open_lower_bound=False,
                         open_upper_bound=False):
        """Fails if an element is outside of the bounds."""
        a = self._array(target)
        above = a > lower_bound if open_lower_bound else a >= lower_bound
        below = a < upper_bound if open_upper_bound else a <= upper_bound
        opening, closing = '(' if open_lower_bound else '[', ')' if open_upper_bound else ']'
        self._all(above & below, a, f'outside of {opening}{lower_bound}, {upper_bound}{closing}')

    def assertAllInSet(self, target, expected_set):
        """Fails if an element is not in the set."""
        a = self._array(target)
        self._all(np.isin(a, list(expected_set)), a, f'not in {expected_set}')

    def assertArrayNear(self, farray1, farray2, err, msg=None):
        """Fails unless the flat arrays differ by at most `err` everywhere."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for x, y in zip(farray1, farray2):
            self.assertNear(float(x), float(y), err, msg)

    def assertNear(self, f1, f2, err, msg=None):
        """Fails unless two numbers differ by at most `err`."""
        self.assertTrue(f1 == f2 or math.fabs(f1 - f2) <= err,
                        f'{f1!r} != {f2!r} +/- {err!r}{f" ({msg})" if msg is not None else ""}')

    def assertNDArrayNear(self, ndarray1, ndarray2, err, msg=None):
        """Fails unless the Euclidean distance of the arrays is below `err`."""
        distance = np.linalg.norm(np.ravel(ndarray1) - np.ravel(ndarray2))
        self.assertTrue(distance < err, msg or f'{distance} is not less than {err}')

    def assertShapeEqual(self, np_array, tf_tensor, msg=None):
        """Fails unless the array has the tensor's static shape."""
        if not isinstance(np_array, (np.ndarray, np.generic)):
            raise TypeError('np_array must be a Numpy ndarray or Numpy scalar')
        if not isinstance(tf_tensor, Tensor):
            raise TypeError('tf_tensor must be a Tensor')
        self.assertAllEqual(np_array.shape, tf_tensor.get_shape().as_list(), msg)

    def assertDTypeEqual(self, target, expected_dtype):
        """Fails unless the array or tensor has that dtype."""
        have = target.dtype if hasattr(target, 'dtype') else np.array(target).dtype
        self.assertIs(dtypes.as_dtype(have).base_dtype, dtypes.as_dtype(expected_dtype).base_dtype)

    def assertDeviceEqual(self, device1, device2, msg=None):
        """Fails unless two device strings are the same."""
        self.assertEqual(device1 or '', device2 or '', msg)

    # ---- errors, messages, texts ---------------------------------------------------------------

    @contextmanager
    def assertRaisesWithPredicateMatch(self, exception_type, expected_err_re_or_predicate):
        """Fails unless the block raises such an exception, and the regex or function accepts it."""
        accepts = expected_err_re_or_predicate
        if not callable(accepts):
            def accepts(error):
                text = error.message if isinstance(error, OpError) else str(error)
                return re.search(expected_err_re_or_predicate, text)
        try:
            yield
        except Exception as error:
            if not isinstance(error, exception_type) or not accepts(error):
                raise AssertionError(f'Exception of type {type(error)}: {error}') from error
            return
        self.fail(f'{getattr(exception_type, "__name__", exception_type)} not raised')

    def assertRaisesOpError(self, expected_err_re_or_predicate):
        """As assertRaisesWithPredicateMatch, for tf.errors.OpError."""
        return self.assertRaisesWithPredicateMatch(OpError, expected_err_re_or_predicate)

    def assertRaisesWithLiteralMatch(self, expected_exception, expected_exception_message,
                                     callable_obj=None, *args, **kwargs):
        """Fails unless such an exception is raised with exactly that text."""
        context = self.assertRaisesRegex(expected_exception,
                                         f'^{re.escape(expected_exception_message)}$')
        if callable_obj is None:
            return context
        with context:
            callable_obj(*args, **kwargs)

    def assertProtoEquals(self, expected_message_maybe_ascii, message, msg=None):
        """Fails unless two protocol buffers are equal; the first may be in text form."""
        expected = expected_message_maybe_ascii
        if isinstance(expected, (str, bytes)):
            from google.protobuf import text_format  # start-up time
            text = expected.decode() if isinstance(expected, bytes) else expected
            expected = text_format.Parse(text, type(message)())
        self.assertEqual(type(expected), type(message), msg)
        self.assertMultiLineEqual(str(expected), str(message), msg)

    def assertStartsWith(self, actual, expected_start, msg=None):
        """Fails unless the text begins like that."""
        if not actual.startswith(expected_start):
            self.fail(f'{actual!r} does not start with {expected_start!r}. {msg or ""}')

    def assertEndsWith(self, actual, expected_end, msg=None):
        """Fails unless the text ends like that."""
        if not actual.endswith(expected_end):
            self.fail(f'{actual!r} does not end with {expected_end!r}. {msg or ""}')

    def assertItemsEqual(self, first, second, msg=None):
        """As assertCountEqual."""
        self.assertCountEqual(first, second, msg)

    def assertSameElements(self, expected_seq, actual_seq, msg=None):
        """Fails unless both have the same elements, ignoring repetitions."""
        self.assertEqual(set(expected_seq), set(actual_seq), msg)

    def assertEmpty(self, container, msg=None):
        """Fails unless the container has no element."""
        if len(container):
            self.fail(f'{container!r} has length of {len(container)}. {msg or ""}')

    def assertNotEmpty(self, container, msg=None):
        """Fails if the container has no element."""
        if not len(container):
            self.fail(f'{container!r} has length of 0. {msg or ""}')

    def assertLen(self, container, expected_len, msg=None):
        """Fails unless the container has `expected_len` elements."""
        if len(container) != expected_len:
            self.fail(f'{container!r} has length of {len(container)}, expected {expected_len}. '
                      f'{msg or ""}')

    def assertBetween(self, value, minv, maxv, msg=None):
        """Fails unless minv <= value <= maxv."""
        if not minv <= value <= maxv:
            self.fail(msg or f'"{value!r}" unexpectedly not between "{minv!r}" and "{maxv!r}"')

    def assertContainsSubset(self, expected_subset, actual_set, msg=None):
        """Fails unless all expected elements are present."""
        missing = set(expected_subset) - set(actual_set)
        if missing:
            self.fail(f'Missing elements {missing}. {msg or ""}')

    def assertNoCommonElements(self, expected_seq, actual_seq, msg=None):
        """Fails if an element is in both."""
        common = set(expected_seq) & set(actual_seq)
        if common:
            self.fail(f'Common elements {common}. {msg or ""}')

    def assertSequenceAlmostEqual(self, expected_seq, actual_seq, places=None, msg=None,
                                  delta=None):
        """Fails unless the sequences are as long, with almost equal items."""
        self.assertEqual(len(expected_seq), len(actual_seq), msg)
        for x, y in zip(expected_seq, actual_seq):
            self.assertAlmostEqual(x, y, places=places, msg=msg, delta=delta)


def _has_dict(value):
    return any(isinstance(v, dict) or isinstance(v, (list, tuple)) and _has_dict(v) for v in value)


def _as_bytes(array):
    """Strings as bytes, as a run returns them."""
    if array.dtype.kind == 'U':
        return np.char.encode(array, 'utf-8').astype(object)
    if array.dtype.kind == 'O':
        encoded = [v.encode() if isinstance(v, str) else v for v in array.ravel()]
        result = np.empty(len(encoded), object)
        result[:] = encoded
        return result.reshape(array.shape)
    return array.astype(object) if array.dtype.kind == 'S' else array
