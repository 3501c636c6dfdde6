"""The public API as text, one name in a line: python -m tests.golden.api writes api.txt anew.

Namespaces are followed, but for the higher floors and tf.examples, whose modules are imported by
their full names. A class is listed with its methods under the shortest of its names.
"""
import enum
import inspect
import pathlib
import re
import types

FILE = pathlib.Path(__file__).with_name('api.txt')
_NOT_FOLLOWED = ('tf.keras', 'tf.estimator', 'tf.compat.v1', 'tf.examples')


def listing(package):
    """The lines of api.txt for the package imported as tf, sorted."""
    found = dict(public_values(package, 'tf'))
    described = set()
    lines = []
    for name in sorted(found, key=lambda n: (n.count('.'), n)):
        value = found[name]
        lines.append(f'{name}{_kind(value)}')
        if isinstance(value, type) and value not in described and not _is_absl(value):
            described.add(value)
            lines += [f'{name}.{line}' for line in _members(value)]
    return sorted(_without_module(line) for line in lines)


def _without_module(line):
    """Default values by their class alone: neither an address nor the module of the class."""
    line = re.sub(r' at 0x[0-9a-f]+', '', line)
    return re.sub(r'<[\w.]+\.(\w+) object>', r'<\1 object>', line)


def public_values(module, prefix):
    """(full name, value) of every public name of a namespace and of those inside it."""
    for name in dir(module):
        if name.startswith('_'):
            continue
        full, value = f'{prefix}.{name}', getattr(module, name)
        yield full, value
        if isinstance(value, types.ModuleType) and full not in _NOT_FOLLOWED \
                and value.__name__.startswith('tinyflow'):          # not unittest.mock, say
            yield from public_values(value, full)


def _kind(value):
    """What follows the name: a signature, or a word."""
    if isinstance(value, types.ModuleType):
        return '  namespace'
    if _is_absl(value):                             # its signatures change with its version
        return '  of absl-py'
    if isinstance(value, type):
        return _class(value)
    if callable(value):
        return _signature(value)
    return f'  {type(value).__name__}'


def _is_absl(value):
    return getattr(value, '__module__', '').startswith('absl.')


def _class(kind):
    if issubclass(kind, enum.Enum):
        return '  enum'
    for maker in (kind.__init__, kind.__new__):
        if isinstance(maker, types.FunctionType):
            return f'{_signature(maker, bound=True)}  class'
    return '  class'


def _members(kind):
    """Lines for the public methods and properties that tinyflow has written for a class."""
    for name in sorted(n for n in dir(kind) if not n.startswith('_')):
        member = inspect.getattr_static(kind, name)
        if isinstance(member, property):
            yield f'{name}  property'
        elif isinstance(member, (staticmethod, classmethod)):
            yield name + _signature(member.__func__, bound=isinstance(member, classmethod))
        elif isinstance(member, types.FunctionType):
            yield name + _signature(member, bound=True)
        elif isinstance(member, kind):
            yield f'{name}  member'


def _signature(function, bound=False):
    """Names and defaults of parameters; annotations are mypy's business."""
    signature = inspect.signature(function)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    plain = inspect.Signature(parameters[1:] if bound else parameters)
    # <function f at 0x7f...>, <class 'c'> and <Enum.MEMBER: 0>, without what may change
    return re.sub(r"<(?:function |class ')?([\w.]+)(?:'| at |: )[^>]*>", r'\1', str(plain))


def main():
    import tinyflow

    FILE.write_text('\n'.join(listing(tinyflow)) + '\n', encoding='utf-8')


if __name__ == '__main__':
    main()
