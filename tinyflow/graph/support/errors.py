"""TensorFlow's exception classes, and the one way tinyflow words an error.

A message says in this order: what is wrong with which node; the node's inputs with dtype, shape
and the user's line that made them; the user's line that made the node; the most likely mend.
"""
from __future__ import annotations

import os
import sys
import traceback

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS = range(7)
PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE = range(7, 12)
UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = range(12, 17)


class OpError(Exception):
    """An error of a node while the graph runs; `.op` is the Operation (or None).

    `.node_def` is the NodeDef that it was given, or that of the Operation.
    """

    code = UNKNOWN
    hint = None             # what a kernel advises, until it is part of the message: `op_error`

    def __init__(self, node_def, op, message, error_code=None):
        super().__init__(message)
        self._node_def = node_def
        self.op = op
        self.message = message
        self.error_code = self.code if error_code is None else error_code

    @property
    def node_def(self):
        """The node's protocol buffer, made when it is asked for; None where there is no node."""
        return getattr(self.op, 'node_def', None) if self._node_def is None else self._node_def

    def __str__(self):
        return report(self.message, mend=self.hint)

    def __reduce__(self):
        return type(self), (None, None, self.message), {'hint': self.hint}


def _error(name, code, meaning):
    return type(name, (OpError,),
                {'code': code, '__doc__': meaning, '__module__': 'tinyflow.errors'})


CancelledError = _error('CancelledError', CANCELLED, 'The operation was cancelled.')
UnknownError = _error('UnknownError', UNKNOWN, 'An error that fits no other class.')
InvalidArgumentError = _error('InvalidArgumentError', INVALID_ARGUMENT,
                              'An op received a value that it cannot work with.')
DeadlineExceededError = _error('DeadlineExceededError', DEADLINE_EXCEEDED, 'Time ran out.')
NotFoundError = _error('NotFoundError', NOT_FOUND, 'A file, key or resource does not exist.')
AlreadyExistsError = _error('AlreadyExistsError', ALREADY_EXISTS, 'What was to be made exists.')
PermissionDeniedError = _error('PermissionDeniedError', PERMISSION_DENIED, 'Not allowed.')
UnauthenticatedError = _error('UnauthenticatedError', UNAUTHENTICATED, 'No valid credentials.')
ResourceExhaustedError = _error('ResourceExhaustedError', RESOURCE_EXHAUSTED, 'Out of memory.')
FailedPreconditionError = _error('FailedPreconditionError', FAILED_PRECONDITION,
                                 'Something must be done first, e.g. initialise a Variable.')
AbortedError = _error('AbortedError', ABORTED, 'The operation was given up.')
OutOfRangeError = _error('OutOfRangeError', OUT_OF_RANGE, 'Past the end of the input.')
UnimplementedError = _error('UnimplementedError', UNIMPLEMENTED, 'Not available in tinyflow.')
InternalError = _error('InternalError', INTERNAL, 'tinyflow broke a promise of its own.')
UnavailableError = _error('UnavailableError', UNAVAILABLE, 'The service is not available.')
DataLossError = _error('DataLossError', DATA_LOSS, 'A file is damaged.')


_BY_CODE = {kind.code: kind for kind in (
    CancelledError, UnknownError, InvalidArgumentError, DeadlineExceededError, NotFoundError,
    AlreadyExistsError, PermissionDeniedError, UnauthenticatedError, ResourceExhaustedError,
    FailedPreconditionError, AbortedError, OutOfRangeError, UnimplementedError, InternalError,
    UnavailableError, DataLossError)}


def exception_type_from_error_code(error_code):
    """The exception class of a code such as tf.errors.NOT_FOUND. KeyError for another number."""
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls):
    """The code of an exception class, UNKNOWN for one that is not TF's."""
    return getattr(cls, 'code', UNKNOWN) if isinstance(cls, type) else UNKNOWN


class OperatorNotAllowedInGraphError(TypeError):
    """A Tensor was used as a truth value, or iterated, while the graph is built."""


class TinyflowWarning(UserWarning):
    """A warning of tinyflow; its text starts with an id such as [graph-growth] (docs/warnings.md).

    ``warnings.filterwarnings('ignore', r'\\[graph-growth\\]')`` silences one of them.
    """


__all__ = [name for name, value in sorted(globals().items()) if name[0] != '_'
           and (name.isupper() or isinstance(value, type) or name in (
               'exception_type_from_error_code', 'error_code_from_exception_type'))]


def __dir__():
    return __all__


class OpFailure(ValueError):
    """What is wrong, said by a kernel or a shape rule, which does not know its node.

    `hint` is what the user can do about it, `facts` are (label, value) pairs that stand on lines
    of their own. `Op` and the executors raise in its place an error that names the node, too: a
    ValueError while the graph is built, an InvalidArgumentError while it runs. For the errors that
    TensorFlow has another class for, a kernel raises an `op_error`.
    """

    def __init__(self, problem, hint=None, facts=()):
        super().__init__(problem, hint, facts)
        self.problem, self.hint, self.facts = problem, hint, facts

    def __str__(self):
        return report(self.problem, facts=self.facts, mend=self.hint)


