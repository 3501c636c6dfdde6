"""The garbage collector during and after `import tinyflow`, in a fresh process."""
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

CODE = """
import gc, json, weakref
class Node:
    pass
runs = []
gc.callbacks.append(lambda phase, info: runs.append(info['generation']))
{before}
import tinyflow as tf
frozen, seen = gc.get_freeze_count(), len(runs)
cycle = Node()
cycle.itself = cycle
cycle = weakref.ref(cycle)
gc.collect()
{after}
print(json.dumps([seen, gc.get_threshold(), gc.isenabled(), frozen, cycle() is None]))
"""


def after_import(before='', after=''):
    run = subprocess.run([sys.executable, '-c', CODE.format(before=before, after=after)], cwd=ROOT,
                         capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def test_it_rests_and_is_as_before_afterwards():
    seen, threshold, enabled, frozen, collected = after_import('gc.set_threshold(600, 9, 8)')
    assert seen == 0
    assert threshold == [600, 9, 8] and enabled
    assert frozen > 30_000
    assert collected


def test_the_objects_of_a_larger_program_stay_in_its_sight():
    made = 'many = [[i] for i in range(60_000)]\nmany.append(many)\n'
    _, _, _, frozen, _ = after_import(made)
    assert frozen == 0


def test_a_program_that_turned_it_off_finds_it_off():
    _, threshold, enabled, _, _ = after_import('gc.set_threshold(0)\ngc.disable()')
    assert threshold[0] == 0 and not enabled


def test_an_import_that_fails_and_is_repeated_leaves_it_as_it_was():
    failing = ("gc.set_threshold(600, 9, 8)\nimport sys\nsys.modules['numpy'] = None\n"
               'try:\n    import tinyflow\nexcept ImportError:\n    pass\n'
               "del sys.modules['numpy']\n")
    _, threshold, enabled, _, collected = after_import(failing)
    assert threshold == [600, 9, 8] and enabled and collected
