"""keras.utils for data: enqueuers, Sequence, get_file, HDF5Matrix."""
import hashlib
import io
import os
import random
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest

import tinyflow as tf

keras = tf.keras
U = keras.utils
ROOT = Path(__file__).parents[3]
X = np.arange(24, dtype=np.float32).reshape(12, 2) / 24
Y = X.sum(1)


class Batches(U.Sequence):
    """Six batches of two; records requests and threads."""

    def __init__(self, wait=0.):
        self.asked, self.threads, self.ended, self.wait = [], set(), 0, wait

    def __len__(self):
        return 6

    def __getitem__(self, index):
        time.sleep(self.wait * ((index * 5) % 3))       # later batches may be done earlier
        self.asked.append(index)
        self.threads.add(threading.get_ident())
        return X[2 * index:2 * index + 2], Y[2 * index:2 * index + 2]

    def on_epoch_end(self):
        self.ended += 1


def model():
    made = keras.Sequential([keras.layers.Dense(1, kernel_initializer='ones', input_shape=(2,))])
    made.compile(keras.optimizers.SGD(.1), 'mse')
    return made


def endless():
    while True:
        for i in range(6):
            yield X[2 * i:2 * i + 2], Y[2 * i:2 * i + 2]


def no_threads_are_left(before):
    for _ in range(100):
        if threading.active_count() <= before:
            return True
        time.sleep(.02)
    return False


@pytest.mark.parametrize('workers', [0, 1, 4])
def test_the_order_of_a_sequence_is_kept(workers):
    before = threading.active_count()
    data = Batches(wait=.002)
    found = model().predict(data, workers=workers)
    np.testing.assert_allclose(found, model().predict(X), rtol=1e-6)
    assert (len(data.threads) > 1) is (workers > 1)
    assert no_threads_are_left(before)


@pytest.mark.slow
@pytest.mark.parametrize('workers', [1, 4])
def test_epochs_of_a_sequence(workers):
    """Each epoch has every batch once; on_epoch_end comes between the epochs."""
    data, made = Batches(), model()
    history = made.fit(data, epochs=3, verbose=0, shuffle=False, workers=workers)
    assert len(history.epoch) == 3 and data.ended >= 2
    assert [sorted(data.asked[i:i + 6]) for i in (0, 6, 12)] == [list(range(6))] * 3
    whole = model()
    whole.fit(X, Y, batch_size=2, epochs=3, verbose=0, shuffle=False)
    for one, other in zip(made.get_weights(), whole.get_weights()):
        np.testing.assert_allclose(one, other, rtol=1e-5)


@pytest.mark.parametrize('workers', [1, 3])
def test_shuffling_uses_the_random_module(workers):
    random.seed(8)
    wanted = list(range(6))
    random.shuffle(wanted)
    random.seed(8)
    data = Batches()
    model().fit_generator(data, verbose=0, workers=workers, max_queue_size=1)
    assert (data.asked[:6] if workers == 1 else sorted(data.asked[:6])) == \
        (wanted if workers == 1 else list(range(6)))


def test_the_next_epoch_continues_an_incomplete_pass():
    data = Batches()
    model().fit(data, epochs=3, steps_per_epoch=4, verbose=0, shuffle=False)
    assert data.asked == [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5] and data.ended == 1


@pytest.mark.slow
@pytest.mark.parametrize('workers', [1, 3])
def test_a_generator_with_workers(workers):
    before = threading.active_count()
    made = model()
    history = made.fit_generator(endless(), steps_per_epoch=6, epochs=2, workers=workers,
                                 verbose=0, validation_data=endless(), validation_steps=6)
    whole = model()
    wanted = whole.fit(X, Y, batch_size=2, epochs=2, verbose=0, shuffle=False,
                       validation_data=(X, Y))
    np.testing.assert_allclose(history.history['loss'], wanted.history['loss'], rtol=1e-5)
    np.testing.assert_allclose(history.history['val_loss'], wanted.history['val_loss'], rtol=1e-5)
    assert no_threads_are_left(before)


def test_a_generator_that_ends():
    enqueuer = U.GeneratorEnqueuer(iter(range(7)))
    enqueuer.start(workers=3, max_queue_size=2)
    assert sorted(enqueuer.get()) == list(range(7)) and not enqueuer.is_running()


