"""Keeps the values of runs, to look at them step by step afterwards.

    recording.py    `record`, and the Recording that it returns
    keeper.py       the observer that keeps arrays within a limit
    pool.py         memory for copies
    step.py         the values of one run; where its first NaN began; two runs compared
    kept.py         one array, its statistics and heat map
    to_document.py  a Recording as data, for the explorer's page
    files.py        recordings in files
"""
from tinyflow.inspect.recorder.recording import Recording, record

__all__ = ['Recording', 'record']
