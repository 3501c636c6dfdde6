"""FeedFnHook: feeds every run from a function."""
from __future__ import annotations

from tinyflow.train.sessions.session_run_hook import SessionRunArgs, SessionRunHook

__all__ = ['FeedFnHook']


class FeedFnHook(SessionRunHook):
    """Calls `feed_fn` before each run and feeds the dict that it returns."""

    def __init__(self, feed_fn):
        self.feed_fn = feed_fn

    def before_run(self, run_context):
        return SessionRunArgs(fetches=None, feed_dict=self.feed_fn())