@pytest.mark.parametrize('kind', ['sequence', 'generator'])
def test_an_error_of_a_worker_reaches_the_caller(kind):
    class Bad(Batches):
        def __getitem__(self, index):
            if index == 3:
                raise FloatingPointError('batch 3')
            return super().__getitem__(index)

    def bad():
        yield X[:2], Y[:2]
        raise FloatingPointError('batch 3')
    before = threading.active_count()
    with pytest.raises(FloatingPointError, match='batch 3'):
        model().fit_generator(Bad() if kind == 'sequence' else bad(), steps_per_epoch=6,
                              workers=2, verbose=0)
    assert no_threads_are_left(before)


def test_a_generator_is_read_no_further_than_the_queue_holds():
    read = []
    enqueuer = U.GeneratorEnqueuer(read.append(i) or i for i in range(99))
    enqueuer.start(workers=2, max_queue_size=3)
    items = enqueuer.get()
    assert [next(items), next(items)] == [0, 1]
    deadline = time.time() + 5
    while len(read) < 5 and time.time() < deadline:
        time.sleep(0.01)
    time.sleep(0.05)
    assert read == [0, 1, 2, 3, 4]
    enqueuer.stop()


def test_a_stopped_enqueuer_reads_no_more():
    read = []

    def items():
        while True:
            read.append(len(read))
            yield read[-1]
    enqueuer = U.GeneratorEnqueuer(items())
    enqueuer.start(max_queue_size=2)
    while len(read) < 2:
        time.sleep(0.001)
    enqueuer.stop()                     # while it waits for room
    assert read == [0, 1]


def test_ordered_enqueuer_by_hand():
    data = Batches()
    enqueuer = U.OrderedEnqueuer(data)
    assert not enqueuer.is_running()
    enqueuer.start(workers=2, max_queue_size=3)
    batches = enqueuer.get()
    firsts = [next(batches)[1][0] for _ in range(9)]
    np.testing.assert_array_equal(firsts, np.concatenate([Y[::2], Y[:6:2]]))
    enqueuer.stop()
    assert not enqueuer.is_running() and data.ended == 1


def test_a_queue_is_not_filled_beyond_its_size():
    data = Batches()
    enqueuer = U.OrderedEnqueuer(data)
    enqueuer.start(workers=1, max_queue_size=2)
    batches = enqueuer.get()
    next(batches)
    time.sleep(.1)
    assert len(data.asked) <= 5         # one taken, one waiting for a slot, those in the queue
    enqueuer.stop()


PROCESSES = '''
import os, sys
import numpy as np
import tinyflow as tf

class Data(tf.keras.utils.Sequence):
    def __init__(self):
        self.passes = 0
    def __len__(self):
        return 4
    def __getitem__(self, i):
        return np.full((2, 1), i + 10. * self.passes), np.array([os.getpid()] * 2)
    def on_epoch_end(self):
        self.passes += 1

def main():
    made = tf.keras.utils.OrderedEnqueuer(Data(), use_multiprocessing=True)
    made.start(workers=2, max_queue_size=4)
    batches = made.get()
    found = [next(batches) for _ in range(6)]
    made.stop()
    print([int(x[0, 0]) for x, _ in found], os.getpid() not in {int(y[0]) for _, y in found})

GUARD
'''


@pytest.mark.slow
@pytest.mark.parametrize('guarded', [True, False])
def test_processes(tmp_path, guarded):
    """A spawned process imports the program; without a guard there is an error, no hang."""
    script = tmp_path / 'program.py'
    script.write_text(PROCESSES.replace(
        'GUARD', "if __name__ == '__main__':\n    main()" if guarded else 'main()'))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60,
                          check=False, env={'PYTHONPATH': str(ROOT)}, cwd=tmp_path)
    if guarded:
        assert done.stdout == '[0, 1, 2, 3, 10, 11] True\n', done.stderr
    else:
        assert "under `if __name__ == '__main__':`" in done.stderr and done.returncode == 1


def _processes(count):
    for number in range(count):
        yield os.getpid(), number, np.random.random()


