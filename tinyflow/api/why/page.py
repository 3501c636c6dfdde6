"""Page: what a file of pages/ or questions/ says, and how it is shown in a terminal."""
from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

__all__ = ['LEVELS', 'Page', 'all_pages']

LEVELS = {'graph': 'Graph and Session', 'keras': 'Keras', 'estimator': 'Estimator',
          'cluster': 'Several processes'}
_BLOCK = re.compile(r'^```(\w+)\n(.*?)^```$', re.M | re.S)


@dataclass(frozen=True)
class Page:
    """One page: its name, the fields of its beginning, and its Markdown after them."""

    name: str
    is_question: bool
    title: str
    level: str
    lesson: str
    exercise: str
    words: str
    says: str
    text: str

    def blocks(self, section: str = '') -> dict[str, str]:
        """The last block of each language, of one section or of the whole page."""
        text = self.text
        if section:
            text = text.partition(f'\n## {section}\n')[2].partition('\n## ')[0]
        return dict(_BLOCK.findall(text))

    def shown(self) -> str:
        """The page for a terminal: headings underlined, programs indented."""
        text = _BLOCK.sub(_block_shown, self.text)
        text = re.sub(r'^## (.+)$', lambda line: _underlined(line[1], '-'), text, flags=re.M)
        return '\n\n'.join([_underlined(self.title, '='), text.strip(), *self._links()])

    def _links(self) -> list[str]:
        links = []
        if self.lesson:
            links.append(f'Lesson: tutorials/{self.lesson}.py')
        if self.exercise:
            links.append(f'Exercise: python -m tinyflow learn start {self.exercise}')
        return ['\n'.join(links)] if links else []


def _underlined(title: str, sign: str) -> str:
    return f'{title}\n{sign * len(title)}'


def _block_shown(block: re.Match[str]) -> str:
    return ('Output:\n\n' if block[1] == 'text' else '') + _indented(block[2])


def _indented(code: str) -> str:
    return ''.join(f'    {line}' if line.strip() else line
                   for line in code.splitlines(keepends=True)).rstrip('\n')


@cache
def all_pages() -> dict[str, Page]:
    """The pages by name: errors, then questions, each by level and name."""
    folder = resources.files('tinyflow.api.why')
    pages = [_read(file.name.removesuffix('.md'), file.read_text('utf-8'), kind == 'questions')
             for kind in ('pages', 'questions') for file in folder.joinpath(kind).iterdir()
             if file.name.endswith('.md')]
    levels = list(LEVELS)
    pages.sort(key=lambda page: (page.is_question, levels.index(page.level), page.name))
    return {page.name: page for page in pages}


def _read(name: str, text: str, is_question: bool) -> Page:
    head, _, body = text.removeprefix('---\n').partition('\n---\n')
    fields = dict(line.split(': ', 1) for line in head.splitlines())
    return Page(name, is_question, fields['title'], fields['level'], fields.get('lesson', ''),
                fields.get('exercise', ''), fields.get('words', ''),
                fields.get('says', ''), body)
