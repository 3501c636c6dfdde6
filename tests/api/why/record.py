"""Writes the text blocks of the pages: python -m tests.api.why.record [NAME ...]."""
from __future__ import annotations

import re
import sys
from pathlib import Path

from tests.api.why import programs
from tinyflow.api.why import all_pages

FOLDER = Path(__file__).resolve().parents[3] / 'tinyflow' / 'api' / 'why'


def section_of(page):
    return '' if page.is_question else 'Wrong'


def output(page):
    """What the program prints that the page shows first: the answer, or the one that is wrong."""
    return programs.run(page.blocks(section_of(page))['python'],
                        'answer.py' if page.is_question else 'wrong.py')


def main(names):
    for page in all_pages().values():
        if names and page.name not in names:
            continue
        path = FOLDER / ('questions' if page.is_question else 'pages') / f'{page.name}.md'
        text = path.read_text('utf-8')
        head, mark, rest = text.partition('## Wrong\n') if section_of(page) else ('', '', text)
        before, _, after = re.split(r'(?<=^```text\n)(.*?)(?=^```$)', rest, maxsplit=1,
                                      flags=re.M | re.S)
        new = before + output(page) + after
        if head + mark + new != text:
            path.write_text(head + mark + new, 'utf-8')
            print(page.name)


if __name__ == '__main__':
    main(sys.argv[1:])
