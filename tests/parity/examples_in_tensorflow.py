"""Runs the examples of the reference in TensorFlow, but for those of what only tinyflow has."""
import pathlib
import sys

import tensorflow

sys.modules['tinyflow'] = tensorflow
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'docs' / 'site'))

import examples  # noqa: E402

chosen = [example for example in examples.all_examples() if example.file != 'looking_inside.md']
reports = [report for _, report in examples.run(chosen) if report]
print(*reports, '%d of %d' % (len(reports), len(chosen)))
