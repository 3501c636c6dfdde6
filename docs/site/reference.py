"""The pages of the reference, from signatures and docstrings."""
from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Iterator
from types import ModuleType

import examples

# Namespaces that have a page; a name that another page above has is linked to it there.
NAMESPACES = {
    'The low level': (
        'tf', 'tf.nn', 'tf.nn.rnn_cell', 'tf.math', 'tf.train', 'tf.data', 'tf.data.experimental',
        'tf.layers', 'tf.losses', 'tf.metrics', 'tf.initializers', 'tf.image', 'tf.io',
        'tf.strings', 'tf.linalg', 'tf.random', 'tf.sparse', 'tf.sets', 'tf.bitwise',
        'tf.debugging', 'tf.errors', 'tf.feature_column', 'tf.graph_util', 'tf.gfile', 'tf.lookup',
        'tf.queue', 'tf.saved_model', 'tf.summary', 'tf.distribute', 'tf.distribute.experimental',
        'tf.test', 'tf.viz', 'tf.flags', 'tf.app', 'tf.logging', 'tf.python_io', 'tf.compat',
        'tf.config.experimental'),
    'Keras': tuple(f'tf.keras.{name}' for name in (
        'models', 'layers', 'losses', 'metrics', 'optimizers', 'callbacks', 'initializers',
        'regularizers', 'constraints', 'activations', 'applications', 'applications.vgg16',
        'preprocessing.image', 'preprocessing.sequence', 'preprocessing.text', 'utils', 'backend',
        'estimator')),
    'Estimator': ('tf.estimator', 'tf.estimator.inputs', 'tf.estimator.export'),
    'contrib': ('tf.contrib.layers', 'tf.contrib.slim', 'tf.contrib.rnn', 'tf.contrib.seq2seq',
                'tf.contrib.framework', 'tf.contrib.metrics', 'tf.contrib.data',
                'tf.contrib.lookup'),
}


def pages() -> Iterator[tuple[str, str]]:
    """(name, Markdown) of each page."""
    lines = ['# Reference', '', 'What each function computes; shapes are written as '
             '`[batch, n] -> [batch, units]`. Everything behaves as in TensorFlow 1.15, unless the '
             'text says otherwise.', '', 'In the examples, `tf` and `np` come from '
             '`import tinyflow as tf` and `import numpy as np`. Lines after `>>>` and `...` are '
             'typed, the others are printed; each example starts in a new graph.']
    examples.value_of('tf.ragged.constant')     # it replaces functions: they take RaggedTensors now
    names, shown = [], examples.ByValue(examples.all_examples())
    for part, namespaces in NAMESPACES.items():
        lines += ['', f'## {part}', '']
        for namespace in namespaces:
            lines.append(f'- [{namespace}]({namespace}.md)')
            names.append(namespace)
            yield f'reference/{namespace}.md', page(namespace, shown)
    toctree = ['', '```{toctree}', ':hidden:', '', *names, '```', '']
    yield 'reference/index.md', '\n'.join([*lines, *toctree])


def page(namespace: str, shown: examples.ByValue) -> str:
    """The Markdown of one namespace."""
    module = examples.value_of(namespace)
    found = {name: getattr(module, name) for name in sorted(_names(module))}
    classes = {n: v for n, v in found.items() if inspect.isclass(v)}
    functions = {n: v for n, v in found.items() if callable(v) and n not in classes}
    lines = [f'# {namespace}', '']
    if isinstance(module, ModuleType) and module.__doc__ and namespace != 'tf':
        lines += [as_markdown(module.__doc__.partition('\n\n')[0]), '']
    for title, part in (('Functions', functions), ('Classes', classes)):
        if part:
            lines += [f'## {title}', '']
        for name, value in part.items():
            lines += _entry(f'{namespace}.{name}', value, shown)
    others = [n for n, v in found.items() if n not in classes and n not in functions
              and not isinstance(v, ModuleType)]
    if others:
        lines += ['## Values', '', ', '.join(f'`{name}`' for name in others), '']
    return '\n'.join(lines)


