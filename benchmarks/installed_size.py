"""Measures the installed size of a package together with its dependencies."""

from __future__ import annotations

import importlib.util
import json
import re
from importlib import metadata
from pathlib import Path


def installed_bytes(package):
    """Bytes on disk of the distributions that provide `package` and of all that these require.

    Extras are left out, and so are requirements that are not installed here: those are the ones
    whose environment marker does not hold. Raises PackageNotFoundError where no distribution
    provides the package.
    """
    waiting = [
        distribution.metadata["Name"]
        for distribution in metadata.distributions()
        if package in (distribution.read_text("top_level.txt") or "").split()
    ]
    if not waiting:
        raise metadata.PackageNotFoundError(package)
    files = set()
    seen = set()
    while waiting:
        name = canonical(waiting.pop())
        if name in seen:
            continue
        seen.add(name)
        distribution = installed(name)
        if distribution is None:
            continue
        files.update(files_of(distribution))
        waiting.extend(required_names(distribution))
    return sum(file.stat().st_size for file in files)


def installed(name):
    """The distribution of this name, None if there is none.

    A source tree on the path may have metadata of its own, which lists no bytecode; what pip has
    installed, even as a pointer to that tree, has a RECORD.
    """
    found = metadata.distributions(name=name)
    return max(found, key=lambda distribution: bool(distribution.read_text("RECORD")), default=None)


def required_names(distribution):
    """Names of the distributions that this one requires without any extra."""
    for requirement in distribution.requires or ():
        specification, _, marker = requirement.partition(";")
        if not re.search(r"\bextra\b", marker):
            yield re.match(r"[\w.-]+", specification).group()


def canonical(name):
    """The spelling under which the package index treats names as equal."""
    return re.sub(r"[-_.]+", "-", name).lower()


def files_of(distribution):
    """Every existing file of a distribution, each once and resolved.

    An editable installation records little more than a pointer, so there the sources are walked.
    """
    for file in distribution.files or ():
        path = Path(distribution.locate_file(file)).resolve()
        if path.is_file():
            yield path
    if is_editable(distribution):
        for module in (distribution.read_text("top_level.txt") or "").split():
            specification = importlib.util.find_spec(module)
            for folder in (specification and specification.submodule_search_locations) or ():
                yield from (path.resolve() for path in Path(folder).rglob("*") if path.is_file())


def is_editable(distribution):
    """Whether the distribution points at a source tree instead of holding its files."""
    origin = json.loads(distribution.read_text("direct_url.json") or "{}")
    return origin.get("dir_info", {}).get("editable", False)
