"""tf.Session(nan_check=True): checks every value of a run, reports the origin of a NaN or Inf.

A value that is not finite is not always an error: a tf.where may not select it, a softmax uses
minus infinity as a mask. So each such value is tracked with its origin, the first operation that
produced one from finite inputs. An error is raised only if it reaches a fetch or an assignment to a
Variable; the Variable is not changed.
"""
from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinyflow.compiler.codegen.results import as_result
from tinyflow.compiler.functions.nested import callables_of, function_to_program
from tinyflow.compiler.ir import Instruction, Program, Value
from tinyflow.graph.func_graph import FuncGraph
from tinyflow.graph.operation import Operation, Tensor
from tinyflow.graph.support import errors
from tinyflow.graph.support.waits import check_deadline, deadlines
from tinyflow.session.executable import Executable
from tinyflow.session.failure import explain_failure
from tinyflow.session.interpret import arguments_of, updating
from tinyflow.session.interrupts import finished_first, steps_through
from tinyflow.session.runtime import Runtime
from tinyflow.session.store import Store


class NanCheckedExecutable(Executable):
    """A program that is interpreted, so that every value can be checked."""

    checks_deadline = True

    def __init__(self, program: Program, runtime: Runtime, plain: Program) -> None:
        super().__init__(program, runtime)
        self._plain = plain

    @finished_first
    def __call__(self, feeds: Sequence[np.ndarray]) -> list:
        self.runs += 1
        with self.arena() as arena:
            return arena.context.run(_NanTracker(self.store).run, self._plain, feeds)

    def call_inside(self, feeds: Sequence[np.ndarray]) -> list:
        return self(feeds)


@dataclass(frozen=True)
class Origin:
    """Where a value that is not finite was produced; `operation` is None if it was fed."""

    operation: Operation | None
    name: str
    found: str
    position: tuple[int, ...]
    inputs: tuple[str, ...]
    iteration: int | None
    constant: bool = False
    rows: int | None = None         # the size of the array's first dimension
    negative: bool = False          # the first input contains a negative number


def _batch_size(feeds: Sequence[np.ndarray]) -> int | None:
    """The common first dimension of the fed matrices, or of the fed vectors if there are none."""
    for rank in (2, 1):
        sizes = {f.shape[0] for f in feeds if f.ndim >= rank}
        if sizes:
            return sizes.pop() if len(sizes) == 1 else None
    return None


def _not_finite(array: Any) -> bool:
    return isinstance(array, (np.ndarray, np.generic)) and array.dtype.kind in 'fc' and \
        not np.isfinite(array).all()


