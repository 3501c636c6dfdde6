"""TensorFlow's exception classes, and the format of tinyflow's error messages.

A message has these parts: what is wrong with which node; the node's inputs with dtype, shape and
the user's line that created them; the user's line that created the node; a hint.
"""
from __future__ import annotations

import os
import sys
import traceback
import types

from tinyflow.graph.support import users_files

OK, CANCELLED, UNKNOWN, INVALID_ARGUMENT, DEADLINE_EXCEEDED, NOT_FOUND, ALREADY_EXISTS = range(7)
PERMISSION_DENIED, RESOURCE_EXHAUSTED, FAILED_PRECONDITION, ABORTED, OUT_OF_RANGE = range(7, 12)
UNIMPLEMENTED, INTERNAL, UNAVAILABLE, DATA_LOSS, UNAUTHENTICATED = range(12, 17)


class OpError(Exception):
    """An error of a node at run time; `.op` is the Operation (or None).

    `.node_def` is the NodeDef passed to the constructor, or that of the Operation.
    """

    code = UNKNOWN
    hint = None             # set by `op_error`, until it becomes part of the message

    def __init__(self, node_def, op, message, error_code=None):
        super().__init__(message)
        self._node_def = node_def
        self.op = op
        self.message = message
        self.error_code = self.code if error_code is None else error_code

    @property
    def node_def(self):
        """The node's NodeDef, created on access; None without a node."""
        return getattr(self.op, 'node_def', None) if self._node_def is None else self._node_def

    def __str__(self):
        return report(self.message, hint=self.hint)

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
AlreadyExistsError = _error('AlreadyExistsError', ALREADY_EXISTS, 'It already exists.')
PermissionDeniedError = _error('PermissionDeniedError', PERMISSION_DENIED, 'Not allowed.')
UnauthenticatedError = _error('UnauthenticatedError', UNAUTHENTICATED, 'No valid credentials.')
ResourceExhaustedError = _error('ResourceExhaustedError', RESOURCE_EXHAUSTED, 'Out of memory.')
FailedPreconditionError = _error('FailedPreconditionError', FAILED_PRECONDITION,
                                 'Something must be done first, e.g. initialise a Variable.')
AbortedError = _error('AbortedError', ABORTED, 'The operation was aborted.')
OutOfRangeError = _error('OutOfRangeError', OUT_OF_RANGE, 'Past the end of the input.')
UnimplementedError = _error('UnimplementedError', UNIMPLEMENTED, 'Not available in tinyflow.')
InternalError = _error('InternalError', INTERNAL, 'An internal error of tinyflow.')
UnavailableError = _error('UnavailableError', UNAVAILABLE, 'The service is not available.')
DataLossError = _error('DataLossError', DATA_LOSS, 'A file is damaged.')


_BY_CODE = {kind.code: kind for kind in (
    CancelledError, UnknownError, InvalidArgumentError, DeadlineExceededError, NotFoundError,
    AlreadyExistsError, PermissionDeniedError, UnauthenticatedError, ResourceExhaustedError,
    FailedPreconditionError, AbortedError, OutOfRangeError, UnimplementedError, InternalError,
    UnavailableError, DataLossError)}


def exception_type_from_error_code(error_code):
    """The exception class of a code such as tf.errors.NOT_FOUND. KeyError for unknown codes."""
    return _BY_CODE[error_code]


def error_code_from_exception_type(cls):
    """The code of an exception class, UNKNOWN if it is not one of TF's."""
    return getattr(cls, 'code', UNKNOWN) if isinstance(cls, type) else UNKNOWN


class OperatorNotAllowedInGraphError(TypeError):
    """A Tensor was used as a Python bool, or iterated, at graph construction."""


class TinyflowWarning(UserWarning):
    """A warning of tinyflow; its text starts with an id such as [graph-growth] (docs/warnings.md).

    ``warnings.filterwarnings('ignore', r'\\[graph-growth\\]')`` silences one of them.
    """