def _names(module):
    public = dir(module)                # with the names that are imported when they are used
    if not getattr(module, '__name__', 'tinyflow').startswith('tinyflow'):
        public = getattr(module, '__all__', public)
    return {n for n in public if not n.startswith('_')
            and not isinstance(getattr(module, n, None), ModuleType)}


def _entry(name, value, shown):
    lines = [f'### {name}', '', '```python', f'{name}{signature(value)}', '```', '']
    doc = inspect.getdoc(value) if _is_ours(value) else ''
    if doc and not (inspect.isclass(value) and doc == inspect.getdoc(value.__mro__[1])):
        lines += [as_markdown(doc), '']
    lines += _programs(shown(value))
    if inspect.isclass(value):
        rows = [(n, v) for n, v in _own(value).items() if not n.startswith('_')
                and callable(getattr(value, n, None)) and inspect.getdoc(v)]
        if rows:
            lines += ['| method | |', '|---|---|']
            lines += [f'| `{n}` | {_cell(inspect.getdoc(v))} |' for n, v in sorted(rows)]
            lines.append('')
        for method in (n for n in dir(value) if not n.startswith('_')):
            found = [example for example in shown(inspect.getattr_static(value, method))
                     if method in _own(value) or f'{name}.{method}' in example.names]
            if found:
                lines += [f'`{name.rpartition(".")[2]}.{method}`', '', *_programs(found)]
    return lines


def _own(cls):
    """The attributes of a class, and of those of its bases that have no entry of their own."""
    found = {}
    for base in cls.__mro__[:-1]:
        if base is not cls and (base in _public() or not _is_ours(base)):
            break
        found = {**vars(base), **found}
    return found


@functools.lru_cache(maxsize=1)
def _public():
    """The classes that have an entry on some page."""
    modules = [examples.value_of(name) for names in NAMESPACES.values() for name in names]
    values = [getattr(module, name) for module in modules for name in _names(module)]
    return {value for value in values if inspect.isclass(value)}


def _is_ours(value):
    return (value.__module__ or '').partition('.')[0] in ('tinyflow', 'keras_layer',
                                                          'estimator_layer')


def _programs(found):
    return [line for example in found for line in (
        '```pycon', example.program.rstrip('\n').replace('<BLANKLINE>', ''), '```', '')]


def signature(value) -> str:
    """Such as '(x, axis=None)', without annotations."""
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return '(...)'
    parameters = [p.replace(annotation=inspect.Parameter.empty)
                  for p in found.parameters.values()]
    text = str(found.replace(parameters=parameters, return_annotation=found.empty))
    text = re.sub(r'<function (\w+)\.<locals>[^>]*>', r'\1(...)', text)
    text = re.sub(r'<(?:function |class )?\'?([\w.]*\.)?(\w+)\'?[^<>]*>', r'\2', text)
    if len(text) > 84:
        text = text.replace(', ', ',\n    ').replace('(', '(\n    ', 1)[:-1] + ')'
    return text


def _cell(doc):
    return as_markdown(' '.join(doc.partition('\n\n')[0].split())).replace('|', '\\|')


def as_markdown(text: str) -> str:
    """A docstring as Markdown: paragraphs, and what is indented or in columns as it is."""
    blocks = re.split(r'\n\s*\n', inspect.cleandoc(text))
    return '\n\n'.join(_block(block) for block in blocks)


def _block(block):
    lines = block.splitlines()
    if block.startswith('```'):
        return block
    if any(line.startswith('  ') or re.search(r'\S {2,}\S', line) for line in lines):
        return '```text\n' + block + '\n```'
    return re.sub(r'``[^`]*``|`[^`]*`|(?<!\w)\*\w+\*(?!\w)|[*_\[\]<>\\$#|~^]',
                  lambda m: m[0] if m[0][0] == '`' or len(m[0]) > 1 else '\\' + m[0], block)
