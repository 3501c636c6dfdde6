"""Finds pages: by words, and in the text of a traceback."""
from __future__ import annotations

import math
import re

from tinyflow.api.why.page import Page, all_pages

__all__ = ['find', 'names_in', 'share']

_EMPTY = frozenset('a an and are at be can do does for from get give has have how i in is it me my '
                   'not of on or out should that the this to what when why with you'.split())


def names_in(text: str) -> list[str]:
    """The names of the pages that a program's output mentions, the last one first.

    They are in `why NAME` at the end of a message, and in the [id] of a warning. An output without
    them, such as TensorFlow's, is compared with the messages on the pages.
    """
    pages = all_pages()
    mentioned = [name for found in re.findall(r'tinyflow why ([\w-]+)|Warning: \[([\w-]+)\]', text)
                 for name in found if name in pages]
    if mentioned:
        return list(dict.fromkeys(reversed(mentioned)))
    errors = re.findall(r'^(?:[\w.]+\.)?(\w+(?:Error|Exception)): (.*)$', text, re.M)
    return _like(*errors[-1]) if errors else []


def _like(kind: str, message: str) -> list[str]:
    """The page that quotes the message, or whose own one has the same words but for names."""
    quoted = [(len(part), page.name) for page in all_pages().values()
              for part in page.says.split(' | ') if part and part in message]
    if quoted:
        return [max(quoted)[1]]
    words = _message_words(message)
    found = []
    for page in all_pages().values():
        if page.is_question:
            continue
        first, _, rest = page.blocks('Wrong').get('text', '').partition(': ')
        theirs = _message_words(rest.partition('\n')[0])
        share = len(words & theirs) / max(1, len(words | theirs))
        found.append((share + 0.1 * (first == kind), page.name))
    best = sorted(found, reverse=True)[:1]
    return [name for share, name in best if share >= 0.4]


def _message_words(message: str) -> set[str]:
    return set(re.findall(r'[a-z]{2,}', re.sub(r"'[^']*'|\"[^\"]*\"", '', message.lower())))


def find(words: str) -> list[Page]:
    """The pages for some words, best first.

    A word counts by how rare it is among the pages, more in a title or name than in the text; a
    page that has all of the words comes before one that has some.
    """
    pages = list(all_pages().values())
    wanted = [word for word in _words(words) if word not in _EMPTY]
    titles = [_words(page.title) for page in pages]
    names = [_stems(f'{page.name} {page.words}') for page in pages]
    texts = [_stems(f'{page.title} {page.name} {page.words} {page.text}') for page in pages]
    scores = [0.0] * len(pages)
    for word in dict.fromkeys(wanted):
        stem = _stem(word)
        weight = math.log(1 + len(pages) / max(1, sum(stem in text for text in texts)))
        for i in range(len(pages)):
            scores[i] += weight * ((stem in texts[i]) + 2 * (stem in names[i]) + (
                word in titles[i]) + 3 * (stem in map(_stem, titles[i])))
    if set(_words(words)) & {'how', 'what', 'why', 'can'}:       # a question has an answer
        scores = [1.3 * score if page.is_question else score
                  for page, score in zip(pages, scores)]
    scores = [score * (0.5 + share(page, words)) for page, score in zip(pages, scores)]
    best = max(scores, default=0)
    order = sorted(range(len(pages)), key=lambda i: -scores[i])
    return [pages[i] for i in order if scores[i] > best / 2]


def share(page: Page, words: str) -> float:
    """The share of the words that a page has: with few of them it is the nearest, no answer."""
    wanted = {_stem(word) for word in _words(words) if word not in _EMPTY}
    return len(wanted & _stems(f'{page.title} {page.name} {page.words} {page.text}')) / max(
        1, len(wanted))


def _words(text: str) -> list[str]:
    return re.findall(r'\w+', text.lower().replace('_', ' '))


def _stems(text: str) -> set[str]:
    return set(map(_stem, _words(text)))


def _stem(word: str) -> str:
    """A word without its ending and with one spelling, so that 'initialised' finds 'initialize'."""
    word = word.replace('is', 'iz') if word.startswith(('initialis', 'uninitialis')) else word
    for ending in ('ations', 'ation', 'izing', 'ized', 'izer', 'izers', 'ize', 'ings', 'ing', 'ies',
                   'ed', 'es', 's', 'y', 'e'):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending)
    return word
