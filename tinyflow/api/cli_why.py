"""`python -m tinyflow why`: pages about errors, and answers to questions."""
from __future__ import annotations

import argparse
import os
import sys

from tinyflow.graph.support.keywords import close_matches

__all__ = ['add_why']

_EPILOG = '''
  why                     lists the pages
  why feed-shape          shows the page that the end of a message names
  why gradients none      finds pages by words
  python train.py 2>&1 | python -m tinyflow why -
                          shows the page for the error that a program ended with
'''


def add_why(commands) -> None:
    """Adds the command to the parsers of cli.py."""
    sub = commands.add_parser(
        'why', help='what an error means, and answers to questions',
        description='What an error means, and answers to questions.', epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False)
    sub.set_defaults(command=_why, script=None)
    sub.add_argument('words', nargs='*', metavar='NAME',
                     help='of a page; or words to search for; or - for the output of a program')


def _why(options) -> int:
    try:
        return _show(options.words)
    except BrokenPipeError:             # `why NAME | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _show(words) -> int:
    from tinyflow.api import why  # start-up time
    pages, name = why.all_pages(), '-'.join(words)
    if not words:
        return _list(pages.values(), why.LEVELS)
    if words == ['-']:
        data = getattr(sys.stdin, 'buffer', None)       # any encoding: the errors are in ASCII
        text = sys.stdin.read() if data is None else data.read().decode('utf-8', 'replace')
        return _of_output(text.replace('\0', ''), why)
    if words == [name] and name in pages:
        print(pages[name].shown())
        return 0
    near = [name] if name in pages else close_matches(name, pages, 1) \
        if len(words) == 1 and '.' not in name else []
    found = [pages[name] for name in near]
    found += [page for page in why.find(' '.join(words)) if page not in found]
    if not found:
        print(f'tinyflow: no page has {" ".join(words)!r}.\n  Hint: `python -m tinyflow why` lists '
              'them.', file=sys.stderr)
        return 2
    if not near and why.share(found[0], ' '.join(words)) < 0.5:
        print(f'No page has all of {" ".join(words)!r}.')
        _also(found[:6])
        return 0
    print(found[0].shown())
    _also(found[1:6])
    return 0


def _list(pages, levels) -> int:
    for is_question, heading in ((False, 'errors and warnings'), (True, 'questions')):
        for level, title in levels.items():
            chosen = [page for page in pages
                      if page.level == level and page.is_question == is_question]
            if chosen:
                print(f'\n{title}: {heading}')
            for page in chosen:
                print(f'  {page.name:28} {page.title}')
    print('\n`why NAME` shows one; `why WORD WORD` finds pages by words.')
    return 0


def _of_output(text: str, why) -> int:
    """The page for the last error in what a program printed."""
    names = why.names_in(text)
    if not names:
        print('tinyflow: this output names no page.\n  Hint: `python -m tinyflow why WORD WORD` '
              'finds pages by words of the message.', file=sys.stderr)
        return 2
    pages = why.all_pages()
    print(pages[names[0]].shown())
    _also([pages[name] for name in names[1:]])
    return 0


def _also(pages) -> None:
    if pages:
        print('\nSee also:\n' + '\n'.join(f'  {page.name:28} {page.title}' for page in pages))
