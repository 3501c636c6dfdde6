"""Single 32-bit words of a seeded Philox stream, as TensorFlow's input pipeline draws them."""
from __future__ import annotations

import os

from tinyflow.data.runtime.base import State
from tinyflow.ops.random.philox import Counter, words as philox_words

_LARGEST = 4096             # words generated at a time


def seeds_or_any(seed: int, seed2: int) -> tuple[int, int]:
    """The two seeds; where both are 0, two from the operating system."""
    if seed or seed2:
        return seed, seed2
    return int.from_bytes(os.urandom(8), 'little'), int.from_bytes(os.urandom(8), 'little')


class Words:
    """A stream of 32-bit words: key `seed`, upper counter half `seed2`; both 0 means unseeded."""

    def __init__(self, seed: int, seed2: int) -> None:
        seed, seed2 = seeds_or_any(seed, seed2)
        self._start(seed % 2**64, seed2 % 2**64, 0)

    def _start(self, seed: int, seed2: int, drawn: int) -> None:
        self.seed, self.seed2 = seed, seed2
        self._made = drawn // 4 * 4             # words generated so far, a whole number of blocks
        self._ready: list[int] = []             # the next words, last first
        self._size = 32
        for _ in range(drawn % 4):
            self.draw()

    @property
    def drawn(self) -> int:
        """The number of words drawn so far."""
        return self._made - len(self._ready)

    def draw(self) -> int:
        """The next word."""
        if not self._ready:
            self._fill()
        return self._ready.pop()

    def _fill(self) -> None:
        counter = Counter(self.seed, (self.seed2 << 64) + self._made // 4)
        self._ready = philox_words(counter, self._size)[::-1].tolist()
        self._made += self._size
        self._size = min(2 * self._size, _LARGEST)

    def get_state(self) -> State:
        return {'seed': self.seed, 'seed2': self.seed2, 'drawn': self.drawn}

    def set_state(self, state: State) -> None:
        self._start(state['seed'], state['seed2'], state['drawn'])
