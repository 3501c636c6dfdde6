"""Every tutorial runs, keeps what its assertions promise, warns of nothing, draws its pictures."""
from __future__ import annotations

import configparser
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPTS = sorted((ROOT / 'tutorials').glob('[0-9][0-9]_*.py'))
MOST_SECONDS = 60       # each takes about one second by itself


def what_make_demo_installs():
    """The distributions of `.venv/for-programs` in the Makefile, with all that these require."""
    settings = configparser.ConfigParser()
    settings.read(ROOT / 'setup.cfg', encoding='utf-8')
    rule = (ROOT / 'Makefile').read_text(encoding='utf-8').partition('\n.venv/for-programs:')[2]
    extras = re.search(r"-e '\.\[(.+?)\]'", rule).group(1).split(',')
    wanted = settings['options']['install_requires'].strip().splitlines()
    for extra in extras:
        wanted += settings['options.extras_require'][extra].strip().splitlines()
    found = set()
    while wanted:
        name = re.match(r'[\w.-]+', wanted.pop()).group()
        if canonical(name) not in found:
            found.add(canonical(name))
            wanted += [text for text in metadata.requires(name) or () if ';' not in text]
    return found


def canonical(name):
    return re.sub(r'[-_.]+', '-', name).lower()


@pytest.fixture(scope='module')
def only_for_programs(tmp_path_factory):
    """A folder for PYTHONPATH: modules that `make demo` does not install cannot be imported."""
    allowed = what_make_demo_installs() | {'tinyflow-graph'}
    refused = sorted(module for module, names in metadata.packages_distributions().items()
                     if allowed.isdisjoint(map(canonical, names)))
    folder = tmp_path_factory.mktemp('path')
    (folder / 'sitecustomize.py').write_text(
        f'import sys\nsys.modules.update(dict.fromkeys({refused!r}))\n', encoding='utf-8')
    return str(folder)


def run(script, folder, *arguments, environment=None, path=()):
    """The finished process of a tutorial, run in `folder` with every warning an error."""
    return subprocess.run(
        [sys.executable, '-W', 'error', '-W',
         'ignore:UCI digits are used instead of MNIST:UserWarning',
         str(script), *arguments],
        cwd=folder, capture_output=True, encoding='utf-8', timeout=MOST_SECONDS,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([*path, str(ROOT)]),
             'PYTHONIOENCODING': 'utf-8',
             # next to other tests, BLAS threads that wait for each other take ten times as long
             'OPENBLAS_NUM_THREADS': '1', **(environment or {})})


# Parts of the output that the prose repeats.
QUOTED = {
    '01_graph': ['c is Tensor("c:0", shape=(), dtype=float32)', 'c has the value 5.0',
                 'a and the sum of squares: 3.0 25.0', 'nodes after running: 6',
                 'triangle/area = 6.0'],
    '02_placeholders': ['are 32.0 °F', 'are 68.0 °F', 'are 212.0 °F',
                        'pay [[4.0], [2.5]]', 'pays [[3.0]]'],
    '03_variables': ['counted 0 1 2 3', 'is 1 and again 1 while counter is 0',
                     'counts 5 and evening counts 1',
                     'weight [2.2086694] bias [-0.82041824]'],
    '04_gradients': ['at x = 2: 12.0', '   4  0.99476  1.00000', 'elsewhere: [None]'],
    '06_digits': ['from 2.3026 to'],
    '08_convolution': ['[ 0  0  3  3  0 -3]', 'by hand the same: True', '11274 in all'],
    '09_recurrent': ['100 steps with the same graph: (4, 100, 16)',
                     'While nodes with the gradient: 2', 'def f0_body('],
    '10_data': ['shuffle(2)              1 2 3 0 4 6 5',
                'fetched apart: 0 2   fetched together: 2 4'],
    '11_saving': ['saved line.ckpt-100', 'missing  line/slope', 'feed x:0, fetch prediction:0'],
    '12_tensorboard': ['tagged_run_metadata  1', '42 images in the test file'],
    '13_control_flow': ['first produced by Log', 'Sub \'sub\' combines [?, 1] with [?]'],
    '19_estimator_iris': ['after step 400: average_loss', 'petal_length  4.2  [0.4]',
                          'virginica  99.', 'use a new model_dir'],
    '20_estimator_titanic': ["'female'  id 1 = 'female'", 'all_class_ids'],
    '21_estimator_model_fn': ['3 CheckpointSaverHook   x', 'saved are the steps up to 120',
                              'without the interruption: True', 'the_loss = '],
    '22_keras_to_estimator': ['step 87', 'step 387', 'serving_default(pixels_input'],
    '23_three_levels': ['   1    2.2508438    2.2508438    2.2508438'],
    '25_build_it_yourself': ['largest difference of a loss: ', "at the node 'b'",
                             'step 300: loss 0.00707'],
    '26_eager': ['d loss / d w = 8.0', 'second derivative of w³: 18.0', 'Python ran 1 time'],
    '27_autograph': ['if_body_1__', "('z',)", '27: 111 steps; as a graph 111'],
    '14_keras': ['the same numbers: True', "belongs to the layer dense_1"],
    '15_keras_functional': ['reader[1][0]', 'named right after all: 9'],
    '16_keras_callbacks': ['early stopping', 'the file is the best model: True'],
    '17_keras_custom_layer': ['Unknown layer: Prototypes', 'prototypes/Exp: Exp'],
    '18_keras_transfer': ['Trainable params: 645', 'the base is unchanged: True',
                          'Frozen (trainable=False): base'],
}


