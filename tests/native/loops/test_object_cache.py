"""Compiled loops are kept on disk, are found by other processes, and damaged ones are not used."""

import os

import numpy as np
import pytest

from tinyflow.graph.support.background import end_all
from tinyflow.native import loops
from tinyflow.native.loops import kernel, object_cache
from tinyflow.native.loops.kernel import Layout, native_loop
from tinyflow.native.loops.trace import Tracer

pytestmark = pytest.mark.skipif(not loops.found(), reason='needs the extra "fast"')


@pytest.fixture
def folder(tmp_path, monkeypatch):
    end_all()                   # earlier tests' threads would write into the folder
    monkeypatch.setenv('TINYFLOW_CACHE', str(tmp_path))
    object_cache._make_room.cache_clear()
    yield tmp_path / 'loops'
    object_cache._make_room.cache_clear()


def cubes():
    """What a newly compiled loop makes of some numbers."""
    kernel._compiled.cache_clear()
    tracer, dtype = Tracer(), np.dtype('f4')
    x = tracer.input(0, dtype)
    cube = tracer.node('multiply', (tracer.node('multiply', (x, x), dtype), x), dtype)
    native = native_loop(Layout(('full',), ('f4', 'f4'), 1, 1), [x], [cube])
    numbers = np.linspace(-2, 2, 1001).astype('f4')
    result = np.empty_like(numbers)
    assert native(numbers, result)
    return result


def test_a_loop_is_compiled_once(folder, monkeypatch):
    first = cubes()
    [file] = folder.iterdir()
    kept = []
    monkeypatch.setattr(object_cache, 'keep', lambda name, code: kept.append(name))
    assert (cubes() == first).all() and not kept
    assert object_cache.find(file.name)


@pytest.mark.parametrize('damage', [lambda content: content[:-1], lambda content: b'',
                                    lambda content: content[:40] + b'x' + content[41:]])
def test_a_damaged_file_is_compiled_again(folder, damage):
    first = cubes()
    [file] = folder.iterdir()
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    assert object_cache.find(file.name) is None
    assert (cubes() == first).all()
    assert file.read_bytes() == whole


def test_a_folder_that_cannot_be_made_is_no_error(tmp_path, monkeypatch):
    (tmp_path / 'loops').write_text('a file')
    monkeypatch.setenv('TINYFLOW_CACHE', str(tmp_path))
    object_cache._make_room.cache_clear()
    assert len(cubes()) == 1001


@pytest.mark.parametrize('off', ['off', 'OFF '])
def test_it_can_be_turned_off(off, folder, monkeypatch):
    monkeypatch.setenv('TINYFLOW_CACHE', off)
    object_cache.keep('name', b'code')
    assert object_cache.find('name') is None and not folder.exists()


def test_a_folder_of_the_user(tmp_path, monkeypatch):
    monkeypatch.setenv('HOME', str(tmp_path))
    monkeypatch.setenv('TINYFLOW_CACHE', '~/cache')
    assert object_cache._folder() == tmp_path / 'cache' / 'loops'


def test_the_usual_folder(tmp_path, monkeypatch):
    monkeypatch.delenv('TINYFLOW_CACHE')
    monkeypatch.setenv('XDG_CACHE_HOME', str(tmp_path))
    assert object_cache._folder() == tmp_path / 'tinyflow' / 'loops'


def test_the_older_half_of_too_many_files_is_removed(folder, monkeypatch):
    monkeypatch.setattr(object_cache, '_MOST', 3)
    for age, name in enumerate('abcd'):
        object_cache.keep(name, b'code')
        os.utime(folder / name, (1000 - age, 1000 - age))
    object_cache._make_room.cache_clear()
    object_cache.keep('e', b'code')
    assert {file.name for file in folder.iterdir()} == {'a', 'b', 'e'}


def test_other_origins_have_other_names():
    assert len({object_cache.name_of(*origins) for origins in
                (('1', 'cpu', 'text'), ('2', 'cpu', 'text'), ('1', 'cpu', 'texts'))}) == 3


def test_a_folder_that_others_have_made_meanwhile_is_not_used(folder):
    assert object_cache.find('name') is None
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    object_cache.keep('name', b'code')
    assert object_cache.find('name') is None


def test_it_is_used_with_any_umask(tmp_path, monkeypatch):
    monkeypatch.setenv('TINYFLOW_CACHE', str(tmp_path / 'new'))
    usual = os.umask(0o002)
    try:
        object_cache.keep('name', b'code')
    finally:
        os.umask(usual)
    assert object_cache.find('name') == b'code'


def test_nothing_is_put_into_a_folder_that_others_can_write_to(folder):
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    object_cache.keep('name', b'code')
    assert not list(folder.iterdir())


def test_a_folder_that_others_can_replace_is_not_used(folder):
    object_cache.keep('name', b'code')
    folder.parent.chmod(0o777)
    assert object_cache.find('name') is None
    folder.parent.chmod(0o1777)                 # as /tmp
    assert object_cache.find('name') == b'code'


def test_a_folder_that_others_can_write_to_is_not_used(folder):
    object_cache.keep('name', b'code')
    assert object_cache.find('name') == b'code'
    folder.chmod(0o777)
    assert object_cache.find('name') is None
