"""Runs the examples of the reference in TensorFlow, but for those of what only tinyflow has.

With an argument: the programs of the table "What differs" instead.
"""
import pathlib
import sys

import tensorflow

sys.modules['tinyflow'] = tensorflow
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'docs' / 'site'))

import comparison  # noqa: E402
import examples  # noqa: E402


def differences():
    """The rows of the table that say of TensorFlow what is not so."""
    for row in comparison.rows('What differs'):
        program, there = comparison.code(row[0]), comparison.code(row[1])
        found = comparison.outcome(program, tensorflow)
        if not (found.startswith(there) if 'Error: ' in there else found == there):
            yield '%s\n  gives %s\n' % (program, found[:300])


if sys.argv[1:]:
    print(*differences(), 'done')
    sys.exit()
chosen = [example for example in examples.all_examples() if example.file != 'looking_inside.md']
reports = [report for _, report in examples.run(chosen) if report]
print(*reports, '%d of %d' % (len(reports), len(chosen)))