class _NanTracker:
    """One run: the origins of arrays that are not finite (by id), and the running loops."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self._origins: dict[int, tuple[Any, Origin]] = {}       # with the array, to keep its id
        self._iterations: list[int] = []
        self._batch: int | None = None          # the batch size, if it is known
        self._has_written = False
        self._fetches: Sequence[Value | None] = ()
        self._computed: dict[Value, Any] | None = None      # of the run itself, not of functions

    # ---- running -------------------------------------------------------------------------

    def run(self, program: Program, feeds: Sequence[np.ndarray]) -> list:
        """The fetched values; raises InvalidArgumentError if one of them is not finite."""
        self._batch, self._fetches = _batch_size(feeds), program.fetches
        for value, array in zip(program.feeds, feeds):
            if _not_finite(array):
                self._remember(array, self._origin(None, value.name, array, ()))
        results = self._instructions(program, feeds)
        for fetch, result in zip(program.fetches, results):
            if fetch is not None:
                self._check(result, f"the fetched value '{fetch.name}'")
        return [None if r is None else as_result(r, True) for r in results]

    @steps_through
    def _instructions(self, program: Program, feeds: Sequence[np.ndarray]) -> list:
        env: dict[Value, Any] = dict(zip(program.feeds, feeds))
        self._computed = env if self._computed is None else self._computed
        for instruction in program.instructions:
            self._has_written = self._has_written or bool(instruction.writes)
            if deadlines and not self._has_written:     # a step's writes happen together
                check_deadline()
            arguments = arguments_of(instruction, env, self.store)
            for i in instruction.definition.keeps:      # these are copies
                _, origin = self._origins.get(id(env.get(instruction.kernel_inputs[i])), (0, None))
                if origin is not None:
                    self._remember(arguments[i], origin)
            self._check_update(instruction, arguments)
            try:
                outputs = self._call(instruction, arguments)
            except Exception as error:                  # noqa: BLE001 - reported with the node
                raise explain_failure(instruction, error, arguments) from None
            for value, output in zip(instruction.outputs, outputs):
                if output is None:
                    continue
                array = np.array(output, value.dtype.np, copy=instruction.copy or None)
                env[value] = array
                if _not_finite(array):
                    self._trace(instruction, value, array, arguments, output)
                elif array.dtype.kind == 'O':
                    self._trace_list(array, arguments, output)
        return [None if v is None else self._result(v, env) for v in program.fetches]

    def _result(self, value: Value, env: dict[Value, Any]) -> np.ndarray:
        array = value.array if value.array is not None else env[value] \
            if value.variable is None else self.store.storage(value.variable).value
        copy = np.array(array, value.dtype.np)
        if id(array) in self._origins:
            self._remember(copy, self._origins[id(array)][1])
        return copy

    def _call(self, instruction: Instruction, arguments: list[Any]) -> Sequence[Any]:
        definition = instruction.definition
        if definition.bind is not None:
            loop = instruction.type == 'While'
            if loop:
                self._iterations.append(0)
            try:
                return callables_of(instruction, self._function)(*arguments)
            finally:
                if loop:
                    self._iterations.pop()
        first: tuple = () if definition.state is None else \
            (self.store.state(instruction.operation),)
        if definition.functions:
            first += tuple(callables_of(instruction, self._function))
        with updating(instruction, arguments, self.store):
            return definition.call(instruction.attrs, arguments, first)

    def _function(self, graph: FuncGraph, parameters: Sequence[Tensor] | None = None,
                  wanted: Sequence[Tensor] | None = None,
                  known: dict[Tensor, np.ndarray] | None = None,
                  owned: Collection[Tensor] = ()) -> Callable[..., list]:
        program = function_to_program(graph, parameters, wanted, known, owned)
        body = graph.name.endswith(('body', 'body_grad'))

        def call(*arrays: np.ndarray) -> list:
            results = self._instructions(program, arrays)
            if body and self._iterations:
                self._iterations[-1] += 1
            return results
        call.store = self.store                 # type: ignore[attr-defined]  # see _replayable
        return call

    # ---- origins -------------------------------------------------------------------------

    def _remember(self, array: Any, origin: Origin) -> None:
        self._origins[id(array)] = array, origin

    def _trace(self, instruction: Instruction, value: Value, array: np.ndarray,
               arguments: list[Any], output: Any) -> None:
        """Records the origin of a value that is not finite: that of an input, or this instruction.
        """
        if id(output) in self._origins:                 # a function's result has been traced
            self._remember(array, self._origins[id(output)][1])
            return
        for argument in arguments:
            if id(argument) in self._origins:
                self._remember(array, self._origins[id(argument)][1])
                return
        known = [(label, a) for label, a in zip(_labels(instruction), arguments)
                 if isinstance(a, np.ndarray)]
        tainted = any(_not_finite(a) for a in arguments)    # a constant, or a Variable's value
        self._remember(array, self._origin(instruction.operation, value.name, array,
                                           [_range(label, a) for label, a in known], tainted,
                                           bool(known) and _has_negative(known[0][1])))

    def _trace_list(self, made: np.ndarray, arguments: list[Any], output: Any) -> None:
        """Records the origin of what a list of tensors contains, for what is read from it later."""
        for one in [output, *arguments]:
            _, origin = self._origins.get(id(one), (0, None))
            if origin is not None and not origin.constant:
                self._remember(made, origin)
                return

    def _origin(self, operation: Operation | None, name: str, array: np.ndarray,
                inputs: Sequence[str], constant: bool = False, negative: bool = False) -> Origin:
        positions = np.argwhere(~np.isfinite(array))
        first = array[tuple(positions[0])]
        kind = 'NaN' if np.isnan(first) else 'Inf'
        count = '' if len(positions) == 1 else f' in {len(positions)} of {array.size} elements'
        return Origin(operation, name, kind + count, tuple(map(int, positions[0])), tuple(inputs),
                      self._iterations[-1] if self._iterations else None,
                      constant or operation is not None and operation.type == 'Const',
                      array.shape[0] if array.ndim else None, negative)

    # ---- errors --------------------------------------------------------------------------

    def _check_update(self, instruction: Instruction, arguments: list[Any]) -> None:
        """Raises before a value that is not finite is assigned to a Variable.

        If a fetched value, such as the loss, is not finite either, its origin is said: that of the
        update may be a gradient of the same operation.
        """
        if not instruction.writes or instruction.definition.functions:
            return
        written = instruction.inputs[instruction.writes[0]]
        name = written.variable.name if written.variable is not None else written.name
        for i, argument in enumerate(arguments):
            if i not in instruction.writes and id(argument) in self._origins:
                for fetch in self._fetches:
                    if fetch is not None:
                        self._check((self._computed or {}).get(fetch),
                                    f"the fetched value '{fetch.name}'")
                self._check(argument, f"the update of the Variable '{name}' "
                                      f"({instruction.type} '{instruction.name}')")

    def _check(self, array: Any, description: str) -> None:
        known = self._origins.get(id(array))
        if known is None or known[1].constant:
            return
        raise self._error(known[1], description)

    def _error(self, origin: Origin, description: str) -> errors.OpError:
        operation = origin.operation
        where = f' at {list(origin.position)}' if origin.position else ''
        if origin.rows is not None and origin.rows == self._batch:
            where += f' (row {origin.position[0]} of the batch)'
        made = f"fed as '{origin.name}'" if operation is None else \
            f"first produced by {operation.type} '{operation.name}'"
        if origin.iteration is not None:
            made += f' in iteration {origin.iteration} of its loop'
        lines = [f'[nan-check] {origin.found}{where}, {made}, reached {description}.',
                 *origin.inputs]
        error = errors.InvalidArgumentError(None, operation, errors.report(
            '\n  '.join(lines), op=operation, hint=_hint(origin) + errors.why('nan-check')))
        error.provenance = origin
        return error


def _labels(instruction: Instruction) -> list[str]:
    labelled = instruction.definition.labelled_inputs(instruction.operation)
    passed = set(map(id, instruction.kernel_inputs))
    labels = [label for (label, tensor), value in zip(labelled, instruction.inputs)
              if id(value) in passed]
    return [f"{label} '{value.name}'" for label, value in zip(labels, instruction.kernel_inputs)]


def _range(label: str, array: np.ndarray) -> str:
    if array.dtype.kind not in 'fiu' or not array.size:
        return f'{label}: {array.dtype} {list(array.shape)}'
    return f'{label}: from {array.min():.6g} to {array.max():.6g}, shape {list(array.shape)}'


_HINTS = {
    'Log': 'the argument reached 0: tf.log(x + 1e-8), or a loss that takes logits.',
    'RealDiv': 'a divisor of 0: tf.div_no_nan, or + 1e-8.',
    'Div': 'a divisor of 0: tf.div_no_nan, or + 1e-8.',
    'Exp': 'an argument above 88 overflows float32: subtract the maximum, or use tf.nn.softmax.',
    'Sqrt': 'the root of a negative number: tf.sqrt(tf.maximum(x, 0.)).',
    'Rsqrt': 'the root of 0 or less: add 1e-8.',
    'SqrtGrad': 'the slope of a root at 0 is infinite: tf.sqrt(x + 1e-8).',
    'Reciprocal': 'the reciprocal of 0: add 1e-8.',
}


_HINTS_IF_NEGATIVE = {
    'Log': 'the argument is negative somewhere: tf.log(tf.maximum(x, 1e-8)), or a loss that takes '
           'logits.',
    'Log1p': 'the argument went below -1: tf.log1p(tf.maximum(x, -1 + 1e-6)).',
    'Pow': 'a negative number to a power that is not an integer: tf.pow(tf.maximum(x, 0.), y).',
}


def _has_negative(array: np.ndarray) -> bool:
    return array.dtype.kind in 'fi' and bool((array < 0).any())


def _hint(origin: Origin) -> str:
    operation = origin.operation
    if operation is None:
        return 'look at the data: np.isfinite(x).all(axis=1).'
    if origin.negative and operation.type in _HINTS_IF_NEGATIVE:
        return _HINTS_IF_NEGATIVE[operation.type]
    return _HINTS.get(operation.type, 'a smaller learning rate, clipped gradients '
                                      '(tf.clip_by_global_norm), or scaled inputs.')


__all__ = ['Origin', 'NanCheckedExecutable']
