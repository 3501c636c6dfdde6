"""Builds the pages for the web: `make site`, after `make lessons`.

    python docs/site/build.py [FOLDER]

Copies the texts of the repository into a folder of sources, writes the pages of the reference,
of errors and of exercises, and runs Sphinx, for which each warning is an error. A link to a file
that does not exist is an error, too; one to a file that is no page becomes its name.
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE), str(HERE.parent)]

import chinese  # noqa: E402
import concepts  # noqa: E402
import reference  # noqa: E402

TEXTS = ('README.zh.md', 'READING.md', 'SECURITY.md', 'CONTRIBUTING.md', 'CHANGELOG.md')
_LINK = re.compile(r'(!?)\[([^\]]*)\]\(([^)\s]+)\)')
_TAG = re.compile(r'<img src="([^"]+)"[^>]*?alt="([^"]*)"[^>]*>')


class Sources:
    """The folder that Sphinx reads."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.pages = {ROOT / name: Path(name) for name in TEXTS}
        self.pages[ROOT / 'README.md'] = Path('index.md')       # replaced by that of this folder
        self.pages |= {path: Path('docs') / path.name for path in (ROOT / 'docs').glob('*.md')}
        self.pages[ROOT / 'tutorials' / 'README.md'] = Path('lessons') / 'README.md'
        self.pages[ROOT / 'tutorials' / 'zh' / 'README.md'] = Path('lessons') / 'zh' / 'README.md'
        self.pages |= {path: Path('lessons') / f'{path.stem}.ipynb'
                       for path in (ROOT / 'tutorials').glob('[0-9]*.py')}
        self.pages |= {path: Path('lessons') / 'zh' / f'{path.stem}.ipynb'
                       for path in chinese.lessons()}

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding='utf-8')

    def copy_texts(self) -> None:
        """Copies the Markdown files, with links that lead to pages."""
        for source, page in self.pages.items():
            if source.suffix == '.md':
                text = source.read_text(encoding='utf-8')
                self.write(str(page), self._with_links(text, source, page))

    def _with_links(self, text, source, page):
        def link(match):
            image, label, target = match.groups()
            plain, _, anchor = target.partition('#')
            if '://' in target or not plain:
                return match[0]
            path = (source.parent / plain).resolve()
            if not path.exists():
                raise SystemExit(f'{source.relative_to(ROOT)}: there is no {target}')
            if image:
                return f'![{label}]({self._asset(path, page)})'
            if path in self.pages:
                to = os.path.relpath(self.pages[path], page.parent)
                return f'[{label}]({to}{"#" + anchor if anchor else ""})'
            return label if '`' in label else f'`{label}`'
        text = _TAG.sub(lambda m: f'![{m[2]}]({m[1]})', text)
        parts = re.split(r'(^```.*?^```$)', text, flags=re.M | re.S)
        return ''.join(part if part.startswith('```') else _LINK.sub(link, part)
                       for part in parts)

    def _asset(self, path, page):
        target = self.folder / '_static' / path.name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(path, target)
        return os.path.relpath(Path('_static') / path.name, page.parent)

    def draw_concepts(self) -> None:
        """Adds to the page of the concepts their pictures."""
        page = Path('docs') / 'concepts.md'
        text = (self.folder / page).read_text(encoding='utf-8')
        self.write(str(page), concepts.with_pictures(
            text, self.folder / '_static' / 'concepts', '../_static/concepts/'))

    def copy_lessons(self, notebooks: Path) -> None:
        """Copies the notebooks, and lists them below the index of the lessons."""
        wanted = [page for page in self.pages.values() if page.suffix == '.ipynb']
        for page in wanted:
            notebook = notebooks / page.relative_to('lessons')
            if not notebook.exists():
                raise SystemExit(f'{notebook} is missing: make lessons')
            self.write(str(page), notebook.read_text(encoding='utf-8'))
        for folder in (Path('lessons'), Path('lessons') / 'zh'):
            index = self.folder / folder / 'README.md'
            index.write_text(index.read_text(encoding='utf-8') + _toctree(
                sorted(page.stem for page in wanted if page.parent == folder)), encoding='utf-8')


def _toctree(names: list[str]) -> str:
    return '\n\n```{toctree}\n:hidden:\n\n' + '\n'.join(names) + '\n```\n'


def errors(sources: Sources) -> None:
    """A page for each error, one for the questions."""
    from tinyflow.api.why import LEVELS, all_pages
    pages = all_pages()
    lines = ['# Errors and questions', '', 'In a terminal: `python -m tinyflow why NAME`.']
    for level, title in LEVELS.items():
        lines += ['', f'## {title}', '']
        for page in pages.values():
            if page.level == level and not page.is_question:
                lines.append(f'- [{page.title}]({page.name}.md) `{page.name}`')
    questions = [page for page in pages.values() if page.is_question]
    lines += ['', '## Questions', '']
    lines += [f'- [{page.title}]({page.name}.md)' for page in questions]
    sources.write('errors/index.md', '\n'.join(lines) + _toctree(list(pages)))
    for page in pages.values():
        text = [f'# {page.title}', '', page.text.strip()]
        if page.lesson:
            text += ['', f'Lesson: [{page.lesson[3:].replace("_", " ")}]'
                         f'(../lessons/{page.lesson}.ipynb)']
        if page.exercise:
            text += ['', f'Exercise: `python -m tinyflow learn start {page.exercise}`']
        sources.write(f'errors/{page.name}.md', '\n'.join(text) + '\n')


def exercises(sources: Sources) -> None:
    """The list of exercises with their tasks; neither hints nor solutions."""
    from tinyflow.api.learn.exercise import LEVELS, all_exercises
    lines = ['# Exercises', '', '`python -m tinyflow learn` lists them and shows what is done, '
             '`learn start NAME` writes the file to begin with, `learn check NAME` checks it, '
             '`learn hint NAME` helps in three steps.']
    for level in LEVELS:
        found = [each for each in all_exercises() if each.level == level]
        lines += ['', f'## {level[0].upper()}{level[1:]}'] if found else []
        for each in found:
            lesson = next((ROOT / 'tutorials').glob(f'{each.lesson:02}_*.py')).stem
            lines += ['', f'### {each.number}. {each.title}', '', f'`{each.name}`, after '
                      f'[lesson {each.lesson}](lessons/{lesson}.ipynb)', '',
                      reference.as_markdown(each.task)]
    sources.write('exercises.md', '\n'.join(lines) + '\n')


def main() -> None:
    out = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / 'out').resolve()
    sources = Sources(out / 'site-sources')
    sources.copy_texts()
    sources.draw_concepts()
    sources.copy_lessons(out / 'lessons')
    errors(sources)
    exercises(sources)
    for name, text in reference.pages():
        sources.write(name, text)
    (sources.folder / '_static').mkdir(exist_ok=True)
    shutil.copy(HERE / 'site.css', sources.folder / '_static')
    shutil.copy(HERE / 'conf.py', sources.folder)
    shutil.copy(HERE / 'scorer.js', sources.folder)
    shutil.copy(HERE / 'index.md', sources.folder)
    shutil.rmtree(out / 'site', ignore_errors=True)
    done = subprocess.run([sys.executable, '-m', 'sphinx', '-q', '-W', '--keep-going', '-j', 'auto',
                           '-b', 'html', str(sources.folder), str(out / 'site')])
    if done.returncode:
        raise SystemExit(done.returncode)
    print(f'The pages: {out / "site" / "index.html"}')


if __name__ == '__main__':
    main()
