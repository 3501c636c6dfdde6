"""An Estimator whose model_dir has lost its state file, or a checkpoint while it is watched."""
from __future__ import annotations

import pytest

from tests.estimator.models import line, points
from tests.train.test_lost_state_file import checkpoints, damages, spoil


@pytest.mark.slow
@damages
def test_training_goes_on(tmp_path, damage, logged):
    line(tmp_path, save_checkpoints_steps=5).train(points(), max_steps=10)
    old = checkpoints(tmp_path)
    spoil(tmp_path, damage)
    estimator = line(tmp_path, save_checkpoints_steps=5, keep_checkpoint_max=1)
    assert estimator.latest_checkpoint() == f'{tmp_path}/model.ckpt-10'
    assert estimator.evaluate(points(1))['global_step'] == 10
    estimator.train(points(), max_steps=10)         # nothing to do
    assert checkpoints(tmp_path) == old
    estimator.train(points(), max_steps=20)
    assert estimator.evaluate(points(1))['global_step'] == 20
    new = checkpoints(tmp_path)
    assert {name: new[name] for name in old if 'ckpt-10.' not in name} == \
        {name: old[name] for name in old if 'ckpt-10.' not in name}
    assert sum('newest whole checkpoint' in text for text in logged) == 1


@pytest.mark.slow
def test_equal_bits_after_a_lost_state_file(tmp_path):
    """The positions of random numbers and input are those of the checkpoint that was found."""
    weights = []
    for folder, damage in ((tmp_path / 'a', None), (tmp_path / 'b', 'empty')):
        estimator = line(folder, save_checkpoints_steps=5)
        estimator.train(points(), max_steps=5)
        if damage:
            spoil(folder, damage)
        estimator.train(points(), max_steps=9)
        weights.append(estimator.get_variable_value('line/kernel').tobytes())
    assert weights[0] == weights[1]


def test_damaged_everywhere(tmp_path):
    estimator = line(tmp_path)
    estimator.train(points(), max_steps=2)
    spoil(tmp_path, 'empty')
    for path in tmp_path.glob('*.index'):
        path.write_bytes(b'')
    assert 'damaged checkpoints' in repr(estimator)
    for call in (lambda: estimator.train(points(), steps=1), lambda: estimator.evaluate(points(1))):
        with pytest.raises(Exception, match='checkpoint is empty'):
            call()