@pytest.mark.slow
def test_processes_run_copies_of_a_generator():
    enqueuer = U.GeneratorEnqueuer(_processes(3), use_multiprocessing=True)
    enqueuer.start(workers=2)
    found = sorted(enqueuer.get())
    assert not enqueuer.is_running()
    pids = {pid for pid, _, _ in found}
    assert len(pids) == 2 and os.getpid() not in pids
    assert [number for _, number, _ in found] == [0, 1, 2] * 2
    assert len({value for _, _, value in found}) == 6           # each has its own random numbers


def _failing():
    yield 1
    raise KeyError('of the generator')


@pytest.mark.slow
def test_an_error_in_a_process_is_raised():
    enqueuer = U.GeneratorEnqueuer(_failing(), use_multiprocessing=True)
    enqueuer.start(workers=1)
    with pytest.raises(KeyError, match='of the generator'):
        list(enqueuer.get())


@pytest.mark.slow
def test_a_generator_in_processes_may_repeat_data():
    with pytest.warns(UserWarning, match='may duplicate your data'):
        model().fit_generator(endless(), steps_per_epoch=2, use_multiprocessing=True, workers=2,
                              verbose=0)


def test_local_classes_cannot_be_sent_to_processes():
    class Local(Batches):
        pass
    with pytest.raises(ValueError, match='Local cannot be sent to other processes'):
        model().fit(Local(), use_multiprocessing=True, workers=2, verbose=0)


# ---- files -----------------------------------------------------------------------------------


def archive(path, kind, name, content=b'inside'):
    if kind == 'zip':
        with zipfile.ZipFile(path, 'w') as made:
            made.writestr(name, content)
    else:
        with tarfile.open(path, 'w:gz') as made:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            made.addfile(info, io.BytesIO(content))


@pytest.mark.parametrize('kind', ['tar', 'zip'])
@pytest.mark.parametrize('asked', ['auto', 'own', ['tar', 'zip'], 'other'])
def test_get_file_extracts(tmp_path, kind, asked, capsys):
    archive(tmp_path / 'origin', kind, 'folder/text')
    other = {'tar': 'zip', 'zip': 'tar'}[kind]

    def get():
        return U.get_file('got', f'file://{tmp_path}/origin', extract=True,
                          archive_format={'own': kind, 'other': other}.get(asked, asked)
                          if isinstance(asked, str) else asked, cache_dir=str(tmp_path))
    if asked == 'other':
        with pytest.warns(UserWarning, match='not an archive of the kind'):
            get()
        assert not (tmp_path / 'datasets' / 'folder').exists()
    else:
        get()
        assert (tmp_path / 'datasets' / 'folder' / 'text').read_bytes() == b'inside'
    assert 'Downloading data from' in capsys.readouterr().out


@pytest.mark.parametrize('kind', ['tar', 'zip'])
@pytest.mark.parametrize('name', ['../outside', '/outside', 'a/../../outside'])
def test_nothing_is_extracted_outside_of_the_folder(tmp_path, kind, name):
    archive(tmp_path / 'origin', kind, name)
    with pytest.raises(ValueError, match='not unpacked'):
        U.get_file('got', f'file://{tmp_path}/origin', extract=True, cache_dir=str(tmp_path))
    assert not (tmp_path / 'outside').exists()
    assert sorted(p.name for p in (tmp_path / 'datasets').iterdir()) == ['got']


def test_a_link_that_leads_outside_is_not_extracted(tmp_path):
    with tarfile.open(tmp_path / 'origin', 'w') as made:
        info = tarfile.TarInfo('link')
        info.type, info.linkname = tarfile.SYMTYPE, '/etc'
        made.addfile(info)
    with pytest.raises(ValueError, match='not unpacked'):
        U.get_file('got', f'file://{tmp_path}/origin', extract=True, cache_dir=str(tmp_path))


def test_untar_gives_the_folder_and_needs_the_archive_only_once(tmp_path):
    archive(tmp_path / 'origin', 'tar', 'data/text')
    for origin in (f'file://{tmp_path}/origin', 'file:///gone'):
        path = U.get_file('data', origin, untar=True, cache_dir=str(tmp_path))
        assert (Path(path) / 'text').read_bytes() == b'inside'
        (tmp_path / 'datasets' / 'data.tar.gz').unlink(missing_ok=True)


