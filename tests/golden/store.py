"""The folder of recorded data: values in NAME.json, lists of nodes in nodes/NAME.txt.

A record is plain JSON data, in which a list of nodes ([name, type] or [name, type, inputs,
outputs]) stands under the key 'nodes', or in a dict under it.
"""
import pathlib

from .encoding import read_json, write_json
from .nodes import parse_nodes, read_node_texts, write_node_lists

FOLDER = pathlib.Path(__file__).resolve().parent / 'recorded'


def write_recorded(name, record, sort_keys=False):
    """Write a record; its lists of nodes go into a file next to it."""
    lists = {}
    values = _without_nodes(record, (), lists)
    write_json(_json_path(name), values, sort_keys)
    if lists:
        titles = sorted(lists) if sort_keys else lists
        write_node_lists(_nodes_path(name), {title: lists[title] for title in titles})


def read_recorded(name):
    """What `write_recorded` wrote, with [name, type] of each node."""
    record = read_json(_json_path(name))
    if _nodes_path(name).exists():
        for title, text in read_node_texts(_nodes_path(name)).items():
            path = title.split('\t')
            place = record
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = [row[:2] for row in parse_nodes(text)]
    return record


def read_parts(name):
    """(the values, {title: text of a list of nodes}); the titles end in 'nodes' after a tab."""
    return read_json(_json_path(name)), read_node_texts(_nodes_path(name))


def names(section):
    """Names of the recorded files that start with a section's name, in order."""
    return sorted(path.name[:-len('.json')] for path in FOLDER.glob(section + '.*.json'))


def _json_path(name):
    return FOLDER / (name + '.json')


def _nodes_path(name):
    return FOLDER / 'nodes' / (name + '.txt')


def _without_nodes(record, path, lists):
    if not isinstance(record, dict):
        return record
    kept = {}
    for key, value in record.items():
        inner = path + (key,)
        if isinstance(value, list) and 'nodes' in inner[-2:]:
            lists['\t'.join(inner)] = value
        else:
            kept[key] = _without_nodes(value, inner, lists)
    return kept
