"""What came of a program on each side, and how the two compare."""
from __future__ import annotations

import re
from dataclasses import dataclass

NUMBER = re.compile(r'(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?')
TOLERANCE = 1e-3                        # of the last numbers, relative: rounding grows in training
# Keras's progress: what it shows meanwhile is no result, nor are the bar and the times at the end.
_MEANWHILE = re.compile(r'\bETA: |^Epoch \d+/\d+$|^Train on \d+ samples')
_PROGRESS = re.compile(r'^ *\d+/\d+ \[[=>.]+\] - \d+s( \d+(ms|us|s)/(step|sample|epoch))?')
_TIMES = re.compile(r'\b(sec|secs|seconds|time|elapsed|duration|ms|took)\b', re.IGNORECASE)


@dataclass
class Outcome:
    """How a program ended (status None: it was cut off), what it printed, and its last error."""

    status: int | None
    out: str
    err: str = ''

    @property
    def error(self) -> str:
        lines = [line for line in self.err.strip().splitlines()
                 if re.match(r'[\w.]*(Error|Exception|Exit|Interrupt)\b', line)]
        return lines[-1] if lines else (self.err.strip().splitlines() or [f'{self.status}'])[-1]


def numbers(out: str) -> list[list[float]]:
    """The numbers of each line that is not about times."""
    lines = [_PROGRESS.sub('', line) for line in re.split(r'[\n\r\b]+', out)
             if not _TIMES.search(line) and not _MEANWHILE.search(line)]
    found = [[float(text) for text in NUMBER.findall(line)] for line in lines]
    return [row for row in found if row]


def differs(mine: list[float], other: list[float]) -> str | None:
    """Two rows of numbers where they differ; None if they agree."""
    if len(mine) == len(other) and all(
            a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) or a != a and b != b
            for a, b in zip(mine, other)):
        return None
    return f'{_short(mine)} against {_short(other)}'


def _short(row):
    return ' '.join(f'{value:.6g}' for value in row[-4:])


def verdict(here: Outcome, there: Outcome | None) -> tuple[str, str]:
    """(one of the words of VERDICTS, a remark) for a program's two outcomes."""
    if here.status not in (0, None):
        if there is not None and there.status not in (0, None):
            return 'fails on both', there.error
        return ('fails here', here.error)
    if there is None:
        return ('runs' if here.status == 0 else 'cut off'), ''
    if there.status not in (0, None):
        return 'runs here only', there.error
    ours, theirs = numbers(here.out), numbers(there.out)
    cut = [name for name, outcome in (('here', here), ('TensorFlow', there))
           if outcome.status is None]
    if cut:                             # the last line that both have come to
        common = min(len(ours), len(theirs))
        ours, theirs = ours[:common], theirs[:common]
    difference = differs((ours or [[]])[-1], (theirs or [[]])[-1])
    if difference is not None:
        return 'differs', difference
    if cut:
        return ('agrees so far' if ours else 'cut off'), f'cut off: {", ".join(cut)}'
    if ours or here.out.strip() and here.out == there.out:
        return 'agrees', ''
    return 'runs', 'prints no numbers'


VERDICTS = {
    'agrees': 'runs, and the last numbers are those of TensorFlow',
    'agrees so far': 'the same, up to where the time was over',
    'runs': 'runs, and there are no numbers to compare',
    'differs': 'runs, and the last numbers differ',
    'cut off': 'the time was over',
    'runs here only': 'fails on TensorFlow alone',
    'fails here': 'fails here alone',
    'fails on both': 'fails on TensorFlow as well',
}
RUNS = ('agrees', 'agrees so far', 'runs', 'differs', 'cut off', 'runs here only')


def table(rows: list[tuple[str, str, str, float, float | None]]) -> str:
    """Rows of (program, verdict, remark, seconds here, seconds in TensorFlow), as Markdown."""
    lines = ['| program | outcome | seconds: here, TensorFlow | remark |', '|---|---|---|---|']
    for name, word, remark, ours, theirs in rows:
        times = f'{ours:.0f}' + ('' if theirs is None else f', {theirs:.0f}')
        lines.append(f'| {name} | {word} | {times} | {remark.replace("|", "/")[:160]} |')
    return '\n'.join(lines)


def summary(verdicts: list[str]) -> str:
    """The figure: how many run, and what became of the others."""
    count = {word: verdicts.count(word) for word in VERDICTS if word in verdicts}
    runs = sum(count.get(word, 0) for word in RUNS)
    judged = len(verdicts) - count.get('fails on both', 0)
    parts = [f'{number} {word}' for word, number in count.items()]
    return (f'{runs} of {judged} programs run' +
            (f', of those that run on TensorFlow ({len(verdicts)} in all)'
             if judged < len(verdicts) else '') + f': {", ".join(parts)}.')
