"""Pages about errors, and answers to questions, for `python -m tinyflow why`.

`pages/NAME.md` is about one error: NAME is what its message ends with, by `why('NAME')` in the
code, or the id of a warning. `questions/NAME.md` answers one question. A page begins with

    ---
    title: A Variable has no value yet
    level: graph            (or keras, estimator, cluster)
    lesson: 03_variables    (a file of tutorials/; may be left out)
    exercise: counter       (a name of `learn`; may be left out)
    words: init initialise  (more words to be found by; may be left out)
    says: some text | other (parts of TensorFlow's message, where it differs; may be left out)
    ---

An error's page has a section `## Wrong` with a python block, which raises the error, and a text
block with its message, and `## Fixed` with a python block that runs. A question's page has a
python block and a text block with what it prints. `python -m tests.api.why.record` writes the
text blocks; the tests run all programs.
"""
from __future__ import annotations

from tinyflow.api.why.page import LEVELS, Page, all_pages
from tinyflow.api.why.search import find, names_in, share

__all__ = ['LEVELS', 'Page', 'all_pages', 'find', 'names_in', 'share']