@pytest.mark.parametrize('algorithm', ['md5', 'sha256'])
def test_file_hashes(tmp_path, algorithm):
    (tmp_path / 'origin').write_bytes(b'right')
    digest = hashlib.new(algorithm, b'right').hexdigest()
    settings = {'cache_dir': str(tmp_path), 'origin': f'file://{tmp_path}/origin'}
    for asked in ('auto', algorithm):
        path = U.get_file('got', file_hash=digest, hash_algorithm=asked, **settings)
        assert Path(path).read_bytes() == b'right'
    Path(path).write_bytes(b'wrong')                            # damaged: downloaded again
    U.get_file('got', file_hash=digest, hash_algorithm=algorithm, **settings)
    assert Path(path).read_bytes() == b'right'
    (tmp_path / 'origin').write_bytes(b'other')
    with pytest.raises(OSError, match='not the file that was expected'):
        U.get_file('new', file_hash=digest, **settings)
    assert not (tmp_path / 'datasets' / 'new').exists()
    with pytest.raises(ValueError, match='hash_algorithm'):
        U.get_file('got', file_hash=digest, hash_algorithm='sha1', **settings)


# ---- HDF5Matrix and kernels ------------------------------------------------------------------


@pytest.fixture
def hdf5(tmp_path):
    import h5py
    path = tmp_path / 'data.h5'
    with h5py.File(path, 'w') as file:
        file['x'], file['y'] = X, Y
    yield path
    U.HDF5Matrix.refs.pop(str(path)).close()


@pytest.mark.slow
def test_hdf5_matrix_is_an_array_for_fit_evaluate_and_predict(hdf5):
    x, y = U.HDF5Matrix(hdf5, 'x'), U.HDF5Matrix(str(hdf5), 'y')
    for shuffle in ('batch', False, True):
        np.random.seed(3)
        made = model()
        made.fit(x, y, batch_size=4, shuffle=shuffle, verbose=0)
        np.random.seed(3)
        whole = model()
        whole.fit(X, Y, batch_size=4, shuffle=shuffle, verbose=0)
        np.testing.assert_allclose(made.get_weights()[0], whole.get_weights()[0], rtol=1e-5)
    np.testing.assert_allclose(made.predict(x), made.predict(X), rtol=1e-6)
    assert made.evaluate(x, y, verbose=0) == pytest.approx(made.evaluate(X, Y, verbose=0))


def test_hdf5_matrix_has_a_part_and_a_normalizer(hdf5):
    part = U.HDF5Matrix(hdf5, 'x', 2, 9, normalizer=lambda rows: rows * 2)
    assert part.shape == (7, 2) and len(part) == 7 and part.ndim == 2 and part.size == 14
    assert part.dtype == np.float32
    np.testing.assert_array_equal(part[1:3], X[3:5] * 2)
    np.testing.assert_array_equal(part[[0, 4]], X[[2, 6]] * 2)
    np.testing.assert_array_equal(part[6], X[8] * 2)
    np.testing.assert_array_equal(np.asarray(part), X[2:9] * 2)
    for beyond in (7, slice(0, 8), [0, 7]):
        with pytest.raises(IndexError):
            part[beyond]
    with pytest.raises(KeyError, match="no dataset 'z'; it has"):
        U.HDF5Matrix(hdf5, 'z')


def test_convert_all_kernels_flips_them():
    made = keras.Sequential([keras.layers.Conv2D(2, (2, 3), input_shape=(5, 5, 1)),
                             keras.layers.Flatten(), keras.layers.Dense(1)])
    before = made.get_weights()
    U.convert_all_kernels_in_model(made)
    after = made.get_weights()
    np.testing.assert_array_equal(after[0], before[0][::-1, ::-1])
    np.testing.assert_array_equal(after[2], before[2])


@pytest.mark.parametrize('name, included', [('mnist.npz', True), ('cifar-10.tar.gz', True),
                                            ('words.txt', False)])
def test_pictures_that_cannot_be_downloaded_have_a_substitute(tmp_path, name, included):
    with pytest.raises(OSError, match='save the file manually as') as caught:
        U.get_file(name, f'file://{tmp_path}/{name}', cache_dir=str(tmp_path))
    assert ('keras.datasets.digits' in str(caught.value)) is included
