"""How many processors are free, with a made-up clock and machine."""
import threading

import pytest

from tinyflow.graph.support import processors
from tinyflow.graph.support.processors import next_number


@pytest.fixture(autouse=True)
def no_limit(monkeypatch):
    monkeypatch.setattr(processors, '_limit', 0)


@pytest.mark.parametrize('number, present, others, expected', [
    (2, 2, 0.0, 2), (2, 2, 0.4, 2), (2, 2, 0.6, 1), (2, 2, 1.0, 1), (2, 2, 1.9, 1),
    (1, 2, 0.0, 2), (1, 2, 0.2, 2), (1, 2, 0.4, 1), (1, 2, 1.0, 1),     # back when it is free
    (8, 8, 3.0, 5), (5, 8, 3.0, 5), (5, 8, 3.2, 5), (5, 8, 2.9, 5), (5, 8, 0.1, 8),
    (8, 8, 20.0, 1), (1, 1, 0.0, 1), (1, 1, 1.0, 1),
])
def test_what_others_leave(number, present, others, expected):
    assert next_number(number, present, others) == expected


@pytest.mark.parametrize('present', [2, 3, 4, 16])
def test_two_programs_on_one_machine_settle(present):
    """Each sees what the other uses; together they end with no more than there are."""
    numbers = [present, present]
    for _ in range(10):
        for i in (0, 1):                        # they look at different times
            others = numbers[1 - i] * min(1, present / sum(numbers))
            numbers[i] = next_number(numbers[i], present, others)
    assert sum(numbers) in (present - 1, present)
    assert min(numbers) >= present // 2 - 1


class Machine:
    """A clock, and counters of what all programs and this one have used of four processors."""

    def __init__(self, monkeypatch):
        self.now, self.all, self.own, self.looks = 100.0, 5000.0, 30.0, 0
        monkeypatch.setattr(processors.time, 'perf_counter', lambda: self.now)
        monkeypatch.setattr(processors.time, 'process_time', lambda: self.own)
        monkeypatch.setattr(processors, 'seconds_busy', self._busy)
        monkeypatch.setattr(processors, 'present', lambda: 4)
        monkeypatch.setattr(processors, '_watch', processors._Watch())

    def _busy(self):
        self.looks += 1
        return self.all

    def after(self, seconds, others, own=0.0):
        """The number `seconds` later, of which programs used these numbers of processors."""
        self.now += seconds
        self.own += own * seconds
        self.all += (own + others) * seconds
        return processors.processors()


def test_the_number_follows_the_load(monkeypatch):
    machine = Machine(monkeypatch)
    assert processors.processors() == 4
    assert machine.after(0.3, others=0, own=4) == 4             # its own work is not load
    assert machine.after(0.3, others=2, own=2) == 2
    assert processors.crowded(2) and not processors.crowded(3)
    assert machine.after(0.1, others=0) == 2                    # too early to look again
    assert machine.after(0.3, others=4, own=0.2) == 1
    assert machine.after(0.3, others=0, own=1) == 4
    assert machine.looks == 5


def test_what_others_do_while_the_program_sleeps_is_not_load(monkeypatch):
    machine = Machine(monkeypatch)
    assert processors.processors() == 4
    assert machine.after(0.3, others=0, own=4) == 4
    assert machine.after(5, others=4, own=0.01) == 4
    assert machine.after(0.3, others=4, own=0.5) == 1
    assert machine.after(5, others=0) == 1                      # not known yet
    assert machine.after(0.3, others=0, own=1) == 4


def test_a_limit_holds_whatever_the_load(monkeypatch):
    machine = Machine(monkeypatch)
    assert processors.processors() == 4 and machine.after(0.3, others=4, own=0.2) == 1
    with processors.limited_to(3):
        assert not processors.crowded(1)
        assert processors.processors() == processors.most_threads() == 3
        with processors.limited_to(9):
            assert processors.processors() == 4                 # there are no more
        in_another_thread = []
        thread = threading.Thread(target=lambda: in_another_thread.append(processors.processors()))
        thread.start()
        thread.join()
        assert in_another_thread == [1]
    assert processors.processors() == 1 and processors.most_threads() == 4
    processors.set_limit(2)
    assert processors.processors() == processors.limit() == 2


def test_one_is_left_for_work_in_the_background(monkeypatch):
    machine = Machine(monkeypatch)
    assert processors.processors() == 4 and processors.leaving_one(processors.processors) == 3
    assert machine.after(0.3, others=4, own=0.2) == 1
    assert processors.leaving_one(processors.processors) == 1
    with pytest.raises(ZeroDivisionError):
        processors.leaving_one(divmod, 1, 0)
    assert machine.after(0.3, others=0, own=1) == 4
    with processors.limited_to(4):                              # a fixed number is that number
        assert processors.leaving_one(processors.processors) == 4


def test_a_system_that_does_not_tell_its_load(monkeypatch):
    machine = Machine(monkeypatch)
    monkeypatch.setattr(processors, 'seconds_busy', lambda: None)
    assert processors.processors() == 4
    assert machine.after(1, others=4) == 4


@pytest.mark.parametrize('text, expected', [
    ('max 100000', None), ('150000 100000', 1.5), ('', None)])
def test_quota_of_a_container(monkeypatch, text, expected):
    monkeypatch.setattr(processors, '_text', lambda path: text)
    assert processors._quota() == expected


def test_what_the_processors_have_done(monkeypatch):
    lines = 'cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 100 20 30 999 999 1 2 3 50 60\n' \
            'cpu1 1000 0 0 999 999 0 0 0 0 0\ncpu2 0 0 0 999 0 0 0 44 0 0\nintr 5 5\n'
    monkeypatch.setattr(processors, '_text', lambda path: lines)
    monkeypatch.setattr(processors, '_allowed', lambda: {0, 2})
    monkeypatch.setattr(processors.os, 'sysconf', lambda name: 100, raising=False)
    assert processors.seconds_busy() == 2.0
    lines = 'intr 5 5\n'
    assert processors.seconds_busy() is None
