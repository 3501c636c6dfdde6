"""What the pages say of TensorFlow 1.15 is what it does: examples, and the table of differences."""
import pytest

from tests.parity.interpreters import run_script

pytestmark = pytest.mark.parity


def test_examples_print_the_same_in_tensorflow():
    printed = run_script('TINYFLOW_TF115_PYTHON', 'examples_in_tensorflow.py')
    failed, of, count = printed.split()[-3:]
    assert (failed, of) == ('0', 'of') and int(count) > 300, printed


def test_tensorflow_gives_what_the_table_of_differences_says():
    printed = run_script('TINYFLOW_TF115_PYTHON', 'examples_in_tensorflow.py', 'differences')
    assert printed == 'done\n'