__all__ = [name for name, value in sorted(globals().items()) if name[0] != '_'
           and (name.isupper() or isinstance(value, type) or name in (
               'exception_type_from_error_code', 'error_code_from_exception_type'))]


def __dir__():
    return __all__


for _kind in (OpError, OperatorNotAllowedInGraphError, TinyflowWarning):
    _kind.__module__ = 'tinyflow.errors'


class OpFailure(ValueError):
    """Raised by kernels and shape functions for invalid inputs; they do not know their node.

    `hint` is what the user can do about it, `facts` are (label, value) pairs, shown on separate
    lines. `Op` and the executors replace it by an error that names the node: a ValueError at graph
    construction, an InvalidArgumentError at run time. If TensorFlow has another class for the
    error, a kernel raises an `op_error`.
    """

    def __init__(self, problem, hint=None, facts=()):
        super().__init__(problem, hint, facts)
        self.problem, self.hint, self.facts = problem, hint, facts

    def __str__(self):
        return report(self.problem, facts=self.facts, hint=self.hint)


def op_error(kind: type[OpError], problem: str, hint: str | None = None) -> OpError:
    """Like OpFailure, as an error of TensorFlow's class `kind`."""
    error = kind(None, None, problem)
    error.hint = hint
    return error


def report_failure(error: Exception, op, inputs=()) -> str:
    """The message for an error raised by the kernel or shape function of the operation `op`."""
    if isinstance(error, OpFailure):
        problem, hint, facts = error.problem, error.hint, error.facts
    elif isinstance(error, OpError):
        problem, hint, facts = error.message, error.hint, ()
    else:
        problem, hint, facts = str(error), None, ()
    if op.type == 'Assert':             # its texts are in the problem
        inputs = [item for item in inputs if _tensor_of(item).op.type != 'Const']
    return report(f"{op.type} '{op.name}': {problem.strip()}", op=op, inputs=inputs, hint=hint,
                  facts=facts)


def _tensor_of(item):
    """The tensor of an input, which may be a (label, tensor) pair."""
    return item[1] if isinstance(item, tuple) else item


def describe(tensor, quoted: list | None = None) -> str:
    """A tensor in one line: name, dtype, shape and the user's line that created it.

    `quoted` collects source lines; a line that is already in it is not quoted again.
    """
    if tensor.op.graph.runs_at_once:
        return f'{tensor.dtype.name} {tensor.shape_text}'
    site = tensor.op.site
    from_line = f'   made at {_location(site, [] if quoted is None else quoted)}' if site else ''
    return f"'{_outermost(tensor).name}' {tensor.dtype.name} {tensor.shape_text}{from_line}"


def _outermost(tensor):
    """The tensor that a parameter of branches or loops stands for."""
    while tensor.op.graph.outer_graph is not None:
        source = tensor.op.graph.source_of(tensor)
        if source is None:
            break
        tensor = source
    return tensor


def _location(site, quoted):
    """File and line of the program; with its source text the first time."""
    full = str(site)
    if full in quoted:
        return full.partition(': ')[0]
    quoted.append(full)
    return full


def report(problem: str, op=None, inputs=(), hint: str | None = None, site=None,
           facts=()) -> str:
    """The text of an error message: problem, facts, input tensors, the user's line, hint.

    `inputs` are tensors, or (label, tensor) pairs. The line is `site`, or the one that created
    `op`. `facts` are (label, value) pairs, each shown on a line below the problem.
    """
    lines, quoted = [problem, *[f'  {label}: {value}' for label, value in facts]], []
    for item in inputs:
        label, tensor = item if isinstance(item, tuple) else ('input', item)
        lines.append(f'  {label}: {describe(tensor, quoted)}')
    site = site or (op is not None and op.site)
    if site:
        lines.append(f'  built at {_location(site, quoted)}')
    if hint:
        lines.append(f'  Hint: {hint}')
    return '\n'.join(lines)


def add_call_hint(error: BaseException, trace: types.TracebackType | None) -> None:
    """Appends to a TypeError for an unknown keyword argument which names the function takes."""
    if type(error) is TypeError and 'unexpected keyword argument' in str(error):
        from tinyflow.graph.support import call_hints  # start-up time
        if call_hints.add_hint(error, trace):
            misuse(error)


