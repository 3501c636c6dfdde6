"""The garbage collector during and after `import tinyflow`, in a fresh process."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

CODE = """
import gc, json, weakref
class Node:
    pass
runs = []
gc.callbacks.append(lambda phase, info: gc.get_threshold()[0] > 1e6 and runs.append(info))
{before}
import tinyflow as tf
seen = len(runs)
cycle = Node()
cycle.itself = cycle
cycle = weakref.ref(cycle)
gc.collect()
{after}
print(json.dumps([seen, gc.get_threshold(), gc.isenabled(), cycle() is None]))
"""


def after_import(before='', after=''):
    run = subprocess.run([sys.executable, '-c', CODE.format(before=before, after=after)], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_it_rests_and_is_as_before_afterwards():
    seen, threshold, enabled, collected = after_import('gc.set_threshold(600, 9, 8)')
    assert seen == 0
    assert threshold == [600, 9, 8] and enabled
    assert collected


def test_importing_again_leaves_the_programs_own_settings():
    after = 'import importlib\ngc.set_threshold(500, 7, 6)\nimportlib.reload(tf)'
    assert after_import(after=after)[1] == [500, 7, 6]


def test_a_program_that_turned_it_off_finds_it_off():
    _, threshold, enabled, _ = after_import('gc.set_threshold(0)\ngc.disable()')
    assert threshold[0] == 0 and not enabled


def test_an_import_that_fails_and_is_repeated_leaves_it_as_it_was():
    failing = ("gc.set_threshold(600, 9, 8)\nimport sys\nsys.modules['numpy'] = None\n"
               'try:\n    import tinyflow\nexcept ImportError:\n    pass\n'
               "del sys.modules['numpy']\n")
    _, threshold, enabled, collected = after_import(failing)
    assert threshold == [600, 9, 8] and enabled and collected


def state_of_generations(before=''):
    """Objects in the two younger generations and in the oldest one, and how many are frozen."""
    code = ('import gc\n' + before + 'import tinyflow\n'
            'print([len(gc.get_objects(generation=i)) for i in range(3)], gc.get_freeze_count())')
    run = subprocess.run([sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True,
                         check=True)
    counts, _, frozen = run.stdout.rpartition(' ')
    youngest, young, old = json.loads(counts)
    return youngest + young, old, int(frozen)


def test_objects_of_the_import_are_not_searched_as_young_ones():
    young, old, frozen = state_of_generations()
    assert young < 5000 < 20_000 < old and frozen == 0


@pytest.mark.slow
def test_what_the_program_has_frozen_stays_frozen():
    assert state_of_generations('gc.freeze()\n')[2] > 0
