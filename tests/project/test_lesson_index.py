"""The index of the lessons, tutorials/README.md: complete, and right about where a concept is."""
import re
from pathlib import Path

TUTORIALS = Path(__file__).resolve().parents[2] / 'tutorials'
INDEX = (TUTORIALS / 'README.md').read_text(encoding='utf-8')


def test_every_lesson_is_listed_once_with_its_title():
    titles = {}
    for path in TUTORIALS.glob('[0-9]*.py'):
        number, title = re.search(r'^# # (\d+)\. (.*)$', path.read_text(encoding='utf-8'),
                                  re.M).groups()
        titles[path.name] = (number, title)
    listed = re.findall(r'^- (\d+) · \[(.*)\]\((.*)\)$', INDEX, re.M)
    assert len(listed) == len(titles)
    assert {name: (number, title) for number, title, name in listed} == titles


def test_the_lesson_of_a_concept_mentions_it():
    rows = re.findall(r'^\| .* \| `(.*)` \| \[\d+\]\((.*?)\) \|.*\|$', INDEX, re.M)
    assert len(rows) > 40
    for word, name in rows:
        assert word in (TUTORIALS / name).read_text(encoding='utf-8'), (word, name)


def test_each_lesson_ends_with_the_next():
    paths = sorted(TUTORIALS.glob('[0-9]*.py'))
    for path, following in zip(paths, [*paths[1:], TUTORIALS / 'README.md']):
        last = path.read_text(encoding='utf-8').rstrip().splitlines()[-1]
        assert f']({following.name})' in last, path.name


def test_the_picture_of_a_concept_is_there():
    text = (TUTORIALS.parent / 'docs' / 'concepts.md').read_text(encoding='utf-8')
    headings = {re.sub(r'[^a-z -]', '', heading.lower()).replace(' ', '-')
                for heading in re.findall(r'^## (.*)$', text, re.M)}
    links = set(re.findall(r'concepts\.md#([a-z-]+)\)', INDEX))
    assert links == headings
