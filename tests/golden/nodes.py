"""Lists of a graph's nodes as text: a line for each node, indented by its name scope.

    == rnn_basic
    x	Placeholder		float32[?,3,4]
    rnn/
     Shape		/x	int32[3]
     slice/
      begin	Const		int32[1]
     slice	StridedSlice	Shape ./begin	int32[]

The fields, separated by tabs, are name, type, inputs, outputs, the nodes with which it is colocated
(TF's attribute _class; '..' is the node that has the scope's own name) and the device. Left out are
a type that is the name without its number, and empty fields at the end. A line that ends in '/'
opens a scope, or several: 'rnn/while/'. The indentation is the number of scopes around a line; it
closes those further in. An input is a path from the scope around the node ('b', '../b'), from the
scope of its own name ('./b') or from the top ('/b'), without the ':0' of a first output; '^b' is a
control input. Lists that are equal are written once, below all their titles.
"""
import re

TITLE = '== '
NUMBER = re.compile(r'_\d+$')


def write_node_lists(path, lists):
    """Write {title: rows}; a row is [name, type] or [name, type, inputs, outputs, groups, device].
    """
    titles = {}
    for title, rows in lists.items():
        titles.setdefault('\n'.join(_lines(rows)), []).append(title)
    with open(path, 'w', encoding='utf-8') as file:
        for text, same in titles.items():
            file.write(''.join(TITLE + title + '\n' for title in same) + text + '\n')


def read_node_texts(path):
    """{title: text}, for `parse_nodes`."""
    with open(path, encoding='utf-8') as file:
        content = file.read()
    texts, waiting = {}, []
    for part in ('\n' + content).split('\n' + TITLE)[1:]:
        title, has_list, text = part.partition('\n')
        waiting.append(title)
        if has_list:
            texts.update((name, text) for name in waiting)
            waiting = []
    return texts


def parse_nodes(text):
    """[name, type, inputs, outputs, groups, device] of each node of a list."""
    scopes, rows = [], []
    for line in text.strip('\n').split('\n') if text.strip() else ():
        depth = len(line) - len(line.lstrip(' '))
        del scopes[depth:]
        if line.endswith('/'):
            scopes.extend(line[depth:-1].split('/'))
            continue
        name, kind, inputs, outputs, groups, device = (line[depth:].split('\t') + [''] * 5)[:6]
        rows.append(['/'.join(scopes + [name]), kind or NUMBER.sub('', name),
                     [_absolute(i, scopes, name) for i in inputs.split()], outputs.split(),
                     [_leader(g, scopes, name) for g in groups.split()], device])
    return rows


def _lines(rows):
    scopes = []
    for full, kind, *ends in rows:
        own, name = full.split('/')[:-1], full.split('/')[-1]
        same = _same_start(own, scopes)
        if same < len(own):
            yield ' ' * same + '/'.join(own[same:]) + '/'
        scopes = own
        fields = [name, '' if kind == NUMBER.sub('', name) else kind]
        if ends:
            fields += [' '.join(_relative(i, own, name) for i in ends[0]), ' '.join(ends[1]),
                       ' '.join(_group(g, own, name) for g in ends[2]), ends[3]]
        yield ' ' * len(own) + '\t'.join(fields).rstrip('\t')


def _group(leader, scopes, node):
    """The path to a node with which others are colocated: '..' is that of the scope's own name."""
    return '..' if leader == '/'.join(scopes) else _relative('^' + leader, scopes, node)[1:]


def _leader(path, scopes, node):
    return '/'.join(scopes) if path == '..' else _absolute('^' + path, scopes, node)[1:]


def _same_start(one, other):
    for count, (a, b) in enumerate(zip(one, other)):
        if a != b:
            return count
    return min(len(one), len(other))


def _relative(name, scopes, node):
    """The shortest path to an input of the node of this name in these scopes."""
    mark, name = ('^', name[1:]) if name[0] == '^' else ('', name)
    parts = (name[:-2] if name.endswith(':0') else name).split('/')
    same = _same_start(parts[:-1], scopes)
    if same == len(scopes):
        rest = parts[same:]
        return mark + '/'.join(['.'] + rest[1:] if rest[0] == node and rest[1:] else rest)
    up = '../' * (len(scopes) - same) + '/'.join(parts[same:])
    return mark + min('/' + '/'.join(parts), up, key=len)


def _absolute(path, scopes, node):
    mark, path = ('^', path[1:]) if path[0] == '^' else ('', path)
    parts = path.split('/')
    if parts[0] == '.':
        around = scopes + [node]
    elif parts[0] == '..':
        around = scopes[:len(scopes) - parts.count('..')]
    elif parts[0]:
        around = scopes
    else:
        around, parts = [], parts[1:]       # an empty part further on is one of a name: 'a//b'
    name = '/'.join(around + [part for part in parts if part not in ('.', '..')])
    return mark + name if mark or ':' in name else name + ':0'