def hides_own_frames(error: BaseException, frames: list[traceback.FrameSummary]) -> bool:
    """True if the traceback of this error is shown without the frames inside tinyflow.

    That is so for errors with tinyflow's own messages, for Ctrl-C, and for errors raised by a
    user's function that tinyflow called, unless the environment has TINYFLOW_FULL_TRACEBACK=1.
    """
    expected = isinstance(error, OpError) or getattr(error, 'raised_by_tinyflow', False) \
        or _interrupted_inside(error, frames)
    return (expected or _raised_by_users_function(error, frames)) \
        and os.environ.get('TINYFLOW_FULL_TRACEBACK') != '1'


def _show_users_frames(kind, error, trace):
    """Prints a traceback, without the frames inside tinyflow if `hides_own_frames`."""
    add_call_hint(error, trace)
    trace = without_signal_handler(trace)
    error.__traceback__ = trace
    frames = traceback.extract_tb(trace)
    if not hides_own_frames(error, frames):
        _previous_hook(kind, error, trace)
        return
    frames = frames[:_end_of_users_frames(error, frames)]
    frames = [f for f in frames if users_files.is_users_file(f.filename)]
    print('Traceback (most recent call last):', file=sys.stderr)
    print(''.join(traceback.format_list(frames)), end='', file=sys.stderr)
    print(''.join(traceback.format_exception_only(kind, error)), end='', file=sys.stderr)


def without_signal_handler(trace):
    """The traceback without the frame of tinyflow's handler of Ctrl-C, which is the innermost."""
    entries = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    if not entries or entries[-1].tb_frame.f_code.co_name != 'handle_ctrl_c' \
            or not entries[-1].tb_frame.f_code.co_filename.startswith(users_files.OURS):
        return entries[0] if entries else None
    for entry in reversed(entries[:-1]):
        trace = types.TracebackType(trace, entry.tb_frame, entry.tb_lasti, entry.tb_lineno)
    return trace


def _interrupted_inside(error, frames):
    """True if Ctrl-C came while tinyflow ran."""
    return isinstance(error, KeyboardInterrupt) and \
        any(f.filename.startswith(users_files.OURS) for f in frames)


def _end_of_users_frames(error, frames):
    """The number of frames up to the user's last one: Ctrl-C may find tinyflow inside NumPy."""
    end = len(frames)
    if isinstance(error, KeyboardInterrupt):
        while end and not users_files.is_program(frames[end - 1].filename):
            end -= 1
    return end or len(frames)


def _raised_by_users_function(error, frames):
    """True if the frame after tinyflow's last one is the user's code.

    False for an error with a cause, which is shown in full, and if a library such as NumPy follows.
    """
    ours = [i for i, f in enumerate(frames) if f.filename.startswith(users_files.OURS)]
    if not ours or error.__cause__ is not None or \
            error.__context__ is not None and not error.__suppress_context__:
        return False
    rest = [f for f in frames[ours[-1] + 1:] if not f.filename.endswith(users_files.PLUMBING)]
    return bool(rest) and not users_files.is_library(rest[0].filename)


def abstract(instance):
    """The NotImplementedError for an abstract method; its message names class and method."""
    method = sys._getframe(1).f_code.co_name
    return misuse(NotImplementedError(
        f'{type(instance).__name__} does not define {method}.\n  Hint: '
        f'define a method `{method}` in {type(instance).__name__}.'))


def misuse(error: Exception) -> Exception:
    """Marks an error as the caller's, not a fault in tinyflow; returns it, to be raised.

    Its message is complete, and its traceback ends at the user's line.
    """
    error.raised_by_tinyflow = True
    return error


def why(page: str) -> str:
    """The end of a hint: the command that shows a page about this error (tinyflow/api/why/)."""
    return f'\n  More: python -m tinyflow why {page}'


_previous_hook = sys.excepthook
sys.excepthook = _show_users_frames
