"""Messages about checkpoints and exports."""
from __future__ import annotations

import os

import pytest

import tinyflow as tf
from tests.messages.support import check_mistake, message_of

pytestmark = pytest.mark.usefixtures('graph')


def restore(path):
    tf.get_variable('w', [4])
    with tf.Session() as session:
        tf.train.Saver().restore(session, path)


# name: (the mistake, the class of its error, words of its message)
MISTAKES = {
    'an export into a full directory': (
        lambda: tf.saved_model.builder.SavedModelBuilder(os.path.dirname(__file__)),
        AssertionError, ["isn't empty", 'Hint: another directory', 'shutil.rmtree']),
    'a restore of None': (
        lambda: restore(None), ValueError, ['None', 'Hint: tf.train.latest_checkpoint']),
    'a Saver without Variables': (
        lambda: tf.train.Saver(), ValueError, ['No variables to save', 'Hint: ']),
}


@pytest.mark.parametrize('name', MISTAKES)
def test_a_mistake_is_check_message(name):
    check_mistake(*MISTAKES[name])


@pytest.fixture
def checkpoint(tmp_path):
    """The path of a checkpoint that holds `w`, a vector of 3."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable('w', [3])
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(tmp_path / 'model'))


def test_a_checkpoint_of_other_shapes(checkpoint):
    text = message_of(tf.errors.InvalidArgumentError, restore, checkpoint)
    assert 'shape differs  w  float32 [4]  in the checkpoint [3]' in text and 'Hint: ' in text


def test_a_checkpoint_of_another_model(checkpoint):
    tf.get_variable('another', [3])
    text = message_of(tf.errors.NotFoundError, restore, checkpoint)
    assert 'missing        another  float32 [3]' in text and 'Hint: ' in text


def test_a_missing_checkpoint(tmp_path):
    text = message_of(ValueError, restore, str(tmp_path / 'none' / 'model'))
    assert 'not a valid checkpoint' in text and 'Hint: there is no directory' in text


def test_a_directory_without_a_checkpoint(tmp_path):
    text = message_of(ValueError, restore, str(tmp_path / 'model'))
    assert 'not a valid checkpoint' in text and 'Hint: there are no checkpoints in' in text


def test_a_directory_instead_of_a_checkpoint(checkpoint, tmp_path):
    text = message_of(ValueError, restore, str(tmp_path))
    assert 'Hint: that is a directory: tf.train.latest_checkpoint' in text


def test_a_save_into_a_missing_directory(tmp_path):
    tf.get_variable('w', [3])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        text = message_of(ValueError, tf.train.Saver().save, session, str(tmp_path / 'a/b/model'))
    assert "doesn't exist" in text and 'Hint: os.makedirs' in text