@pytest.mark.slow
@pytest.mark.parametrize('script', SCRIPTS, ids=lambda script: script.stem)
def test_runs_silently_prints_and_draws(script, tmp_path, only_for_programs):
    pictures = tmp_path / 'pictures'
    done = run(script, tmp_path, environment={'TINYFLOW_OUTPUT': str(pictures)},
               path=[only_for_programs])
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    for text in QUOTED.get(script.stem, ()):
        assert text in done.stdout, text
    check_pictures(script, pictures)


def check_pictures(script, pictures):
    expected = set(re.findall(r"output\('([\w.]+)'\)", script.read_text(encoding='utf-8')))
    if script.stem == 'demo':
        expected = {'demo_ops.svg', 'demo_keras.svg', 'demo_estimator.svg', 'demo.png'}
    assert expected and {path.name for path in pictures.iterdir()} == expected
    for path in pictures.glob('*.svg'):
        assert '<svg' in path.read_text(encoding='utf-8')
    for path in pictures.glob('*.png'):
        assert path.read_bytes().startswith(b'\x89PNG')


@pytest.mark.slow
def test_an_argument_names_the_output_folder(tmp_path):
    done = run(ROOT / 'tutorials' / '01_graph.py', tmp_path, str(tmp_path / 'here'),
               environment={'TINYFLOW_OUTPUT': str(tmp_path / 'not here')})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / 'here' / '01_graph.svg').exists()
    assert not (tmp_path / 'not here').exists()


@pytest.mark.slow
def test_the_demo(tmp_path):
    """It fits a terminal of 80 columns, and ends with a command that runs."""
    done = run(Path('tutorials') / 'demo.py', ROOT, environment={'TINYFLOW_OUTPUT': str(tmp_path)})
    assert done.returncode == 0 and not done.stderr, done.stderr
    check_pictures(ROOT / 'tutorials' / 'demo.py', tmp_path)
    lines = done.stdout.replace(str(tmp_path), 'out').splitlines()
    assert max(map(len, lines)) <= 80
    epochs = [line.split() for line in lines if re.match(r' +\d+  \d\.\d{4}', line)]
    assert len(epochs) == 10 and float(epochs[-1][-1].rstrip('%')) > 93
    for _, ops, keras, estimator, *_ in epochs:         # the same numbers at three levels
        assert abs(float(ops) - float(keras)) < 1e-4 and abs(float(ops) - float(estimator)) < 1e-4
    python, script = lines[-1].split()
    assert Path(python).stem.startswith('python')
    assert (ROOT / script).samefile(ROOT / 'tutorials' / '01_graph.py')