def op_error(kind: type[OpError], problem: str, hint: str | None = None) -> OpError:
    """What OpFailure is, as an error of TensorFlow's class `kind`."""
    error = kind(None, None, problem)
    error.hint = hint
    return error


def report_failure(error: Exception, op, inputs=()) -> str:
    """The text for an error that the kernel or the shape rule of the operation `op` raised."""
    if isinstance(error, OpFailure):
        problem, hint, facts = error.problem, error.hint, error.facts
    elif isinstance(error, OpError):
        problem, hint, facts = error.message, error.hint, ()
    else:
        problem, hint, facts = str(error), None, ()
    return report(f"{op.type} '{op.name}': {problem.strip()}", op=op, inputs=inputs, mend=hint,
                  facts=facts)


def describe(tensor, told: list | None = None) -> str:
    """A tensor in one line: name, dtype, shape and the user's line that made it.

    The source of a line in `told` is left out; the line is added there.
    """
    site = tensor.op.site
    from_line = f'   made at {_place(site, [] if told is None else told)}' if site else ''
    return f"'{tensor.name}' {tensor.dtype.name} {tensor.shape_text}{from_line}"


def _place(site, told):
    """A line of the program; its text only the first time that it is told."""
    full = str(site)
    if full in told:
        return full.partition(': ')[0]
    told.append(full)
    return full


def report(problem: str, op=None, inputs=(), mend: str | None = None, site=None,
           facts=()) -> str:
    """The text of an error: the problem, the tensors it is about, the user's line, the mend.

    `inputs` are tensors, or (label, tensor) pairs; the line is `site`, or that which built `op`.
    `facts` are (label, value) pairs, each a line below the problem.
    """
    lines, told = [problem, *[f'  {label}: {value}' for label, value in facts]], []
    for item in inputs:
        label, tensor = item if isinstance(item, tuple) else ('input', item)
        lines.append(f'  {label}: {describe(tensor, told)}')
    site = site or (op is not None and op.site)
    if site:
        lines.append(f'  built at {_place(site, told)}')
    if mend:
        lines.append(f'  Mend: {mend}')
    return '\n'.join(lines)


_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '..', '..', '..'))
_OURS = (*[os.path.join(_ROOT, name) + os.sep
           for name in ('tinyflow', 'keras_layer', 'estimator_layer')], '<tinyflow')
_PLUMBING = tuple(os.sep + name for name in (
    'contextlib.py', 'functools.py', os.path.join('absl', 'app.py')))


def is_users_file(filename: str) -> bool:
    """Is this not a file of tinyflow, nor one of Python's that merely calls functions?"""
    return not filename.startswith(_OURS) and not filename.endswith(_PLUMBING)


def hides_own_frames(error: BaseException, frames: list[traceback.FrameSummary]) -> bool:
    """Is a traceback of this error to be shown without the frames inside tinyflow?

    So it is for errors that tinyflow worded, and for those that a function of the user's raised,
    which tinyflow had called; unless TINYFLOW_FULL_TRACEBACK=1 is in the environment.
    """
    worded = isinstance(error, OpError) or getattr(error, 'worded_by_tinyflow', False)
    return (worded or _raised_by_users_function(error, frames)) \
        and os.environ.get('TINYFLOW_FULL_TRACEBACK') != '1'


def _show_users_frames(kind, error, trace):
    """Prints a traceback, without the frames inside tinyflow where `hides_own_frames`."""
    frames = traceback.extract_tb(trace)
    if not hides_own_frames(error, frames):
        _previous_hook(kind, error, trace)
        return
    frames = [f for f in frames if is_users_file(f.filename)]
    print('Traceback (most recent call last):', file=sys.stderr)
    print(''.join(traceback.format_list(frames)), end='', file=sys.stderr)
    print(''.join(traceback.format_exception_only(kind, error)), end='', file=sys.stderr)


def _raised_by_users_function(error, frames):
    """Does the user's own code follow upon the last frame of tinyflow? Not so for an error that
    has a cause, which is to be seen whole, nor if it is NumPy that follows."""
    ours = [i for i, f in enumerate(frames) if f.filename.startswith(_OURS)]
    if not ours or error.__cause__ is not None or \
            error.__context__ is not None and not error.__suppress_context__:
        return False
    rest = [f for f in frames[ours[-1] + 1:] if not f.filename.endswith(_PLUMBING)]
    return bool(rest) and not _is_library(rest[0].filename)


def _is_library(filename):
    import sysconfig  # slow to load
    places = [sysconfig.get_path(name) for name in ('stdlib', 'platstdlib', 'purelib', 'platlib')]
    return filename.startswith(('<frozen', *[place + os.sep for place in places if place])) or \
        not {'site-packages', 'dist-packages'}.isdisjoint(filename.split(os.sep))


def abstract(instance):
    """The NotImplementedError of a method that a subclass is to define, naming class and method."""
    method = sys._getframe(1).f_code.co_name
    return worded(NotImplementedError(
        f'{type(instance).__name__} does not define {method}.\n  Mend: '
        f'a method `{method}` in {type(instance).__name__}.'))


def worded(error: Exception) -> Exception:
    """Marks a TypeError, ValueError ... whose message tinyflow wrote, and returns it."""
    error.worded_by_tinyflow = True
    return error


_previous_hook = sys.excepthook
sys.excepthook = _show_users_frames
